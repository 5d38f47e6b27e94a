# What this file knows: how a call begins and ends on a walk, or turns out to be none.
# What it must not know: how the walk came there.
"""A call begins, ends, or turns out to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.mending.state import AGAIN, OFF, PYTHON
from toolglean.engine.missed import UNREADABLE, release
from toolglean.engine.places.otherwise import read_otherwise
from toolglean.engine.places.phases import MARKERS, OBJECTS, WORD
from toolglean.engine.places.suspects import suspects_of
from toolglean.engine.turn import ALONE, CUT_OFF, LEFT_OVER
from toolglean.formats.layer import CLOSE_REASONING, OPEN_REASONING, SPEAK, STRAY, TELL
from toolglean.formats.net import ACTION, EMPTY, END, FOLLOWS, LITERAL, NAMED, START, TAG
from toolglean.scan.json import decode
from toolglean.scan.reader import quoted_text
from toolglean.scan.rope import joined
from toolglean.scan.text import holds_name_after

if TYPE_CHECKING:
    from toolglean.engine.parameters import Parameters
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn
    from toolglean.formats.spec import Format
    from toolglean.tools import Tool

NO_CLOSER = "malformed call: its closer was expected"
NO_STRING = "malformed arguments: markup in a value that is not a string"
SWALLOWED = "a value that holds its own closer"
STRAY_CLOSER = "end of reasoning that had not begun"

__all__ = [
    "accept",
    "accept_guarded",
    "arrived",
    "begin_unnamed",
    "cut_off",
    "end_call",
    "no_call",
    "start_call",
]


def arrived(turn: Turn, walk: Walk, here: int) -> bool:
    """A place with flags was reached. False: the phase has changed, or the walk is over."""
    flags = walk.place.flags
    if walk.guarded and flags & FOLLOWS:
        accept_guarded(turn, walk)
        return False
    if flags & EMPTY and not flags & END and not turn.emit.open:
        return _nothing_in_it(turn, walk)
    if (
        flags & LITERAL
        and walk.parameters is not None
        and walk.parameters.undecided
        and not _end_value(turn, walk, walk.parameters, here)
    ):
        return False
    if flags & NAMED:
        walk.name = walk.place.name
    if flags & END:
        return end_call(turn, walk)
    if turn.emit.open or flags & START:
        if flags & LITERAL:
            walk.settle(here)
    elif flags & ACTION and not walk.place.chars and not walk.place.holes:
        accept(turn, walk)
        return False
    return True


def _nothing_in_it(turn: Turn, walk: Walk) -> bool:
    # A section without a call: beside one it is markup, elsewhere a mention.
    if turn.emit.index and not turn.is_deaf:
        turn.leave(text_follows=False)
        turn.drop_region(LEFT_OVER)
        return False
    closers = walk.program.closers_of(turn.region.text[: turn.region.kept])
    turn.region.settle()
    if turn.may_set_aside():
        turn.set_aside(tuple(each for each in closers if each not in turn.region.text))
    else:
        no_call(turn, walk)
    return False


def _end_value(turn: Turn, walk: Walk, parameters: Parameters, here: int) -> bool:
    pending, start = joined(walk.pending), walk.pending_start
    # A value that was kept until its end is where it began; else what ends it is where its closer is.
    place = start if parameters.streams or walk.value_start < 0 else walk.value_start
    written = parameters.end_value(repair=turn.repair != OFF)
    ending = parameters.ending
    if (ending.stray and turn.repair == OFF) or ending.misspelt >= start:
        turn.give_up(SWALLOWED, pending, start)
        turn.read_again(pending, start, always=True)
    elif parameters.untyped is not None and suspects_of(walk.program, walk.format).has_marker(parameters.untyped):
        turn.give_up(NO_STRING, parameters.untyped, start - len(parameters.untyped))
        turn.read_again(pending, start, always=True)
    elif parameters.too_deep:
        turn.stop("depth", pending, here)
    elif parameters.refused is not None:
        turn.give_up("malformed arguments: JSON was expected", parameters.refused, start - len(parameters.refused))
        turn.read_again(pending, start, always=True)
    else:
        turn.delta(written, place)
        if parameters.python:
            turn.mended(PYTHON, parameters.python, start - len(parameters.python))
            parameters.python = ""
        if ending.stray:
            turn.mended(AGAIN, pending, start)
        if parameters.repeated:
            turn.emit.problem("duplicate key", parameters.repeated, start)
    return turn.reading_call


def no_call(turn: Turn, walk: Walk, *, at_end: bool = False) -> None:
    """The region is no call. `at_end`: what follows it cannot tell what it was meant for."""
    deaf = turn.is_deaf
    if deaf:
        turn.judge.refuse_quoted(turn.region.end)
    counts = turn.names.may_be if deaf or walk.is_foreign else turn.takes
    tried = walk.phase == OBJECTS or (bool(walk.name) and (counts(walk.name) or turn.names.leaves_open(walk.name)))
    reason = turn.deaf_because if deaf else f"{UNREADABLE}: {_expected(walk)}"
    problem = walk.problem or (reason if tried and not turn.region.bare else "")
    quoting = walk.unnamed or (walk.envelope is not None and walk.envelope.in_arguments)
    if quoting and not deaf:
        turn.distrust(walk.program.ends(walk.format)[0])
    elif not deaf and read_otherwise(turn, walk, problem):
        return
    around = walk.phase in {MARKERS, WORD}
    closers = walk.program.closers_of(turn.region.text[: turn.region.kept]) if around else None
    release(turn, problem, f"{UNREADABLE}: {_expected(walk)}", at_end=at_end, closers=closers)


def _expected(walk: Walk) -> str:
    if walk.phase == OBJECTS and walk.envelope is not None:
        return walk.envelope.scanner.fault or "the name and the arguments of a call were expected"
    return f"{walk.edges[0].kind} expected" if walk.phase == WORD else "an argument was expected"


def cut_off(turn: Turn, walk: Walk) -> None:
    """The turn ends before anything is certain."""
    between = walk.phase == MARKERS
    if between and walk.name and turn.names.stands_alone(walk.name):
        end = turn.region.end
        if start_call(turn, walk):
            turn.end_call(end, whole=False)
            turn.leave(text_follows=True)
    elif not walk.is_foreign and (
        turn.region.text.startswith(walk.program.headers)
        or (between and not turn.region.bare and _is_whole(turn, walk))
    ):
        turn.leave(text_follows=True)
        turn.drop_region(CUT_OFF)
    else:
        no_call(turn, walk, at_end=True)


def _is_whole(turn: Turn, walk: Walk) -> bool:
    # Whether the region ends with a whole marker: no marker holds white space.
    return bool(walk.place.flags & LITERAL) or turn.region.ends_with_space


def accept(turn: Turn, walk: Walk) -> None:
    """A marker with an action was read whole, and nothing longer came of it."""
    assert walk.accepted is not None
    action, chars = walk.accepted
    turn.pass_marker(chars)
    turn.markup_region(chars, STRAY_CLOSER if action == STRAY and turn.said else "")
    if action in {CLOSE_REASONING, SPEAK, TELL}:
        turn.enter_content(for_user=action == TELL, at_start=action == CLOSE_REASONING)
    elif action >= OPEN_REASONING:
        turn.enter_lane(action - OPEN_REASONING)
    else:  # a dropped marker
        turn.enter_lane(turn.lane)


def accept_guarded(turn: Turn, walk: Walk) -> None:
    """A dropped marker is followed by another one, or by the end of the turn."""
    turn.pass_marker(walk.guarded)
    turn.markup_region(walk.guarded)
    turn.enter_lane(turn.lane)


def start_call(turn: Turn, walk: Walk, formats: tuple[int, ...] = ()) -> bool:
    """The name is certain, and so is the place of the arguments. False: it does not count as a call.

    `formats`: the numbers of the formats that fit what was read; () for those of the walk's place.
    """
    fitting = formats or walk.place.formats
    if not walk.is_foreign:
        fitting = turn.narrowed(fitting)
    name = turn.names.resolve(walk.name)
    if name is None and _has_number_for_name(turn, walk, walk.program.formats[fitting[0]]):
        if walk.unnamed is None:
            walk.unnamed = ()
            turn.allow_long_region()
        return True
    if not turn.names.may_be(walk.name):
        fitting = tuple(each for each in fitting if not walk.program.formats[each].registered_only)
    fitting = _beginning_line(walk, fitting) if walk.in_line else fitting
    if not walk.name or not turn.takes(walk.name) or not fitting or _is_any_word(turn, walk):
        no_call(turn, walk)
        return False
    if name is None and read_otherwise(turn, walk, "", doubted=True):
        return False
    number = fitting[0]
    declared = walk.program.formats[number]
    model_id = walk.id
    if declared.id and walk.index:
        model_id = declared.id.replace("{name}", walk.name).replace("{index}", walk.index)
    may_get_id = not model_id and any("{id}" in pattern for pattern in declared.calls)
    walk.format, walk.stripped = number, any(edge.stripped for edge in walk.edges)
    turn.region.hand_out(at_once=not walk.is_foreign and walk.program.calls_in_reasoning(number, turn.lane))
    alone = declared.is_written_out or _is_python(walk)
    if not turn.begin_call(turn.names.spelt(walk.name), model_id or None, may_get_id=may_get_id, alone=alone):
        return False
    if not walk.is_foreign:
        turn.narrow(fitting)
    walk.accepted = None
    return True


def _is_any_word(turn: Turn, walk: Walk) -> bool:
    # No marker, no tools, and no format that somebody named: nothing tells a name before JSON from another word.
    anybody = turn.names.tools is None and len(walk.program.formats) > 1
    return anybody and turn.region.bare and turn.region.text.startswith(walk.name) and not _is_python(walk)


def _beginning_line(walk: Walk, formats: tuple[int, ...]) -> tuple[int, ...]:
    # Text precedes the call on its line: a tool's own tag is a mention there.
    found = tuple(each for each in formats if not walk.program.formats[each].is_written_out)
    if len(found) < len(formats):
        walk.problem = walk.problem or ALONE
    return found


def _is_python(walk: Walk) -> bool:
    # Without a marker: a line of Python.
    return bool(walk.edges) and all(edge.kind == "keywords" and edge.doubtful for edge in walk.edges)


def _has_number_for_name(turn: Turn, walk: Walk, declared: Format) -> bool:
    # The id is made of name and number, and only the number was written: the arguments must tell.
    return "{index}" in declared.id and not walk.index and turn.names.tools is not None and walk.name.isdecimal()


def begin_unnamed(turn: Turn, walk: Walk, arguments: str, here: int) -> bool:
    """The arguments of a call that has a number for a name are whole, and end at `here`. False: it is no call."""
    keys = frozenset(decode(arguments)[0])
    fitting = [tool.name for tool in turn.names.tools or () if _takes_keys(tool, keys)]
    walk.index = walk.name
    if len(fitting) == 1:
        walk.name = fitting[0]
    else:
        turn.emit.problem("a number for a name, and arguments that do not fit exactly one tool", walk.name, here)
    walk.unnamed = None
    return start_call(turn, walk, tuple(edge.format for edge in walk.edges))


def _takes_keys(tool: Tool, keys: frozenset[str]) -> bool:
    required = tool.parameters.get("required")
    needed = {key for key in required if isinstance(key, str)} if isinstance(required, list) else set()
    return needed <= keys <= tool.properties.keys()


def _start_without_arguments(turn: Turn, walk: Walk) -> bool:
    if turn.names.stands_alone(walk.name):
        return start_call(turn, walk)
    no_call(turn, walk)
    return False


def end_call(turn: Turn, walk: Walk) -> bool:
    """The literal that was read shows that the call is complete."""
    empty = not turn.emit.open
    if empty and not _start_without_arguments(turn, walk):
        return False
    end = max(walk.pending_start, walk.hole_end)
    if walk.parameters is not None:
        turn.delta(walk.parameters.end(), end)
    marker = joined(walk.pending)[end - walk.pending_start :]
    if walk.parameters is not None and (of := _quoted_opener(turn, walk, walk.parameters)):
        turn.end_doubtful(end, walk.program.ends(walk.format)[0], of=of)
    elif empty and walk.place.flags & TAG:  # neither arguments nor a closer: an opener is in the wrong place, perhaps
        turn.end_wrong(NO_CLOSER, end)
    else:
        turn.end_call(end)
    if walk.place.flags & TAG:
        space = len(marker) - len(marker.lstrip())
        turn.emit.space(marker[:space], end)
        turn.leave(text_follows=False)
        if not turn.read_again(marker[space:], end + space):
            turn.say(marker[space:], end + space)
        return False
    turn.emit.markup(marker, end)
    walk.go_behind(walk.place)
    return False


def _quoted_opener(turn: Turn, walk: Walk, parameters: Parameters) -> str:
    # Text values are not escaped: one that quotes a call ends with that call's own closer.
    literals = [quoted_text(each) for each in walk.program.before_names(walk.format)]
    if holds_name_after(turn.emit.call.arguments, literals, turn.names.may_be):
        return "call"
    return "parameter" if parameters.doubtful else ""
