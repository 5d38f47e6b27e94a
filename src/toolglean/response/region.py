# What this file knows: where the reading of a region of calls stands, and how its calls begin and end.
# What it must not know: what is read in which phase (reading.py).
"""Where a region of calls stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.envelope import Envelope
from toolglean.engine.missed import UNREADABLE, release
from toolglean.engine.parameters import Parameters
from toolglean.engine.turn import Payload
from toolglean.response.log import log_call
from toolglean.response.marks import Found
from toolglean.response.phases import BEHIND, FIRST
from toolglean.scan.reader import Reader
from toolglean.scan.rope import Rope, flat

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.response.fields import Fields

__all__ = ["Region"]


class Region(Payload):
    """Where the reading of a region of calls stands: see `Payload`."""

    def __init__(self, plan: Fields, number: int, opener: str, captures: dict[str, str], start: int) -> None:
        self.plan = plan
        self.number = number
        self.captures = captures
        self.start = start
        self.opener = opener
        self.body = start + len(opener)
        self.body_end = -1  # where the call's last hole ended
        self.phase = FIRST
        self.name = captures.get(self.way.name, "")
        self.first_call = -1  # the index that the region's first call gets
        self.tail = ""  # what may be a marker, or the beginning of one
        self.gathered: Rope = ()  # the text of a region that is read as a whole; white space behind a value's tail
        self.envelope: Envelope | None = None
        self.reader: Reader | None = None
        self.parameters: Parameters | None = None

    @property
    def way(self) -> Any:
        """How the region's calls are read."""
        return self.plan.ways[self.number]

    def copy(self) -> Self:
        """The same place."""
        twin = type(self).__new__(type(self))
        twin.plan, twin.number, twin.captures, twin.opener = self.plan, self.number, self.captures, self.opener
        twin.start, twin.body, twin.body_end, twin.phase = self.start, self.body, self.body_end, self.phase
        twin.name, twin.first_call = self.name, self.first_call
        twin.tail, twin.gathered = self.tail, self.gathered
        twin.envelope = self.envelope and self.envelope.copy()
        twin.reader = self.reader and self.reader.copy()
        twin.parameters = self.parameters and self.parameters.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"gathered": flat(self.gathered)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def forget_calls(self, calls: int) -> None:
        """See `Payload`."""
        self.first_call -= calls

    def start_call(self, turn: Turn) -> bool:
        """The name is certain, and so is that arguments follow. False: it does not count as a call."""
        if not self.name or not turn.takes(self.name):
            self.no_call(turn)
            return False
        name = turn.names.resolve(self.name) or self.name
        return turn.begin_call(name, self.captures.get(self.way.id) or None, may_get_id=False)

    def end_call(self, turn: Turn, end: int) -> None:
        """The call is complete."""
        turn.end_call(end)
        self.go_behind(end)

    def go_behind(self, end: int) -> None:
        """The calls are complete; what follows is the closer, or is not the region's."""
        self.phase, self.body_end, self.tail = BEHIND, end, ""
        self.reader = self.envelope = self.parameters = None

    def no_call(self, turn: Turn, *, at_end: bool = False) -> None:
        """The region is not a call. `at_end`: nothing follows it."""
        tried = self.phase != FIRST or (bool(self.name) and turn.takes(self.name))
        if self.envelope is not None and self.envelope.in_arguments:  # what is read again may quote a call
            turn.distrust(())
        release(turn, UNREADABLE if tried else "", UNREADABLE, at_end=at_end)

    def leave(self, turn: Turn, *, text_follows: bool, end: int = -1) -> None:
        """The region is over; `end`: behind its closer."""
        places = (self.start, self.body, self.body_end)
        log_call(turn, self.number, self.captures, places, max(end, self.body_end))
        turn.leave(text_follows=text_follows)

    def close(self, turn: Turn, found: Found, place: int, rest: str) -> None:
        """The closer was found at that place; `rest` was read behind it, and is read again."""
        end = place if found.before else place + len(found)
        if not found.before:
            turn.emit.markup(found, place)
        self.leave(turn, text_follows=found.before, end=end)
        rest = found + rest if found.before else rest
        turn.read_again(rest, end, always=True)
