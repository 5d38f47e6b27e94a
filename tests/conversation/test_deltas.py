# What this file knows: joined, the deltas of a turn are its output, wherever the turn was cut.
# Does not depend on any client.
"""Events as deltas of OpenAI's chat API."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from tests.clients.families import TOOLS, Leak, leaks
from tests.support.chunkings import chunkings
from toolglean import CallDelta, CallEnd, CallStart, Content, Output, Parser, Problem, Reasoning, fold
from toolglean.conversation import ChatDeltas, ContentPartToolCall, ToolCallAggregator
from toolglean.events import ToolCall
from toolglean.kit.demo import Stream, load_streams, load_tools

LEAKS = leaks()


class Joined:
    """The deltas of a turn, joined as a client joins them."""

    def __init__(self, deltas: Iterable[dict[str, Any]]) -> None:
        self.content = self.reasoning = ""
        self.firsts: list[dict[str, Any]] = []
        self.arguments: dict[int, str] = {}
        for delta in deltas:
            assert len(delta) == 1, delta
            self.content += delta.get("content", "")
            self.reasoning += delta.get("reasoning_content", "")
            for fragment in delta.get("tool_calls", ()):
                self._add(**fragment)

    def _add(self, index: int, function: dict[str, str], **first: str) -> None:
        if first:
            assert function.pop("arguments") == ""
            assert index == len(self.firsts)
            self.firsts.append({**first, **function})
            self.arguments[index] = ""
        else:
            assert set(function) == {"arguments"}
            self.arguments[index] += function["arguments"]

    @property
    def calls(self) -> list[tuple[str, str]]:
        return [(first["name"], self.arguments[index]) for index, first in enumerate(self.firsts)]


def read(chunks: Iterable[str], parser: Parser, writer: ChatDeltas) -> tuple[Output, list[dict[str, Any]]]:
    """The output of the turn, and its deltas, chunk by chunk."""
    events, deltas = [], []
    for found in [*map(parser.feed, chunks), parser.finish()]:
        events += found
        deltas += writer.deltas(found)
    return fold(events), deltas


def check(chunks: Iterable[str], tools: Any) -> Output:
    writer = ChatDeltas()
    output, deltas = read(chunks, Parser(tools), writer)
    found = Joined(deltas)
    assert (found.content, found.reasoning) == (output.content, output.reasoning)
    assert found.calls == [(call.name, call.arguments_text) for call in output.calls]
    assert [first["type"] for first in found.firsts] == ["function"] * len(output.calls)
    assert len({first["id"] for first in found.firsts}) == len(output.calls) == writer.calls_closed
    assert writer.finish_reason("stop") == ("tool_calls" if output.calls else "stop")
    assert joined_calls(deltas) == [(call.name, call.arguments, "") for call in output.calls]
    json.dumps(deltas)
    return output


def joined_calls(deltas: Iterable[dict[str, Any]]) -> list[tuple[str, Any, str]]:
    together = ToolCallAggregator()
    for delta in deltas:
        together.add_delta(delta)
    return [(call.name, call.arguments, call.unread) for call in together.finish()]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: f"{leak.family}-{len(leak.calls)}")
def test_joined_deltas_are_the_turn(leak: Leak) -> None:
    for chunks in chunkings(leak.text):
        output = check(chunks, TOOLS)
        assert [(call.name, call.arguments) for call in output.calls] == leak.calls


@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
def test_joined_deltas_are_the_shipped_turns(stream: Stream) -> None:
    tools = load_tools()
    for chunks in [list(stream.tokens), *chunkings("".join(stream.tokens))]:
        output = check(chunks, tools)
        assert [{"name": call.name, "arguments": call.arguments} for call in output.calls] == list(stream.calls)
        assert (output.content.strip(), output.reasoning) == (stream.content, stream.reasoning)


# -- rows --------------------------------------------------------------------------------------------------------------


def ended(index: int, status: Any, text: str) -> CallEnd:
    call = ToolCall(f"call_{index}", index, "f", None, {}, text, (0, 9), status)
    return CallEnd(index, call, 9)


START = CallStart(0, None, "f", None, 0)
FIRST = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "f", "arguments": ""}}
ROWS: list[tuple[str, list[Any], list[Any]]] = [  # short names for fragments of the call
    ("text", [Content("a", 0)], [{"content": "a"}]),
    ("reasoning", [Reasoning("a", 0)], [{"reasoning_content": "a"}]),
    ("a call", [START, CallDelta(0, "{}", 0), ended(0, "ok", "{}")], ["first", "{}"]),
    ("without arguments: an object all the same", [START, ended(0, "ok", "")], ["first", "{}"]),
    ("cut off before its arguments: none are made up, and nothing counts as none", [START, ended(0, "incomplete", "")], ["first", "<incomplete>"]),
    ("cut off in them", [START, CallDelta(0, '{"a', 0), ended(0, "incomplete", '{"a')], ["first", '{"a']),
    ("malformed after a whole object", [START, CallDelta(0, "{}", 0), ended(0, "malformed", "{}")], ["first", "{}", "<malformed>"]),
    (
        "malformed in them: a client that completes half an object must not run it with the next call",
        [START, CallDelta(0, '{"a', 0), ended(0, "malformed", '{"a')],
        ["first", '{"a', ',<malformed>",<malformed>'],
    ),
    ("a problem says nothing on the wire", [Problem("cut-off", "x", "y", 0)], []),
]  # fmt: skip


@pytest.mark.parametrize(("events", "deltas"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_events_are_written(events: list[Any], deltas: list[Any]) -> None:
    def whole(short: Any) -> Any:
        if not isinstance(short, str):
            return short
        return {"tool_calls": [FIRST if short == "first" else {"index": 0, "function": {"arguments": short}}]}

    writer = ChatDeltas()
    assert writer.deltas(events) == [whole(each) for each in deltas]
    assert writer.problems == [event for event in events if isinstance(event, Problem)]


@pytest.mark.parametrize(
    ("statuses", "given", "reason"),
    [
        ([], "stop", "stop"),
        (["incomplete"], "stop", "stop"),
        (["malformed"], "stop", "stop"),
        (["ok"], "stop", "tool_calls"),
        (["ok", "incomplete"], "stop", "tool_calls"),
        (["ok"], "function_call", "tool_calls"),
        (["ok"], "length", "length"),
        (["ok"], "content_filter", "content_filter"),
        (["ok"], "tool_calls", "tool_calls"),
        (["ok"], None, None),
    ],
)
def test_the_reason_is_changed_only_where_a_call_closed(statuses: list[str], given: Any, reason: Any) -> None:
    writer = ChatDeltas()
    for index, status in enumerate(statuses):
        writer.deltas([CallStart(index, None, "f", None, 0), ended(index, status, "")])
    assert writer.finish_reason(given) == reason


def test_indexes_continue_after_the_servers_and_ids_stay_unique() -> None:
    writer = ChatDeltas(next_index=2, id_prefix="p")
    events: list[Any] = [CallStart(0, None, "f", None, 0), ended(0, "ok", ""), CallStart(1, "p1", "f", None, 0)]
    fragments = [delta["tool_calls"][0] for delta in writer.deltas(events)]
    assert [fragment["index"] for fragment in fragments] == [2, 2, 3]
    assert [fragment["id"] for fragment in fragments if "id" in fragment] == ["p0", "p1"]
    assert writer.next_index == 4


def test_a_call_that_was_cut_off_is_joined_as_unread() -> None:
    for chunks in chunkings('<tool_call>{"name": "get_weather", "arguments": {"city": "T'):
        _, deltas = read(chunks, Parser(TOOLS), ChatDeltas())
        together = ToolCallAggregator()
        for delta in deltas:
            together.add_delta(delta)
        assert together.finish() == [ContentPartToolCall("get_weather", {}, "call_0", '{"city": "T')]
