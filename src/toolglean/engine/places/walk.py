# What this file knows: where a walk stands, and how it goes one character further.
# What it must not know: what is read at which place (markers.py, holes.py), and what comes of it (calls.py).
#
# Text before the call is certain is the turn's region. In an open call, what was read since the last literal or hole
# is `pending`, for a value's closing marker counts only if what follows may follow: if not, it is text of the value.
"""Where a walk stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.envelope import Envelope
from toolglean.engine.parameters import Parameters
from toolglean.engine.places.fallback import Fallback
from toolglean.engine.places.phases import ARGUMENTS, BEHIND, MARKERS, OBJECTS
from toolglean.engine.turn import Payload
from toolglean.formats.compile import Program
from toolglean.formats.net import ACTION, FOLLOWS, GUARDED, LITERAL, Exits, HoleEdge, Place
from toolglean.scan.reader import Reader
from toolglean.scan.rope import Rope, flat, grown

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.scan.text import Finder

__all__ = ["Walk"]

ALONE = Fallback()
NO_EXITS = Exits((), frozenset())


class Walk(Payload):
    """Where the walk stands.

    Attributes:
        program, place: the places, and the one that was reached.
        phase: what is being read (phases.py).
        format: the number of the open call's format.
        first_call: the index that the first call of an envelope gets.
        name, id, index: what was read of the call.
        parameters, reader, envelope: the call's arguments, by whoever reads them.
        hole, edges, exits: the place and character at which a hole began, the ways behind it, and what may stand there.
        word: what was read of a name, id, index, key or type.
        others: places with a hole that was passed by, and where it would begin.
        accepted: an action, and where its marker ended; guarded: where one ended that counts if another follows it.
        pending: text since the last literal or hole of an open call, or since the opener; its length and its place.
        finder: finds what may end the value that is read; None until it is needed.
        hole_end: behind the last parameter, as far as it is known.
        fallback: who reads, and who else may.
        stripped: whether the open call's markers were taken out.
        value_start: the place of the first character of the value that is read; -1 before it.
        unnamed: the arguments so far of a call that has a number for a name: they tell which tool is meant.
    """

    __slots__ = (
        "accepted",
        "edges",
        "envelope",
        "exits",
        "fallback",
        "fallback",
        "finder",
        "first_call",
        "format",
        "guarded",
        "hole",
        "hole_end",
        "id",
        "index",
        "name",
        "others",
        "parameters",
        "pending",
        "pending_chars",
        "pending_start",
        "phase",
        "place",
        "program",
        "reader",
        "stripped",
        "unnamed",
        "value_start",
        "word",
    )

    def __init__(self, program: Program, place: Place) -> None:
        self.program = program
        self.place = place
        self.phase = MARKERS
        self.format = self.first_call = -1
        self.name = self.id = self.index = self.word = ""
        self.parameters: Parameters | None = None
        self.reader: Reader | None = None
        self.envelope: Envelope | None = None
        self.hole: tuple[Place, str] | None = None
        self.edges: tuple[HoleEdge, ...] = ()
        self.exits = NO_EXITS
        self.finder: Finder | None = None
        self.others: tuple[tuple[Place, int], ...] = ()
        self.accepted: tuple[int, int] | None = None
        self.guarded = 0
        self.pending: Rope = ()
        self.pending_chars = self.pending_start = 0
        self.hole_end = 0
        self.fallback = ALONE
        self.unnamed: Rope | None = None
        self.stripped = False
        self.value_start = -1

    def copy(self) -> Self:
        """The same place."""
        twin = type(self)(self.program, self.place)
        twin.phase, twin.format, twin.first_call = self.phase, self.format, self.first_call
        twin.name, twin.id, twin.index, twin.word = self.name, self.id, self.index, self.word
        twin.parameters = self.parameters and self.parameters.copy()
        twin.reader = self.reader and self.reader.copy()
        twin.envelope = self.envelope and self.envelope.copy()
        twin.hole, twin.edges, twin.exits, twin.others = self.hole, self.edges, self.exits, self.others
        twin.accepted, twin.guarded, twin.hole_end = self.accepted, self.guarded, self.hole_end
        twin.unnamed, twin.stripped, twin.finder = self.unnamed, self.stripped, self.finder
        twin.pending, twin.pending_chars, twin.pending_start = self.pending, self.pending_chars, self.pending_start
        twin.fallback, twin.value_start = self.fallback, self.value_start
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # Places and edges belong to the program: only what they follow from is kept.
        state = {slot: getattr(self, slot) for slot in Walk.__slots__ if slot not in {"edges", "exits", "finder"}}
        return state | {
            "place": self.place.key,
            "hole": self.hole and (self.hole[0].key, self.hole[1]),
            "others": tuple((place.key, chars) for place, chars in self.others),
            "pending": flat(self.pending),
            "unnamed": None if self.unnamed is None else flat(self.unnamed),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)
        at = self.program.net.place
        self.place = at(state["place"])
        self.others = tuple((at(key), chars) for key, chars in state["others"])
        self.edges, self.exits, self.finder = (), NO_EXITS, None
        if state["hole"]:
            place, char = at(state["hole"][0]), state["hole"][1]
            self.begin_hole(place, char, place.hole_for(char))

    @property
    def is_foreign(self) -> bool:
        """See `Fallback`."""
        return self.fallback.is_foreign

    def relented(self) -> Self | None:
        """See `Payload`."""
        twin = self.copy()
        if self.phase == ARGUMENTS:
            # A walk that has read its arguments has no reader; one that reads them may have refused a character.
            return twin if twin.reader is not None and twin.reader.relent() else None
        if self.phase == OBJECTS and twin.envelope is not None:
            return twin if twin.envelope.scanner.relent() else None
        return None

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, turn: Turn, text: str, i: int) -> int:
        """Walk on from `i`, to where something may happen. Returns the place reached; `i` if nothing leads on."""
        place = self.place
        read = self.program.net.run(place, text, i)
        if read is None:
            return i
        found, j = read
        if place.holes and not text[i].isspace():
            self.others = (*self.others, (place, self.pending_chars))
        self.place = found
        piece = text[i:j]
        self.pending = grown(self.pending, piece)
        self.pending_chars += j - i
        if turn.region.open:
            turn.region.keep(piece)
        if found.flags & LITERAL:
            # A word may be the beginning of a longer one: of a name. A bracket may be that of a list of objects.
            if turn.emit.open or not (text[j - 1].isalnum() or (turn.region.bare and text[j - 1] == "[")):
                self.others = ()
            if found.flags & ACTION:
                self.accepted, self.guarded = (found.action, self.pending_chars), 0
            elif found.flags & GUARDED and not found.flags & FOLLOWS:
                self.guarded = self.pending_chars
        return j

    def begin_hole(self, place: Place, char: str, edges: tuple[HoleEdge, ...]) -> None:
        """A hole of that place begins with that character."""
        self.hole, self.edges = (place, char), edges
        self.exits, self.finder = self.program.net.behind(edges)[1], None

    def is_doubtful(self) -> bool:
        """Whether only a tool's name makes a call of what is read."""
        formats = self.program.formats
        return all(edge.doubtful or formats[edge.format].registered_only for edge in self.edges)

    def end_hole(self) -> None:
        """The hole was read: what stands behind it follows."""
        self.place = self.program.net.behind(self.edges)[0]

    def settle(self, here: int) -> None:
        """What was read before the place `here` is what it seems."""
        self.pending, self.pending_chars, self.pending_start, self.others = (), 0, here, ()

    def clear_pending(self) -> None:
        """What was read so far is settled."""
        self.settle(self.pending_start + self.pending_chars)

    def go_behind(self, place: Place) -> None:
        """The call is complete: what follows is markup, or another call."""
        self.phase, self.place = BEHIND, place
        self.fallback = self.fallback.after_call()
        self.name = self.id = self.index = ""
        self.parameters = self.reader = self.envelope = self.unnamed = None
        self.hole, self.edges, self.exits, self.accepted = None, (), NO_EXITS, None
        self.clear_pending()
