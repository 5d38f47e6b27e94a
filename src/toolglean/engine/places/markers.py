# What this file knows: the walk between holes and behind a call, and what is done where no character leads on.
# What it must not know: what fills the holes.
#
# Where nothing leads on, a hole may begin; where none may, the walk goes back to the last place that had another way
# on: a hole that was passed by for a marker (a marker beats a hole), or a marker with an action that was read whole (a
# longer one still fitted). Where there is none of these either, the text is no call.
"""Between holes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.mending.state import TRIAL
from toolglean.engine.places.calls import accept, arrived, no_call
from toolglean.engine.places.holes import begins, enter, value_goes_on
from toolglean.engine.places.phases import MARKERS
from toolglean.engine.turn import LEFT_OVER
from toolglean.formats.net import CLOSED_AGAIN, LEFTOVER, LITERAL, MARKUP, STOP
from toolglean.scan.rope import grown, joined

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

__all__ = ["read_behind", "read_markers"]


def read_markers(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """Literals and white space between holes."""
    while i < len(text):
        j = walk.step(turn, text, i)
        if j == i:
            return _astray(turn, walk, text[i], i)
        i = j
        if walk.place.flags & CLOSED_AGAIN and not _may_be_stray(turn, walk):
            return value_goes_on(turn, walk, i)
        if walk.place.flags:
            open_before = turn.emit.open
            # Where a call begins, another limit is in force: the machine looks at it before the text goes on.
            if not arrived(turn, walk, turn.base + i) or turn.emit.open != open_before:
                return i
    return i


def _may_be_stray(turn: Turn, walk: Walk) -> bool:
    # A value's closing marker came again. Where the value holds an opener, it may belong to that; and where another
    # closing marker was put in, to the value that lacked it.
    parameters = walk.parameters
    if parameters is None or not parameters.undecided or parameters.ending.quoted or turn.repair == TRIAL:
        return False
    parameters.ending.stray = True
    return True


def _astray(turn: Turn, walk: Walk, char: str, i: int) -> int:
    """No character leads on."""
    edges = walk.place.hole_for(char)
    if edges:
        return enter(turn, walk, edges, walk.place, char, i)
    if walk.parameters is not None and walk.parameters.undecided:
        return value_goes_on(turn, walk, i)
    if _go_back(turn, walk):
        return i
    if walk.accepted is not None and turn.region.open:
        accept(turn, walk)
    elif turn.emit.open:
        turn.give_up("malformed call: a marker was expected", char, turn.base + i)
    else:
        no_call(turn, walk)
    return i


def _go_back(turn: Turn, walk: Walk) -> bool:
    """Back to a hole that was passed by for a marker."""
    while walk.others:
        (place, chars), walk.others = walk.others[-1], walk.others[:-1]
        pending = joined(walk.pending)
        edges = place.hole_for(pending[chars])
        if edges:
            if not begins(turn, walk, edges):
                return True
            again, start = pending[chars:], walk.pending_start + chars
            if not turn.read_again(again, start):
                return False
            if turn.region.open:
                turn.region.shorten(len(again))
            enter(turn, walk, edges, place, again[0], -1)
            return True
    return False


def read_behind(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """What stands behind a call: markup, a call that has no marker of its own, or the end of it all."""
    if not walk.pending_chars:
        if text[i].isspace():
            return turn.wait_for_more(text, i)
        walk.pending_start = turn.base + i
        walk.others = ((walk.place, 0),)
    read = walk.program.net.run(walk.place, text, i)
    if read is not None:
        walk.place, j = read
        walk.pending = grown(walk.pending, text[i:j])
        walk.pending_chars += j - i
        if walk.place.flags & LITERAL:
            _literal_behind(turn, walk, turn.base + j)
        return j
    return _beyond(turn, walk, text[i], i)


def _beyond(turn: Turn, walk: Walk, char: str, i: int) -> int:
    # What follows is not behind the call any more. Its closer may still come, behind text that should not be there.
    before = walk.others[0][0] if walk.pending_chars and walk.others else walk.place
    turn.miss(walk.program.net.closers_at(before), turn.base + i)
    if walk.pending_chars:
        pending, start = joined(walk.pending), walk.pending_start
        if _name_after_all(turn, walk, pending, start):
            return i
        turn.leave(text_follows=False)
        if not turn.read_again(pending, start):
            turn.say(pending, start)
        return i
    edges = walk.place.hole_for(char)
    if edges:
        turn.open_region(turn.base + i, 0, bare=turn.region.bare)  # if it is no call, a marker may begin there
        return enter(turn, walk, edges, walk.place, char, i)
    turn.leave(text_follows=False)
    return i


def _name_after_all(turn: Turn, walk: Walk, pending: str, start: int) -> bool:
    # A call without a marker may begin like a marker: `plan(` like `print(`.
    (place, _), walk.others = walk.others[0] if walk.others else (walk.place, 0), ()
    edges = place.hole_for(pending[0])
    if place is walk.place or not edges or not turn.read_again(pending, start, kept=True):
        return False
    turn.open_region(start, 0, bare=turn.region.bare)
    walk.settle(start)
    enter(turn, walk, edges, place, pending[0], -1)
    return True


def _literal_behind(turn: Turn, walk: Walk, here: int) -> None:
    text, start = joined(walk.pending), walk.pending_start
    if walk.place.flags & STOP:
        turn.leave(text_follows=True)
        turn.rest_is_content()
        turn.say(text, start)
        return
    if walk.place.flags & (MARKUP | LEFTOVER):
        if not walk.place.flags & MARKUP:
            turn.emit.problem(LEFT_OVER, text, start)
        turn.emit.markup(text, start)
        walk.clear_pending()
        return
    turn.open_region(start, 0, bare=turn.region.bare)  # a call whose first literal is JSON itself, or a word
    turn.region.keep(text)
    walk.phase = MARKERS
    arrived(turn, walk, here)
