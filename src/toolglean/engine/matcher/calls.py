# How a call begins and ends on a walk, or turns out not to be one. Does not depend on how the contents of its slots are
# read, or on which stage follows (payload.py).
"""A call begins, ends, or turns out not to be one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.engine.matcher.fallback import DOUBTED, FALLBACK, Role
from toolglean.engine.matcher.swallowed_markers import MOST_TAG
from toolglean.engine.missed import release
from toolglean.engine.reasons import (
    CUT_OFF,
    DUPLICATE_KEY,
    IGNORED_SERVER,
    IN_LINE,
    MARKUP_IN_VALUE,
    NO_CLOSER,
    NO_JSON,
    NUMBERED,
    OWN_CLOSER,
    Reason,
    opener_in_value,
    unreadable,
)
from toolglean.engine.repair.candidates import AGAIN, PYTHON
from toolglean.engine.repair.suspended import OFF
from toolglean.formats.nfa import LITERAL, TAG
from toolglean.scan.json import decode
from toolglean.scan.names import has_name_after
from toolglean.scan.reader import quoted_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolglean.engine.matcher.reading import Call, Reading
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.turn import Turn
    from toolglean.formats.spec import Format

__all__ = [
    "begin_unnamed", "begins", "cut_off", "end_call", "end_value", "is_over", "no_call", "read_by_others",
    "start_call",
]  # fmt: skip

ARGUMENT_SLOTS = frozenset({"key", "value", "arguments", "keywords"})
"""With the first of these a call begins: a name alone may be a mention."""


# -- a call begins -----------------------------------------------------------------------------------------------------


def begins(turn: Turn, reading: Reading, slot: OpenSlot) -> bool:
    """Whether the call is open, if it must be for that slot: it begins with its first argument."""
    return slot.kind not in ARGUMENT_SLOTS or turn.emit.open or start_call(turn, reading, slot)


def start_call(turn: Turn, reading: Reading, slot: OpenSlot | None = None) -> bool:
    """The name is certain, and so is the place of the arguments. False: it is not accepted as a call.

    `slot`: the slot with which it begins; None if it has no arguments.
    """
    walk, call, foreign = reading.walk, reading.call, reading.fallback.is_foreign
    formats = walk.program.formats
    fitting = walk.states.formats if slot is None else slot.formats
    if not foreign:
        fitting = turn.narrowed(fitting)
    if "<" in call.server:  # it has swallowed a marker
        no_call(turn, reading)
        return False
    if call.server:
        call.take("name", turn.names.of_server(call.server, call.name))
    name = turn.names.resolve(call.name)
    if name is None and _has_number_for_name(turn, call, formats[fitting[0]]):
        turn.allow_long_region()
        return True
    fitting, problem = _counting(turn, reading, fitting)
    if not call.name or not turn.accepts(call.name) or not fitting or _is_any_word(turn, reading, slot):
        no_call(turn, reading, problem=problem)
        return False
    if name is None and turn.names.tools is not None and read_by_others(turn, reading, None, DOUBTED):
        return False
    number = fitting[0]
    declared = formats[number]
    call.is_of(number, stripped=slot is not None and slot.is_stripped)
    turn.region.hand_out(stream_in_reasoning=not foreign and walk.program.calls_in_reasoning(number, turn.channel))
    model_id = _id(call, declared)
    may_get_id = not model_id and "{id}" in "".join(declared.calls)
    alone = declared.is_written_out or (slot is not None and slot.is_python)
    name = turn.names.spelt(call.name)
    last = declared.at_turn_end
    if not turn.begin_call(name, model_id or None, may_get_id=may_get_id, alone=alone, last=last):
        return False
    if call.server and not turn.names.shows_server(call.server, name):
        turn.emit.problem(IGNORED_SERVER, call.server, turn.emit.call.start)
    if foreign:
        turn.widen()
    else:
        turn.narrow(fitting)
    return True


def _counting(turn: Turn, reading: Reading, formats: tuple[int, ...]) -> tuple[tuple[int, ...], Reason | None]:
    # The formats that accept a call of that name there; and why others do not, if that is reported.
    declared, problem = reading.walk.program.formats, None
    if not turn.names.could_be_tool(reading.call.name):
        known_only = reading.fallback.role is DOUBTED  # the named format can read it, for an unknown tool too
        formats = tuple(each for each in formats if not (known_only or declared[each].registered_only))
    if reading.fallback.in_line:  # text precedes the call on its line: a tool's own tag is a mention there
        marked = tuple(each for each in formats if not declared[each].is_written_out)
        formats, problem = marked, IN_LINE if len(marked) < len(formats) else None
    return formats, problem


def _id(call: Call, declared: Format) -> str:
    if declared.id and call.index:
        return declared.id.replace("{name}", call.name).replace("{index}", call.index)
    return call.id


def _is_any_word(turn: Turn, reading: Reading, slot: OpenSlot | None) -> bool:
    # No marker, no tools, and no named format: nothing distinguishes a name before JSON from another word.
    if turn.names.tools is not None or not turn.region.bare or len(reading.walk.program.formats) == 1:
        return False
    return turn.region.text.startswith(reading.call.name) and not (slot is not None and slot.is_python)


def _has_number_for_name(turn: Turn, call: Call, declared: Format) -> bool:
    # The id is made of name and number, and only the number was written: the arguments must show the tool.
    return "{index}" in declared.id and not call.index and turn.names.tools is not None and call.name.isdecimal()


def begin_unnamed(turn: Turn, reading: Reading, slot: OpenSlot, arguments: str, here: int) -> bool:
    """The arguments of a call that has a number for a name are complete, and end at `here`. False: it is not a call."""
    call, keys = reading.call, frozenset(decode(arguments)[0])
    fitting = [
        tool.name
        for tool in turn.names.tools or ()
        if keys <= tool.properties.keys() and not turn.names.misses(tool.name, keys)
    ]
    if len(fitting) != 1:
        turn.emit.problem(NUMBERED, call.name, here)
    call.take("index", call.name)
    if len(fitting) == 1:
        call.take("name", fitting[0])
    return start_call(turn, reading, slot)


# -- a value ends, or the call -----------------------------------------------------------------------------------------


def is_over(turn: Turn, reading: Reading) -> bool:
    """The literal that was read shows that the call is complete. False: it is not one."""
    call = reading.call
    if turn.emit.open:
        return True
    if not turn.names.is_call_without_arguments(call.name):
        no_call(turn, reading)
        return False
    return start_call(turn, reading)


def end_call(turn: Turn, reading: Reading, here: int) -> None:
    """The call is complete, and so is its last value: another stage follows, or none."""
    walk, call = reading.walk, reading.call
    if call.closed is not None and not end_value(turn, reading, call.closed, here):
        return
    empty, is_tag = not turn.emit.call.has_arguments, bool(walk.states.flags & TAG)
    pending, start = walk.unsettled
    end = max(start, call.slot_end)
    marker = pending[end - start :]
    if call.parameters is not None:
        turn.delta(call.parameters.end(), end)
    if call.parameters is not None and (of := _quoted_opener(turn, reading)):
        turn.end_doubtful(end, walk.program.ends(call.format)[0], of=of)
    elif call.parameters is not None and _is_damaged(turn, reading):
        turn.end_malformed(opener_in_value("parameter"), turn.emit.call.name, end)
    elif is_tag and (empty or turn.names.lacks_arguments(turn.emit.call.name, turn.emit.call.arguments)):
        # no closer, and not all arguments: it was broken off there
        turn.end_malformed(NO_CLOSER, turn.emit.call.name, end)
    else:
        turn.end_call(end)
    if not is_tag:
        turn.emit.markup(marker, end)
        reading.go_after(walk.states)
        return
    space = len(marker) - len(marker.lstrip())
    turn.emit.space(marker[:space], end)
    turn.leave(text_follows=False)
    if not turn.read_again(marker[space:], end + space):
        turn.say(marker[space:], end + space)


def _is_damaged(turn: Turn, reading: Reading) -> bool:
    from toolglean.engine.matcher.damage import lost_parameter  # noqa: PLC0415  # others read JSON

    return lost_parameter(turn, reading)


def end_value(turn: Turn, reading: Reading, value: Any, here: int) -> bool:
    """The value is followed by what may follow it, up to `here`. False: the call cannot be read."""
    from toolglean.engine.matcher.damage import MOST_AT_END, ends_nearly  # noqa: PLC0415  # others read JSON

    parameters = value.parameters
    pending, start = reading.walk.unsettled
    # A value that was kept until its end has the place where it began; otherwise the place of its closer.
    place = start if parameters.streams or value.start < 0 else value.start
    reading.call.decide_value()
    if value.opened:
        reading.call.take_as_written(reading.call.as_written, doubtful=True)
    streams = parameters.streams
    written = parameters.end_value(repair=turn.repair is not OFF)
    untyped, refused = parameters.untyped, parameters.refused
    end = turn.emit.call.tail(MOST_AT_END) + written.removesuffix('"') if streams else (untyped or "").rstrip()
    nearly = ends_nearly(value, end)
    stray = value.stray and (turn.repair is OFF or value.seen.may_open(turn.emit.call.tail(MOST_TAG)))
    if stray or value.misspelt >= start or nearly:
        _give_up(turn, reading, OWN_CLOSER, pending, start)
    elif untyped is not None and value.seen.has_marker(untyped):
        _give_up(turn, reading, MARKUP_IN_VALUE, untyped, start - len(untyped))
    elif parameters.too_deep:
        turn.stop("depth", pending, here)
    elif refused is not None:
        _give_up(turn, reading, NO_JSON, refused, start - len(refused))
    else:
        turn.delta(written, place)
        if parameters.python:
            turn.repaired(PYTHON, parameters.python, start - len(parameters.python))
        if value.stray:
            turn.repaired(AGAIN, pending, start)
        if parameters.repeated:
            turn.emit.problem(DUPLICATE_KEY, parameters.repeated, start)
    return turn.reading_call


def _give_up(turn: Turn, reading: Reading, reason: Reason, text: str, place: int) -> None:
    pending, start = reading.walk.unsettled
    turn.give_up(reason, text, place)
    turn.read_again(pending, start, always=True)


def _quoted_opener(turn: Turn, reading: Reading) -> str:
    # Text values are not escaped: one that quotes a call ends with that call's own closer. JSON ends by itself.
    if reading.call.parameters is not None and not reading.call.parameters.has_text:
        return ""
    literals = [quoted_text(each) for each in reading.walk.program.before_names(reading.call.format)]
    if has_name_after(turn.emit.call.arguments, literals, turn.names.could_be_tool):
        return "call"
    return "parameter" if reading.call.doubtful else ""


# -- it is not a call --------------------------------------------------------------------------------------------------


_begins_next = re.compile(r"(?<![<\[|\s])[<\[|\s]++(?:(?<=[<\[|])[^\s<>\[\]\"]{1,64})?\Z").search
"""Finds the beginning of the marker with which what follows a call may have begun, and the white space before it."""


def no_call(
    turn: Turn,
    reading: Reading,
    *,
    at_end: bool = False,
    problem: Reason | None = None,
    awaits: tuple[str, Iterable[int]] = ("", ()),
) -> None:
    """The region is not a call.

    `at_end`: what follows it cannot show what it was meant for. `problem`: why, if that is known. `awaits`: the name
    of a tool whose arguments were awaited, and by which formats: what comes in their place may quote a call.
    """
    call, stage, program = reading.call, reading.stage, reading.walk.program
    no_calls_in_reasoning = turn.calls_ignored
    counts = turn.names.could_be_tool if no_calls_in_reasoning or reading.fallback.is_foreign else turn.accepts
    if call.name and not (awaits[0] or reading.fallback.awaits is not None or turn.region.bare):
        turn.judge.heed(turn.judge.closers.after_mention())
    tried = stage.within == "JSON" or (bool(call.name) and (counts(call.name) or turn.names.leaves_open(call.name)))
    missed = unreadable(stage.expected())
    reason = turn.ignored_because if no_calls_in_reasoning else missed
    if no_calls_in_reasoning and tried:
        next_begins = _begins_next(turn.region.text)
        turn.judge.refuse_quoted(next_begins.start() + turn.region.start if next_begins else turn.region.end)
    shown = not turn.region.bare or _goes_on_behind_name(turn, call.name)
    problem = reading.fallback.problem or problem or (reason if tried and shown else None)
    if not no_calls_in_reasoning:
        quotes, awaited = stage.quotes_arguments(), reading.fallback.awaits
        name, formats = awaits
        # whether it is one at all
        unsure = turn.channel or turn.in_sentence or turn.judge.in_doubt or turn.region.fence_line
        if name and (tried or counts(name)) and shown and not unsure:
            awaited = tuple(dict.fromkeys(end for each in formats for end in program.ends(each)[0]))
        if not quotes and read_by_others(turn, reading, problem, awaits=awaited):
            return
        if quotes:
            turn.ignore_calls_until(program.ends(call.format)[0])
        elif awaited is not None:
            turn.ignore_calls_until(awaited)
            turn.leave(text_follows=True)
            turn.release_region(problem or missed, again=len(_behind_markers(turn.region.text)))
            return
    closers = (
        program.closers_of(turn.region.text[: turn.region.opener_length])
        if stage.within in {"markers", "name"}
        else None
    )
    release(turn, problem, missed, at_end=at_end, closers=closers)


def _behind_markers(text: str) -> str:
    # What follows the last line and the last whole marker; or a marker that has begun.
    place = text.rfind("<")
    if place < 0 or ">" in text[place:] or "\n" in text[place:]:
        place = max(map(text.rfind, "\n>]")) + 1
    return text[place:]


def _goes_on_behind_name(turn: Turn, name: str) -> bool:
    # Whether words with a colon came after the name of a tool: `Action Input:`. So it was no mention.
    is_known = name != "" and turn.names.resolve(name) is not None
    return is_known and _label_ends(turn.region.text.rpartition(name)[2]) is not None


_label_ends = re.compile(r"\w:").search


def read_by_others(
    turn: Turn, reading: Reading, problem: Reason | None, role: Role = FALLBACK, awaits: tuple[str, ...] | None = None
) -> bool:
    """Have the region read again, if another format can read it: see fallback.py. Returns whether one can."""
    if turn.tape.in_prompt:
        return False
    lead, start, program = turn.region.fence_line, turn.region.start, reading.walk.program
    found = reading.fallback.second_try(turn.region.text[lead:], turn.channel, turn.last_text, problem, role)
    if found is None and turn.region.opener_length and 0 < len(turn.narrowed_to) < len(program.formats):
        found = reading.fallback.of_all(program, turn.last_text, turn.region.opener_length, problem)
    if found is None:
        return False
    twin = reading.at(found.program, found.states, start + lead, found.fallback._replace(awaits=awaits))
    return turn.read_region_again(twin, found.opener, bare=found.fallback.from_start)


def cut_off(turn: Turn, reading: Reading) -> None:
    """The turn ends before anything is certain."""
    region, between = turn.region, reading.stage.within == "markers"
    if between and reading.call.name and turn.names.is_call_without_arguments(reading.call.name):
        end = region.end
        if start_call(turn, reading):
            turn.end_call(end, whole=False)
            turn.leave(text_follows=True)
        return
    # No marker contains white space: if that follows, a complete one was read.
    whole = reading.walk.states.flags & LITERAL or region.ends_with_space
    is_marker = region.text.startswith(reading.walk.program.headers) or (between and not region.bare and whole)
    is_marker = is_marker and any(map(str.isalnum, region.text))  # `>>>` alone is Python's, Git's, a prompt
    if is_marker and not reading.fallback.is_foreign:
        turn.leave(text_follows=True)
        turn.drop_region(CUT_OFF)
    else:
        no_call(turn, reading, at_end=True)
