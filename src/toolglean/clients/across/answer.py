# What an answer of the chat API is in the Messages API. Its events are those that a server of the Messages API would
# send that has not repaired anything; `MessageReader` repairs them.
# Does not depend on HTTP, or on how calls are found in text.
#
# Calls that the server has parsed come in one piece, when the turn is over: only then is it known which of them are
# complete. One that is not stays text.
"""Answers of the chat API as answers of the Messages API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.clients.messages.blocks import Blocks, Event
from toolglean.clients.messages.reader import MessageReader
from toolglean.clients.messages.sources import FIELDS
from toolglean.clients.messages.whole import message_of
from toolglean.conversation import OpenAIChunkWrapper, ToolCallAggregator
from toolglean.conversation.fields import field
from toolglean.conversation.messages import ContentPartToolCall
from toolglean.conversation.openai import CUT_OFF
from toolglean.scan.nested import json_text

__all__ = ["ChatAnswer"]

REASONS = {"length": "max_tokens", "content_filter": "refusal"}
"""The reasons that do not depend on whether there are calls."""


class ChatAnswer:
    """Reads the chunks of one answer of the chat API, or its whole answer, and gives events of the Messages API.

    Args:
        reader: repairs these events; None: nothing is repaired, because the request has no tools.
        model: that of the request, in case the server does not name it.
    """

    pristine, waits = False, False  # no event is sent as it came

    def __init__(self, reader: MessageReader | None, model: str) -> None:
        self._reader = reader
        self._model = model
        self._calls = ToolCallAggregator()
        self._blocks = Blocks("call_")
        self._begun = False
        self._reason: str | None = None
        self._usage: Any = None
        self._any_call = False  # whether the server has parsed a call that is complete
        self._over = False

    def read(self, chunk: Any) -> list[Any]:
        """The events that a chunk becomes."""
        found: list[Event] = [] if self._begun else [self._start(chunk)]
        wrapper = OpenAIChunkWrapper(chunk)
        found += self._text("thinking", wrapper.get_reasoning()) + self._text("text", wrapper.get_text())
        self._calls.add_delta(wrapper.delta)
        self._usage = field(chunk, "usage") or self._usage
        if wrapper.finish_reason and self._reason is None:
            self._reason = wrapper.finish_reason
            found += self._end_of_turn(self._reason)
        return self._repaired(found)

    def finish(self) -> list[Any]:
        """The stream is over, or broke off: what was held back; the end of the message, if the server has said why."""
        if self._over:
            return []
        self._over = True
        if self._reason is None:
            return [] if self._reader is None else self._reader.finish()
        reason = REASONS.get(self._reason, "tool_use" if self._any_call else "end_turn")
        ending = {"stop_reason": reason, "stop_sequence": None}
        usage = _usage(self._usage)
        return self._repaired([{"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}])

    def whole(self, completion: dict[str, Any]) -> dict[str, Any]:
        """The message that a whole answer becomes."""
        events = [*self.read(completion), *self.finish()]
        return message_of(events)

    def error(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The event for an error of the server."""
        inner = said.get("error")
        message = field(inner, "message") or (inner if isinstance(inner, str) else "the server reports an error")
        return {"type": "error", "error": {"type": "api_error", "message": str(message)}}

    def _repaired(self, events: Iterable[Event]) -> list[Any]:
        reader = self._reader
        return [*events] if reader is None else [each for event in events for each in reader.read(event)]

    def _start(self, chunk: Any) -> Event:
        self._begun = True
        own, model = field(chunk, "id"), field(chunk, "model")
        head = {"id": own if isinstance(own, str) else "msg", "type": "message", "role": "assistant"}
        model = model if isinstance(model, str) else self._model
        rest: dict[str, Any] = {
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(None),
        }
        return {"type": "message_start", "message": {**head, **rest}}

    def _text(self, kind: str, text: str) -> list[Event]:
        if not text:
            return []
        found: list[Event] = []
        if self._blocks.owner != kind:
            signed = {"signature": ""} if kind == "thinking" else {}
            found = self._blocks.start(kind, {"type": kind, kind: "", **signed})
        return [*found, self._blocks.delta(FIELDS[kind], kind, text)]

    def _end_of_turn(self, reason: str) -> list[Event]:
        calls = self._calls.finish()
        cut = reason in CUT_OFF
        found: list[Event] = []
        for place, call in enumerate(calls):
            unfinished = cut and place == len(calls) - 1 and not call.arguments
            if call.unread or not call.name or unfinished:
                found += self._text("text", f"{call.name}{call.unread}")
                continue
            self._any_call = True
            found += self._call(call)
        return [*found, *self._blocks.stop()]

    def _call(self, call: ContentPartToolCall) -> list[Event]:
        id = call.id or f"call_{self._blocks.index + 1}"  # noqa: A001  # the wire's own word
        begun = self._blocks.start(call, {"type": "tool_use", "id": id, "name": call.name, "input": {}})
        delta = self._blocks.delta("input_json_delta", "partial_json", json_text(call.arguments))
        return [*begun, delta, *self._blocks.stop()]


def _usage(given: Any) -> dict[str, int]:
    def count(holder: Any, name: str) -> int:
        found = field(holder, name)
        return found if isinstance(found, int) else 0

    cached = count(field(given, "prompt_tokens_details"), "cached_tokens")
    found = {"input_tokens": count(given, "prompt_tokens") - cached, "output_tokens": count(given, "completion_tokens")}
    return found | ({"cache_read_input_tokens": cached} if cached else {})
