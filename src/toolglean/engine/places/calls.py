# What this file knows: how a call begins and ends on a walk, or turns out to be none.
# What it must not know: how the walk came there.
"""A call begins, ends, or turns out to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.mending.state import OFF, PYTHON
from toolglean.engine.places.phases import OBJECTS
from toolglean.formats.compile import CLOSE_REASONING, OPEN_REASONING, SPEAK
from toolglean.formats.net import ACTION, END, FOLLOWS, LITERAL, NAMED, START, TAG
from toolglean.scan.reader import quoted_text
from toolglean.scan.rope import joined
from toolglean.scan.text import holds_name_after

if TYPE_CHECKING:
    from toolglean.engine.parameters import Parameters
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

__all__ = ["accept", "accept_guarded", "arrived", "end_call", "no_call", "start_call"]


def arrived(turn: Turn, walk: Walk, here: int) -> bool:
    """A place with flags was reached. False: the phase has changed, or the walk is over."""
    flags = walk.place.flags
    if walk.guarded and flags & FOLLOWS:
        accept_guarded(turn, walk)
        return False
    if (
        flags & LITERAL
        and walk.parameters is not None
        and walk.parameters.undecided
        and not _end_value(turn, walk, walk.parameters, here)
    ):
        return False
    if flags & NAMED:
        walk.name = walk.place.name
    if flags & START and not turn.emit.open and not start_call(turn, walk):
        return False
    if flags & END:
        return end_call(turn, walk, here)
    if turn.emit.open:
        if flags & LITERAL:
            walk.settle(here)
    elif flags & ACTION and not walk.place.chars and not walk.place.holes:
        accept(turn, walk)
        return False
    return True


def _end_value(turn: Turn, walk: Walk, parameters: Parameters, here: int) -> bool:
    turn.delta(parameters.end_value(repair=turn.repair != OFF), here)
    if parameters.too_deep:
        turn.stop("depth", joined(walk.pending), here)
    elif parameters.refused is not None:
        pending, start = joined(walk.pending), walk.pending_start
        turn.give_up("malformed arguments: JSON was expected", parameters.refused, start - len(parameters.refused))
        turn.read_again(pending, start, always=True)
    elif parameters.python:
        turn.mended(PYTHON, parameters.python, walk.pending_start - len(parameters.python))
        parameters.python = ""
    return turn.reading_call


def no_call(turn: Turn, walk: Walk) -> None:
    """The region is no call."""
    named = bool(walk.name) and turn.takes(walk.name)
    tried = walk.phase == OBJECTS or named
    if walk.envelope is not None and walk.envelope.in_arguments:
        turn.distrust(walk.program.ends(walk.format)[0])
    turn.leave(text_follows=True)
    turn.release_region("unreadable call" if tried and not turn.region.bare else "")


def accept(turn: Turn, walk: Walk) -> None:
    """A marker with an action was read whole, and nothing longer came of it."""
    assert walk.accepted is not None
    action, chars = walk.accepted
    turn.markup_region(chars)
    if action in {CLOSE_REASONING, SPEAK}:
        turn.enter_lane(0)
        turn.fresh = turn.fresh and action != SPEAK
    elif action >= OPEN_REASONING:
        turn.enter_lane(action - OPEN_REASONING)
    else:  # a dropped marker
        turn.enter_lane(turn.lane)


def accept_guarded(turn: Turn, walk: Walk) -> None:
    """A dropped marker is followed by another one, or by the end of the turn."""
    turn.markup_region(walk.guarded)
    turn.enter_lane(turn.lane)


def start_call(turn: Turn, walk: Walk, formats: tuple[int, ...] = ()) -> bool:
    """The name is certain, and so is the place of the arguments. False: it does not count as a call.

    `formats`: the numbers of the formats that fit what was read; () for those of the walk's place.
    """
    fitting = turn.narrowed(formats or walk.place.formats)
    number = fitting[0]
    declared = walk.program.formats[number]
    name = turn.names.resolve(walk.name)
    if not walk.name or not turn.takes(walk.name) or (declared.registered_only and name is None):
        no_call(turn, walk)
        return False
    model_id = walk.id
    if declared.id and walk.index:
        model_id = declared.id.replace("{name}", walk.name).replace("{index}", walk.index)
    may_get_id = not model_id and any("{id}" in pattern for pattern in declared.calls)
    walk.format = number
    if not turn.begin_call(name or walk.name, model_id or None, may_get_id=may_get_id):
        return False
    turn.only = fitting
    walk.accepted = None
    return True


def end_call(turn: Turn, walk: Walk, here: int) -> bool:
    """The literal that ended at `here` shows that the call is complete."""
    if not turn.emit.open and not start_call(turn, walk):
        return False
    if walk.parameters is not None:
        turn.delta(walk.parameters.end(), here)
    end = max(walk.pending_start, walk.hole_end)
    marker = joined(walk.pending)[end - walk.pending_start :]
    if walk.parameters is not None and (of := _quoted_opener(turn, walk, walk.parameters)):
        turn.end_doubtful(end, walk.program.ends(walk.format)[0], of=of)
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
    if holds_name_after(turn.emit.arguments(), literals, turn.names.may_be):
        return "call"
    return "parameter" if parameters.doubtful else ""
