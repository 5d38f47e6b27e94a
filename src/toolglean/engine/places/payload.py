# What this file knows: which function reads in which phase of a walk, and where a walk begins.
# What it must not know: how anything is read.
"""Formats, as the machine sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.judge.code import Quotes
from toolglean.engine.judge.strings import JsonStrings
from toolglean.engine.modes import CONTENT
from toolglean.engine.parameters import pass_value
from toolglean.engine.places.calls import accept, accept_guarded, cut_off, no_call
from toolglean.engine.places.ending import complete, read_ending
from toolglean.engine.places.holes import (
    read_arguments,
    read_objects,
    read_value,
    read_word,
    suspects,
    value_finder,
    value_opener,
    value_search,
)
from toolglean.engine.places.markers import read_behind, read_markers
from toolglean.engine.places.phases import ARGUMENTS, BEHIND, ENDING, MARKERS, OBJECTS, OWN, SIBLING, VALUE
from toolglean.engine.places.walk import Walk
from toolglean.engine.plan import Plan
from toolglean.engine.readers import JsonReader, reader_stops, scanner_of
from toolglean.engine.repair.suspended import Put, Refusal
from toolglean.formats.compile import Program
from toolglean.scan.json import leaves_string
from toolglean.scan.reader import string_text
from toolglean.scan.rope import joined

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops, Turn
    from toolglean.formats.net import Place
    from toolglean.formats.siblings import Siblings
    from toolglean.scan.text import Finder

__all__ = ["FormatPayload", "FormatPlan"]


class FormatPlan(Plan):
    """What the machine looks for where formats are known: see `Plan`."""

    stops_after_bare = False
    drafts = True
    marked = True

    def __init__(self, program: Program, siblings: Siblings | None = None) -> None:
        self.program = program
        self.siblings = siblings
        self.formats = program.formats
        self.bare = program.has_bare or siblings is not None
        self.spaced = any(pattern[:1].isspace() for each in program.formats for pattern in each.openers)

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the literals with which anything begins."""
        return self.program.lane(lane, only).finder

    def text_finder(self, turn: Turn) -> Finder:
        """Finds those, and those of the siblings."""
        siblings = self._asked(turn)
        return self.finder(turn.lane, turn.only) if siblings is None else siblings.finder(turn.lane, turn.only)

    def quotes(self, *, heeded: bool) -> Quotes:
        """What finds quotations: see `Plan`."""
        return Quotes(heeded=heeded)

    def strings(self, max_depth: int) -> JsonStrings:
        """What tells whether content is in a string of JSON: see `Plan`."""
        return JsonStrings(max_depth)

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning."""
        return self.program.first_reasoning()

    def is_header(self, text: str) -> bool:
        """Whether the text begins a message's header: see `Plan`."""
        return text.startswith(self.program.headers)

    def marks(self, lane: int) -> tuple[str, ...]:
        """The markers of reasoning: see `Plan`."""
        return self.program.marks(lane)

    def _asked(self, turn: Turn) -> Siblings | None:
        return None if turn.in_prompt else self.siblings  # what others write in the prompt is not the model's

    def begin(self, turn: Turn, found: str, start: int) -> tuple[FormatPayload, int]:
        """A literal was found: it is walked from the lane's opening."""
        siblings = self._asked(turn)
        opener = len(found) if siblings is None else siblings.own_opener(found, turn.lane)
        if siblings is not None and not opener:
            other = siblings.at_opener(found)
            if other is not None:
                turn.open_region(start, other[1], alone=found in other[0].own_tags)  # it reads known tools alone
                payload = _foreign(FormatPayload(other[0], other[0].lane(CONTENT, ()).place_behind(turn.last)))
                payload.in_line = _is_in_line(turn)
                payload.settle(start)
                return payload, 0
        in_line = _is_in_line(turn)
        alone = in_line or found in self.program.own_tags
        turn.open_region(start, opener or len(found), alone=alone and turn.names.tools is not None)
        payload = FormatPayload(self.program, self.program.lane(turn.lane, turn.only).place_behind(turn.last))
        payload.in_line = in_line
        payload.settle(start)
        if siblings is not None:
            payload.role, payload.siblings = OWN, siblings
        return payload, 0

    def waits_at_start(self, turn: Turn, text: str, i: int) -> bool:
        """Whether it may be the beginning of what a sibling begins a turn with."""
        siblings = self._asked(turn)
        return siblings is not None and self._bare_place(turn, text[i]) is None and siblings.at_start(text, i).waits

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[FormatPayload, int] | None:
        """The turn begins with what stands at `i`: a marker, or a call that has none."""
        siblings = self._asked(turn)
        place = self._bare_place(turn, text[i])
        if place is not None:
            payload = FormatPayload(self.program, place)
            if siblings is not None:
                payload.role, payload.siblings, payload.from_start = OWN, siblings, True
        else:
            program = None if siblings is None else siblings.at_start(text, i).program
            if program is None:
                return None
            payload = _foreign(FormatPayload(program, program.bare_start(())))
        turn.open_region(turn.base + i, 0, bare=True)
        payload.settle(turn.base + i)
        return payload, 0

    def _bare_place(self, turn: Turn, char: str) -> Place | None:
        # Where the format's own calls need no marker: the place at which that character may begin one.
        if not self.program.has_bare:
            return None
        place = self.program.bare_start(turn.only)
        return place if self.program.net.step(place, char) is not None or place.hole_for(char) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return FormatPlan, (self.program, self.siblings)


def _is_in_line(turn: Turn) -> bool:
    # Whether text precedes what begins now on its line. A line break, or what is no text, parts it from that.
    return turn.in_line


def _foreign(payload: FormatPayload) -> FormatPayload:
    payload.role = SIBLING
    return payload


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
        closers, tags = self.program.ends(self.format)
        if self.stripped:  # nothing shows where another call begins that its arguments quote: none counts any more
            closers, tags = (), ("",)
        turn.end_failed(turn.base + place, "" if behind is None else found, closers, tags)
        if behind is None:
            turn.leave(text_follows=True)
            return place
        turn.resume()
        self.go_behind(behind)
        return place + len(found)

    def is_too_long(self, turn: Turn) -> bool:
        """See `Payload`."""
        if self.is_foreign:
            no_call(turn, self, at_end=True)
        return self.is_foreign

    def forget_calls(self, calls: int) -> None:
        """See `Payload`."""
        self.first_call -= calls

    def completes(self, turn: Turn) -> bool:
        """See `Payload`."""
        if self.phase != ENDING:
            return False
        complete(turn, self)
        return True

    def stops(self) -> Stops | None:
        """See `Payload`."""
        if self.phase == OBJECTS:
            return (leaves_string, None) if self.envelope is not None and self.envelope.in_string else None
        if self.phase == ARGUMENTS and self.reader is not None:
            return reader_stops(self.reader)
        if self.phase == VALUE and self.parameters is not None and self.parameters.streams and not self.parameters.lead:
            return value_search(self), string_text
        return None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        if self.phase == VALUE:
            parameters = self.parameters
            if parameters is not None and not (parameters.paired or parameters.has_lines) and "\n" in text:
                return None  # that is noted down, and something else is looked for from there on
            return pass_value(turn, value_finder(self), text)
        if self.phase == OBJECTS and self.envelope is not None:
            return self.envelope.scanner.passed(text)
        return self.reader.passed(text) if isinstance(self.reader, JsonReader) else None

    # -- what mending asks: see `Payload` ------------------------------------------------------------------------------

    def refusal(self, turn: Turn, char: str) -> Refusal:
        """See `Payload`."""
        if self.phase == MARKERS:
            return Refusal(char, marker=value_opener(self) if turn.emit.open else "")
        envelope, scanner = self.envelope, scanner_of(self.reader) if self.reader is not None else None
        if self.phase == ARGUMENTS and scanner is not None:
            return Refusal(char, scanner.due, "," if turn.emit.call.lags else "", inner=len(scanner.stack) > 1)
        if self.phase == OBJECTS and envelope is not None and not envelope.bare:
            last = "" if envelope.passes_on and not turn.emit.call.lags else envelope.last_read
            return Refusal(char, envelope.scanner.due, last, inner=envelope.in_inner_value)
        return Refusal(char)

    def repaired_with(self, put: Put) -> Self | None:
        """See `Payload`."""
        if self.phase == MARKERS:
            return self.copy()
        twin = self.relented()
        json = None if twin is None else twin.envelope or (twin.reader and scanner_of(twin.reader))
        if json and put.back:
            json.take_back()
        elif json and put.skip:
            json.expect_key()
        return twin if json else None

    def brackets(self) -> str:
        """See `Payload`."""
        if self.phase == ARGUMENTS and self.reader is not None:
            return self.reader.brackets()
        return self.envelope.scanner.brackets() if self.phase == OBJECTS and self.envelope is not None else ""

    def is_whole(self) -> bool:
        """See `Payload`."""
        return self.phase == OBJECTS and self.envelope is not None and self.envelope.has_arguments

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Payload`."""
        return self.reader.quoting() if self.reader is not None else ("", ())

    def end_finder(self) -> Finder:
        """See `Payload`."""
        return self.program.ender(self.format)

    def is_closer(self, found: str) -> bool:
        """See `Payload`."""
        return self.program.behind(self.format, found) is not None

    def is_markup(self, text: str) -> bool:
        """See `Payload`."""
        for closer in self.program.closers(self.format):
            text = text.replace(closer, "", 1)
        return not text.strip()

    def goes_on(self, before: str, behind: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        """See `Payload`."""
        return suspects(self).goes_on(before, behind, is_name, at_end=at_end)

    def refuse(self, turn: Turn) -> None:
        """See `Payload`."""
        no_call(turn, self, at_end=True)

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """See `Payload`."""
        if self.reader is not None:
            self.reader.relent()
        if self.parameters is not None:
            self.parameters.as_written, self.parameters.doubtful = place, doubtful

    # -- the end -------------------------------------------------------------------------------------------------------

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
        elif self.phase == OBJECTS and self.envelope is not None and self.envelope.finish(turn):
            pass
        else:
            cut_off(turn, self)


_PHASES: tuple[Callable[[Turn, Walk, str, int], int], ...] = (
    read_markers,
    read_word,
    read_value,
    read_arguments,
    read_objects,
    read_behind,
    read_ending,
)
