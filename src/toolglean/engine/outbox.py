# The events of a turn that were not returned yet, and those of them that are held back because what they belong to may
# turn out to be a call (by_schema/candidate.py); and the end of the content that was returned since the last call, of
# which more is told when the turn is over (by_schema/telling.py). Does not know how events come about (emit.py).
#
# Pieces of what was said are kept as they come, and joined now and then: most turns end without a look at them. How
# much is kept is counted in characters, so it does not depend on chunks.
"""Events that are told, and what was said."""

from __future__ import annotations

from typing import Self

from toolglean.events import CallStart, Content, Event
from toolglean.scan.plain import Plain

__all__ = ["MOST", "Outbox", "Said"]

MOST = 16_384  # characters of the content that are kept, and of what was between them
GAP = 128  # more of what is no content parts it: only what is behind that is looked at
LONG = PIECES = 256  # so many pieces are joined, and one of more characters at once


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


class Said(Plain):
    """The end of the content.

    Args:
        heeds: whether it will be read; if not, it is not kept for long.

    Attributes:
        heeds: the same.
        pieces: what was said, in order, each with its place.
    """

    __slots__ = ("heeds", "pieces")

    def __init__(self, *, heeds: bool) -> None:
        self.heeds = heeds
        self.pieces: list[tuple[str, int]] = []

    def copy(self) -> Said:  # written out, because each fork needs one
        """The same, for a fork."""
        twin = Said.__new__(Said)
        twin.heeds, twin.pieces = self.heeds, self.pieces.copy()
        return twin

    def add(self, text: str, start: int) -> None:
        """That text was returned before."""
        self.pieces.append((text, start))
        if len(self.pieces) > PIECES or len(text) > LONG:
            self.keep_end()

    def keep_end(self) -> None:
        """Join the pieces, and keep no more of them than what may be read."""
        if self.pieces:
            self.pieces = [self.text()]

    def heard(self, events: list[Event]) -> list[Event]:
        """These events are returned. Returns them."""
        pieces = self.pieces
        for event in events:
            if type(event) is Content:
                pieces.append((event.text, event.start))
            elif type(event) is CallStart:
                pieces.clear()
        if pieces and (len(pieces) > PIECES or len(pieces[-1][0]) > LONG):
            self.keep_end()
        return events

    def forget(self) -> None:
        """A call came."""
        self.pieces = []

    def text(self) -> tuple[str, int]:
        """All of it, and its place. A marker is line breaks, as many as it had characters: a line may begin behind."""
        pieces = self.pieces
        if not pieces or not self.heeds:
            return "", 0
        parts, start = [text for text, _ in pieces], pieces[0][1]
        end = pieces[-1][1] + len(parts[-1])
        if sum(map(len, parts)) != end - start:  # there are gaps
            ends = [place + len(text) for text, place in pieces]
            gaps = [place - ends[k] for k, (_, place) in enumerate(pieces[1:])]
            first = next((k + 1 for k in reversed(range(len(gaps))) if gaps[k] > GAP), 0)
            parts = [part + "\n" * gap for part, gap in zip(parts, [*gaps, 0], strict=True)][first:]
        whole = "".join(parts)[-MOST:]
        return whole, end - len(whole)
