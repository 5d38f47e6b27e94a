"""Handlers, with a simulated client (for the real one, see tests/clients/test_openai_handlers.py)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.conversation.tools import OPENAI, WEATHER, cancellable, fragment, integration
from tests.support import depth
from tests.support.chunkings import chunkings
from toolglean import ParserOptions
from toolglean.conversation import (
    ApiHandlerOptions,
    BaseProvider,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    McpIntegration,
    Message,
    OllamaHandler,
    OpenAiHandler,
    OpenAIHistoryConverter,
    Role,
    messages_of_turn,
)


class Played:
    """A client that replays deltas."""

    def __init__(self, *deltas: Any, error: Exception | None = None, finish: str | None = None) -> None:
        self.deltas = deltas
        self.error = error
        self.finish = finish
        self.closed = 0
        self.requests: list[dict[str, Any]] = []
        self.chat = self.completions = self

    async def create(self, **request: Any) -> Any:
        self.requests.append(request)
        return self._stream()

    async def _stream(self) -> Any:
        try:
            for delta in self.deltas:
                yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            if self.error is not None:
                raise self.error
            yield {"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]}
        finally:
            self.closed += 1


def handlers(client: Played, **options: Any) -> list[OpenAiHandler | OllamaHandler]:
    found = ApiHandlerOptions(open_ai_model_id="m", ollama_model_id="m", **options)
    return [kind(found, client=client, mcp=integration()) for kind in (OpenAiHandler, OllamaHandler)]


def said(handler: BaseProvider, history: Any = (), prompt: str = "Be brief.") -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        return [part async for part in handler.create_message(prompt, history)]

    return asyncio.run(run())


def said_before(handler: BaseProvider) -> tuple[list[dict[str, Any]], str]:
    """What is told before the connection breaks, and how it breaks: "" if it does not."""
    parts: list[dict[str, Any]] = []

    async def run() -> None:
        async for part in handler.create_message("", []):
            parts.append(part)  # noqa: PERF401  # until it raises

    try:
        asyncio.run(run())
    except ConnectionError as error:
        return parts, str(error)
    return parts, ""


def merged(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for part in parts:
        if found and part["type"] == found[-1]["type"] in {"text", "reasoning"}:
            found[-1] = {"type": part["type"], "text": found[-1]["text"] + part["text"]}
        else:
            found.append(part)
    return found


CALL = "<get_weather><city>Oslo</city></get_weather>"  # a call only on a line of its own
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
        {"content": "I look:\n"},
        {"tool_calls": [fragment(0, "c1", "get_weather", '{"city":')]},
        {"content": CALL[:10]},
        {"tool_calls": [fragment(0, None, None, '"Rome"}'), fragment(1, "c2", "boom", "")]},
        {"content": CALL[10:] + "\nSo. <tool_call>{"},
    ]
    for handler in handlers(Played(*deltas)):
        parts = merged(said(handler))
        kinds = [part["type"] for part in parts if part["type"] != "problem"]  # of the opener at the end
        assert kinds == ["reasoning", "text", "text", *["tool_use", "tool_result"] * 3]
        assert "".join(part["text"] for part in parts if part["type"] == "text") == "I look:\n\nSo. <tool_call>{"
        results = [part["content"] for part in parts if part["type"] == "tool_result"]
        assert [result["is_error"] for result in results] == [False, True, False]
        assert [part["id"] for part in parts if part["type"] == "tool_result"][:2] == ["c1", "c2"]


OSLO = fragment(0, "c1", "get_weather", '{"city": "Oslo"}')


@pytest.mark.parametrize(
    ("deltas", "runs"),
    [
        ([{"content": CALL}, {"tool_calls": [OSLO]}], 1),
        ([{"tool_calls": [OSLO]}, {"content": CALL}], 1),
        ([{"content": CALL, "tool_calls": [OSLO]}], 1),
        ([{"content": CALL + CALL}, {"tool_calls": [OSLO]}], 2),
        ([{"content": CALL}, {"tool_calls": [OSLO, {**OSLO, "index": 1, "id": "c2"}]}], 2),
        ([{"content": CALL.replace("Oslo", "Rome")}, {"tool_calls": [OSLO]}], 2),
    ],
    ids=["text first", "text last", "in one chunk", "twice in the text", "twice parsed", "another"],
)
def test_a_call_that_came_both_ways_is_run_once(deltas: list[Any], runs: int) -> None:
    for handler in handlers(Played(*deltas)):
        parts = said(handler)
        used = [part["id"] for part in parts if part["type"] == "tool_use"]
        assert len(used) == len(set(used)) == runs
        assert "text" not in {part["type"] for part in parts}  # the model is not shown what it wrote as a call


OWN = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


def of(index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


TWO = {
    # The other choice's text landed in the arguments of the call, which ran without what it took the place of.
    "texts": [of(0, {"content": OWN[:40]}), of(1, {"content": "I would rather not. "}), of(0, {"content": OWN[40:]}), of(1, {"content": "Never."})],
    # Its end was that of the turn.
    "an end": [of(0, {"content": OWN[:9]}), of(1, {"content": "No."}), of(1, {}, "stop"), of(0, {"content": OWN[9:]})],
    # Fragments with the same index were joined.
    "calls": [
        of(0, {"tool_calls": [fragment(0, "a", "get_weather", '{"city": "Os')]}),
        of(1, {"tool_calls": [fragment(0, "b", "get_weather", '{"city": "Rome"}')]}),
        of(0, {"tool_calls": [fragment(0, None, None, 'lo"}')]}),
    ],
    "both in a chunk, the first one last": [
        of(0, {"content": OWN[:9]}),
        {"choices": [*of(1, {"content": "No."})["choices"], *of(0, {"content": OWN[9:]})["choices"]]},
    ],
    "the second one alone": [of(1, {"content": OWN[:9]}), of(0, {"content": "No."}), of(1, {"content": OWN[9:]})],
}  # fmt: skip


class TwoChoices(Played):
    """A client that replays chunks."""

    async def _stream(self) -> Any:
        for chunk in self.deltas:
            yield chunk


@pytest.mark.parametrize("chunks", TWO.values(), ids=TWO)
def test_of_several_choices_the_one_that_comes_first_is_read(chunks: list[Any]) -> None:
    ended = [*chunks, of(1, {}, "stop"), of(0, {}, "stop")]
    handler = handlers(TwoChoices(*ended))[0]
    parts = [part for part in said(handler) if part["type"] != "text" or part["text"].strip()]
    assert [part["type"] for part in parts] == ["tool_use", "tool_result"]
    assert parts[0]["input"] == {"city": "Oslo"}
    message = OpenAIHistoryConverter().to_history_item(ended)
    assert message is not None
    assert [(call.arguments, call.unread) for call in message.calls] in ([], [({"city": "Oslo"}, "")])
    assert "".join(part.text for part in message.content if isinstance(part, ContentPartText)) in ("", OWN)


def test_the_servers_ids_may_be_taken_already() -> None:
    history = [
        {"role": "user", "content": "Is it cold?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_weather", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "cold"}]},
    ]
    twice = [OSLO, {**OSLO, "index": 1, "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}]
    for handler in handlers(Played({"content": CALL.replace("Oslo", "Bonn")}, {"tool_calls": twice})):
        ids = [part["id"] for part in said(handler, history) if part["type"] == "tool_use"]
        assert len(set(ids)) == 3
        assert "c1" not in ids
    clash = {**OSLO, "id": "call_0"}
    for handler in handlers(Played({"content": CALL.replace("Oslo", "Bonn")}, {"tool_calls": [clash]})):
        ids = [part["id"] for part in said(handler) if part["type"] == "tool_result"]
        assert ids[0] == "call_0"
        assert len(set(ids)) == 2


def test_text_in_parts_is_read() -> None:
    # As Mistral's server streams it.
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    deltas = [
        {"content": [thought]},
        {"content": [{"type": "text", "text": "I look.\n" + CALL[:9]}]},
        {"content": CALL[9:]},
    ]
    for handler in handlers(Played(*deltas)):
        parts = merged(said(handler))
        assert [part["type"] for part in parts] == ["reasoning", "text", "tool_use", "tool_result"]
        assert parts[0]["text"] == "Hm."


def test_a_turn_is_kept_as_messages() -> None:
    client = Played(
        {"reasoning_content": "H"},
        {"reasoning_content": "m."},
        {"content": "I "},
        {"content": "look.\n" + CALL},
        {"tool_calls": [fragment(0, "c2", "boom", "{}")]},
    )
    parts = said(handlers(client)[0])
    use = next(part["id"] for part in parts if part["type"] == "tool_use")
    assert messages_of_turn(parts) == [
        Message(
            Role.MODEL,
            [
                ContentPartReasoning("Hm."),
                ContentPartText("I look.\n"),
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


def test_a_structured_call_that_cannot_be_read_is_told_and_answered() -> None:
    parts = said(handlers(Played({"tool_calls": [fragment(0, "c1", "get_weather", '{"city')]}))[0])
    problem, result = parts
    assert problem == {
        "type": "problem",
        "reason": "malformed call of 'get_weather'",
        "text": '{"city',
        "id": "c1",
        "name": "get_weather",
    }
    assert (result["id"], result["content"]["error"]["code"]) == ("c1", "bad_arguments")
    # The history can be sent: its result belongs to a call.
    model, tool = messages_of_turn(parts)
    assert model.content == [ContentPartToolCall("get_weather", {}, "c1", '{"city')]
    wire = OpenAIHistoryConverter().from_history(History(conversation=[model, tool]))
    assert [wire[0]["tool_calls"][0]["id"], wire[1]["tool_call_id"]] == ["c1", "c1"]


def test_a_structured_call_without_a_name_is_told() -> None:
    parts = said(handlers(Played({"tool_calls": [fragment(0, "c1", None, "{}")]}))[0])
    assert [(part["type"], part["reason"]) for part in parts] == [("problem", "malformed call of ''")]
    assert messages_of_turn(parts) == []


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_what_the_server_stopped_in_the_middle_of_is_not_run(finish: str) -> None:
    # "boom" has no parameters, so it could be run, but its arguments had not been received yet.
    deltas = [{"tool_calls": [fragment(0, "c1", "boom", "{}"), fragment(1, "c2", "boom")]}]
    parts = said(handlers(Played(*deltas, finish=finish))[0])
    assert [(part["type"], part["id"]) for part in parts] == [
        ("tool_use", "c1"),
        ("tool_result", "c1"),
        ("problem", "c2"),
    ]
    assert parts[2]["reason"] == "incomplete call of 'boom'"
    assert [part["type"] for part in said(handlers(Played(*deltas, finish="stop"))[0])] == [
        "tool_use",
        "tool_result",
    ] * 2


def test_a_function_call_of_old_is_run() -> None:
    deltas = [
        {"function_call": {"name": "get_weather", "arguments": '{"city":'}},
        {"function_call": {"arguments": '"Oslo"}'}},
    ]
    use, result = said(handlers(Played(*deltas))[1])
    assert use == USED | {"id": "call_0"}
    assert (result["id"], result["content"]["tool_use_id"]) == ("call_0", "call_0")


def test_a_refusal_is_text() -> None:
    assert said(handlers(Played({"refusal": "I'd rather not."}))[0]) == [{"type": "text", "text": "I'd rather not."}]


def test_usage_is_told() -> None:
    class Counting(Played):
        async def _stream(self) -> Any:
            yield {"choices": [], "usage": {"total_tokens": 7}}

    assert said(handlers(Counting())[0]) == [{"type": "usage", "usage": {"total_tokens": 7}}]


def test_text_before_a_call_in_the_same_chunk_comes_before_it() -> None:
    parts = merged(said(handlers(Played({"content": f"Let me see.\n{CALL}\nSo."}))[0]))
    assert [part["type"] for part in parts] == ["text", "tool_use", "tool_result", "text"]
    assert [part["text"] for part in parts if part["type"] == "text"] == ["Let me see.\n", "\nSo."]


def test_ids_are_unique_in_the_whole_conversation() -> None:
    deltas: list[Any] = [
        {"content": CALL},
        {"content": CALL},
        {"tool_calls": [fragment(0, None, "boom", "{}"), fragment(1, None, "odd", "{}")]},
    ]
    history = History()
    for _ in range(3):
        parts = said(handlers(Played(*deltas))[0], history)
        for use, result in zip(parts[::2], parts[1::2], strict=True):
            assert use["id"] == result["id"] == result["content"]["tool_use_id"]
        history.conversation += messages_of_turn(parts)
    calls = [part for message in history.conversation for part in message.content]
    ids = [part.id for part in calls if isinstance(part, ContentPartToolCall)]
    assert len(set(ids)) == len(ids) == 12
    assert [part.id for part in calls if isinstance(part, ContentPartToolResult)] == ids
    names = [part.name for part in calls if isinstance(part, ContentPartToolResult)]
    assert names == ["get_weather", "get_weather", "boom", "odd"] * 3


def test_ids_avoid_those_of_the_history() -> None:
    history = History(conversation=[Message(Role.MODEL, [ContentPartToolCall("boom", {}, "call_1_0")])])
    parts = said(handlers(Played({"content": CALL}))[0], history)
    assert parts[0]["id"] == "call_2_0"
    own = handlers(Played({"content": CALL}), parser={"options": ParserOptions(id_prefix="mine-")})[0]
    assert said(own)[0]["id"] == "mine-0"


def test_an_error_of_the_client_comes_after_what_waited() -> None:
    parts, error = said_before(handlers(Played({"content": "a <tool_"}, error=ConnectionError("gone")))[0])
    assert (merged(parts), error) == ([{"type": "text", "text": "a <tool_"}], "gone")


def test_calls_that_had_begun_when_the_connection_broke_are_told_and_not_run() -> None:
    client = Played({"tool_calls": [fragment(0, "c1", "boom", "{}")]}, error=ConnectionError("gone"))
    parts, error = said_before(handlers(client)[0])
    assert [(part["type"], part["reason"]) for part in parts] == [("problem", "incomplete call of 'boom'")]
    assert (client.closed, error) == (1, "gone")


async def test_the_stream_is_closed_when_the_reader_leaves_early() -> None:
    client = Played({"content": "One. "}, {"content": "Two."})
    stream: Any = handlers(client)[0].create_message("", [])
    assert (await anext(stream))["text"].startswith("One.")
    await stream.aclose()
    assert client.closed == 1


async def test_cancelling_the_reader_cancels_the_tool() -> None:
    slow, seen = cancellable()

    mcp = McpIntegration()
    mcp.register_tool(slow)
    client = Played({"content": '<tool_call>{"name": "slow", "arguments": {}}</tool_call>'})
    handler = OpenAiHandler(ApiHandlerOptions(), client=client, mcp=mcp)

    async def read() -> None:
        async for _ in handler.create_message("", []):
            pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert client.closed == 1
    assert seen == ["cancelled"]


def test_a_provider_may_bring_tools_and_route_in_a_way_of_its_own() -> None:
    class Own(OpenAiHandler):
        def register_tools(self) -> None:
            self.mcp.register_tool(lambda: 1, "own")

        async def process_tool_use(self, content: Any) -> Any:
            raise RuntimeError(f"not {content.name}")

    client = Played({"tool_calls": [fragment(0, "c1", "own", "{}")]})
    parts = said(Own(ApiHandlerOptions(), client=client))
    assert parts[-1]["content"]["error"] == {"code": "tool_failed", "message": "'own' failed: RuntimeError: not own"}


# -- the test cases of the original architecture --------------------------------------------------------------------------


class Spied(OllamaHandler):
    """Records the requests."""

    def __init__(self, client: Played, *, error: Exception | None = None) -> None:
        super().__init__(ApiHandlerOptions(ollama_model_id="m"), client=client, mcp=integration())
        self.error = error
        self.processed: list[Any] = []

    async def process_tool_use(self, content: Any) -> Any:
        self.processed.append(content)
        if self.error is not None:
            raise self.error
        return await super().process_tool_use(content)


NEUTRAL_HISTORY = [{"role": "user", "content": [{"type": "text", "text": "Is it cold?"}]}]
TOOL_CALLS = {"tool_calls": [fragment(0, "c1", "get_weather", '{"city": "Oslo"}')]}


JSON = '{"type": "tool_use", "name": "get_weather", "input": {"city": "Oslo"}}'


TRAILING: dict[str, tuple[Any, dict[str, Any], dict[str, Any], int]] = {
    # the handler, its options, the delta, and how many problems it tells; all of it stays text, or reasoning
    "then text": (OllamaHandler, {}, {"content": f"I look. {JSON} Done."}, 1),
    "in code": (OllamaHandler, {}, {"content": f"I look: `{JSON}`"}, 0),
    "other parameters": (OllamaHandler, {}, {"content": "I look. " + JSON.replace("city", "town")}, 0),
    "where it was chosen": (OllamaHandler, {"trailing_json": "content"}, {"content": f"I look. {JSON}"}, 1),
    "of another server": (OpenAiHandler, {}, {"content": f"I look. {JSON}"}, 1),
    "in a reasoning field": (OllamaHandler, {}, {"reasoning_content": f"I look. {JSON}"}, 0),
}


@pytest.mark.parametrize("before", ["I'll look that up. ", "I'll look that up:\n\n"])
def test_json_after_prose_is_a_call(before: str) -> None:
    # The handler read JSON only where it was the whole answer; small models write a sentence first.
    for cut in range(0, len(before) + len(JSON) + 1, 1 if depth.is_full() else 5):
        text = before + JSON
        handler = Spied(Played({"content": text[:cut]}, {"content": text[cut:]}))
        parts = said(handler, NEUTRAL_HISTORY)
        assert [(use.name, use.input) for use in handler.processed] == [("get_weather", {"city": "Oslo"})]
        assert "".join(part["text"] for part in parts if part["type"] == "text") == before
        assert parts[-1]["content"]["structured_content"] == RESULT
    handler = Spied(Played({"content": f"I look. {JSON}"}, TOOL_CALLS))  # that the server has parsed, too
    said(handler)
    assert [use.id for use in handler.processed] == ["c1"]


@pytest.mark.parametrize(("kind", "options", "delta", "problems"), TRAILING.values(), ids=TRAILING)
def test_json_that_is_not_plainly_a_call_is_text(
    kind: Any, options: dict[str, Any], delta: dict[str, str], problems: int
) -> None:
    given = ApiHandlerOptions(parser={"options": ParserOptions(**options)} if options else {})
    parts = merged(said(kind(given, client=Played(delta), mcp=integration())))
    [(field, text)] = delta.items()
    told = [{"type": "text" if field == "content" else "reasoning", "text": text}]
    assert [part for part in parts if part["type"] != "problem"] == told
    assert [part["text"] for part in parts if part["type"] == "problem"] == [JSON] * problems


@pytest.mark.parametrize("delta", [TOOL_CALLS, {"content": CALL}])
def test_errors_of_processing_are_results(delta: Any) -> None:
    handler = Spied(Played(delta), error=RuntimeError("down"))
    result = said(handler, NEUTRAL_HISTORY)[-1]
    assert result["type"] == "tool_result"
    assert result["content"]["error"] == {"code": "tool_failed", "message": "'get_weather' failed: RuntimeError: down"}


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


# -- calls in the server's own reasoning field -------------------------------------------------------------------------

TAGGED = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
UNKNOWN = TAGGED.replace("get_weather", "get_wether")
IN_REASONING: dict[str, tuple[list[dict[str, Any]], dict[str, Any], list[str], str]] = {
    # The deltas, how the turn ends and is read, the tools that are run, and the reasoning that remains.
    # (tests/clients/test_reasoning_field.py has all that the field may hold.)
    "at the end": ([{"reasoning_content": f"So {TAGGED}"}], {"finish": "stop"}, ["get_weather"], "So "),
    "then text": ([{"reasoning_content": f"So {TAGGED}"}, {"content": "Hi."}], {"finish": "stop"}, [], f"So {TAGGED}"),
    "broken": ([{"reasoning_content": f"So {TAGGED}"}], {"error": ConnectionError()}, [], f"So {TAGGED}"),
    "an unknown tool": ([{"reasoning_content": f"So {UNKNOWN}"}], {"finish": "stop"}, ["get_wether"], "So "),
    "an unknown tool, as text": ([{"reasoning_content": f"So {UNKNOWN}"}], {"finish": "stop", "unknown_tools": "content"}, [], f"So {UNKNOWN}"),
}  # fmt: skip


@pytest.mark.parametrize("row", IN_REASONING)
def test_calls_in_the_servers_own_reasoning_field(row: str) -> None:
    deltas, ends, runs, left = IN_REASONING[row]
    options = {name: value for name, value in ends.items() if name not in {"finish", "error"}}
    how = {name: ends.get(name) for name in ("finish", "error")}
    for size in (1, 7, 1000):
        cut = [
            {"reasoning_content": text[at : at + size]}
            for delta in deltas
            for text in [delta.get("reasoning_content", "")]
            for at in range(0, len(text), size)
        ]
        rest = [delta for delta in deltas if "reasoning_content" not in delta]
        for handler in handlers(Played(*cut, *rest, **how), parser={"options": ParserOptions(**options)}):
            parts, _ = said_before(handler)
            assert [part["name"] for part in parts if part["type"] == "tool_use"] == runs
            assert "".join(part["text"] for part in parts if part["type"] == "reasoning") == left
