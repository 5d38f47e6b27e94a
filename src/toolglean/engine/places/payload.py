# What this file knows: which function reads in which phase of a walk, and where a walk begins.
# What it must not know: how anything is read.
"""Formats, as the machine sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolglean.engine.places.calls import accept, accept_guarded, cut_off
from toolglean.engine.places.holes import read_arguments, read_objects, read_value, read_word, value_finder
from toolglean.engine.places.markers import read_behind, read_markers
from toolglean.engine.places.phases import ARGUMENTS, BEHIND, OBJECTS, VALUE
from toolglean.engine.places.walk import Walk
from toolglean.engine.plan import Plan
from toolglean.engine.readers import JsonReader
from toolglean.formats.compile import Program
from toolglean.scan.json import QUOTE, unescaped_stop
from toolglean.scan.reader import quoted_text
from toolglean.scan.rope import joined

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.scan.text import Finder

__all__ = ["FormatPayload", "FormatPlan"]


class FormatPlan(Plan):
    """What the machine looks for where formats are known: see `Plan`."""

    stops_after_bare = False
    drafts = True
    quotable = True

    def __init__(self, program: Program) -> None:
        self.program = program
        self.formats = program.formats
        self.bare = program.has_bare
        self.spaced = any(pattern[:1].isspace() for each in program.formats for pattern in each.openers)

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the literals with which anything begins."""
        return self.program.lane(lane, only).finder

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning."""
        return self.program.first_reasoning()

    def marks(self, lane: int) -> tuple[str, ...]:
        """The markers of reasoning: see `Plan`."""
        return self.program.marks(lane)

    def begin(self, turn: Turn, found: str, start: int) -> tuple[FormatPayload, int]:
        """A literal was found: it is walked from the lane's opening."""
        turn.open_region(start, len(found))
        return FormatPayload(self.program, self.program.lane(turn.lane, turn.only).opening), 0

    def begin_bare(self, turn: Turn, char: str, start: int) -> tuple[FormatPayload, int] | None:
        """The turn begins with that character: a marker, or a call that has none."""
        place = self.program.bare_start(turn.only)
        if self.program.net.step(place, char) is None and not place.hole_for(char):
            return None
        turn.open_region(start, 0, bare=True)
        return FormatPayload(self.program, place), 0

    def __reduce__(self) -> tuple[Any, ...]:
        return FormatPlan, (self.program,)


class FormatPayload(Walk):
    """A walk, and what is read at each of its places."""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](turn, self, text, i)

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Pass over the rest of a malformed call: to its closer, or before the next opener."""
        place, found = self.program.skipper(self.format).find(text, i)
        if not found:
            return turn.hold(text, place)
        behind = self.program.behind(self.format, found)
        turn.end_failed(turn.base + place, "" if behind is None else found, *self.program.ends(self.format))
        if behind is None:
            turn.leave(text_follows=True)
            return place
        turn.resume()
        self.go_behind(behind)
        return place + len(found)

    def stops(self) -> str:
        """See `Payload`."""
        if self.phase == ARGUMENTS:
            return self.reader.stops() if self.reader is not None else ""
        if self.phase == OBJECTS:
            return QUOTE if self.envelope is not None and self.envelope.in_string else ""
        if self.phase == VALUE and self.parameters is not None and self.parameters.streams and not self.parameters.lead:
            return value_finder(self).openers
        return ""

    def passed(self, text: str) -> str:
        """See `Payload`."""
        if self.phase == OBJECTS or isinstance(self.reader, JsonReader):
            return "" if unescaped_stop(text) else text
        if self.phase == VALUE:
            return quoted_text(text) if value_finder(self).find(text, 0)[0] == len(text) else ""
        return ""

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open."""
        if self.phase == BEHIND:
            text, start = joined(self.pending), self.pending_start
            turn.leave(text_follows=bool(text))
            turn.say(text, start)
        elif self.guarded:
            accept_guarded(turn, self)
        elif self.accepted is not None:
            accept(turn, self)
        else:
            cut_off(turn, self)


_PHASES: tuple[Callable[[Turn, Walk, str, int], int], ...] = (
    read_markers,
    read_word,
    read_value,
    read_arguments,
    read_objects,
    read_behind,
)
