# How a region of calls is read, from its opener to its closer: JSON objects, arguments after a name, and content that
# can only be read as a whole (parameters: tags.py). Does not depend on how JSON and dialects are read, or on any other
# field.
#
# A region is read in steps:
#
#     FIRST  after the opener: white space, until it is clear whether a call begins
#     BODY   the calls, each kind of region in its own way; of a parameter, VALUE (tags.py)
#     AFTER  the calls are complete: white space, then the closer, which may be missing
#
# A closer within a JSON string is part of the string, because a JSON value ends where it closes. In a region that must
# be read as a whole, and in tags, the first closer ends the region, as in transformers.
"""Regions of calls."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.envelope import Envelope
from toolglean.engine.missed import release
from toolglean.engine.readers import reader_for
from toolglean.engine.reasons import UNREADABLE
from toolglean.engine.turn import Payload
from toolglean.formats.nfa import SlotEdge
from toolglean.scan.coerce import json_text
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json_reader import JsonReader
from toolglean.scan.scanner import DONE
from toolglean.scan.scanner import FAIL as JSON_FAIL
from toolglean.sources.response.calls import CallLayout, calls_in
from toolglean.sources.response.marks import Found
from toolglean.sources.response.patterns import FAIL, past_space
from toolglean.sources.response.values import coerced, region_value

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops, Turn
    from toolglean.sources.response.fields import Fields

__all__ = ["BODY", "VALUE", "Arguments", "CallsRegion", "Objects", "Whole"]


class Step(Enum):
    """Which part of a region is being read."""

    FIRST = 0
    BODY = 1
    VALUE = 2
    AFTER = 3


FIRST, BODY, VALUE, AFTER = Step  # a module's name is found faster than an enum's


class CallsRegion(Payload):
    """A region of calls: the part that all kinds share. See `Payload`."""

    def __init__(self, plan: Fields, opener: Found, start: int) -> None:
        self.plan, self.opener, self.start = plan, opener, start
        self.body = start + len(opener)
        self.body_end = -1  # the end of the call's last slot
        self.step = FIRST
        self.name = opener.captures.get(self.layout.name, "")
        self.tail = ""  # text that may be a marker, or the beginning of one
        self.tail_start = -1  # its place, after the call
        self.reader: Any = None  # the reader of the calls, while they are read

    @property
    def layout(self) -> CallLayout:
        """How the region's calls are read."""
        return self.plan.layouts[self.opener.number]

    def copy(self) -> Self:
        """A copy in the same state."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.reader = self.reader and self.reader.copy()
        return copied

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read `text` from `i`. See `Payload`."""
        if self.step is AFTER:
            return self._read_after(turn, text, i)
        return self._read_first(turn, text, i) if self.step is FIRST else self._read_body(turn, text, i)

    def _read_body(self, turn: Turn, text: str, i: int) -> int:
        raise NotImplementedError

    def skip(self, turn: Turn, text: str, i: int, thoughts: tuple[str, ...]) -> int:
        """Skip the rest of a malformed call: to the end of its closer, or to the next opener."""
        del thoughts
        place, found = self.plan.ends[self.opener.number].find(text, i)
        if not isinstance(found, Found):
            return turn.hold(text, place)
        closer = "" if found.number >= 0 or found.before else str(found)
        turn.end_failed(turn.tape.base + place, closer, (), (self.opener,))
        turn.leave(text_follows=not closer)
        return place + len(closer)

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open."""
        if self.step is not AFTER:
            self.no_call(turn, at_end=True)
            return
        self.leave(turn, text_follows=bool(self.tail))
        turn.say(self.tail, self.tail_start)

    # -- from the opener to the call -----------------------------------------------------------------------------------

    def _read_first(self, turn: Turn, text: str, i: int) -> int:
        if not self.tail:
            j = past_space(text, i)
            turn.region.keep(text[i:j])
            if j == len(text) or self._begins(turn, text[j]):
                return j
            i = j
        # A call without arguments, or the first parameter. It is read character by character, because markers are
        # short.
        self.tail += text[i]
        turn.region.keep(text[i])
        status, found = self.plan.firsts[self.opener.number].begins(self.tail)
        if found is not None and self.start_call(turn):
            tail, self.tail = self.tail, ""
            start = turn.tape.base + i + 1 - len(tail)
            self._begin_without(turn, start)
            turn.read_again(tail, start, always=True)
        elif found is None and status == FAIL:
            self.no_call(turn)
        return i + 1

    def _begins(self, turn: Turn, char: str) -> bool:
        """Whether the character decides: it begins calls or arguments, or shows that the region is not a call."""
        return False

    def _begin_without(self, turn: Turn, place: int) -> None:
        """A call has begun, and a mark follows at that place instead of arguments."""

    def start_call(self, turn: Turn) -> bool:
        """Begin the call: it is certain that arguments follow the name. Returns False if it is not a call."""
        if not self.name or not turn.accepts(self.name):
            self.no_call(turn)
            return False
        self.step = BODY
        model_id = self.opener.captures.get(self.layout.id) or None
        return turn.begin_call(turn.names.resolve(self.name) or self.name, model_id, may_get_id=False)

    def no_call(self, turn: Turn, *, at_end: bool = False) -> None:
        """The region is not a call. `at_end`: whether the turn ends here."""
        tried = self.step is not FIRST or (bool(self.name) and turn.accepts(self.name))
        release(turn, UNREADABLE if tried else None, UNREADABLE, at_end=at_end)

    # -- from the call to the closer -----------------------------------------------------------------------------------

    def end_call(self, turn: Turn, end: int) -> None:
        """The call is complete."""
        turn.end_call(end)
        self.end_calls(end)

    def end_calls(self, end: int) -> None:
        """The calls are complete; the text that follows is the closer, or outside the region."""
        self.step, self.body_end, self.tail, self.reader = AFTER, end, "", None

    def _read_after(self, turn: Turn, text: str, i: int) -> int:
        marks = self.plan.closers[self.opener.number]
        if not self.tail:
            if text[i].isspace():
                return turn.wait_for_more(text, i)
            if text[i] not in marks.firsts:
                self.leave(turn, text_follows=False)
                return i
        self.tail += text[i]
        status, found = marks.begins(self.tail)
        start = self.tail_start = turn.tape.base + i + 1 - len(self.tail)
        if found is not None:
            self.close(turn, found, start, self.tail[len(found) :])
        elif status == FAIL:
            self.leave(turn, text_follows=False)
            turn.read_again(self.tail, start, always=True)
        return i + 1

    def close(self, turn: Turn, found: Found, place: int, rest: str) -> None:
        """The closer was found at that place; `rest`, the text after it, is read again."""
        end = place if found.before else place + len(found)
        if not found.before:
            turn.emit.markup(str(found), place)
        self.leave(turn, text_follows=found.before, end=end)
        turn.read_again(found + rest if found.before else rest, end, always=True)

    def leave(self, turn: Turn, *, text_follows: bool, end: int = -1) -> None:
        """The region has ended; `end`: the place after its closer."""
        self.plan.note(self.opener, self.start, self.body, self.body_end, max(end, self.body_end))
        turn.leave(text_follows=text_follows)


class Objects(CallsRegion):
    """JSON objects with names and arguments."""

    begun = False  # whether any call has begun

    def _begins(self, turn: Turn, char: str) -> bool:
        if char in "{[":
            self.reader, self.step = Envelope(turn.limits.depth, by_tag=True), BODY  # the template may name any key
        else:
            self.no_call(turn)
        return True

    def _read_body(self, turn: Turn, text: str, i: int) -> int:
        calls = turn.emit.index
        j: int = self.reader.read(turn, text, i)
        self.begun = self.begun or turn.emit.index > calls
        scanner = self.reader.scanner
        if not turn.reading_call or (scanner.token != JSON_FAIL and scanner.state != JSON_END):
            return j
        if scanner.token == JSON_FAIL and scanner.fault == "depth":
            turn.stop("depth", text[j], turn.tape.base + j)
        elif not self.begun:
            if scanner.state == JSON_END:
                turn.region.settle()
            self.no_call(turn)
        else:
            if turn.region.open:
                turn.content_region()
            self.end_calls(turn.tape.base + j)
        return j

    def no_call(self, turn: Turn, *, at_end: bool = False) -> None:
        """See `CallsRegion.no_call`."""
        if self.reader is not None and self.reader.in_arguments:  # the text that is read again may quote a call
            turn.ignore_calls_until(())
        super().no_call(turn, at_end=at_end)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return self.reader.stops() if self.reader is not None else None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        found: tuple[str, bool] | None = self.reader.scanner.passed(text)
        return found


class Arguments(CallsRegion):
    """Arguments in a codec, after the name."""

    def _begins(self, turn: Turn, char: str) -> bool:
        slot = SlotEdge("arguments", 0, 0, self.layout.codec)
        if not slot.accepts(char):
            return False
        if self.start_call(turn):
            self.reader = reader_for(slot, turn.limits.depth, turn.names.tool(self.name))
        return True

    def _begin_without(self, turn: Turn, place: int) -> None:
        self.end_call(turn, place)

    def _read_body(self, turn: Turn, text: str, i: int) -> int:
        j, piece, status = self.reader.read(text, i)
        turn.delta(piece, turn.tape.base + i)
        if status == JSON_FAIL:
            turn.refuse_arguments(self.reader.fault, text[j], turn.tape.base + j)
        elif status == DONE:
            self.end_call(turn, turn.tape.base + j)
        return int(j)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        search = self.reader.search() if isinstance(self.reader, JsonReader) else None
        return search and (search, None)

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return self.reader.passed(text) if isinstance(self.reader, JsonReader) else None


class Whole(CallsRegion):
    """A region that is kept up to its closer and then read as a whole."""

    def _read_first(self, turn: Turn, text: str, i: int) -> int:
        self.step = BODY
        turn.allow_long_region()
        return i

    def _read_body(self, turn: Turn, text: str, i: int) -> int:
        seen = self.tail + text[i:]
        place, found = self.plan.closers[self.opener.number].find(seen, 0)
        if not isinstance(found, Found):
            self.tail = seen[place:]
            turn.region.keep(text[i:])
            return len(text)
        first = i - len(self.tail)  # where `seen` begins in the text
        end = max(i, first + place + len(found))
        rest, self.tail = self.tail[place + len(found) :], ""  # read while a longer closer was possible
        turn.region.keep(text[i:end])
        self.body_end = turn.tape.base + first + place
        calls = turn.emit.index
        if self._give_calls(turn):
            self.close(turn, found, self.body_end, rest)
        elif turn.reading_call:
            turn.emit.problem(UNREADABLE, self.opener + self._text(turn), self.start)
            turn.leave(text_follows=True)
            turn.release_region()
        elif turn.emit.index > calls:  # a limit was exceeded after the first call
            turn.say(found + rest, self.body_end)
        return end

    def finish(self, turn: Turn) -> None:
        """The turn is over: a region without a closer ends here."""
        if self.step is FIRST or self.plan.fields[self.opener.number].close is not None:
            self.no_call(turn, at_end=True)
            return
        self.body_end = turn.region.end
        if self._give_calls(turn):
            self.leave(turn, text_follows=False)
        elif turn.reading_call:
            self.no_call(turn, at_end=True)

    def _text(self, turn: Turn) -> str:
        # The region's text, without its opener and the part of its closer that was read.
        return turn.region.text[len(self.opener) : self.body_end - self.start]

    def _give_calls(self, turn: Turn) -> bool:
        """Emit the calls of the region: the first one spans its text, the others are at its end.

        Returns False if there are none, or the limit of calls was exceeded.
        """
        field = self.plan.fields[self.opener.number]
        found = calls_in(region_value(field, self._text(turn), self.opener.captures))
        calls = [each for each in found if turn.accepts(each[0])]
        for name, arguments, model_id in calls:
            if not turn.region.open:
                turn.open_region(self.body_end, 0)
            if not turn.begin_call(turn.names.resolve(name) or name, model_id, may_get_id=False):
                return False
            tool = turn.names.tool(name)
            typed = coerced(arguments, tool) if tool is not None and turn.rules.coerce else arguments
            turn.delta(json_text(typed), self.body)
            turn.end_call(self.body_end)
        return bool(calls)
