# Leaked calls in a whole answer of the Messages API: it is read as the stream that would send it, so both agree.
# Does not depend on how that stream is read (reader.py).
"""Leaked calls in whole answers of the Messages API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Unpack

from toolglean.clients.messages.blocks import DELTA, FIELDS, START, STOP, Event
from toolglean.clients.messages.reader import MessageReader
from toolglean.clients.messages.types import MessageDict
from toolglean.conversation.anthropic import JoinedBlocks
from toolglean.conversation.fields import arguments_of, field
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.conversation.reading.text import Tools

__all__ = ["dict_message", "message_of"]


def dict_message(message: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]) -> MessageDict:
    """The same for an answer that was not streamed: see `dict_message_events`. The argument is not changed.

    Calls that were cut off, or cannot be read, stay in the text.
    """
    reader = MessageReader(tools, {**parsing, "whole_calls": True})
    content = message.get("content")
    found: Any = dict(message)  # it has whatever fields the server sent
    given = [*_events(content), {"type": "message_delta", "delta": {"stop_reason": message.get("stop_reason")}}]
    events = [each for event in given for each in reader.read(event)]
    if isinstance(content, list | tuple) and not reader.pristine:
        found["content"] = _blocks(events)
        if "stop_reason" in found:
            found["stop_reason"] = events[-1]["delta"]["stop_reason"]
    typed: MessageDict = found
    return typed


def _events(content: Any) -> Iterator[Event]:
    for place, block in enumerate(content if isinstance(content, list | tuple) else ()):
        found = field(block, "type") if isinstance(block, Mapping) else None
        kind = found if isinstance(found, str) and found in FIELDS and isinstance(block.get(found), str) else ""
        yield {"type": START, "index": place, "content_block": {**block, kind: ""} if kind else block}
        if kind:
            yield {"type": DELTA, "index": place, "delta": {"type": FIELDS[kind], kind: block[kind]}}
        yield {"type": STOP, "index": place}


def message_of(events: Iterable[Event]) -> dict[str, Any]:
    """The message that the events of its stream add up to."""
    given = [*events]
    found: dict[str, Any] = {}
    for event in given:
        if event["type"] == "message_start":
            found |= event["message"]
        elif event["type"] == "message_delta":
            found |= {**event["delta"], "usage": {**found.get("usage", {}), **event["usage"]}}
    return found | {"content": _blocks(given)}


def _blocks(events: Iterable[Event]) -> list[Any]:
    return [_filled(block, text) if text else block for block, text in JoinedBlocks(events).texts()]


def _filled(block: Mapping[str, Any], text: str) -> dict[str, Any]:
    kind = block["type"]
    return {**block, kind: text} if kind in FIELDS else {**block, "input": arguments_of(text)[0]}
