# The events of a turn that were not returned yet, and those of them that are held back because what they belong to may
# turn out to be a call (by_schema/candidate.py). Does not know how events come about (emit.py).
"""Events that are told."""

from __future__ import annotations

from typing import Self

from toolglean.events import Content, Event
from toolglean.scan.plain import Plain

__all__ = ["Outbox"]


class Outbox(Plain):
    """The events so far.

    Attributes:
        out: the events so far; the machine returns them and begins a new list.
    """

    __slots__ = ("_before", "_kept", "out")

    def __init__(self) -> None:
        self.out: list[Event] = []
        self._kept = 0  # how many of the events were held back when a trial began
        self._before: list[Event] | None = None  # events from before those that are held back, in `out`

    def take(self) -> list[Event]:
        """Take the events so far, except for those that are held back."""
        if self._before is not None:
            events, self._before = self._before, []
        else:
            events, self.out = self.out, []
        return events

    def tell_first(self, events: list[Event]) -> None:
        """Put these events before those so far."""
        if self._before is not None:
            self._before = events + self._before
        else:
            self.out = events + self.out if self.out else events

    # -- events that are held back: see by_schema/candidate.py ---------------------------------------------------------

    @property
    def ready(self) -> list[Event]:
        """The events so far, except for those that are held back."""
        return self.out if self._before is None else self._before

    def keep_back(self) -> None:
        """Keep back what comes next."""
        self._before, self.out = self.out, []

    def begin_trial(self) -> None:
        """From here on, events go to `told`."""
        self._kept = len(self.out)

    def release(self) -> None:
        """Keep nothing back any longer."""
        if (before := self._before) is not None:  # in place: in one chunk there may be many
            before += self.out
            self.out, self._before = before, None

    def keep(self, event: Content) -> None:
        """Keep that event back too."""
        self.out.append(event)

    def hand_back(self, emitter: Self) -> None:
        """Give all events to that emitter, a copy of this one from before; nothing is held back here any longer."""
        emitter.have(self.out, self._before)
        self.out, self._before = [], None

    def have(self, out: list[Event], before: list[Event] | None) -> None:
        """Have these events: what was emitted, or what is held back and what came before."""
        self.out, self._before = out, before
