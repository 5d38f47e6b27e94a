# What this file knows: how a call begins and ends on a walk, or turns out to be none.
# What it must not know: how the walk came there.
"""A call begins, ends, or turns out to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.formats.compile import CLOSE_REASONING, OPEN_REASONING, SPEAK
from toolglean.formats.net import ACTION, END, FOLLOWS, LITERAL, NAMED, START, TAG
from toolglean.places.phases import OBJECTS
from toolglean.scan.reader import quoted_text
from toolglean.scan.rope import joined
from toolglean.scan.text import holds_name_after

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.places.walk import Walk

__all__ = ["accept", "accept_guarded", "arrived", "end_call", "no_call", "start_call"]


def arrived(machine: Machine, walk: Walk, here: int) -> bool:
    """A place with flags was reached. False: the phase has changed, or the walk is over."""
    flags = walk.place.flags
    if walk.guarded and flags & FOLLOWS:
        accept_guarded(machine, walk)
        return False
    if flags & LITERAL and walk.parameters is not None and walk.parameters.undecided:
        machine.delta(walk.parameters.end_value(), here)
        if walk.parameters.too_deep:
            machine.stop("depth", joined(walk.pending), here)
            return False
    if flags & NAMED:
        walk.name = walk.place.name
    if flags & START and not machine.emit.open and not start_call(machine, walk):
        return False
    if flags & END:
        return end_call(machine, walk, here)
    if machine.emit.open:
        if flags & LITERAL:
            walk.settle(here)
    elif flags & ACTION and not walk.place.chars and not walk.place.holes:
        accept(machine, walk)
        return False
    return True


def no_call(machine: Machine, walk: Walk, *, whole: bool = False) -> None:
    """The region is no call. `whole`: it is JSON to its end, in whose strings no call is looked for."""
    named = bool(walk.name) and machine.takes(walk.name)
    tried = walk.phase == OBJECTS or named
    if walk.envelope is not None and walk.envelope.in_arguments:
        machine.distrust(walk.program.ends(walk.format)[0])
    machine.leave(text_follows=True)
    problem = "unreadable call" if tried and not machine.bare_region else ""
    machine.release_region(problem, again=0 if whole else None)


def accept(machine: Machine, walk: Walk) -> None:
    """A marker with an action was read whole, and nothing longer came of it."""
    assert walk.accepted is not None
    action, chars = walk.accepted
    machine.markup_region(chars)
    if action in {CLOSE_REASONING, SPEAK}:
        machine.enter_lane(0)
        machine.fresh = machine.fresh and action != SPEAK
    elif action >= OPEN_REASONING:
        machine.enter_lane(action - OPEN_REASONING)
    else:  # a dropped marker
        machine.enter_lane(machine.lane)


def accept_guarded(machine: Machine, walk: Walk) -> None:
    """A dropped marker is followed by another one, or by the end of the turn."""
    machine.markup_region(walk.guarded)
    machine.enter_lane(machine.lane)


def start_call(machine: Machine, walk: Walk, formats: tuple[int, ...] = ()) -> bool:
    """The name is certain, and so is the place of the arguments. False: it does not count as a call.

    `formats`: the numbers of the formats that fit what was read; () for those of the walk's place.
    """
    fitting = machine.narrowed(formats or walk.place.formats)
    number = fitting[0]
    declared = walk.program.formats[number]
    name = machine.resolve(walk.name)
    if not walk.name or not machine.takes(walk.name) or (declared.registered_only and name is None):
        no_call(machine, walk)
        return False
    model_id = walk.id
    if declared.id and walk.index:
        model_id = declared.id.replace("{name}", walk.name).replace("{index}", walk.index)
    may_get_id = not model_id and any("{id}" in pattern for pattern in declared.calls)
    walk.format = number
    if not machine.begin_call(name or walk.name, model_id or None, may_get_id=may_get_id):
        return False
    machine.only = fitting
    walk.accepted = None
    return True


def end_call(machine: Machine, walk: Walk, here: int) -> bool:
    """The literal that ended at `here` shows that the call is complete."""
    if not machine.emit.open and not start_call(machine, walk):
        return False
    if walk.parameters is not None:
        machine.delta(walk.parameters.end(), here)
    end = max(walk.pending_start, walk.hole_end)
    marker = joined(walk.pending)[end - walk.pending_start :]
    if walk.parameters is not None and _quotes_a_call(machine, walk):
        machine.end_doubtful(end, walk.program.ends(walk.format)[0])
    else:
        machine.end_call(end)
    if walk.place.flags & TAG:
        space = len(marker) - len(marker.lstrip())
        machine.emit.space(marker[:space], end)
        machine.leave(text_follows=False)
        if not machine.read_again(marker[space:], end + space):
            machine.say(marker[space:], end + space)
        return False
    machine.emit.markup(marker, end)
    walk.go_behind(walk.place)
    return False


def _quotes_a_call(machine: Machine, walk: Walk) -> bool:
    # Text values are not escaped: one that quotes a call ends with that call's own closer.
    literals = [quoted_text(each) for each in walk.program.before_names(walk.format)]
    return holds_name_after(machine.emit.arguments(), literals, machine.names_tool)
