# What this file knows: the fields of the wire formats, combined in ways that none of these formats allows.
# The results are not checked, except for this: whatever a server sends, nothing raises, and no argument is changed.
"""Malformed servers: fields of the wrong type in every place."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversation.laws import CONVERTERS
from toolglean.clients.chat import dict_chunks, dict_completion
from toolglean.clients.messages import dict_message, dict_message_events
from toolglean.clients.responses import dict_response, dict_response_events
from toolglean.conversation import (
    AnthropicChunkWrapper,
    AnthropicHistoryConverter,
    ApiHandlerOptions,
    McpIntegration,
    OllamaHistoryConverter,
    OllamaResponseChunkWrapper,
    OpenAIChunkWrapper,
    OpenAiHandler,
    OpenAIHistoryConverter,
    ToolCallAggregator,
    detect_format,
)
from toolglean.errors import MessageError

TEXTS = [
    "", "Hi <tool", "_call>", '{"name": "f", "arguments": {"a":', "1}}", "</tool_call>", "<think>x</think>",
    "\ud83d",
]  # fmt: skip
PLAIN = st.sampled_from([*TEXTS, None, 0, 1, 1.5, True, "stop", "f", "c1", "message", "assistant", "function"])
WORDS = [
    *("role", "content", "tool_calls", "function", "name", "arguments", "id", "type", "text", "index", "delta"),
    *("message", "choices", "finish_reason", "output", "item", "part", "response", "item_id", "output_index"),
    *("content_block", "partial_json", "stop_reason", "signature", "citations"),
    *("content_index", "sequence_number", "tool_call_id", "tool_use_id", "input", "thinking", "images"),
]
KINDS = st.sampled_from(
    [
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
)
BLOCK_KINDS = st.sampled_from(["text", "thinking", "tool_use", "server_tool_use", "redacted_thinking"])
EVENT_KINDS = st.sampled_from(
    ["content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping"]
)
DELTA_KINDS = st.sampled_from(["text_delta", "thinking_delta", "input_json_delta", "signature_delta"])
JUNK = st.recursive(
    PLAIN,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(WORDS), each, max_size=4),
    max_leaves=12,
)


def shaped(**fields: Any) -> st.SearchStrategy[Any]:
    """An object with these fields, any of which may be missing or junk; or junk instead."""
    broken = {name: each | JUNK for name, each in fields.items()}
    return st.fixed_dictionaries({}, optional=broken) | JUNK


TEXT = st.sampled_from(TEXTS)
FUNCTION = shaped(name=st.just("f"), arguments=TEXT)
FRAGMENTS = st.lists(shaped(index=st.integers(0, 1), id=st.just("c1"), function=FUNCTION), max_size=2)
MESSAGE = shaped(role=st.sampled_from(["assistant", "tool", "user", "system"]), content=TEXT, tool_calls=FRAGMENTS)
CHOICES = st.lists(
    shaped(index=st.integers(0, 1), delta=MESSAGE, message=MESSAGE, finish_reason=st.just("stop")), max_size=2
)
CHUNK = shaped(choices=CHOICES, usage=st.none())
OUTPUT = st.lists(
    shaped(type=st.just("message"), id=st.just("m"), content=st.lists(shaped(type=st.just("output_text"), text=TEXT))),
    max_size=2,
)
EVENT = shaped(
    type=KINDS,
    item_id=st.just("m"),
    output_index=st.integers(0, 1),
    content_index=st.just(0),
    sequence_number=st.integers(0, 9),
    delta=TEXT,
    response=shaped(output=OUTPUT),
)
OBJECT = st.dictionaries(st.sampled_from(WORDS), JUNK, max_size=4)


def unchanged(read: Callable[[Any], Any], given: Any) -> None:
    before = repr(copy.deepcopy(given))
    read(given)
    assert repr(given) == before


def drained(read: Callable[..., Iterable[Any]]) -> Callable[[Any], None]:
    def run(items: Any) -> None:
        for options in ({}, {"format": "hermes"}):
            list(read(items, ["f"], **options))

    return run


@given(st.lists(CHUNK, max_size=6))
def test_chunks_of_the_chat_api(chunks: list[Any]) -> None:
    unchanged(drained(dict_chunks), chunks)


@given(st.lists(EVENT.filter(lambda event: isinstance(event, dict)), max_size=6))
def test_events_of_the_responses_api(events: list[Any]) -> None:
    unchanged(drained(dict_response_events), events)


BLOCK = shaped(type=BLOCK_KINDS, text=st.sampled_from(TEXTS), thinking=st.sampled_from(TEXTS), name=PLAIN, input=JUNK)
BLOCK_DELTA = shaped(
    type=DELTA_KINDS,
    text=st.sampled_from(TEXTS),
    thinking=st.sampled_from(TEXTS),
    partial_json=st.sampled_from(["{", "}", '{"a": 1}']),
    stop_reason=st.sampled_from(["end_turn", "tool_use", "max_tokens"]),
)
MESSAGE_EVENT = shaped(type=EVENT_KINDS, index=st.integers(0, 3), content_block=BLOCK, delta=BLOCK_DELTA)


@given(st.lists(MESSAGE_EVENT, max_size=8))
def test_events_of_the_messages_api(events: list[Any]) -> None:
    unchanged(drained(dict_message_events), events)
    AnthropicHistoryConverter().to_history_item(events)
    for event in events:
        AnthropicChunkWrapper(event).get_tool_calls()


@given(
    st.fixed_dictionaries({}, optional={"choices": CHOICES | JUNK}),
    st.fixed_dictionaries({"output": OUTPUT | JUNK}),
    st.fixed_dictionaries({"content": st.lists(BLOCK, max_size=4) | JUNK}),
)
def test_whole_answers(completion: dict[str, Any], response: dict[str, Any], message: dict[str, Any]) -> None:
    unchanged(lambda each: dict_completion(each, ["f"]), completion)
    unchanged(lambda each: dict_response(each, ["f"]), response)
    unchanged(lambda each: dict_message(each, ["f"]), message)


@pytest.mark.parametrize("converter", CONVERTERS.values())
@given(messages=st.lists(MESSAGE | OBJECT, max_size=3))
def test_messages_are_understood_or_refused_by_name(converter: Any, messages: list[Any]) -> None:
    try:
        history = converter().to_history(messages)
    except MessageError:
        return
    for other in CONVERTERS.values():
        with contextlib.suppress(MessageError):
            other().from_history(history)


@given(st.lists(CHUNK | shaped(message=MESSAGE), max_size=4))
def test_chunks_as_messages(chunks: list[Any]) -> None:
    for converter in (OpenAIHistoryConverter(), OllamaHistoryConverter(), AnthropicHistoryConverter()):
        converter.to_history_item(chunks)
    joined = ToolCallAggregator()
    for chunk in chunks:
        wrapper = OpenAIChunkWrapper(chunk)
        joined.add_delta(wrapper.delta)
        wrapper.get_tool_calls()
        OllamaResponseChunkWrapper(chunk).get_tool_calls()
    joined.finish()


@given(JUNK | MESSAGE)
def test_requests_for_tools(request: Any) -> None:
    mcp = McpIntegration(timeout=5)
    mcp.register_tool(lambda a=1: a, "f")
    detect_format(request)
    asyncio.run(mcp.route_tool_use(request))


class Played:
    """A client whose streams are these chunks."""

    def __init__(self, chunks: list[Any]) -> None:
        self.chat = self.completions = self
        self.chunks = chunks

    async def create(self, **_: Any) -> Any:
        async def each() -> AsyncIterator[Any]:
            for chunk in self.chunks:
                yield chunk

        return each()


@given(st.lists(CHUNK, max_size=6))
def test_streams_of_a_handler(chunks: list[Any]) -> None:
    async def run() -> None:
        mcp = McpIntegration(timeout=5)
        mcp.register_tool(lambda a=1: a, "f")
        handler = OpenAiHandler(ApiHandlerOptions(), client=Played(chunks), mcp=mcp)
        async for part in handler.create_message("", []):
            assert part["type"] in {"text", "reasoning", "tool_use", "tool_result", "problem", "usage"}

    asyncio.run(run())


def test_calls_that_a_server_gives_one_index_are_told_apart() -> None:
    # Clients join fragments by their index, so they would make one call of two. The aggregator knew better, and what
    # numbers the fragments did not ask it.
    fragments = [
        {"index": 0, "id": name, "function": {"name": "f", "arguments": f'{{"x": "{name}"}}'}} for name in ("a", "b")
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in fragments]
    found: Any = [*dict_chunks(chunks, ["f"])]
    assert [chunk["choices"][0]["delta"]["tool_calls"][0]["index"] for chunk in found] == [0, 1]
    assert found[0] == chunks[0]
