# What this file knows: how a call begins and ends on a walk, or turns out to be none.
# What it must not know: how the walk came there.
"""A call begins, ends, or turns out to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.places.phases import MARKERS, OBJECTS
from toolglean.formats.compile import CLOSE_REASONING, OPEN_REASONING, SPEAK, TELL
from toolglean.formats.net import ACTION, EMPTY, END, FOLLOWS, LITERAL, NAMED, START, TAG
from toolglean.scan.reader import quoted_text
from toolglean.scan.rope import joined
from toolglean.scan.text import holds_name_after

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

CUT_OFF = "cut off behind a marker"
LEFT_OVER = "left over beside a call"

__all__ = ["LEFT_OVER", "accept", "accept_guarded", "arrived", "cut_off", "end_call", "no_call", "start_call"]


def arrived(turn: Turn, walk: Walk, here: int) -> bool:
    """A place with flags was reached. False: the phase has changed, or the walk is over."""
    flags = walk.place.flags
    if walk.guarded and flags & FOLLOWS:
        accept_guarded(turn, walk)
        return False
    if flags & EMPTY and not flags & END and not turn.emit.open:
        return _nothing_in_it(turn, walk)
    if flags & LITERAL and walk.parameters is not None and walk.parameters.undecided:
        turn.delta(walk.parameters.end_value(), here)
        if walk.parameters.too_deep:
            turn.stop("depth", joined(walk.pending), here)
            return False
    if flags & NAMED:
        walk.name = walk.place.name
    if flags & END:
        return end_call(turn, walk, here)
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
    else:
        no_call(turn, walk)
    return False


def no_call(turn: Turn, walk: Walk) -> None:
    """The region is no call."""
    deaf = turn.is_deaf
    counts = turn.names.may_be if deaf else turn.takes
    tried = walk.phase == OBJECTS or (bool(walk.name) and counts(walk.name))
    if walk.envelope is not None and walk.envelope.in_arguments and not deaf:
        turn.distrust(walk.program.ends(walk.format)[0])
    turn.leave(text_follows=True)
    reason = turn.deaf_because if deaf else "unreadable call"
    turn.release_region(reason if tried and not turn.region.bare else "")


def cut_off(turn: Turn, walk: Walk) -> None:
    """The turn ends before anything is certain."""
    between = walk.phase == MARKERS
    if between and walk.name and turn.names.stands_alone(walk.name):
        end = turn.region.end
        if start_call(turn, walk):
            turn.end_call(end, whole=False)
            turn.leave(text_follows=True)
    elif between and not turn.region.bare and _is_whole(turn, walk):
        turn.leave(text_follows=True)
        turn.drop_region(CUT_OFF)
    else:
        no_call(turn, walk)


def _is_whole(turn: Turn, walk: Walk) -> bool:
    # Whether the region ends with a whole marker: no marker holds white space.
    return bool(walk.place.flags & LITERAL) or turn.region.ends_with_space


def accept(turn: Turn, walk: Walk) -> None:
    """A marker with an action was read whole, and nothing longer came of it."""
    assert walk.accepted is not None
    action, chars = walk.accepted
    turn.markup_region(chars)
    if action in {CLOSE_REASONING, SPEAK, TELL}:
        turn.enter_lane(0)
        turn.fresh, turn.quiet = turn.fresh and action == CLOSE_REASONING, action == TELL
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
    turn.region.at_once = declared.calls_in_reasoning
    if not turn.begin_call(name or walk.name, model_id or None, may_get_id=may_get_id):
        return False
    turn.only = fitting
    walk.accepted = None
    return True


def _start_without_arguments(turn: Turn, walk: Walk) -> bool:
    if turn.names.stands_alone(walk.name):
        return start_call(turn, walk)
    no_call(turn, walk)
    return False


def end_call(turn: Turn, walk: Walk, here: int) -> bool:
    """The literal that ended at `here` shows that the call is complete."""
    if not turn.emit.open and not _start_without_arguments(turn, walk):
        return False
    if walk.parameters is not None:
        turn.delta(walk.parameters.end(), here)
    end = max(walk.pending_start, walk.hole_end)
    marker = joined(walk.pending)[end - walk.pending_start :]
    if walk.parameters is not None and _quotes_a_call(turn, walk):
        turn.end_doubtful(end, walk.program.ends(walk.format)[0])
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


def _quotes_a_call(turn: Turn, walk: Walk) -> bool:
    # Text values are not escaped: one that quotes a call ends with that call's own closer.
    literals = [quoted_text(each) for each in walk.program.before_names(walk.format)]
    return holds_name_after(turn.emit.arguments(), literals, turn.names.may_be)
