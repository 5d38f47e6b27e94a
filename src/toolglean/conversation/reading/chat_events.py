# OpenAI's chat API as events: calls that the server has parsed, and calls in the text.
# Does not depend on how calls are found in text (server_turn.py reads it), on how fragments are joined
# (toolglean.conversation), on HTTP, or on any client's objects.
"""Chunks and answers of OpenAI's chat API as one sequence of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.conversation.deltas import fragments_of
from toolglean.conversation.fields import text_in
from toolglean.conversation.openai import CUT_OFF, OpenAIChunkWrapper
from toolglean.conversation.reading.parsed import ChatCalls
from toolglean.conversation.reading.server_turn import ServerTurn
from toolglean.events import CallDelta, CallStart, Content, Event
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ChatEvents"]


@dataclass(slots=True)
class _ServerCall:
    """A call that the server has parsed, as far as its events were emitted."""

    start: CallStart
    told: int = 0  # pieces of its arguments that were emitted


class ChatEvents:
    """Reads the chunks of one turn, or its whole answer. Of several choices, it reads the one that comes first.

    Args:
        tools, parsing: as for `ServerTurn`.

    Attributes:
        turn: the turn.
        reason: why the turn ended, in the server's words; "" until it says so.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None, parsing: Mapping[str, Any] | None) -> None:
        self.turn = ServerTurn(tools, parsing)
        self.reason = ""
        self._index: int | None = None  # of the choice
        self._calls = ChatCalls(self.turn.written)
        self._begun = self._calls.joined.begun
        self._own: list[_ServerCall | None] = []  # None: the text has given it
        self._over = False

    def read(self, chunk: Any, extract: Callable[[Any], Iterable[Any]] = fragments_of) -> list[Event]:
        """The events of a chunk, or of a whole answer.

        Args:
            chunk: the chunk.
            extract: returns the fragments of calls in a delta.
        """
        if self._over:
            return []
        wrapper = OpenAIChunkWrapper(chunk, self._index)
        self._index, self.reason = wrapper.index, wrapper.finish_reason or ""
        found = self.turn.thought(wrapper.get_reasoning()) + self.turn.text(wrapper.get_text())
        if refusal := text_in(wrapper.delta, "refusal"):  # it is for the user, and is never a call
            found.append(Content(refusal, self.turn.place))
        begun = len(self._begun)
        self._calls.settle()
        sent = self._calls.read(extract(wrapper.delta), whole=wrapper.is_whole)
        if self._begun:
            found += self.turn.written.stop_thinking() if len(self._begun) > begun else []
            found += self._progress(sorted({place for _, place in sent})) + self.turn.written.settle()
        return found + self.finish(self.reason) if self.reason else found

    @property
    def names(self) -> list[str]:
        """The names of the calls that the server has parsed, as far as they have come."""
        return [name for _, name, _ in self._begun]

    def finish(self, reason: str = "", *, ended: bool = False) -> list[Event]:
        """The events of the end: what was held back, and the ends of the server's calls.

        Args:
            reason: why the turn ended; "" if the server did not say.
            ended: whether a last call without arguments is complete, although the server did not say why.
        """
        if self._over:
            return []
        self._over = True
        self._calls.close()
        found = self.turn.finish(cut=not reason or reason in CUT_OFF)
        self._calls.finish()
        found += self._progress((), at_end=True)
        calls = self._calls.joined.finish()
        last = len(calls) - 1
        for place, (own, call) in enumerate(zip(self._own, calls, strict=True)):
            if own is not None:
                cut = place == last and (reason in CUT_OFF if reason else not ended)
                found.append(self.turn.ended(own.start, call.name, call.arguments, call.unread, cut=cut))
        return found

    def _progress(self, places: Iterable[int], *, at_end: bool = False) -> list[Event]:
        # Of the calls at these places, and of those that begin now.
        found = [event for place in places if place < len(self._own) for event in self._pieces(place)]
        while (place := len(self._own)) < len(self._begun):
            id, name, parts = self._begun[place]  # noqa: A001  # the wire's own word
            call = self._calls.calls[place]
            if call.waits or not (parts or at_end or call.dropped):
                break  # its name may arrive in pieces
            own = None if call.dropped else _ServerCall(self.turn.begun(name, id))
            self._own.append(own)
            found += [] if own is None else [own.start, *self._pieces(place)]
        return found

    def _pieces(self, place: int) -> list[Event]:
        own, (_, _, parts) = self._own[place], self._begun[place]
        assert own is not None  # nothing is sent of a call that was dropped
        told, own.told = own.told, len(parts)
        return [CallDelta(own.start.index, part, self.turn.place) for part in parts[told:]]
