# Lets the engine read from one marker, in one format, and notes where its walk ended. Does not depend on how the engine
# reads, or on what the result means for the user.
#
# The reading is the engine's own (engine/matcher/); the machine reports how far it came (engine/watch.py). Only the
# first payload that reads is noted, not what others read after it, or when the text is read again.
"""How far a format's reading comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.machine import Machine
from toolglean.engine.modes import MARKER_SPACE
from toolglean.engine.names import contains_markup
from toolglean.events import CallEnd, CallStart, Event, Problem, ProblemCode
from toolglean.kit.explain.expected import expected, within
from toolglean.kit.explain.explanation import Outcome, Reach
from toolglean.kit.explain.reading import detail_of
from toolglean.kit.tiles import Places
from toolglean.options import ParserOptions

if TYPE_CHECKING:
    from toolglean.engine.matcher.payload import FormatPayload, FormatPlan
    from toolglean.engine.turn import Turn
    from toolglean.tools import ToolSet

__all__ = ["reach"]

PIECE = 64  # characters that are read first, and then twice as many each time: most walks are short
ARGUMENTS: frozenset[ProblemCode] = frozenset({"malformed-arguments", "string-arguments", "markup-in-value"})
_AS_WRITTEN = ParserOptions(repair=False, undeclared="text")
"""What could be repaired is shown by the whole turn."""


class _Notes:
    """How far the first payload reads: a `Watch`.

    Attributes:
        first: the turn, and the payload; None before it reads.
        over: whether it has ended; `is_marker`: whether its marker means something by itself.
        far: the place after the last character that fits.
        waits, reading, name: what could have followed there, what was being read, and the name.
    """

    def __init__(self) -> None:
        self.first: tuple[Turn, FormatPayload] | None = None
        self.over = self.is_marker = False
        self.far = 0
        self.waits: tuple[str, ...] = ()
        self.reading = self.name = ""

    def read(self, turn: Turn, payload: FormatPayload, here: int) -> None:
        """See `Watch`."""
        self.first = self.first or (turn, payload)
        if payload is not self.first[1] or self.over:
            return
        seen = payload.describe()
        self.name = seen.name or self.name
        self.over = not (turn.payload is payload and turn.reading_call and seen.within)
        self.is_marker = turn.mode is MARKER_SPACE
        # A walk that goes back to a slot reads some characters twice; the farther place is the more useful one.
        self.far = max(self.far, _misfit(seen.word, here) if self.over else here)
        if self.over:
            self._look(turn, payload)

    def end(self, turn: Turn, payload: FormatPayload, here: int) -> None:
        """The text ends there."""
        word = payload.describe().word
        self.over = contains_markup(word) is not None  # the engine asks at the word's end
        self.far = _misfit(word, here) if self.over else here
        self._look(turn, payload)

    def _look(self, turn: Turn, payload: FormatPayload) -> None:
        problem = next((each for each in turn.emit.out if isinstance(each, Problem)), None)
        fault = detail_of(problem.reason) if problem is not None and problem.code in ARGUMENTS else ""
        self.waits, self.reading = expected(payload, turn, fault), within(payload.describe())


def _misfit(word: str, here: int) -> int:
    # Where a word that was read up to `here` stops being one: at markup, otherwise at its last character.
    found = contains_markup(word)
    return here - (len(word) - found.start() if found else bool(word))


def reach(
    text: str, start: int, plan: FormatPlan, tools: ToolSet | None, *, bare: bool, most: int, places: Places
) -> Reach:
    """How far the reading of one format comes from that place.

    Args:
        text: the turn.
        start: the place of a marker of the format.
        plan: the format's plan.
        tools: the tools.
        bare: whether the turn begins there, so that a call needs no marker.
        most: how many characters are read at most.
        places: lines and columns of the text.
    """
    notes = _Notes()
    machine = Machine(plan, tools, _AS_WRITTEN, in_text=not bare, watch=notes)
    limit = min(len(text), start + most)
    events: list[Event] = []
    place, size = start, PIECE
    while place < limit and not notes.over:
        events += machine.feed(text[place : min(place + size, limit)])
        place, size = place + size, size * 2
    if notes.first is None:  # the text ends inside the marker
        return Reach(plan.formats[0].name, "unfinished", limit - start, limit, *places.of(limit))
    if not notes.over:
        notes.end(*notes.first, limit - start)
        if limit == len(text):
            events += machine.finish()
    turn, _ = notes.first
    if turn.judge.draft is not None:  # a call that waits for the rest of its line
        events += turn.emit.out
    outcome = _outcome(notes, events, cut=limit < len(text))
    end = start + notes.far
    waits, reading = ((), "") if outcome in {"call", "marker", "stopped"} else (notes.waits, notes.reading)
    return Reach(plan.formats[0].name, outcome, notes.far, end, *places.of(end), waits, notes.name, reading)


def _outcome(notes: _Notes, events: list[Event], *, cut: bool) -> Outcome:
    ended = next((event.call for event in events if isinstance(event, CallEnd)), None)
    if ended is not None and ended.status == "ok":
        return "call"
    if not notes.over:
        return "stopped" if cut else "unfinished"
    if any(isinstance(event, CallStart) for event in events):
        return "malformed"
    return "marker" if notes.is_marker else "none"
