# What this file knows: where a walk stands, and what the machine sees of it.
# What it must not know: how anything is read.
#
# Text before the call is certain is the machine's region. In an open call, what was read since the last literal or hole
# is `pending`, for a value's closing marker counts only if what follows may follow: if not, it is text of the value.
"""Where a walk stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolglean.envelope import Envelope
from toolglean.formats.compile import Program, compiled
from toolglean.formats.net import ACTION, FOLLOWS, GUARDED, LITERAL, HoleEdge, Place
from toolglean.parameters import Parameters
from toolglean.places.calls import accept, accept_guarded, no_call
from toolglean.places.holes import read_arguments, read_objects, read_value, read_word
from toolglean.places.markers import read_behind, read_markers
from toolglean.places.phases import ARGUMENTS, BEHIND, MARKERS, OBJECTS, VALUE
from toolglean.scan.json import QUOTE
from toolglean.scan.reader import Reader
from toolglean.scan.rope import Rope, flat, grown, joined

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.machine import Machine
    from toolglean.scan.text import Finder

__all__ = ["FormatPlan", "Walk"]


class FormatPlan:
    """What the machine looks for where formats are known: see `plan.Plan`."""

    stops_after_bare = False

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

    def begin(self, machine: Machine, found: str, start: int) -> tuple[Walk, int]:
        """A literal was found: it is walked from the lane's opening."""
        machine.open_region(start, len(found))
        return Walk(self.program, self.program.lane(machine.lane, machine.only).opening), 0

    def begin_bare(self, machine: Machine, char: str, start: int) -> tuple[Walk, int] | None:
        """The turn begins with that character: a marker, or a call that has none."""
        place = self.program.bare_start(machine.only)
        if self.program.net.step(place, char) is None and not place.hole_for(char):
            return None
        machine.open_region(start, 0, bare=True)
        return Walk(self.program, place), 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.program.formats,)


def _plan(formats: tuple[Format, ...]) -> FormatPlan:
    return FormatPlan(compiled(formats))


class Walk:
    """Where the walk stands."""

    def __init__(self, program: Program, place: Place) -> None:
        self.program = program
        self.place = place
        self.phase = MARKERS
        self.format = -1  # the number of the open call's format
        self.first_call = -1  # the index that the first call of an envelope gets
        self.name = ""
        self.id = ""
        self.index = ""
        self.parameters: Parameters | None = None
        self.reader: Reader | None = None
        self.envelope: Envelope | None = None
        self.edges: tuple[HoleEdge, ...] = ()
        self.hole: tuple[Place, str] | None = None  # the place and character from which the edges follow
        self.word = ""
        self.others: tuple[
            tuple[Place, int], ...
        ] = ()  # places with a hole that was passed by, and where it would begin
        self.accepted: tuple[int, int] | None = None  # an action, and where its marker ended
        self.guarded = 0  # where a marker ended that counts if another follows it
        self.pending: Rope = ()  # text since the last literal or hole of an open call, or since the opener
        self.pending_chars = 0
        self.pending_start = 0
        self.hole_end = 0  # behind the last parameter, as far as it is known

    # -- the machine's side --------------------------------------------------------------------------------------------

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](machine, self, text, i)

    def skip(self, machine: Machine, text: str, i: int) -> int:
        """Pass over the rest of a malformed call: to its closer, or before the next opener."""
        place, found = self.program.skipper(self.format).find(text, i)
        if not found:
            return machine.hold(text, place)
        behind = self.program.behind(self.format, found)
        machine.end_failed(machine.base + place, "" if behind is None else found, *self.program.ends(self.format))
        if behind is None:
            machine.leave(text_follows=True)
            return place
        machine.resume()
        self.go_behind(behind)
        return place + len(found)

    def stops(self) -> str:
        """See `plan.Payload`."""
        if self.phase == ARGUMENTS:
            return self.reader.stops() if self.reader is not None else ""
        if self.phase == OBJECTS:
            return QUOTE if self.envelope is not None and self.envelope.in_string else ""
        if self.phase == VALUE and self.parameters is not None and self.parameters.streams and not self.parameters.lead:
            return self.first_of_exits()
        return ""

    def first_of_exits(self) -> str:
        """The characters with which begins what may stand behind the value."""
        exits = self.program.net.exits([edge.target for edge in self.edges])
        trails = {edge.trail[:1] for edge in self.edges}
        return "".join({literal[0] for literal in exits.literals} | trails)

    def finish(self, machine: Machine) -> None:
        """The turn is over, and no call is open."""
        if self.phase == BEHIND:
            text, start = joined(self.pending), self.pending_start
            machine.leave(text_follows=bool(text))
            machine.say(text, start)
        elif self.guarded:
            accept_guarded(machine, self)
        elif self.accepted is not None:
            accept(machine, self)
        else:
            no_call(machine, self)

    def copy(self) -> Walk:
        """The same place."""
        twin = Walk.__new__(Walk)
        twin.__dict__.update(self.__dict__)
        twin.parameters = self.parameters and self.parameters.copy()
        twin.reader = self.reader and self.reader.copy()
        twin.envelope = self.envelope and self.envelope.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # Places and edges belong to the program: only what they follow from is kept.
        state = self.__dict__
        return state | {
            "program": self.program.formats,
            "place": self.place.key,
            "edges": None,
            "hole": self.hole and (self.hole[0].key, self.hole[1]),
            "others": tuple((place.key, chars) for place, chars in self.others),
            "pending": flat(self.pending),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.program = compiled(state["program"])
        at = self.program.net.place
        self.place = at(state["place"])
        self.others = tuple((at(key), chars) for key, chars in state["others"])
        self.hole = state["hole"] and (at(state["hole"][0]), state["hole"][1])
        self.edges = self.hole[0].hole_for(self.hole[1]) if self.hole else ()

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, machine: Machine, char: str) -> bool:
        """Walk one character. False: it leads nowhere."""
        found = self.program.net.step(self.place, char)
        if found is None:
            return False
        if self.place.holes and not char.isspace():
            self.others = (*self.others, (self.place, self.pending_chars))
        self.place = found
        self.pending = grown(self.pending, char)
        self.pending_chars += 1
        if machine.in_region:
            machine.keep(char)
        if found.flags & LITERAL:
            self.others = ()
            if found.flags & ACTION:
                self.accepted, self.guarded = (found.action, self.pending_chars), 0
            elif found.flags & GUARDED and not found.flags & FOLLOWS:
                self.guarded = self.pending_chars
        return True

    def settle(self, here: int) -> None:
        """What was read before the place `here` is what it seems."""
        self.pending, self.pending_chars, self.pending_start, self.others = (), 0, here, ()

    def clear_pending(self) -> None:
        """What was read so far is settled."""
        self.settle(self.pending_start + self.pending_chars)

    def go_behind(self, place: Place) -> None:
        """The call is complete: what follows is markup, or another call."""
        self.phase, self.place = BEHIND, place
        self.name = self.id = self.index = ""
        self.parameters = self.reader = self.envelope = None
        self.hole, self.edges, self.accepted = None, (), None
        self.clear_pending()


_PHASES: tuple[Callable[[Machine, Walk, str, int], int], ...] = (
    read_markers,
    read_word,
    read_value,
    read_arguments,
    read_objects,
    read_behind,
)
