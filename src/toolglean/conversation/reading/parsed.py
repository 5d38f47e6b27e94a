# A call that the server has parsed and sends piece by piece: when its pieces are sent on.
# Does not depend on any wire format: a piece is whatever the caller makes of it, such as an event or a fragment.
#
#   the text has given no call of that name     its pieces are sent as they come
#   the text has given one                      they wait until its arguments are complete: if both are the same call,
#                                               none of them is sent, otherwise all are
#   the arguments are never complete            all are sent at the end
"""Calls that the server has parsed, as they are sent."""

from __future__ import annotations

from typing import Any

from toolglean.conversation.reading.duplicates import SentCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["ParsedCall"]


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
