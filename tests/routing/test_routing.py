"""Requests for tools in every form: told apart, read, run, answered in the same form. Nothing raises."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chunkings import chunkings
from toolglean import ToolgleanError, ToolSet, UsageError
from toolglean.messages import (
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
    ToolCallAggregator,
)
from toolglean.routing import (
    ApiHandlerOptions,
    BaseProvider,
    LocalTools,
    McpIntegration,
    OllamaHandler,
    OpenAiHandler,
    ToolFault,
    ToolResultContent,
    ToolUseContent,
    ToolUseFormat,
    UnifiedMcpToolSystem,
    detect_format,
    from_neutral,
    messages_of_turn,
    result_from_neutral,
    result_to_neutral,
    to_neutral,
)

WEATHER = {
    "name": "get_weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
NEUTRAL = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}


# -- detection ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("<get_weather><city>Oslo</city></get_weather>", "xml"),
        ("I will look.\n<get_weather>\n<city>Oslo</city>\n</get_weather>", "xml"),
        ('{"name": "f", "input": {"html": "<b>x</b>"}}', "json"),
        ('{"type": "tool_use", "id": "1", "name": "f", "input": {}}', "neutral"),
        ('{"tool_calls": []}', "openai"),
        ('{"function_call": {"name": "f"}}', "openai"),
        ('[{"type": "tool_use", "name": "f"}]', "neutral"),
        ('{"name": "f", "input": {', "json"),
        ("no request at all", "xml"),
        (NEUTRAL, "neutral"),
        (OPENAI, "openai"),
        ({"tool_calls": [OPENAI]}, "openai"),
        ({"type": "function_call", "name": "f", "arguments": "{}"}, "openai"),
        ({"name": "f"}, "json"),
        (ToolUseContent("f"), "neutral"),
    ],
)
def test_detect_format(content: Any, form: str) -> None:
    assert detect_format(content) == form


# -- reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "requests"),
    [
        (NEUTRAL, [("get_weather", "t1", {"city": "Oslo"})]),
        (OPENAI, [("get_weather", "c1", {"city": "Oslo"})]),
        # Thea-Code takes the first of several only: nothing says that the others are not meant.
        (
            {"tool_calls": [OPENAI, OPENAI | {"id": "c2"}]},
            [("get_weather", "c1", {"city": "Oslo"}), ("get_weather", "c2", {"city": "Oslo"})],
        ),
        ({"function_call": {"name": "f", "arguments": "{}"}}, [("f", "", {})]),
        ({"type": "function_call", "call_id": "r1", "name": "f", "arguments": '{"a": 1}'}, [("f", "r1", {"a": 1})]),
        ('{"name": "f", "arguments": {"a": 1}}', [("f", "", {"a": 1})]),
        ('[{"name": "f"}, {"name": "g", "input": {}}]', [("f", "", {}), ("g", "", {})]),
        (
            "<get_weather><city>007</city><days>7</days></get_weather>",
            [("get_weather", "", {"city": "007", "days": 7})],
        ),
        # Their pattern is `\w+`: a name with a dash or a dot was no tool.
        ("<my-tool.x><a>1</a></my-tool.x>", [("my-tool.x", "", {"a": "1"})]),
        (
            '<tool_call>{"name": "get_weather", "arguments": {"city": "<days>"}}</tool_call>',
            [("get_weather", "", {"city": "<days>"})],
        ),
        ("[TOOL_CALLS]get_weather[ARGS]{}", [("get_weather", "", {})]),
    ],
)
def test_to_neutral(content: Any, requests: list[tuple[str, str, Any]]) -> None:
    found = to_neutral(content, [WEATHER])
    assert [(each.name, each.id, each.input) for each in found] == requests
    assert not any(each.unread for each in found)


@pytest.mark.parametrize(
    ("content", "unread"),
    [
        ({"function_call": {"name": "f", "arguments": "{bad"}}, "{bad"),
        ({"name": "f", "input": [1]}, "[1]"),
        ({"name": "f", "input": "7"}, "7"),
        ('<tool_call>{"name": "f", "arguments": {"a": ', '<tool_call>{"name": "f", "arguments": {"a": '),
    ],
)
def test_arguments_that_cannot_be_read(content: Any, unread: str) -> None:
    assert [(each.input, each.unread) for each in to_neutral(content, ["f"])] == [({}, unread)]


@pytest.mark.parametrize(
    "content", ["", "hello", "a < b > c", "{", None, 5, [], {}, {"name": 5}, {"tool_calls": []}, object()]
)
def test_what_is_no_request(content: Any) -> None:
    with pytest.raises(UsageError, match="no use of a tool"):
        to_neutral(content, [WEATHER])


NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
INPUTS = st.dictionaries(
    NAMES, st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.lists(st.integers(), max_size=2)), max_size=3
)
REQUESTS = st.builds(ToolUseContent, NAMES, TEXTS.filter(bool), INPUTS)


@given(REQUESTS, st.sampled_from([ToolUseFormat.OPENAI, ToolUseFormat.JSON, ToolUseFormat.NEUTRAL]))
@settings(max_examples=100, deadline=None)
def test_requests_there_and_back(request: ToolUseContent, form: ToolUseFormat) -> None:
    assert to_neutral(from_neutral(request, form)) == [request]


@given(st.dictionaries(st.sampled_from(["a", "b-c"]), TEXTS, min_size=1))
@settings(max_examples=100, deadline=None)
def test_xml_requests_there_and_back(arguments: dict[str, str]) -> None:
    tool = {
        "name": "f",
        "parameters": {"type": "object", "properties": {name: {"type": "string"} for name in arguments}},
    }
    try:
        text = from_neutral(ToolUseContent("f", "", arguments), ToolUseFormat.XML, [tool])
    except UsageError:
        return  # it cannot be written: `render` has said so, and why
    assert [each.input for each in to_neutral(text, [tool])] == [arguments]


RESULTS = st.one_of(
    st.builds(lambda own, text: ToolResultContent(own, [{"type": "text", "text": text}] if text else []), TEXTS, TEXTS),
    st.builds(lambda own, text: ToolResultContent.failed(own, "tool_failed", text), TEXTS, TEXTS.filter(bool)),
    st.builds(ToolResultContent.of, TEXTS, st.dictionaries(TEXTS, st.integers(), min_size=1, max_size=2)),
)


@given(RESULTS, st.sampled_from([ToolUseFormat.XML, ToolUseFormat.NEUTRAL, ToolUseFormat.JSON]))
@settings(max_examples=200, deadline=None)
def test_results_there_and_back(result: ToolResultContent, form: ToolUseFormat) -> None:
    back = result_to_neutral(result_from_neutral(result, form))
    assert (back.tool_use_id, back.text, back.is_error, back.error) == (
        result.tool_use_id,
        result.text,
        result.is_error,
        result.error,
    )
    if form != ToolUseFormat.XML:
        assert back == result


def test_results_of_openai() -> None:
    result = ToolResultContent.of("c1", {"t": -3})
    wire = result_from_neutral(result, ToolUseFormat.OPENAI, "get_weather")
    assert wire == {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": '{"t": -3}'}
    assert result_to_neutral(wire) == result


def test_xml_results_are_escaped() -> None:
    result = ToolResultContent.failed('"<1>', "tool_failed", 'a < b & "c"')
    text = result_from_neutral(result, ToolUseFormat.XML)
    assert "<1>" not in text
    assert result_to_neutral(text) == result


@pytest.mark.parametrize("content", ["", "<tool_result>", {"role": "user"}, 5])
def test_what_is_no_result(content: Any) -> None:
    with pytest.raises(UsageError, match="not a tool's result"):
        result_to_neutral(content)


# -- running -----------------------------------------------------------------------------------------------------------


def integration(**options: Any) -> McpIntegration:
    mcp = McpIntegration(**options)

    def get_weather(city: str, days: int = 1) -> Any:
        return {"city": city, "days": days}

    async def hang() -> None:
        await asyncio.sleep(30)

    async def stubborn() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)

    def boom() -> None:
        raise ValueError("no weather today")

    async def cancels_itself() -> None:
        raise asyncio.CancelledError

    def odd() -> object:
        return complex(1, 2)

    for function in (hang, stubborn, boom, cancels_itself, odd):
        mcp.register_tool(function)
    mcp.register_tool(get_weather, WEATHER)
    return mcp


def routed(content: Any, **options: Any) -> Any:
    return asyncio.run(integration(**options).route_tool_use(content))


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (ToolUseContent("nope", "i", {}), "unknown_tool", "Tool 'nope' not found. The tools are: hang"),
        (ToolUseContent("get_weather", "i", {}, unread="{bad"), "bad_arguments", "not a JSON object: {bad"),
        (ToolUseContent("get_weather", "i", {}), "bad_arguments", "parameter 'city' is missing"),
        (
            ToolUseContent("get_weather", "i", {"city": "x", "days": "soon"}),
            "bad_arguments",
            "parameter 'days' must be integer, not 'soon'",
        ),
        (ToolUseContent("boom", "i", {}), "tool_failed", "'boom' failed: ValueError: no weather today"),
        (ToolUseContent("cancels_itself", "i", {}), "tool_failed", "was cancelled"),
        (ToolUseContent("hang", "i", {}), "timeout", "gave no result within 0.05 seconds"),
        (ToolUseContent("stubborn", "i", {}), "timeout", "gave no result within 0.05 seconds"),
    ],
)
def test_errors_are_results_with_the_requests_id(content: ToolUseContent, code: str, message: str) -> None:
    result = routed(content, timeout=0.05)
    assert (result.tool_use_id, result.is_error, result.status) == ("i", True, "error")
    assert result.error is not None
    assert result.error.code == code
    assert message in result.error.message
    assert message in result.text


def test_results_take_the_form_of_the_request() -> None:
    value = {"city": "Oslo", "days": 2}
    use = ToolUseContent("get_weather", "t1", {"city": "Oslo", "days": "2"})
    assert routed(use) == ToolResultContent.of("t1", value)
    assert routed(use.to_dict()) == ToolResultContent.of("t1", value).to_dict()
    call = {"id": "c1", "function": {"name": "get_weather", "arguments": '{"city": "Oslo", "days": 2}'}}
    message = {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": '{"city": "Oslo", "days": 2}'}
    assert routed(call) == message
    assert routed({"tool_calls": [call, call]}) == [message, message]
    xml = routed("<get_weather><city>Oslo</city><days>2</days></get_weather>")
    assert xml == '<tool_result tool_use_id="tool_0" status="success">\n{"city": "Oslo", "days": 2}\n</tool_result>'
    assert routed('{"name": "get_weather", "input": {"city": "Oslo", "days": 2}}')["structured_content"] == value


def test_a_result_of_no_json_is_told_as_text() -> None:
    assert routed(ToolUseContent("odd", "i")).text == "(1+2j)"


def test_outer_cancellation_goes_on_outwards_and_into_the_tool() -> None:
    seen: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def run() -> bool:
        mcp = McpIntegration()
        mcp.register_tool(slow)
        task = asyncio.create_task(mcp.route_tool_use(ToolUseContent("slow")))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0)
        return task.cancelled()

    assert asyncio.run(run())
    assert seen == ["cancelled"]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["tool_use", "get_weather", "<get_weather>", "{"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "name", "id", "input", "function", "tool_calls", "arguments", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(JUNK)
@settings(max_examples=200, deadline=None)
def test_nothing_raises(content: Any) -> None:
    async def answer() -> str:
        return "x"

    mcp = McpIntegration()
    mcp.register_tool(answer, WEATHER)
    found = asyncio.run(mcp.route_tool_use(content))
    assert found is not None


def test_an_object_that_raises_is_no_request() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    found = routed(Hostile())
    assert found["error"]["code"] == "bad_request"
    assert found["tool_use_id"] == "error"


def test_of_two_executors_with_one_name_the_first_runs() -> None:
    first, second = LocalTools(), LocalTools()
    for place, tools in enumerate((first, second)):
        tools.add(lambda place=place: place, "where")
    second.add(lambda: "other", "other")
    system = UnifiedMcpToolSystem([first, second])
    assert system.tools == ToolSet(["where", "other"])
    for name, value in (("where", "0"), ("other", "other")):
        assert asyncio.run(system.execute_tool_from_neutral_format(ToolUseContent(name))).text == value


def test_an_executor_may_give_results_of_its_own() -> None:
    class Own:
        tools = ToolSet(["f"])

        async def execute_tool(self, name: str, input: Any, *, tool_use_id: str = "") -> Any:  # noqa: A002
            return ToolResultContent("", [{"type": "text", "text": f"{name} {input} {tool_use_id}"}], is_error=True)

    result = asyncio.run(McpIntegration(Own()).route_tool_use(ToolUseContent("f", "i", {"a": 1})))
    assert (result.tool_use_id, result.error) == ("i", ToolFault("tool_failed", "f {'a': 1} i"))


def test_wrong_set_up_fails_at_the_door() -> None:
    with pytest.raises(UsageError, match="timeout"):
        McpIntegration(timeout=0)
    tools = LocalTools()
    tools.add(len, "f")
    with pytest.raises(UsageError, match="already"):
        tools.add(len, "f")
    with pytest.raises(ToolgleanError):
        tools.add(len, {"no": "name"})


def test_a_function_describes_itself() -> None:
    def get_weather(city: str, days: int = 1, *, unit: object = None) -> str:
        """The weather."""
        return f"{city}{days}{unit}"

    tool = LocalTools().add(get_weather)
    assert (tool.name, tool.description) == ("get_weather", "The weather.")
    assert tool.parameters == {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "unit": {}},
        "required": ["city"],
    }


# -- fragments ---------------------------------------------------------------------------------------------------------


def fragment(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:  # noqa: A002
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        (
            [fragment(0, "a", "f", ""), fragment(0, None, None, '{"x":'), fragment(0, None, None, " 1}")],
            [("a", "f", {"x": 1})],
        ),
        ([fragment(0, "a", "f", "{}"), fragment(1, "b", "g", "{}")], [("a", "f", {}), ("b", "g", {})]),
        # fragments of two calls in turns
        (
            [
                fragment(0, "a", "f", "{"),
                fragment(1, "b", "g", "{"),
                fragment(0, None, None, "}"),
                fragment(1, None, None, "}"),
            ],
            [("a", "f", {}), ("b", "g", {})],
        ),
        # the id comes late
        ([fragment(0, None, "f", "{"), fragment(0, "a", None, "}")], [("a", "f", {})]),
        # NeMo Guardrails PR 1797: no index
        (
            [fragment(None, "a", "f", "{"), fragment(None, None, None, "}"), fragment(None, "b", "g", "{}")],
            [("a", "f", {}), ("b", "g", {})],
        ),
        (
            [
                fragment(None, "a", "f", "{"),
                fragment(None, "b", "g", "{"),
                fragment(None, "a", None, "}"),
                fragment(None, "b", None, "}"),
            ],
            [("a", "f", {}), ("b", "g", {})],
        ),
        # every call has index 0
        ([fragment(0, "a", "f", "{}"), fragment(0, "b", "f", "{}")], [("a", "f", {}), ("b", "f", {})]),
        ([fragment(0, None, "f", "{}"), fragment(0, None, "g", "{}")], [(None, "f", {}), (None, "g", {})]),
        # two identical calls without ids, and one whose name comes with every piece
        (
            [fragment(0, None, "f", '{"x": 1}'), fragment(0, None, "f", '{"x": 1}')],
            [(None, "f", {"x": 1}), (None, "f", {"x": 1})],
        ),
        ([fragment(0, "a", "f", '{"x"'), fragment(0, "a", "f", ": 1}")], [("a", "f", {"x": 1})]),
        ([fragment(0, None, "f", '{"x"'), fragment(0, None, "f", ": 1}")], [(None, "f", {"x": 1})]),
        # the name in pieces
        (
            [fragment(0, "a", "get_"), fragment(0, None, "weather"), fragment(0, None, None, "{}")],
            [("a", "get_weather", {})],
        ),
        # arguments as an object, as nothing, as the word null
        ([fragment(0, "a", "f", {"x": 1})], [("a", "f", {"x": 1})]),
        ([fragment(0, "a", "f")], [("a", "f", {})]),
        ([fragment(0, "a", "f", "null")], [("a", "f", {})]),
    ],
)
def test_fragments_are_joined(fragments: list[dict[str, Any]], calls: list[tuple[Any, str, Any]]) -> None:
    joined = ToolCallAggregator()
    for each in fragments:
        joined.add([each])
    assert [(call.id, call.name, call.arguments) for call in joined.finish()] == calls
    assert not joined
    joined.add(fragments)
    assert len(joined.finish()) == len(calls)


@pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1} x', "NaN"])
def test_fragments_that_make_no_object_are_unread(text: str) -> None:
    for chunks in chunkings(text):
        joined = ToolCallAggregator()
        joined.add([fragment(0, "a", "f")])
        for chunk in chunks:
            joined.add([fragment(0, None, None, chunk)])
        assert joined.finish() == [ContentPartToolCall("f", {}, "a", text)]


@given(JUNK)
@settings(max_examples=100, deadline=None)
def test_odd_fragments_do_not_raise(junk: Any) -> None:
    joined = ToolCallAggregator()
    joined.add_delta({"tool_calls": junk, "function_call": junk})
    joined.finish()


# -- providers, with a client that is played (the real one: tests/clients/test_openai_handlers.py) ------------------------


class Played:
    """A client that plays deltas."""

    def __init__(self, *deltas: Any, error: Exception | None = None) -> None:
        self.deltas = deltas
        self.error = error
        self.requests: list[dict[str, Any]] = []
        self.chat = self.completions = self

    async def create(self, **request: Any) -> Any:
        self.requests.append(request)
        return self._stream()

    async def _stream(self) -> Any:
        for delta in self.deltas:
            yield {"choices": [{"index": 0, "delta": delta}]}
        if self.error is not None:
            raise self.error


def handlers(client: Played, **options: Any) -> list[OpenAiHandler | OllamaHandler]:
    found = ApiHandlerOptions(open_ai_model_id="m", ollama_model_id="m", **options)
    return [kind(found, client=client, mcp=integration()) for kind in (OpenAiHandler, OllamaHandler)]


def said(handler: BaseProvider, history: Any = (), prompt: str = "Be brief.") -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        return [part async for part in handler.create_message(prompt, history)]

    return asyncio.run(run())


def merged(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for part in parts:
        if found and part["type"] == found[-1]["type"] in {"text", "reasoning"}:
            found[-1] = {"type": part["type"], "text": found[-1]["text"] + part["text"]}
        else:
            found.append(part)
    return found


CALL = "<get_weather><city>Oslo</city></get_weather>"
USED = {"type": "tool_use", "name": "get_weather", "input": {"city": "Oslo"}}
RESULT = {"city": "Oslo", "days": 1}


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        '{"type": "tool_use", "name": "get_weather", "input": {"city": "Oslo"}}',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    ],
)
@pytest.mark.parametrize("kind", [0, 1], ids=["openai", "ollama"])
def test_calls_in_the_text_are_run(text: str, kind: int) -> None:
    for chunks in chunkings(text):
        parts = said(handlers(Played(*[{"content": chunk} for chunk in chunks]))[kind])
        use, result = (part for part in parts if part["type"] != "text")
        assert use == USED | {"id": use["id"]}
        assert (result["type"], result["id"]) == ("tool_result", use["id"])
        assert result["content"]["structured_content"] == RESULT
        assert result["content"]["tool_use_id"] == use["id"]


def test_all_that_a_stream_may_hold() -> None:
    deltas = [
        {"role": "assistant", "reasoning_content": "Hm."},
        {"content": "I look: "},
        {"tool_calls": [fragment(0, "c1", "get_weather", '{"city":')]},
        {"content": CALL[:10]},
        {"tool_calls": [fragment(0, None, None, '"Oslo"}'), fragment(1, "c2", "boom", "")]},
        {"content": CALL[10:] + "So. <tool_call>{"},
    ]
    for handler in handlers(Played(*deltas)):
        parts = merged(said(handler))
        kinds = [part["type"] for part in parts]
        assert kinds[:4] == ["reasoning", "text", "tool_use", "tool_result"]
        assert "".join(part["text"] for part in parts if part["type"] == "text") == "I look: So. <tool_call>{"
        results = [part["content"] for part in parts if part["type"] == "tool_result"]
        assert [result["is_error"] for result in results] == [False, False, True]
        assert [part["id"] for part in parts if part["type"] == "tool_result"][1:] == ["c1", "c2"]


def test_a_turn_is_kept_as_messages() -> None:
    client = Played(
        {"reasoning_content": "H"},
        {"reasoning_content": "m."},
        {"content": "I "},
        {"content": "look. " + CALL},
        {"tool_calls": [fragment(0, "c2", "boom", "{}")]},
    )
    parts = said(handlers(client)[0])
    use = next(part["id"] for part in parts if part["type"] == "tool_use")
    assert messages_of_turn(parts) == [
        Message(
            Role.MODEL,
            [
                ContentPartReasoning("Hm."),
                ContentPartText("I look. "),
                ContentPartToolCall("get_weather", {"city": "Oslo"}, use),
                ContentPartToolCall("boom", {}, "c2"),
            ],
        ),
        Message(
            Role.TOOL,
            [
                ContentPartToolResult("get_weather", RESULT, use),
                ContentPartToolResult("boom", "'boom' failed: ValueError: no weather today", "c2"),
            ],
        ),
    ]
    assert messages_of_turn([]) == []
    assert messages_of_turn([{"type": "usage", "usage": {}}, {"type": "text", "text": "a"}]) == [
        Message(Role.MODEL, [ContentPartText("a")])
    ]


def test_the_request() -> None:
    client = Played({"content": "hi"})
    history = History(conversation=[Message(Role.USER, [ContentPartText("Is it cold?")])])
    neutral = [{"role": "user", "content": [{"type": "text", "text": "Is it cold?"}]}]
    for handler in handlers(client, request={"temperature": 0}):
        for given_history in (history, history.conversation, neutral):
            assert said(handler, given_history) == [{"type": "text", "text": "hi"}]
    for request in client.requests:
        assert request["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is it cold?"},
        ]
        assert (request["model"], request["temperature"], request["stream"]) == ("m", 0, True)
        assert request["tools"][-1]["function"]["parameters"] == WEATHER["input_schema"]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_weather", "arguments": {"city": "O',
        '<tool_call>{"name": "get_weather", "arguments": {]}',
    ],
)
def test_calls_that_are_not_whole_are_told_and_not_run(text: str) -> None:
    for chunks in chunkings(text):
        parts = said(handlers(Played(*[{"content": chunk} for chunk in chunks]))[0])
        assert {part["type"] for part in parts} == {"problem"}
        assert any("call of 'get_weather'" in part["reason"] for part in parts)


def test_a_structured_call_that_cannot_be_read_is_a_result() -> None:
    parts = said(handlers(Played({"tool_calls": [fragment(0, "c1", "get_weather", '{"city')]}))[0])
    assert [part["type"] for part in parts] == ["tool_result"]
    assert parts[0]["content"]["error"]["code"] == "bad_arguments"


def test_an_error_of_the_client_comes_after_what_waited() -> None:
    parts: list[dict[str, Any]] = []

    async def run() -> None:
        handler = handlers(Played({"content": "a <tool_"}, error=ConnectionError("gone")))[0]
        async for part in handler.create_message("", []):
            parts.append(part)  # noqa: PERF401  # until it raises

    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(run())
    assert merged(parts) == [{"type": "text", "text": "a <tool_"}]


def test_a_provider_may_bring_tools_and_route_in_a_way_of_its_own() -> None:
    class Own(OpenAiHandler):
        def register_tools(self) -> None:
            self.mcp.register_tool(lambda: 1, "own")

        async def process_tool_use(self, content: Any) -> Any:
            raise RuntimeError(f"not {content.name}")

    client = Played({"tool_calls": [fragment(0, "c1", "own", "{}")]})
    parts = said(Own(ApiHandlerOptions(), client=client))
    assert parts[-1]["content"]["error"] == {"code": "tool_failed", "message": "'own' failed: RuntimeError: not own"}


def test_the_ollama_handler_uses_an_openai_handler() -> None:
    options = ApiHandlerOptions(ollama_base_url="http://here:1/", ollama_model_id="qwen3", request={"seed": 1})
    handler = OllamaHandler(options, client=Played())
    inner = handler.open_ai_handler
    assert isinstance(inner, OpenAiHandler)
    assert (inner.options.open_ai_base_url, inner.options.open_ai_api_key) == ("http://here:1/v1", "ollama")
    assert (inner.options.open_ai_model_id, inner.options.request) == ("qwen3", {"seed": 1})
    assert inner.mcp is handler.mcp
    assert OllamaHandler.open_ai_options(ApiHandlerOptions()).open_ai_base_url == "http://localhost:10000/v1"


@pytest.mark.parametrize("delta", [None, {}, {"tool_calls": None}, {"tool_calls": []}, object()])
def test_deltas_without_calls(delta: Any) -> None:
    handler = handlers(Played())[0]
    assert isinstance(handler, OpenAiHandler)
    assert handler.extract_tool_calls(delta) == []
    assert handler.has_tool_calls(delta) is False
    assert handler.has_tool_calls({"tool_calls": [OPENAI]}) is True
