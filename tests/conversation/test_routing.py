"""Requests for tools in every form: detected, read, run, and answered in the same form. Nothing raises."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversation.tools import JUNK, NEUTRAL, OPENAI, WEATHER, cancellable, integration
from tests.support.depth import examples
from toolglean import ToolgleanError, ToolSet, UsageError
from toolglean.conversation import (
    LocalTools,
    McpIntegration,
    ToolFault,
    ToolResultContent,
    ToolUseContent,
    ToolUseFormat,
    UnifiedMcpToolSystem,
    detect_format,
    from_neutral,
    result_from_neutral,
    result_to_neutral,
    to_neutral,
)
from toolglean.conversation.fields import arguments_of

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
        ('```json\n{"name": "f", "input": {"html": "<b>"}}\n```', "json"),
        ('Let me see: {"name": "f", "input": {"html": "<b>"}}', "json"),
        ('<tool_call>{"name": "f"}</tool_call>', "xml"),
        ("[TOOL_CALLS]f[ARGS]{}", "json"),
        ([{"type": "text", "text": "a"}, NEUTRAL], "neutral"),
        ([{"type": "reasoning"}, {"type": "function_call", "name": "f"}], "openai"),
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
        # All calls are read, not only the first.
        ({"tool_calls": [OPENAI, OPENAI | {"id": "c2"}]}, [("get_weather", "c1", {"city": "Oslo"}), ("get_weather", "c2", {"city": "Oslo"})]),
        ({"function_call": {"name": "f", "arguments": "{}"}}, [("f", "", {})]),
        ({"type": "function_call", "call_id": "r1", "name": "f", "arguments": '{"a": 1}'}, [("f", "r1", {"a": 1})]),
        ('{"name": "f", "arguments": {"a": 1}}', [("f", "", {"a": 1})]),
        ('[{"name": "f"}, {"name": "g", "input": {}}]', [("f", "", {}), ("g", "", {})]),
        ("<get_weather><city>007</city><days>7</days></get_weather>", [("get_weather", "", {"city": "007", "days": 7})]),
        # A name may contain a dash or a dot.
        ("<my-tool.x><a>1</a></my-tool.x>", [("my-tool.x", "", {"a": "1"})]),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "<days>"}}</tool_call>', [("get_weather", "", {"city": "<days>"})]),
        ("[TOOL_CALLS]get_weather[ARGS]{}", [("get_weather", "", {})]),
        # JSON after prose and in a code fence; `<` in its strings is not a tag
        (f"Let me see: {json.dumps(NEUTRAL)}", [("get_weather", "t1", {"city": "Oslo"})]),
        (f"```json\n{json.dumps(NEUTRAL)}\n```", [("get_weather", "t1", {"city": "Oslo"})]),
        ('{"name": "get_weather", "input": {"city": "<days>1</days>"}}', [("get_weather", "", {"city": "<days>1</days>"})]),
        # a message of blocks, and the items of a response: whatever is not a request is skipped
        (
            {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, NEUTRAL, NEUTRAL | {"id": "t2"}]},
            [("get_weather", "t1", {"city": "Oslo"}), ("get_weather", "t2", {"city": "Oslo"})],
        ),
        ([{"type": "message"}, {"type": "function_call", "call_id": "r1", "name": "f"}], [("f", "r1", {})]),
    ],
)  # fmt: skip
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
    with pytest.raises(UsageError, match="not a request for a tool"):
        to_neutral(content, [WEATHER])


NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
INPUTS = st.dictionaries(
    NAMES, st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.lists(st.integers(), max_size=2)), max_size=3
)
REQUESTS = st.builds(ToolUseContent, NAMES, TEXTS.filter(bool), INPUTS)


@given(REQUESTS, st.sampled_from([ToolUseFormat.OPENAI, ToolUseFormat.JSON, ToolUseFormat.NEUTRAL]))
@settings(max_examples=examples(100), deadline=None)
def test_requests_there_and_back(request: ToolUseContent, form: ToolUseFormat) -> None:
    assert to_neutral(from_neutral(request, form)) == [request]


@given(REQUESTS, TEXTS.filter(lambda text: bool(arguments_of(text)[1])))
@settings(max_examples=examples(100), deadline=None)
def test_requests_that_could_not_be_read_stay_so(request: ToolUseContent, unread: str) -> None:
    broken = ToolUseContent(request.name, request.id, {}, unread)
    for form in (ToolUseFormat.OPENAI, ToolUseFormat.JSON, ToolUseFormat.NEUTRAL):
        assert to_neutral(from_neutral(broken, form)) == [broken]
    with pytest.raises(UsageError, match="could not be read"):
        from_neutral(broken, ToolUseFormat.XML)


KINDS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "integer": st.integers(),
    "boolean": st.booleans(),
    "array": st.lists(st.integers()),
    "object": st.dictionaries(NAMES, st.integers() | st.none()),
}
PARAMETERS = st.dictionaries(st.sampled_from(["a", "b-c", "d.e"]), st.sampled_from(sorted(KINDS)), min_size=1)


@given(st.data(), NAMES, PARAMETERS)
@settings(max_examples=examples(200), deadline=None)
def test_xml_requests_there_and_back(data: st.DataObject, name: str, kinds: dict[str, str]) -> None:
    # By the schema alone: `1` is "1" if the schema says string.
    tool = {"name": name, "parameters": {"properties": {each: {"type": kind} for each, kind in kinds.items()}}}
    arguments = {each: data.draw(KINDS[kind]) for each, kind in kinds.items()}
    try:
        text = from_neutral(ToolUseContent(name, "", arguments), ToolUseFormat.XML, [tool])
    except UsageError:
        # It cannot be written, and `render` has raised an error that says why. Values other than strings, and plain words, always can.
        assert any(isinstance(value, str) and not value.isalnum() for value in arguments.values())
        return
    assert to_neutral(text, [tool]) == [ToolUseContent(name, "", arguments)]


@pytest.mark.parametrize("text", ["5", "true", "null", "1 < 2 & 3", "<b>", '"', "&lt;", "{}"])
def test_xml_is_not_guessed_at(text: str) -> None:
    # Without a schema every value is verbatim text, as Cline and similar programs write it: nothing is unescaped.
    request = ToolUseContent("f", "", {"x": text})
    assert to_neutral(from_neutral(request, ToolUseFormat.XML), ["f"]) == [request]


RESULTS = st.one_of(
    st.builds(lambda own, text: ToolResultContent(own, [{"type": "text", "text": text}] if text else []), TEXTS, TEXTS),
    st.builds(lambda own, text: ToolResultContent.failed(own, "tool_failed", text), TEXTS, TEXTS.filter(bool)),
    st.builds(ToolResultContent.of, TEXTS, st.dictionaries(TEXTS, st.integers(), min_size=1, max_size=2)),
)


@given(RESULTS, st.sampled_from([ToolUseFormat.XML, ToolUseFormat.NEUTRAL, ToolUseFormat.JSON]))
@settings(max_examples=examples(200), deadline=None)
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


@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
@pytest.mark.parametrize("form", [ToolUseFormat.OPENAI, ToolUseFormat.XML])
def test_what_is_no_json_is_not_written(value: Any, form: ToolUseFormat) -> None:
    with pytest.raises(UsageError):
        from_neutral(ToolUseContent("f", "", {"x": value}), form)


def test_a_malformed_call_that_is_an_object_is_not_read_as_arguments() -> None:
    # In markers: without them, such JSON is data.
    (broken,) = to_neutral('<tool_call>{"name": "get_weather", "arguments": [1]}</tool_call>', [WEATHER])
    assert '{"name": "get_weather", "arguments": [1]}' in broken.unread
    for form in (ToolUseFormat.NEUTRAL, ToolUseFormat.OPENAI):
        assert to_neutral(from_neutral(broken, form)) == [broken]


def test_xml_that_would_come_back_as_another_value_is_not_written() -> None:
    with pytest.raises(UsageError, match="argument 'x'"):
        from_neutral(ToolUseContent("f", "", {"x": 5}), ToolUseFormat.XML)


def test_results_of_openai() -> None:
    result = ToolResultContent.of("c1", {"t": -3})
    wire = result_from_neutral(result, ToolUseFormat.OPENAI, "get_weather")
    assert wire == {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": '{"t": -3}'}
    assert result_to_neutral(wire) == result
    failed = ToolResultContent.failed("c1", "timeout", "too late")
    assert result_to_neutral(result_from_neutral(failed, ToolUseFormat.OPENAI)) == failed
    # A tool's object that looks like an error is one only if it has exactly our fields.
    odd = {"error": {"code": "timeout", "message": 1}}
    for own in (
        {"error": "x"},
        {"error": {"code": "E5", "message": "x"}},
        {"error": None, "x": 1},
        odd,
        {"error": {**odd["error"], "more": 1}},
    ):
        result = ToolResultContent.of("c1", own)
        assert result_to_neutral(result_from_neutral(result, ToolUseFormat.OPENAI)) == result


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


def routed(content: Any, **options: Any) -> Any:
    return asyncio.run(integration(**options).route_tool_use(content))


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (ToolUseContent("nope", "i", {}), "unknown_tool", "Tool 'nope' not found. The tools are: hang"),
        (ToolUseContent("get_weather", "i", {}, unread="{bad"), "bad_arguments", "not a JSON object: {bad"),
        (ToolUseContent("get_weather", "i", {}), "bad_arguments", "parameter 'city' is missing"),
        (ToolUseContent("get_weather", "i", {"city": "x", "days": "soon"}), "bad_arguments", "parameter 'days' must be integer, not 'soon'"),
        (ToolUseContent("boom", "i", {}), "tool_failed", "'boom' failed: ValueError: no weather today"),
        (ToolUseContent("cancels_itself", "i", {}), "tool_failed", "was cancelled"),
        (ToolUseContent("hang", "i", {}), "timeout", "gave no result within 0.05 seconds"),
        (ToolUseContent("stubborn", "i", {}), "timeout", "gave no result within 0.05 seconds"),
    ],
)  # fmt: skip
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


def test_items_of_the_responses_api_are_answered_by_items() -> None:
    item = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "r1",
        "name": "get_weather",
        "arguments": '{"city": "Oslo"}',
    }
    answer = {"type": "function_call_output", "call_id": "r1", "output": '{"city": "Oslo", "days": 1}'}
    assert routed(item) == answer
    assert routed(json.dumps(item)) == answer
    assert routed([{"type": "reasoning"}, item, item]) == [answer, answer]
    failed = routed({**item, "name": "nobody"})
    assert (failed["call_id"], json.loads(failed["output"])["error"]["code"]) == ("r1", "unknown_tool")
    nameless = routed({"type": "function_call", "call_id": "r1"})
    assert json.loads(nameless["output"])["error"]["code"] == "bad_request"
    for each in (answer, failed):
        found = result_to_neutral(each)
        assert result_from_neutral(found, ToolUseFormat.OPENAI, is_item=True) == each


@pytest.mark.parametrize("kind", [dict, "mcp"])
def test_the_system_takes_every_neutral_request(kind: Any) -> None:
    given: Any = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}
    if kind == "mcp":
        given = pytest.importorskip("mcp", reason="needs toolglean[mcp]").types.ToolUseContent(**given)
    found = asyncio.run(integration().system.execute_tool_from_neutral_format(given))
    assert found == ToolResultContent.of("t1", {"city": "Oslo", "days": 1})
    assert from_neutral(given, ToolUseFormat.OPENAI)["function"]["name"] == "get_weather"
    assert asyncio.run(integration().system.execute_tool_from_neutral_format(5)).error is not None


def test_the_converters_take_every_neutral_result() -> None:
    result = ToolResultContent.of("t1", {"a": 1})
    for form in ToolUseFormat:
        assert result_from_neutral(result.to_dict(), form) == result_from_neutral(result, form)
    assert result_to_neutral(result) == result
    mcp = pytest.importorskip("mcp", reason="needs toolglean[mcp]").types
    block = mcp.TextContent(type="text", text="x")
    own = mcp.ToolResultContent(type="tool_result", tool_use_id="t1", content=[block])
    assert result_to_neutral(own) == ToolResultContent.of("t1", "x")


def test_results_that_are_no_text_are_told_as_json() -> None:
    image = {"type": "image", "data": "AA", "mimeType": "image/png"}
    result = ToolResultContent("1", [{"type": "text", "text": "See:"}, image])
    assert json.loads(result_from_neutral(result, ToolUseFormat.OPENAI)["content"]) == result.content
    assert "image/png" in result_from_neutral(result, ToolUseFormat.XML)
    parts = [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]
    assert result_to_neutral({"role": "tool", "tool_call_id": "1", "content": parts}).text == "xy"


def test_tags_that_are_no_tools_or_have_attributes() -> None:
    assert "get_weather' not found" not in routed('<get_weather id="7"><city>Oslo</city></get_weather>')
    assert '"city": "Oslo"' in routed('<get_weather id="7"><city>Oslo</city></get_weather>')
    assert "Tool 'foo' not found" in routed("<think>hm</think><foo><a>1</a></foo>")


def test_half_a_surrogate_pair_can_be_sent_on() -> None:
    half = json.loads(r'"\ud83d"')
    for value in (half, {"a": half}):
        routed_back = result_from_neutral(ToolResultContent.of("1", value), ToolUseFormat.OPENAI)
        routed_back["content"].encode()


def test_an_object_that_cannot_be_looked_at() -> None:
    class Odd:
        @property
        def type(self) -> str:
            raise RuntimeError

    assert detect_format(Odd()) == ToolUseFormat.JSON


def test_a_result_of_no_json_is_told_as_text() -> None:
    assert routed(ToolUseContent("odd", "i")).text == "(1+2j)"


async def test_outer_cancellation_goes_on_outwards_and_into_the_tool() -> None:
    slow, seen = cancellable()

    mcp = McpIntegration()
    mcp.register_tool(slow)
    task = asyncio.create_task(mcp.route_tool_use(ToolUseContent("slow")))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait({task})
    await asyncio.sleep(0)
    assert task.cancelled()
    assert seen == ["cancelled"]


@given(JUNK)
@settings(max_examples=examples(200), deadline=None)
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
