# What this file knows: the fields of the wire formats, combined in ways that none of these formats allows.
# The results are not checked, except for this: whatever a server sends, nothing raises. (tests/clients/test_shapes.py has
# the same of what repairs answers.)
"""Malformed servers: fields of the wrong type in every place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversation.laws import CONVERTERS
from toolglean.clients.chat import dict_chunks
from toolglean.conversation import (
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
OBJECT = st.dictionaries(st.sampled_from(WORDS), JUNK, max_size=4)


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
