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
"""Regions of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolglean.coerce import json_text
from toolglean.envelope import Envelope, read_envelope
from toolglean.formats.net import HoleEdge
from toolglean.formats.spec import JSON, Quoted
from toolglean.parameters import Parameters
from toolglean.readers import JsonReader, reader_for
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json import FAIL as JSON_FAIL
from toolglean.scan.json import QUOTE
from toolglean.scan.reader import DONE, FAILED, Reader
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.templates.response.log import log_call
from toolglean.templates.response.marks import Found, Marks
from toolglean.templates.response.params import JsonParameters, read_between, read_value, read_value_end
from toolglean.templates.response.patterns import FAIL
from toolglean.templates.response.phases import ARGUMENTS, BEHIND, BETWEEN, FIRST, GATHERING, OBJECTS, VALUE
from toolglean.templates.response.values import coerced, region_value
from toolglean.templates.response.ways import ARGUMENTS as BY_ARGUMENTS
from toolglean.templates.response.ways import OBJECTS as BY_OBJECTS
from toolglean.templates.response.ways import WHOLE as AS_WHOLE
from toolglean.templates.response.whole import calls_in

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.templates.response.plan import ResponsePlan

__all__ = ["Region"]


class Region:
    """Where the reading of a region of calls stands: see `plan.Payload`."""

    def __init__(self, plan: ResponsePlan, number: int, opener: str, captures: dict[str, str], start: int) -> None:
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
        self.gathered: Rope = ()
        self.envelope: Envelope | None = None
        self.reader: Reader | None = None
        self.parameters: Parameters | None = None

    @property
    def way(self) -> Any:
        """How the region's calls are read."""
        return self.plan.ways[self.number]

    # -- the machine's side --------------------------------------------------------------------------------------------

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](machine, self, text, i)

    def skip(self, machine: Machine, text: str, i: int) -> int:
        """Pass over the rest of a malformed call: to its closer, or before the next opener."""
        place, found = self.plan.ends(self.number).find(text, i)
        if not isinstance(found, Found):
            return machine.hold(text, place)
        closer = "" if found.number >= 0 or found.before else str(found)
        machine.end_failed(machine.base + place, closer, (), (self.opener,))
        if not closer:
            machine.leave(text_follows=True)
            return place
        machine.leave(text_follows=False)
        return place + len(found)

    def stops(self) -> str:
        """See `plan.Payload`."""
        if self.phase == ARGUMENTS:
            return self.reader.stops() if isinstance(self.reader, JsonReader) else ""
        if self.phase == OBJECTS:
            return QUOTE if self.envelope is not None and self.envelope.in_string else ""
        if self.phase == VALUE and self.parameters is not None and self.parameters.streams and not self.parameters.lead:
            return str(self.way.tag.tail[0])
        return ""

    def finish(self, machine: Machine) -> None:
        """The turn is over, and no call is open."""
        if self.phase == BEHIND:
            tail, start = self.tail, self.body_end
            self.leave(machine, text_follows=bool(tail))
            machine.say(tail, start)
        elif self.phase != GATHERING or self.plan.fields[self.number].close is not None:
            self.no_call(machine)
        else:  # without a closer, the end of the turn is the region's
            body = joined(self.gathered)
            self.body_end = self.body + len(body)
            if _give_calls(machine, self, body):
                self.leave(machine, text_follows=False)
            elif machine.reading_call:
                self.no_call(machine)

    def copy(self) -> Region:
        """The same place."""
        twin = Region.__new__(Region)
        twin.__dict__.update(self.__dict__)
        twin.envelope = self.envelope and self.envelope.copy()
        twin.reader = self.reader and self.reader.copy()
        twin.parameters = self.parameters and self.parameters.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"gathered": flat(self.gathered)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def start_call(self, machine: Machine) -> bool:
        """The name is certain, and so is that arguments follow. False: it does not count as a call."""
        if not self.name or not machine.takes(self.name):
            self.no_call(machine)
            return False
        name = machine.resolve(self.name) or self.name
        return machine.begin_call(name, self.captures.get(self.way.id) or None, may_get_id=False)

    def end_call(self, machine: Machine, end: int) -> None:
        """The call is complete."""
        machine.end_call(end)
        self.go_behind(end)

    def go_behind(self, end: int) -> None:
        """The calls are complete; what follows is the closer, or is not the region's."""
        self.phase, self.body_end, self.tail = BEHIND, end, ""
        self.reader = self.envelope = self.parameters = None

    def no_call(self, machine: Machine) -> None:
        """The region is no call."""
        tried = self.phase != FIRST or (bool(self.name) and machine.takes(self.name))
        machine.leave(text_follows=True)
        machine.release_region("unreadable call" if tried else "")

    def leave(self, machine: Machine, *, text_follows: bool, end: int = -1) -> None:
        """The region is over; `end`: behind its closer."""
        places = (self.start, self.body, self.body_end)
        log_call(machine, self.number, self.captures, places, max(end, self.body_end))
        machine.leave(text_follows=text_follows)

    def close(self, machine: Machine, found: Found, place: int, rest: str) -> None:
        """The closer was found at that place; `rest` was read behind it, and is read again."""
        end = place if found.before else place + len(found)
        if not found.before:
            machine.emit.markup(found, place)
        self.leave(machine, text_follows=found.before, end=end)
        rest = found + rest if found.before else rest
        machine.read_again(rest, end, always=True)


def _read_first(machine: Machine, region: Region, text: str, i: int) -> int:
    if region.way.kind == AS_WHOLE:
        region.phase = GATHERING
        machine.allow_long_region()
        return i
    j = i
    while j < len(text) and text[j].isspace() and not region.tail:
        j += 1
    machine.keep(text[i:j])
    if j == len(text) or (not region.tail and _begins(machine, region, region.way.kind, text[j])):
        return j
    return _read_mark(machine, region, text[j], j)


def _begins(machine: Machine, region: Region, kind: int, char: str) -> bool:
    """Whether the character begins arguments or objects; or shows that the region is no call."""
    if kind == BY_OBJECTS:
        if char not in "{[":
            region.no_call(machine)
            return True
        region.envelope = Envelope(machine.limits.depth)
        region.first_call = machine.emit.index
        region.phase = OBJECTS
        return True
    quote = region.way.quote
    hole = HoleEdge("arguments", 0, 0, Quoted(quote) if quote else JSON)
    if kind != BY_ARGUMENTS or not hole.accepts(char):
        return False
    if region.start_call(machine):
        region.reader = reader_for(hole, machine.limits.depth, machine.tool(region.name))
        region.phase = ARGUMENTS
    return True


def _read_mark(machine: Machine, region: Region, char: str, i: int) -> int:
    # A call without arguments, or the first parameter. Character by character: a marker is short.
    region.tail += char
    machine.keep(char)
    status, found = region.plan.firsts(region.number).begins(region.tail)
    if found is None:
        if status == FAIL:
            region.no_call(machine)
        return i + 1
    tail, region.tail = region.tail, ""
    end = machine.base + i + 1
    if not region.start_call(machine):
        return i + 1
    if region.way.tag is not None:
        tool = machine.tool(region.name)
        kind = JsonParameters if region.way.json else Parameters
        region.parameters = kind(tool, {}, machine.limits.depth, coerce=machine.coerce)
    region.phase = BETWEEN
    if region.way.tag is None:
        region.end_call(machine, end - len(tail))
    machine.read_again(tail, end - len(tail), always=True)
    return i + 1


def _read_objects(machine: Machine, region: Region, text: str, i: int) -> int:
    envelope = region.envelope
    assert envelope is not None
    j = read_envelope(machine, envelope, text, i)
    if not machine.reading_call:
        return j
    scanner = envelope.scanner
    begun = machine.emit.index > region.first_call
    if scanner.token == JSON_FAIL and scanner.fault == "depth":
        machine.stop("depth", text[j], machine.base + j)
    elif scanner.token == JSON_FAIL or scanner.state == JSON_END:
        if not begun:
            region.no_call(machine)
            return j
        if machine.in_region:
            machine.content_region()
        region.go_behind(machine.base + j)
    return j


def _read_arguments(machine: Machine, region: Region, text: str, i: int) -> int:
    assert region.reader is not None
    j, piece, status = region.reader.read(text, i)
    machine.delta(piece, machine.base + i)
    if status == FAILED:
        if region.reader.fault == "depth":
            machine.stop("depth", text[j], machine.base + j)
        else:
            machine.give_up(f"malformed arguments: {region.reader.fault}", text[j], machine.base + j)
    elif status == DONE:
        region.end_call(machine, machine.base + j)
    return j


def _read_whole(machine: Machine, region: Region, text: str, i: int) -> int:
    seen = region.tail + text[i:]
    place, found = region.plan.closers(region.number).find(seen, 0)
    region.gathered = grown(region.gathered, seen[:place])
    if not isinstance(found, Found):
        region.tail = seen[place:]
        machine.keep(text[i:])
        return len(text)
    first = i - len(region.tail)  # where in the text that begins which was seen
    end = place + len(found)
    rest, region.tail = region.tail[end:], ""  # where a longer closer might have come
    machine.keep(text[i : max(i, first + end)])
    region.body_end = machine.base + first + place
    body, region.gathered = joined(region.gathered), ()
    calls = machine.emit.index
    if _give_calls(machine, region, body):
        region.close(machine, found, region.body_end, rest)
    elif machine.reading_call:
        machine.emit.problem("unreadable call", region.opener + body, region.start)
        machine.leave(text_follows=True)
        machine.release_region()
    elif machine.emit.index > calls:  # a limit was passed at another call than the first
        machine.say(found + rest, region.body_end)
    return max(i, first + end)


def _give_calls(machine: Machine, region: Region, body: str) -> bool:
    """The calls of a region that was read as a whole: the first spans its text, others stand at its end.

    False: there is none, or the limit of calls was passed.
    """
    found = calls_in(region_value(region.plan.fields[region.number], body, region.captures))
    calls = [each for each in found if machine.takes(each[0])]
    for name, arguments, model_id in calls:
        if not machine.in_region:
            machine.open_region(region.body_end, 0)
        if not machine.begin_call(machine.resolve(name) or name, model_id, may_get_id=False):
            return False
        tool = machine.tool(name)
        typed = coerced(arguments, tool) if tool is not None and machine.coerce else arguments
        machine.delta(json_text(typed), region.body)
        machine.end_call(region.body_end)
    return bool(calls)


def _read_behind(machine: Machine, region: Region, text: str, i: int) -> int:
    char = text[i]
    marks: Marks = region.plan.closers(region.number)
    if not region.tail:
        if char.isspace():
            return machine.wait_for_more(text, i)
        if not marks or char not in marks.firsts:
            region.leave(machine, text_follows=False)
            return i
    region.tail += char
    status, found = marks.begins(region.tail)
    start = machine.base + i + 1 - len(region.tail)
    if found is not None:
        region.close(machine, found, start, region.tail[len(found) :])
    elif status == FAIL:
        tail = region.tail
        region.leave(machine, text_follows=False)
        machine.read_again(tail, start, always=True)
    return i + 1


_PHASES: tuple[Callable[[Machine, Region, str, int], int], ...] = (
    _read_first,
    _read_objects,
    _read_arguments,
    read_between,
    read_value,
    read_value_end,
    _read_whole,
    _read_behind,
)
