"""Fragments of calls are joined, even malformed ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conversation.tools import JUNK, fragment
from tests.support.chunkings import chunkings, ended_calls
from tests.support.depth import examples
from tests.support.work import calls_made
from toolglean.clients.chat.reader import StreamReader
from toolglean.conversation import ContentPartToolCall, OpenAIChunkWrapper, OpenAIHistoryConverter, ToolCallAggregator
from toolglean.conversation.reading.chat_events import ChatEvents


@pytest.mark.parametrize(
    "fragments",
    [
        [{"function": {"name": "f", "arguments": ""}}, {"id": "x", "function": {"arguments": '{"a":'}}, {"function": {"arguments": "1}"}}],
        [{"index": 0, "function": {"arguments": '{"a"'}}, {"index": 0, "id": "x", "function": {"name": "f", "arguments": ":1}"}}],
        [{"index": "0", "id": "x", "function": {"name": "f", "arguments": '{"a":'}}, {"index": "0", "function": {"arguments": "1}"}}],
    ],
    ids=["the id comes late, without an index", "arguments before the name", "an index as text"],
)  # fmt: skip
def test_one_call_in_odd_fragments(fragments: list[Any]) -> None:
    joined = ToolCallAggregator()
    for each in fragments:
        joined.add([each])
    assert joined.finish() == [ContentPartToolCall("f", {"a": 1}, "x")]


def test_indexes_as_text_keep_calls_apart() -> None:
    joined = ToolCallAggregator()
    for index, name in (("0", "f"), ("1", "g")):
        joined.add([{"index": index, "function": {"name": name, "arguments": "{"}}])
    for index in ("0", "1"):
        joined.add([{"index": index, "function": {"arguments": "}"}}])
    assert joined.finish() == [ContentPartToolCall("f"), ContentPartToolCall("g")]


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        ([fragment(0, "a", "f", ""), fragment(0, None, None, '{"x":'), fragment(0, None, None, " 1}")], [("a", "f", {"x": 1})]),
        ([fragment(0, "a", "f", "{}"), fragment(1, "b", "g", "{}")], [("a", "f", {}), ("b", "g", {})]),
        # interleaved fragments of two calls
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
        ([fragment(None, "a", "f", "{"), fragment(None, None, None, "}"), fragment(None, "b", "g", "{}")], [("a", "f", {}), ("b", "g", {})]),
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
        # two identical calls without ids, and one whose name is repeated in every piece
        ([fragment(0, None, "f", '{"x": 1}'), fragment(0, None, "f", '{"x": 1}')], [(None, "f", {"x": 1}), (None, "f", {"x": 1})]),
        ([fragment(0, "a", "f", '{"x"'), fragment(0, "a", "f", ": 1}")], [("a", "f", {"x": 1})]),
        ([fragment(0, None, "f", '{"x"'), fragment(0, None, "f", ": 1}")], [(None, "f", {"x": 1})]),
        # the name in pieces
        ([fragment(0, "a", "get_"), fragment(0, None, "weather"), fragment(0, None, None, "{}")], [("a", "get_weather", {})]),
        # arguments as an object, as None, as the word null
        ([fragment(0, "a", "f", {"x": 1})], [("a", "f", {"x": 1})]),
        ([fragment(0, "a", "f")], [("a", "f", {})]),
        ([fragment(0, "a", "f", "null")], [("a", "f", {})]),
    ],
)  # fmt: skip
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
@settings(max_examples=examples(100), deadline=None)
def test_odd_fragments_do_not_raise(junk: Any) -> None:
    joined = ToolCallAggregator()
    joined.add_delta({"tool_calls": junk, "function_call": junk})
    joined.finish()


# -- messages that were not streamed -----------------------------------------------------------------------------------


WHOLE = {
    # They were joined to one text that is no JSON: {"a": 1}{"a": 2}.
    "an id for all": ([fragment(None, "x", "f", '{"a": 1}'), fragment(None, "x", "f", '{"a": 2}')], [1, 2]),
    "an id and an index for all": ([fragment(0, "x", "f", '{"a": 1}'), fragment(0, "x", "f", '{"a": 2}')], [1, 2]),
    "no id and no arguments": ([fragment(None, None, "f", ""), fragment(None, None, "f", "")], [None, None]),
    "no id, the first without arguments": ([fragment(None, None, "f"), fragment(None, None, "f", '{"a": 2}')], [None, 2]),
    "no name": ([fragment(None, "x", "f", '{"a": 1}'), fragment(None, "x", None, '{"a": 2}')], [1, 2]),
    "the same twice": ([fragment(0, "x", "f", '{"a": 1}'), fragment(0, "x", "f", '{"a": 1}')], [1, 1]),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "values"), WHOLE.values(), ids=WHOLE)
def test_each_entry_of_a_whole_message_is_a_call_of_its_own(calls: list[Any], values: list[Any]) -> None:
    answer = {
        "choices": [{"index": 0, "message": {"content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}]
    }
    wrapper = OpenAIChunkWrapper(answer)
    message = OpenAIHistoryConverter().to_history_item([answer])
    assert message is not None
    events = ChatEvents(["f"], {}).read(answer)
    for found in (wrapper.get_tool_calls(), message.calls):
        assert [(call.arguments.get("a"), call.unread) for call in found] == [(value, "") for value in values]
    ended = ended_calls(events)
    assert [json.loads(call.arguments_text).get("a") for call in ended] == values
    assert [call.status == "ok" for call in ended] == [call["function"]["name"] is not None for call in calls]


# -- the cost of a chunk -----------------------------------------------------------------------------------------------


def chunks_of_calls(count: int, arguments: str) -> list[dict[str, Any]]:
    calls = [fragment(number, f"c{number}", "f", arguments) for number in range(count)]
    return [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in calls]


CHUNKS = {
    # All calls of the turn were looked at for each chunk.
    "text after calls": lambda count: [*chunks_of_calls(count, '{"a": 1}'), *[{"choices": [{"index": 0, "delta": {"content": "x"}}]}] * count],
    # All that may be the one in the text were asked for each chunk.
    "calls after one in the text": lambda count: [
        {
            "choices": [
                {"index": 0, "delta": {"content": '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'}}
            ]
        },
        *chunks_of_calls(count, ""),
    ],
}  # fmt: skip


@pytest.mark.parametrize("make", CHUNKS.values(), ids=CHUNKS)
def test_a_chunk_costs_the_same_after_many_calls(make: Callable[[int], list[Any]]) -> None:
    def work(count: int) -> int:
        events, reader = ChatEvents(["f"], {}), StreamReader(["f"], {})
        return calls_made(lambda: [(events.read(each), reader.read(each)) for each in make(count)])

    _, fewer, more = work(400), work(100), work(400)  # what is made once is counted in the first
    assert more < 5 * fewer
