# Calls that the server has parsed and sends piece by piece: when their pieces are sent on, and which of them the choice
# of a chat has. Does not depend on what becomes of a piece (an event, a fragment), on how calls are found in text, or
# on how fragments are joined (conversation/deltas.py).
#
#   the text has given no call of that name     its pieces are sent as they come
#   the text has given one                      they wait until its arguments are complete: if both are the same call,
#                                               none of them is sent, otherwise all are
#   the arguments are never complete            all are sent at the end
"""Calls that the server has parsed, as they are sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglean.conversation.deltas import ToolCallAggregator
from toolglean.conversation.reading.duplicates import SentCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["ChatCalls", "ParsedCall"]


class ParsedCall:
    """One such call, as far as it has arrived.

    Args:
        turn: the text of the turn.

    Attributes:
        dropped: whether it is the same as a call in the text, so that it is not sent.
    """

    __slots__ = ("_held", "_sent", "_turn", "dropped")

    def __init__(self, turn: TurnText) -> None:
        self.dropped = False
        self._turn = turn
        self._held: list[Any] = []
        self._sent: SentCall | None = None

    @property
    def waits(self) -> bool:
        """Whether it is not known yet what becomes of it."""
        return self._sent is None and not self.dropped

    @property
    def is_open(self) -> bool:
        """Whether it is being sent, and its arguments are not known yet."""
        return self._sent is not None and self._sent.arguments is None

    def add(self, piece: Any) -> list[Any]:
        """The pieces that can be sent now that this one has come: it alone, or none."""
        if self.waits:
            self._held.append(piece)
        return [] if self._sent is None else [piece]

    def decide(self, name: Any, arguments: Any = None, *, over: bool = False) -> list[Any]:
        """The pieces that can be sent now that this is known of it; none, if the others were sent already.

        Args:
            name: the tool.
            arguments: a dict; None while they are not all known, or if they cannot be read.
            over: nothing more will come.
        """
        same = self._turn.duplicates.was_written(name, arguments) if self.waits else None
        if not self.waits or (same is None and not over):
            return []
        held, self._held = self._held, []
        if same:
            self.dropped = True
            return []
        self._turn.take()
        self._sent = self._turn.duplicates.add_parsed(name, arguments)
        return held

    def note(self, arguments: Any, *, over: bool = False) -> None:
        """Its arguments, as for `decide`. If they are still unknown when it is `over`, it is the same as no other."""
        if self._sent is not None and self.is_open:
            self._sent.arguments = arguments
            if over and arguments is None:
                self._turn.duplicates.drop(self._sent)

    def release(self) -> list[Any]:
        """The stream broke off: the pieces that waited. It is the same as no other call."""
        self.note(None, over=True)
        held, self._held = self._held, []
        return held


class ChatCalls:
    """The calls of OpenAI's chat API that the server has parsed, in one choice.

    Args:
        turn: reads the choice's text.

    Attributes:
        joined: joins their fragments.
        calls: whether each is sent, in the order in which they began.
        undecided: the places in that list of those that wait.
    """

    def __init__(self, turn: TurnText) -> None:
        self.joined = ToolCallAggregator()
        self.calls: list[ParsedCall] = []
        self._turn = turn
        self.undecided: dict[int, None] = {}
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
                self.undecided[place] = None
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
        return [each for place in list(self.undecided) for each in self._decided(place)]

    def close(self) -> None:
        """No more will arrive: each call is complete as it is."""
        for place, own in enumerate(self.calls):
            if own.is_open:
                own.note(self.joined.arguments(place, over=True), over=True)

    def finish(self) -> list[tuple[Any, int]]:
        """The fragments that waited until the end."""
        return [each for place in list(self.undecided) for each in self._decided(place, over=True)]

    def _decided(self, place: int, *, over: bool = False) -> list[tuple[Any, int]]:
        if self._turn.duplicates.any_written and not (over or self.joined.has_arguments(place)):
            return []  # a name may arrive in pieces
        own = self.calls[place]
        found = own.decide(self.joined.begun[place][1], self.joined.arguments(place, over=over), over=over)
        if not own.waits:
            self.undecided.pop(place, None)
        return [(each, place) for each in found]
