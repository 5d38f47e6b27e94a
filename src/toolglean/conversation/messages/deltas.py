# What this file knows: how events are written as deltas of OpenAI's chat stream.
# What it must not know: where the events come from, and in what the deltas are sent.
"""Events as deltas of OpenAI's chat API, for proxies and servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglean.conversation.messages.wire import unrunnable
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Problem, Reasoning

__all__ = ["ChatDeltas", "LegacyDeltas"]


class ChatDeltas:
    """Writes a turn's events as deltas of `chat.completion.chunk`. One for each choice.

    Args:
        next_index: the index of the next call; increase it if the server sends calls itself.
        id_prefix: the beginning of the ids of calls, before their number in the parser. The wire format needs an id at
            once, even if the model has not written one when the call begins. Use the same prefix for the parser, so
            that no two ids are equal.

    Attributes:
        calls_closed: how many calls have ended well. A call that was cut off or is malformed does not count, although
            pieces of its arguments have been sent. Joined, they are not JSON: if they would be (because a whole object
            was written, or nothing), a last piece, `<incomplete>` or `<malformed>`, is added.
        problems: what the parser could not accept as written.
    """

    def __init__(self, next_index: int = 0, id_prefix: str = "call_") -> None:
        self.next_index = next_index
        self.id_prefix = id_prefix
        self.calls_closed = 0
        self.problems: list[Problem] = []
        self._open = 0  # the index of the call whose arguments come
        self._silent = False  # whether no piece of the open call's arguments came yet

    def deltas(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        """The deltas of these events, in order.

        Returns:
            Dicts with `content`, `reasoning_content`, or `tool_calls` with one fragment: its first has `id`, `type`
            and `function.name`, the others pieces of `function.arguments`.
        """
        return [delta for event in events for delta in self._written(event)]

    def finish_reason(self, given: str | None) -> str | None:
        """The reason to send: "tool_calls" for "stop" once a call has ended well; else the given reason."""
        mendable = isinstance(given, str) and given in {"stop", "function_call"}  # a server may put anything there
        return "tool_calls" if mendable and self.calls_closed else given

    def _written(self, event: Event) -> list[dict[str, Any]]:
        if type(event) is Content:
            return [{"content": event.text}]
        if type(event) is Reasoning:
            return [{"reasoning_content": event.text}]
        if type(event) is CallDelta:
            self._silent = False
            return [self._piece(event.text)]
        if type(event) is CallStart:
            return [self._start(event)]
        if type(event) is CallEnd:
            return self._end(event)
        if type(event) is Problem:
            self.problems.append(event)
        return []

    def _start(self, event: CallStart) -> dict[str, Any]:
        index = self._open = self.next_index
        self.next_index, self._silent = index + 1, True
        return {
            "tool_calls": [
                {
                    "index": index,
                    "id": event.id or f"{self.id_prefix}{event.index}",
                    "type": "function",
                    "function": {"name": event.name, "arguments": ""},
                }
            ]
        }

    def _piece(self, text: str) -> dict[str, Any]:
        return {"tool_calls": [{"index": self._open, "function": {"arguments": text}}]}

    def _end(self, event: CallEnd) -> list[dict[str, Any]]:
        call = event.call
        if call.status != "ok":
            broken = unrunnable(call.arguments_text, call.status)[len(call.arguments_text) :]
            return [self._piece(broken)] if broken else []
        self.calls_closed += 1
        return [self._piece("{}")] if self._silent else []


class LegacyDeltas(ChatDeltas):
    """The same with the calls in `function_call`, for requests with `functions`: a message has room for one call."""

    def finish_reason(self, given: str | None) -> str | None:
        """The reason to send: "function_call" for "stop" once a call has ended well; else the given reason."""
        return "function_call" if given == "stop" and self.calls_closed else given

    def _start(self, event: CallStart) -> dict[str, Any]:
        self._silent = True
        return {"function_call": {"name": event.name, "arguments": ""}}

    def _piece(self, text: str) -> dict[str, Any]:
        return {"function_call": {"arguments": text}}
