# The other reading of a turn from a spelled-out marker on: that in which it is a marker. Does not know why the marker
# was doubted, or which reading is used in the end.
"""A second reading, beside the first."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Self

from toolglean.engine.reasons import SPELLED_CALL
from toolglean.events import CallDelta, CallEnd, CallStart, Event, Markup, Problem
from toolglean.scan.plain import Plain, Rope, grown, joined

if TYPE_CHECKING:
    from toolglean.engine.evidence.reader import Reader

__all__ = ["Rival"]


class Rival(Plain):
    """Reads the turn from a spelled-out marker on as if it were one, until it is certain that it is not.

    Until then, the events of the first reading wait here.

    Args:
        machine: what reads it.
        marker, start: the marker, and its place.
        most: the most characters that it may read.
        hopeless: whether it can never be used, and only says what is missed.
        opens_turn: whether the turn begins with the marker, so that text may follow it as long as no call came.
    """

    __slots__ = (
        *("_call", "_events", "_hopeless", "_machine", "_marker", "_most", "_opens_turn", "_refuted", "_start"),
        *("_text", "_waiting"),
    )

    ropes = frozenset({"_text"})

    def __init__(
        self, machine: Reader, marker: str, start: int, most: int, *, hopeless: bool, opens_turn: bool
    ) -> None:
        self._machine, self._marker, self._start = machine, marker, start
        self._most, self._hopeless, self._opens_turn = most, hopeless, opens_turn
        self._events: list[Event] = []  # its own
        self._waiting: list[Event] = []  # of the first reading
        self._text: Rope = ()
        self._call: CallStart | CallEnd | None = None  # the first
        self._refuted = False

    def copy(self) -> Self:
        """The same place, for a fork."""
        twin = super().copy()
        twin._machine = self._machine.fork()
        twin._events, twin._waiting = [*self._events], [*self._waiting]
        return twin

    @property
    def room(self) -> int:
        """How many characters it may still read."""
        return self._most

    def wait(self, events: list[Event]) -> None:
        """Events of the first reading: they wait."""
        self._waiting += events

    def read(self, text: str) -> bool:
        """Read on. Returns whether it may still be right."""
        self._most -= len(text)
        self._text = grown(self._text, text)
        return self._weigh(self._machine._feed(text))

    def wins(self) -> bool:
        """The turn is over: whether this reading is right."""
        return self._weigh(self._machine._end()) and not self._hopeless

    def taken(self) -> tuple[Reader, list[Event]]:
        """Its machine and its events, to go on with."""
        return self._machine, self._events

    def refuted(self) -> list[Event]:
        """It is wrong: the events of the first reading, with a `Problem` if a call was missed."""
        call, waiting = self._call, self._waiting
        if call is None:
            return waiting
        written = joined(self._text)[: call.call.span[1] - self._start] if isinstance(call, CallEnd) else self._marker
        before = sum(1 for _ in takewhile(self._is_before, waiting))
        problem = Problem(*SPELLED_CALL, written, self._start)
        return [*waiting[:before], problem, *waiting[before:]]

    def _is_before(self, event: Event) -> bool:
        # Whether it is of the text before the marker.
        size = 0 if isinstance(event, CallStart | CallEnd) else len(event.text)
        return event.start + size <= self._start

    def _weigh(self, events: list[Event]) -> bool:
        for event in events:
            if not self._refuted:
                self._events.append(event)
                self._refuted = self._refutes(event)
        return not self._refuted

    def _refutes(self, event: Event) -> bool:
        # Whether what it reads there shows that the marker is none, or that its call must not run.
        if isinstance(event, CallStart):
            if event.known is False:
                return True
            self._call = self._call or event
            return self._hopeless
        if isinstance(event, CallEnd):
            if event.call.status != "ok" or event.call.repairs:
                return True
            if self._call is None or event.index == self._call.index:
                self._call = event
            return False
        if isinstance(event, CallDelta | Markup):
            return False
        beyond = event.start + len(event.text) > self._start
        if isinstance(event, Problem):
            return event.start >= self._start
        if not beyond or event.text.isspace():
            return False
        return not self._opens_turn or self._call is not None or event.start <= self._start
