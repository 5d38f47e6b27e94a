# Which fragments of the calls of a chat turn that the server has parsed are sent on now, and what is known of the
# calls.
# Does not depend on what becomes of a fragment, on how calls are found in text, or on how fragments are joined
# (conversation/deltas.py).
"""The calls of OpenAI's chat API that the server has parsed itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglean.conversation.deltas import ToolCallAggregator
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["ChatCalls"]


class ChatCalls:
    """The server's calls in one choice.

    Args:
        turn: reads the choice's text.

    Attributes:
        joined: joins their fragments.
        calls: whether each is sent, in the order in which they began.
    """

    def __init__(self, turn: TurnText) -> None:
        self.joined = ToolCallAggregator()
        self.calls: list[ParsedCall] = []
        self._turn = turn
        self._undecided: dict[int, None] = {}  # places in that list
        self._settled = 0  # what had changed in the text when they were asked last

    def read(self, fragments: Iterable[Any], *, whole: bool = False) -> list[tuple[Any, int]]:
        """The fragments that can be sent now that these have arrived, each with the place of its call in `calls`.

        Args:
            fragments: the fragments.
            whole: as for `ToolCallAggregator.add`.
        """
        given, found = list(fragments), []
        for fragment, place in zip(given, self.joined.add(given, whole=whole), strict=True):
            if place == len(self.calls):
                self.calls.append(ParsedCall(self._turn))
                self._undecided[place] = None
            own = self.calls[place]
            found += [(each, place) for each in own.add(fragment)]
            if own.waits:
                found += self._decided(place)
            elif own.is_open:
                own.note(self.joined.arguments(place))
        return found

    def settle(self) -> list[tuple[Any, int]]:
        """More of the text was read: the fragments that need not wait any longer."""
        if self._settled == self._turn.duplicates.changes:
            return []
        self._settled = self._turn.duplicates.changes
        return [each for place in list(self._undecided) for each in self._decided(place)]

    def close(self) -> None:
        """No more will arrive: each call is complete as it is."""
        for place, own in enumerate(self.calls):
            if own.is_open:
                own.note(self.joined.arguments(place, over=True), over=True)

    def finish(self) -> list[tuple[Any, int]]:
        """The fragments that waited until the end."""
        return [each for place in list(self._undecided) for each in self._decided(place, over=True)]

    def _decided(self, place: int, *, over: bool = False) -> list[tuple[Any, int]]:
        if self._turn.duplicates.any_written and not (over or self.joined.has_arguments(place)):
            return []  # a name may arrive in pieces
        own = self.calls[place]
        found = own.decide(self.joined.begun[place][1], self.joined.arguments(place, over=over), over=over)
        if not own.waits:
            self._undecided.pop(place, None)
        return [(each, place) for each in found]
