# What this file knows: every path from a call that was cut off, or cannot be read, to something that runs tools. Each is
# a row, and each is closed: nothing runs, and the reason is reported.
# Does not depend on how calls are read.
#
#   the path                                                             what closes it
#   call.arguments, getattr(call, "arguments", {}), asdict, replace      UnfinishedCallError, or no such field
#   ToolUseContent(call.name, call.id, call.arguments)                   the same
#   route_tool_use(call), of a list of calls                             the status: "bad_arguments"
#   execute_tool_from_neutral_format(call)                               the same
#   ToolUseContent(call.name, call.id, call.arguments_text)              text that is not an object; no text means no arguments
#   a line of `toolglean parse`, asdict(call): JSON with a `status`      the status
#   an item of the Responses API that is incomplete, or in progress      the status
#   a message's part, or a chunk of `toolglean.llm`, with `unread`       the unread text
#   the same in a history, written, read back and routed                 its key `raw`, which no schema has
#   deltas for OpenAI's wire, joined by a client                         a last piece, so that they are not JSON
#   items of the Responses API, read by a client                         the same
#   a stream that the server cut off before the arguments of a call      the finish reason
#   text with such a call, routed as text                                the parser's status
#
# Nothing stops a caller from running `json.loads(call.arguments_text)`, or from passing that text to an executor. It is
# plain text, and may be a complete object of an incomplete call.
"""Unfinished calls are never run."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any

import pytest

from tests.support.chunkings import ended_calls
from toolglean import Parser, ToolCall, UnfinishedCallError, UsageError, parse, render
from toolglean.clients.responses import dict_response_events
from toolglean.conversation import (
    ChatDeltas,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    McpIntegration,
    Message,
    NeutralHistoryConverter,
    OllamaHistoryConverter,
    OpenAIHistoryConverter,
    Role,
    ToolCallAggregator,
    ToolResultContent,
    ToolUseContent,
)
from toolglean.conversation.fields import arguments_of

CUT = '<tool_call>{"name": "f", "arguments": {"city": "Os'
EMPTY = '<tool_call>{"name": "f", '
BROKEN = '<tool_call>{"name": "f", "arguments": {"city": "Oslo"} nonsense</tool_call>'
WHOLE = '<tool_call>{"name": "f", "arguments": {"city": "Oslo"}}</tool_call>'
TURNS = pytest.mark.parametrize(
    "turn", [CUT, EMPTY, BROKEN], ids=["cut off", "cut off before its arguments", "malformed"]
)


def unfinished(turn: str) -> ToolCall:
    # The only call of the turn.
    output = parse(turn, ["f"], format="hermes")
    if not output.unfinished:  # nothing is certain yet: the call as a parser reports it one step later
        return ToolCall("call_0", 0, "f", True, None, "", (0, len(turn)), "incomplete")
    assert not output.calls
    return output.unfinished[0]


def finished() -> ToolCall:
    return parse(WHOLE, ["f"], format="hermes").calls[0]


def twins_of(call: ToolCall) -> list[ToolCall]:
    return [copy.copy(call), copy.deepcopy(call), pickle.loads(pickle.dumps(call)), replace(call)]


class Ran:
    # An integration with one tool that accepts any call, and the arguments of these calls.

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.mcp = McpIntegration(timeout=5)
        self.mcp.register_tool(self.f, "f")
        self.mcp.register_tool(self.g, {"name": "g", "parameters": {"properties": {"city": {"type": "string"}}}})

    def f(self, **given: Any) -> str:
        self.calls.append(given)
        return "done"

    g = f

    def route(self, content: Any) -> Any:
        return asyncio.run(self.mcp.route_tool_use(content))

    def refuses(self, content: Any) -> None:
        answers = self.route(content)
        for answer in answers if isinstance(answers, list) else [answers]:
            text = json.dumps(answer.to_dict() if isinstance(answer, ToolResultContent) else answer)
            assert "bad_arguments" in text or "bad_request" in text
        assert not self.calls


# -- the call itself ---------------------------------------------------------------------------------------------------


@TURNS
def test_an_unfinished_call_shows_no_arguments(turn: str) -> None:
    call = unfinished(turn)
    for read in (lambda: call.arguments, lambda: getattr(call, "arguments", {}), lambda: hasattr(call, "arguments")):
        with pytest.raises(
            UnfinishedCallError, match=rf"'f' is {call.status}.*status is 'ok'.*arguments_text"
        ) as caught:
            read()
        assert (caught.value.name, caught.value.status) == ("f", call.status)
    with pytest.raises(UsageError):
        ToolUseContent(call.name, call.id, call.arguments)


@TURNS
def test_an_unfinished_call_can_be_shown_copied_and_changed(turn: str) -> None:
    call = unfinished(turn)
    assert "arguments=" not in repr(call)
    assert call.status in repr(call)
    assert twins_of(call) == [call] * 4
    assert replace(call, index=7).index == 7
    assert "arguments" not in asdict(call)
    assert asdict(call)["arguments_text"] == call.arguments_text
    with pytest.raises(UsageError, match="arguments=None of the call of 'f' is not valid: pass a dict"):
        replace(call, status="ok")


def test_a_finished_call_is_what_it_was() -> None:
    call = finished()
    assert call == ToolCall("call_0", 0, "f", True, {"city": "Oslo"}, '{"city": "Oslo"}', (0, 55), "ok")
    assert call == ToolCall(
        id="call_0", index=0, name="f", known=True, arguments={"city": "Oslo"}, arguments_text='{"city": "Oslo"}',
        span=(0, 55), status="ok",
    )  # fmt: skip
    assert call != replace(call, arguments={"city": "Rome"})  # type: ignore[call-arg]
    assert call != "call_0"
    assert call.repairs == ()
    assert repr(replace(call, repairs=("a quote",))).endswith("repairs=('a quote',))")
    assert is_dataclass(call)
    assert (
        [each.name for each in fields(call)]
        == [each.name for each in fields(ToolCall)]
        == list(ToolCall.__match_args__)
    )
    assert json.loads(json.dumps(asdict(call)))["arguments"] == {"city": "Oslo"}
    assert twins_of(call) == [call] * 4
    with pytest.raises(TypeError, match="unhashable"):
        hash(call)
    with pytest.raises(AttributeError):
        call.note = "slotted"  # type: ignore[attr-defined]
    match call:
        case ToolCall(name="f", arguments={"city": city}):
            assert city == "Oslo"
        case _:
            pytest.fail("a call can be matched")


def test_a_finished_call_is_run_and_answered() -> None:
    ran = Ran()
    result = ran.route(finished())
    assert isinstance(result, ToolResultContent)
    assert (result.tool_use_id, result.text, ran.calls) == ("call_0", "done", [{"city": "Oslo"}])
    assert [each.text for each in ran.route([finished(), finished()])] == ["done", "done"]


@pytest.mark.parametrize("id", ["c", None])
def test_a_part_of_a_history_is_run_and_its_result_is_one(id: str | None) -> None:  # noqa: A002
    ran, call = Ran(), ContentPartToolCall("f", {"city": "Oslo"}, id)
    result = ran.route(call)
    assert isinstance(result, ToolResultContent)
    assert result.part(call) == ContentPartToolResult("f", "done", id)
    assert [each.text for each in ran.route([call, call])] == ["done", "done"]


# -- routing -----------------------------------------------------------------------------------------------------------

ROUTED: list[tuple[str, Callable[[ToolCall], Any]]] = [
    ("the call", lambda call: call),
    ("a list of calls", lambda call: [call, call]),
    ("a tuple of calls", lambda call: (call,)),
    ("its text as the input", lambda call: ToolUseContent(call.name, call.id, call.arguments_text)),  # type: ignore[arg-type]
    ("its JSON, as a dict", asdict),
    ("its JSON, as text", lambda call: json.dumps(asdict(call))),
    ("its JSON, with what was written as arguments", lambda call: asdict(call) | {"arguments": {}}),
    ("a part of a message", ContentPartToolCall.of),
    ("a list of parts", lambda call: [ContentPartToolCall.of(call)]),
    ("a request", ToolUseContent.of_call),
    ("a request as a dict", lambda call: ToolUseContent.of_call(call).to_dict()),
    (
        "an item of the Responses API",
        lambda call: {
            "type": "function_call",
            "call_id": "c",
            "name": "f",
            "arguments": call.arguments_text,
            "status": "incomplete",
        },
    ),
    ("one in progress", lambda _: {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "in_progress"}),
    ("a call of the chat API with a status", lambda _: {"id": "c", "status": "incomplete", "function": {"name": "f", "arguments": "{}"}}),
]  # fmt: skip


@TURNS
@pytest.mark.parametrize("given", [row[1] for row in ROUTED], ids=[row[0] for row in ROUTED])
def test_routing_does_not_run_it(turn: str, given: Callable[[ToolCall], Any]) -> None:
    call = unfinished(turn)
    if call.status == "malformed" and given(call) == ToolUseContent(call.name, call.id, call.arguments_text):  # type: ignore[arg-type]
        pytest.skip("up to the caller: a complete object, passed as plain text")
    Ran().refuses(given(call))


@TURNS
def test_a_chunk_of_the_llm_layer_is_not_routed(turn: str) -> None:
    for package in ("docstring_parser", "jinja2"):  # other packages bring one of them along
        pytest.importorskip(package, reason="needs toolglean[llm]")
    types = pytest.importorskip("toolglean.llm.types")
    call = unfinished(turn)
    Ran().refuses(types.ToolCallChunk(name="f", unread=call.arguments_text or " "))


@TURNS
def test_the_system_does_not_run_it(turn: str) -> None:
    ran, call = Ran(), unfinished(turn)
    for request in (call, asdict(call), ContentPartToolCall.of(call)):
        result = asyncio.run(ran.mcp.system.execute_tool_from_neutral_format(request))
        assert result.error is not None
        assert result.error.code == "bad_arguments"
    assert not ran.calls


@TURNS
def test_as_text_it_is_not_run(turn: str) -> None:
    ran = Ran()
    ran.route(turn)
    assert not ran.calls


@TURNS
def test_it_is_not_rendered(turn: str) -> None:
    with pytest.raises(UsageError, match=r"\('f'\): it is (incomplete|malformed)"):
        render("hermes", [unfinished(turn)])


# -- in wire formats ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("converter", [NeutralHistoryConverter, OllamaHistoryConverter, OpenAIHistoryConverter])
@pytest.mark.parametrize("text", ['{"city": "Os', "nonsense"])
def test_in_a_history_it_is_not_run(converter: Any, text: str) -> None:
    history = History(conversation=[Message(Role.MODEL, [ContentPartToolCall("g", {}, "c", text)])])
    Ran().refuses(converter().from_history(history)[0])


@TURNS
def test_joined_deltas_of_it_are_no_json(turn: str) -> None:
    deltas, joined = ChatDeltas(), ToolCallAggregator()
    parser = Parser(["f"], format="hermes")
    for delta in deltas.deltas(parser.feed(turn) + parser.finish()):
        joined.add_delta(delta)
    for call in joined.finish():
        assert call.unread
        with pytest.raises(ValueError, match=r"Expecting|Unterminated|Extra data|Invalid"):
            json.loads(call.unread)
    assert deltas.finish_reason("stop") == "stop"


@TURNS
def test_items_of_the_responses_api_are_no_json(turn: str) -> None:
    event = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": turn}
    whole = dict_response_events([event], ["f"], format="hermes", whole_calls=True)
    assert not any("item" in each for each in whole)
    found = list(dict_response_events([event], ["f"], format="hermes"))
    done = [each["item"] for each in found if each["type"] == "response.output_item.done"]
    for item in done:
        assert item["status"] == "incomplete"
        assert arguments_of(item["arguments"])[1]
    assert not any(each["type"].endswith("arguments.done") for each in found)


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_call_that_the_server_cut_off_before_its_arguments_is_unread(reason: str) -> None:
    fragment = {"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]
    message = OpenAIHistoryConverter().to_history_item(chunks)
    assert message is not None
    assert message.content == [ContentPartToolCall("f", {}, "c", f"<{reason}>")]
    Ran().refuses(message.content[0])


def test_every_call_that_a_parser_reports_ends_in_one_of_the_three_states() -> None:
    for turn in (CUT, BROKEN, WHOLE):
        parser = Parser(["f"], format="hermes")
        ends = ended_calls(parser.feed(turn) + parser.finish())
        assert [each.status for each in ends] == [{CUT: "incomplete", BROKEN: "malformed", WHOLE: "ok"}[turn]]
