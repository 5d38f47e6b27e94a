# What this file knows: how to let the engine read from one marker, in one format, and to note where its walk ended.
# What it must not know: how the engine reads, and what it means for the user.
#
# The walk is the engine's own (engine/places/): this one only takes a note after each step. The first payload that the
# machine makes is watched; what it makes after that, when the text is read again, is not.
"""How far a format's reading comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.machine import Machine
from toolglean.engine.modes import CALL, MARKER_SPACE
from toolglean.engine.names import holds_markup
from toolglean.engine.places.fallback import Fallback
from toolglean.engine.places.payload import FormatPayload, FormatPlan
from toolglean.events import CallEnd, CallStart, Event, Problem
from toolglean.explain.expected import expected, within
from toolglean.explain.reasons import said_by, trouble_of
from toolglean.explain.shapes import Outcome, Places, Reach
from toolglean.limits import Limits

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.tools import ToolSet

__all__ = ["reach"]

PIECE = 64  # characters that are read first, and then twice as many each time: most walks are short


class _Watched(FormatPayload):
    """A walk that notes how it ends.

    Attributes:
        over: whether it has ended.
        far: the place behind the last character that fit.
        waits, reading, seen: what could have followed there, what was being read, and the name.
        kept: whether the marker stands for itself.
    """

    over = False
    kept = False
    far = 0
    waits: tuple[str, ...] = ()
    reading = ""
    seen = ""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on, and take a note."""
        j = super().read(turn, text, i)
        if not self.over:
            self._note(turn, turn.base + j)
        return j

    def _note(self, turn: Turn, here: int) -> None:
        found = self.describe()
        self.seen = found.name or self.seen
        going_on = turn.payload is self and turn.mode == CALL
        self.over = not going_on or not found.within
        self.kept = turn.mode == MARKER_SPACE
        if self.over:
            here = self.misfit(here)
        # A walk that goes back to a hole reads some characters twice: the farther way says more.
        if here > self.far or (self.over and here == self.far):
            self.far = here
        elif going_on:
            return
        if self.over:
            self.look(turn)

    def misfit(self, here: int) -> int:
        """Where a word that was read up to `here` stops being one: at markup, else at its last character."""
        word = self.describe().word
        if not word:
            return here
        found = holds_markup(word)
        return here - 1 if found is None else here - len(word) + found.start()

    def stop(self, turn: Turn, here: int) -> None:
        """The text ends there."""
        self.over = holds_markup(self.describe().word) is not None  # the engine asks at the word's end
        self.far = self.misfit(here) if self.over else here
        self.look(turn)

    def look(self, turn: Turn) -> None:
        """Note what could follow here."""
        problem = next((each for each in turn.emit.out if isinstance(each, Problem)), None)
        fault = said_by(problem.reason) if problem and trouble_of(problem.reason) == "arguments" else ""
        self.waits, self.reading = expected(self, turn, fault), within(self.describe())


class _WatchedPlan(FormatPlan):
    """A format's plan whose first payload is watched."""

    def __init__(self, plan: FormatPlan) -> None:
        super().__init__(plan.program)
        self.first: _Watched | None = None

    def begin(self, turn: Turn, found: str, start: int) -> tuple[FormatPayload, int]:
        """See `Plan`."""
        payload, read = super().begin(turn, found, start)
        return self._watched(payload), read

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[FormatPayload, int] | None:
        """See `Plan`."""
        begun = super().begin_bare(turn, text, i)
        return None if begun is None else (self._watched(begun[0]), begun[1])

    def _watched(self, payload: FormatPayload) -> FormatPayload:
        if self.first is not None:
            return payload
        self.first = _Watched(payload.walk, Fallback())
        return self.first


def reach(
    text: str, start: int, plan: FormatPlan, tools: ToolSet | None, *, bare: bool, most: int, places: Places
) -> Reach:
    """How far the reading of one format comes from that place.

    Args:
        text: the turn.
        start: where a marker of the format stands.
        plan: the format's plan.
        tools: the tools.
        bare: whether the turn begins there, so that a call needs no marker.
        most: how many characters are read at most.
        places: lines and columns of the text.
    """
    watched = _WatchedPlan(plan)
    # As it is written: what could be mended is told by the whole turn.
    machine = Machine(
        watched,
        tools,
        unknown_tools="call",
        markup=False,
        id_prefix="call_",
        limits=Limits(),
        repair=False,
        in_text=not bare,
    )
    limit = min(len(text), start + most)
    events: list[Event] = []
    place, size = start, PIECE
    while place < limit and not (watched.first is not None and watched.first.over):
        events += machine.feed(text[place : min(place + size, limit)])
        place, size = place + size, size * 2
    walk = watched.first
    if walk is None:  # the text ends inside the marker
        return Reach(plan.formats[0].name, "unfinished", limit - start, limit, *places.of(limit))
    if not walk.over:
        walk.stop(machine._turn, limit - start)
        if limit == len(text):
            events += machine.finish()
    if machine._turn.judge.draft is not None:  # a call that waits for what else is on its line
        events += machine._turn.emit.out
    outcome = _outcome(walk, events, cut=limit < len(text))
    end = start + walk.far
    waits, reading = ((), "") if outcome in {"call", "marker", "stopped"} else (walk.waits, walk.reading)
    return Reach(plan.formats[0].name, outcome, walk.far, end, *places.of(end), waits, walk.seen, reading)


def _outcome(walk: _Watched, events: list[Event], *, cut: bool) -> Outcome:
    ended = next((event.call for event in events if isinstance(event, CallEnd)), None)
    if ended is not None and ended.status == "ok":
        return "call"
    if not walk.over:
        return "stopped" if cut else "unfinished"
    if any(isinstance(event, CallStart) for event in events):
        return "malformed"
    return "marker" if walk.kept else "none"
