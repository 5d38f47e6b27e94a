# Which fragments of the calls that the server has parsed are sent, and under which index.
# Does not depend on when they are sent (conversation/reading/parsed.py), on how calls are found in text, on how
# fragments are joined (conversation/deltas.py), or on any client's objects.
#
# Both kinds of calls are numbered in the order in which they are sent, so the server's keep their index unless one of
# ours came before.
"""The calls of OpenAI's chat stream that the server has parsed itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolglean.conversation.deltas import ChatDeltas, ToolCallAggregator
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["ServerCalls"]


class ServerCalls:
    """The server's calls in one choice.

    Args:
        turn: reads the choice's text.
        deltas: numbers the calls in it.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self._turn = turn
        self._deltas = deltas
        self._joined = ToolCallAggregator()
        self._calls: list[ParsedCall] = []
        self._undecided: list[int] = []  # places in that list
        self._indexes: dict[Any, int] = {}  # their index, or their id, to our index
        self._last: int | str = 0

    def read(self, fragments: Sequence[Any]) -> list[tuple[Any, int]]:
        """The fragments that can be sent now that these have arrived, each with its new index."""
        found: list[tuple[Any, int]] = []
        for fragment, place in zip(fragments, self._joined.add(fragments), strict=True):
            if place == len(self._calls):
                self._calls.append(ParsedCall(self._turn))
                self._undecided.append(place)
            own = self._calls[place]
            found += self._moved(own.add(fragment))
            if own.waits:
                found += self._decided(place)
            elif own.is_open:
                own.note(self._joined.arguments(place))
        return found

    def settle(self) -> list[tuple[Any, int]]:
        """More of the text was read: the fragments that need not wait any longer."""
        return [each for place in list(self._undecided) for each in self._decided(place)]

    def close(self) -> None:
        """No more will arrive: each call is complete as it is."""
        for place, own in enumerate(self._calls):
            if own.is_open:
                own.note(self._joined.arguments(place, over=True), over=True)

    def finish(self) -> list[tuple[Any, int]]:
        """The fragments that waited until the end."""
        return [each for place in list(self._undecided) for each in self._decided(place, over=True)]

    def _decided(self, place: int, *, over: bool = False) -> list[tuple[Any, int]]:
        if self._turn.duplicates.any_written and not (over or self._joined.has_arguments(place)):
            return []  # a name may arrive in pieces
        own, name = self._calls[place], self._joined.names[place]
        found = own.decide(name, self._joined.arguments(place, over=over), over=over)
        if not own.waits:
            self._undecided.remove(place)
        return self._moved(found)

    def _moved(self, fragments: list[Any]) -> list[tuple[Any, int]]:
        return [(fragment, self._index_of(fragment)) for fragment in fragments]

    def _index_of(self, fragment: Any) -> int:
        index, id = field_of(fragment, "index"), field_of(fragment, "id")  # noqa: A001  # the wire's own word
        # Ignore an id or an index that is not a string or a number.
        key = index if isinstance(index, int) else id if id and isinstance(id, str | int) else self._last
        if key not in self._indexes:
            self._indexes[key] = self._deltas.next_index
            self._deltas.next_index += 1
        self._last = key
        return self._indexes[key]
