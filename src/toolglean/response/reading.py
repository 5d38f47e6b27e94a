# What this file knows: how a region of calls is read, from its opener to its closer.
# What it must not know: how JSON, dialects and parameters are read (the readers of the core), and any other field.
#
# The phases, named for what is being read:
#
#     FIRST    behind the opener: white space, until what shows that a call begins, or that none does
#     OBJECTS  JSON objects with names and arguments
#     VALUE    arguments in a codec; or the text of a parameter (params.py)
#     WHOLE    the region's text, up to its closer, where it can only be read as a whole
#     BEHIND   a call that is complete: white space, then the closer, which may be missing
#
# A closer within a JSON string is part of the string, for a JSON value ends where it closes. Of a region that must be
# read as a whole, and of tags, the closer is what it is for transformers: the first one.
"""How regions of calls are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolglean.engine.envelope import Envelope
from toolglean.engine.parameters import Parameters, pass_value
from toolglean.engine.readers import JsonReader, reader_for, reader_stops
from toolglean.formats.net import HoleEdge
from toolglean.formats.spec import JSON, Quoted
from toolglean.response.marks import Found, Marks
from toolglean.response.params import JsonParameters, read_between, read_value, read_value_end, value_finder
from toolglean.response.patterns import FAIL
from toolglean.response.phases import ARGUMENTS, BEHIND, BETWEEN, GATHERING, OBJECTS, VALUE
from toolglean.response.region import Region
from toolglean.response.values import coerced, region_value
from toolglean.response.ways import ARGUMENTS as BY_ARGUMENTS
from toolglean.response.ways import OBJECTS as BY_OBJECTS
from toolglean.response.ways import WHOLE as AS_WHOLE
from toolglean.response.whole import calls_in
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json import FAIL as JSON_FAIL
from toolglean.scan.json import leaves_string
from toolglean.scan.reader import DONE, FAILED, string_text
from toolglean.scan.rope import grown, joined
from toolglean.values.coerce import json_text

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops, Turn

__all__ = ["CallsRegion"]


class CallsRegion(Region):
    """A region of calls, and what is read in each of its phases."""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](turn, self, text, i)

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Pass over the rest of a malformed call: to its closer, or before the next opener."""
        place, found = self.plan.ends(self.number).find(text, i)
        if not isinstance(found, Found):
            return turn.hold(text, place)
        closer = "" if found.number >= 0 or found.before else str(found)
        turn.end_failed(turn.base + place, closer, (), (self.opener,))
        if not closer:
            turn.leave(text_follows=True)
            return place
        turn.leave(text_follows=False)
        return place + len(found)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        if self.phase == OBJECTS:
            return (leaves_string, None) if self.envelope is not None and self.envelope.in_string else None
        if self.phase == ARGUMENTS:
            return reader_stops(self.reader) if isinstance(self.reader, JsonReader) else None
        if self.phase == VALUE and self.parameters is not None and self.parameters.streams and not self.parameters.lead:
            return value_finder(self, self.parameters).search, string_text
        return None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        if self.phase == VALUE and self.parameters is not None:
            return pass_value(turn, value_finder(self, self.parameters), text)
        if self.phase == OBJECTS and self.envelope is not None:
            return self.envelope.scanner.passed(text)
        return self.reader.passed(text) if isinstance(self.reader, JsonReader) else None

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open."""
        if self.phase == BEHIND:
            tail, start = self.tail, self.body_end
            self.leave(turn, text_follows=bool(tail))
            turn.say(tail, start)
        elif self.phase != GATHERING or self.plan.fields[self.number].close is not None:
            self.no_call(turn, at_end=True)
        else:  # without a closer, the end of the turn is the region's
            body = joined(self.gathered)
            self.body_end = self.body + len(body)
            if _give_calls(turn, self, body):
                self.leave(turn, text_follows=False)
            elif turn.reading_call:
                self.no_call(turn, at_end=True)


def _read_first(turn: Turn, region: Region, text: str, i: int) -> int:
    if region.way.kind == AS_WHOLE:
        region.phase = GATHERING
        turn.allow_long_region()
        return i
    j = i
    while j < len(text) and text[j].isspace() and not region.tail:
        j += 1
    turn.region.keep(text[i:j])
    if j == len(text) or (not region.tail and _begins(turn, region, region.way.kind, text[j])):
        return j
    return _read_mark(turn, region, text[j], j)


def _begins(turn: Turn, region: Region, kind: int, char: str) -> bool:
    """Whether the character begins arguments or objects; or shows that the region is not a call."""
    if kind == BY_OBJECTS:
        if char not in "{[":
            region.no_call(turn)
            return True
        region.envelope = Envelope(turn.limits.depth)
        region.first_call = turn.emit.index
        region.phase = OBJECTS
        return True
    quote = region.way.quote
    hole = HoleEdge("arguments", 0, 0, Quoted(quote) if quote else JSON)
    if kind != BY_ARGUMENTS or not hole.accepts(char):
        return False
    if region.start_call(turn):
        region.reader = reader_for(hole, turn.limits.depth, turn.names.tool(region.name))
        region.phase = ARGUMENTS
    return True


def _read_mark(turn: Turn, region: Region, char: str, i: int) -> int:
    # A call without arguments, or the first parameter. Character by character: a marker is short.
    region.tail += char
    turn.region.keep(char)
    status, found = region.plan.firsts(region.number).begins(region.tail)
    if found is None:
        if status == FAIL:
            region.no_call(turn)
        return i + 1
    tail, region.tail = region.tail, ""
    end = turn.base + i + 1
    if not region.start_call(turn):
        return i + 1
    if region.way.tag is not None:
        tool = turn.names.tool(region.name)
        kind = JsonParameters if region.way.json else Parameters
        region.parameters = kind(tool, {}, turn.limits.depth, coerce=turn.coerce)
    region.phase = BETWEEN
    if region.way.tag is None:
        region.end_call(turn, end - len(tail))
    turn.read_again(tail, end - len(tail), always=True)
    return i + 1


def _read_objects(turn: Turn, region: Region, text: str, i: int) -> int:
    envelope = region.envelope
    assert envelope is not None
    j = envelope.read(turn, text, i)
    if not turn.reading_call:
        return j
    scanner = envelope.scanner
    begun = turn.emit.index > region.first_call
    if scanner.token == JSON_FAIL and scanner.fault == "depth":
        turn.stop("depth", text[j], turn.base + j)
    elif scanner.token == JSON_FAIL or scanner.state == JSON_END:
        if not begun:
            if scanner.state == JSON_END:
                turn.region.settle()
            region.no_call(turn)
            return j
        if turn.region.open:
            turn.content_region()
        region.go_behind(turn.base + j)
    return j


def _read_arguments(turn: Turn, region: Region, text: str, i: int) -> int:
    assert region.reader is not None
    j, piece, status = region.reader.read(text, i)
    turn.delta(piece, turn.base + i)
    if status == FAILED:
        turn.refuse_arguments(region.reader.fault, text[j], turn.base + j)
    elif status == DONE:
        region.end_call(turn, turn.base + j)
    return j


def _read_whole(turn: Turn, region: Region, text: str, i: int) -> int:
    seen = region.tail + text[i:]
    place, found = region.plan.closers(region.number).find(seen, 0)
    region.gathered = grown(region.gathered, seen[:place])
    if not isinstance(found, Found):
        region.tail = seen[place:]
        turn.region.keep(text[i:])
        return len(text)
    first = i - len(region.tail)  # where in the text that begins which was seen
    end = place + len(found)
    rest, region.tail = region.tail[end:], ""  # where a longer closer might have come
    turn.region.keep(text[i : max(i, first + end)])
    region.body_end = turn.base + first + place
    body, region.gathered = joined(region.gathered), ()
    calls = turn.emit.index
    if _give_calls(turn, region, body):
        region.close(turn, found, region.body_end, rest)
    elif turn.reading_call:
        turn.emit.problem("unreadable call", region.opener + body, region.start)
        turn.leave(text_follows=True)
        turn.release_region()
    elif turn.emit.index > calls:  # a limit was passed at another call than the first
        turn.say(found + rest, region.body_end)
    return max(i, first + end)


def _give_calls(turn: Turn, region: Region, body: str) -> bool:
    """The calls of a region that was read as a whole: the first spans its text, others stand at its end.

    False: there is none, or the limit of calls was passed.
    """
    found = calls_in(region_value(region.plan.fields[region.number], body, region.captures))
    calls = [each for each in found if turn.takes(each[0])]
    for name, arguments, model_id in calls:
        if not turn.region.open:
            turn.open_region(region.body_end, 0)
        if not turn.begin_call(turn.names.resolve(name) or name, model_id, may_get_id=False):
            return False
        tool = turn.names.tool(name)
        typed = coerced(arguments, tool) if tool is not None and turn.coerce else arguments
        turn.delta(json_text(typed), region.body)
        turn.end_call(region.body_end)
    return bool(calls)


def _read_behind(turn: Turn, region: Region, text: str, i: int) -> int:
    char = text[i]
    marks: Marks = region.plan.closers(region.number)
    if not region.tail:
        if char.isspace():
            return turn.wait_for_more(text, i)
        if not marks or char not in marks.firsts:
            region.leave(turn, text_follows=False)
            return i
    region.tail += char
    status, found = marks.begins(region.tail)
    start = turn.base + i + 1 - len(region.tail)
    if found is not None:
        region.close(turn, found, start, region.tail[len(found) :])
    elif status == FAIL:
        tail = region.tail
        region.leave(turn, text_follows=False)
        turn.read_again(tail, start, always=True)
    return i + 1


_PHASES: tuple[Callable[[Turn, Region, str, int], int], ...] = (
    _read_first,
    _read_objects,
    _read_arguments,
    read_between,
    read_value,
    read_value_end,
    _read_whole,
    _read_behind,
)
