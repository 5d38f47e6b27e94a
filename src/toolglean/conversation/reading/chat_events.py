# OpenAI's chat API as events: calls that the server has parsed, and calls in the text.
# Does not depend on how calls are found in text (server_turn.py reads it), on how fragments are joined
# (toolglean.conversation), on HTTP, or on any client's objects.
"""Chunks and answers of OpenAI's chat API as one sequence of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.conversation.deltas import ToolCallAggregator
from toolglean.conversation.openai import CUT_OFF, OpenAIChunkWrapper
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.server_turn import ServerTurn
from toolglean.events import CallDelta, CallStart, Event
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ChatEvents"]


@dataclass(slots=True)
class _ServerCall:
    """A call that the server has parsed, as far as its events were emitted."""

    start: CallStart
    call: ParsedCall
    told: int = 0  # pieces of its arguments that were emitted


class ChatEvents:
    """Reads the chunks of one turn (of several choices, the first), or its whole answer.

    Args:
        tools, parsing: as for `ServerTurn`.

    Attributes:
        turn: the turn.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None, parsing: Mapping[str, Any] | None) -> None:
        self.turn = ServerTurn(tools, parsing)
        self._joined = ToolCallAggregator()
        self._own: list[_ServerCall | None] = []  # None: the text has given it
        self._over = False

    def read(self, chunk: Any, fragments: Iterable[Any] | None = None) -> list[Event]:
        """The events of a chunk, or of a whole answer.

        Args:
            chunk: the chunk.
            fragments: those of calls in it; None: as the API has them.
        """
        if self._over:
            return []
        wrapper = OpenAIChunkWrapper(chunk)
        found = self.turn.thought(wrapper.get_reasoning()) + self.turn.text(wrapper.get_text())
        begun = len(self._joined.names)
        if fragments is None:
            self._joined.add_delta(wrapper.delta)
        else:
            self._joined.add(fragments)
        if self._joined:
            found += self.turn.stop_thinking() if len(self._joined.names) > begun else []
            found += self._progress() + self.turn.settle()
        return found + self.finish(wrapper.finish_reason) if wrapper.finish_reason else found

    def finish(self, reason: str = "", *, ended: bool = False) -> list[Event]:
        """The events of the end: what was held back, and the ends of the server's calls.

        Args:
            reason: why the turn ended; "" if the server did not say.
            ended: whether a last call without arguments is complete, although the server did not say why.
        """
        if self._over:
            return []
        self._over = True
        self._close()
        found = self.turn.finish(cut=not reason or reason in CUT_OFF)
        names = self._joined.names
        found += self._progress(at_end=True)
        calls = self._joined.finish()
        last = len(calls) - 1
        for place, (own, call) in enumerate(zip(self._own, calls, strict=True)):
            if own is not None:
                cut = place == last and (reason in CUT_OFF if reason else not ended)
                found.append(self.turn.ended(own.start, names[place], call.arguments, call.unread, cut=cut))
        return found

    def _close(self) -> None:
        for place, own in enumerate(self._own):
            if own is not None and own.call.is_open:
                own.call.note(self._joined.arguments(place, over=True), over=True)

    def _progress(self, *, at_end: bool = False) -> list[Event]:
        found: list[Event] = []
        for place, (id, name, parts) in enumerate(self._joined.begun):  # noqa: A001  # the wire's own word
            if place == len(self._own):
                if not (parts or at_end):
                    break  # its name may arrive in pieces
                call = self.turn.parsed_call()
                call.decide(name, self._joined.arguments(place, over=at_end), over=at_end)
                if call.waits:
                    break  # until its arguments are complete
                if call.dropped:
                    self._own.append(None)
                    continue
                start = self.turn.begun(name, id)
                self._own.append(_ServerCall(start, call))
                found.append(start)
            own = self._own[place]
            if own is None or own.told == len(parts):
                continue
            found += [CallDelta(own.start.index, part, self.turn.place) for part in parts[own.told :]]
            own.told = len(parts)
            if own.call.is_open:
                own.call.note(self._joined.arguments(place))
        return found
