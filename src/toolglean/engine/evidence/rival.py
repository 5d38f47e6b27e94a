# The reading of a turn in which a marker that was spelled out is a marker. Does not know why the marker was doubted, or
# how the text is read if it is not one.
"""A reading that may be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toolglean.engine.reasons import IN_SENTENCE, SPELLED_CALL, UNREADABLE
from toolglean.events import CallDelta, CallEnd, CallStart, Event, Markup, Problem
from toolglean.scan.plain import Plain, Rope, grown, joined

if TYPE_CHECKING:
    from toolglean.engine.evidence.reader import Reader

__all__ = ["Rival"]

_PIECE = 4  # characters that are read at once: when a reading is refuted must not depend on the chunks


class Rival(Plain):
    """Reads the turn from a spelled-out marker on as if it were one, until it is certain that it is not.

    Until then, the text is kept, and nobody else reads it.

    Args:
        machine: what reads it.
        marker, start: the marker, and its place.
        most: the most characters that it may read.
        hopeless: whether it can never be used, and only shows what is missed.
        opens_turn: whether the turn begins with the marker, so that text may follow it as long as no call came.
    """

    __slots__ = (
        *("_call", "_end", "_events", "_faulty", "_hopeless", "_is_open", "_kinds", "_machine", "_opens_turn"),
        *("_ahead", "_refuted", "_start", "_text", "is_broken", "last", "marker", "room"),
    )

    ropes = frozenset({"_text"})

    def __init__(
        self, machine: Reader, marker: str, start: int, most: int, *, hopeless: bool, opens_turn: bool
    ) -> None:
        self._machine, self.marker, self._start = machine, marker, start
        self._hopeless, self._opens_turn = hopeless, opens_turn
        self.room = most  # how many characters it may still read
        self._events: list[Event] = []
        self._text: Rope = ()
        self._ahead = ""  # the end of the text, which the machine has not read yet
        self._kinds = bytearray()
        self._call = False  # whether a call to a tool that is known, or may be one, has begun
        self._is_open = False  # whether the last call has not ended
        self._end = 0  # how much of the text belongs to calls that have ended
        self._faulty = False  # whether something was reported, so that the calls that are read now must not run
        self._refuted = False
        self.last = 0  # where the last spelled-out marker in the text begins
        self.is_broken = False  # whether a call in it is malformed or unreadable: then it is not certain where it ends

    def copy(self) -> Self:
        """The same place, for a fork."""
        twin = super().copy()
        twin._machine, twin._events, twin._kinds = self._machine.fork(), [*self._events], self._kinds[:]
        return twin

    def read(self, text: str, kinds: bytes) -> bool:
        """Read on. Returns whether it may still be right."""
        self.room -= len(text)
        self._text = grown(self._text, text)
        self._kinds += kinds
        ahead, i = self._ahead + text, 0
        while len(ahead) - i >= _PIECE and not self._refuted:
            self._weigh(self._machine._feed(ahead[i : i + _PIECE]))
            i += _PIECE
        self._ahead = ahead[i:]
        return not self._refuted

    def meet_marker(self) -> None:
        """What comes next is a marker that is spelled out, too."""
        self.last = len(self._kinds)

    def wins(self) -> bool:
        """The turn is over: whether this reading is right."""
        self.read_all()
        return self._weigh(self._machine._end()) and not self._faulty

    def read_all(self) -> None:
        """Read what there is: nothing more comes, or a marker of which it is certain what it is."""
        ahead, self._ahead = self._ahead, ""
        if ahead and not self._refuted:
            self._weigh(self._machine._feed(ahead))

    def taken(self) -> tuple[Reader, list[Event]]:
        """Its machine and its events, to go on with."""
        return self._machine, self._events

    def kept(self) -> tuple[str, bytes]:
        """The text that it has read, and what is known of it."""
        return joined(self._text), bytes(self._kinds)

    @property
    def calls_end(self) -> int:
        """How much of the text, from its beginning, is calls; 0 if there is none."""
        return len(self._kinds) if self._is_open else self._end

    def missed(self) -> list[Event]:
        """The `Problem` that says which call is missed, if any is."""
        written = joined(self._text)[: self._end] if self._end else self.marker
        draft = self._machine._here.judge.draft  # its call may be in the middle of a sentence
        is_call = self._call or (draft is not None and draft.is_alone and draft.start == self._start)
        return [Problem(*SPELLED_CALL, written, self._start)] if is_call else []

    def _weigh(self, events: list[Event]) -> bool:
        for event in events:
            if not self._refuted:
                self._events.append(event)
                self._refuted = self._refutes(event)
        return not self._refuted

    def _refutes(self, event: Event) -> bool:
        # Whether what it reads there shows that the marker is text, or that its call must not run.
        if isinstance(event, CallStart):
            self._is_open, self._call = True, self._call or event.known is not False
            return False
        if isinstance(event, CallEnd) and not self._is_open:
            return False  # that call had begun before the marker
        if isinstance(event, CallEnd):
            self._is_open, self._end = False, event.call.span[1] - self._start
            call = event.call
            self.is_broken = self.is_broken or call.status != "ok"
            fails = call.status != "ok" or bool(call.repairs) or call.known is False
            return fails or self._hopeless or self._faulty
        if isinstance(event, CallDelta | Markup):
            return False
        if isinstance(event, Problem):  # the call after it is read to its end, because all of it is text
            if event.start == self._start and event.code == IN_SENTENCE.code:
                self._call, self._end = True, len(event.text)
            self.is_broken = self.is_broken or event.code == UNREADABLE.code
            self._faulty = self._faulty or (event.start >= self._start and not self._is_open)
            return False
        if event.start + len(event.text) <= self._start or event.text.isspace():
            return False
        return not self._opens_turn or self._faulty or self._end > 0 or event.start <= self._start
