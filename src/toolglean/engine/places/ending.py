# What this file knows: what may follow the closing parenthesis of a call that is written as Python.
# What it must not know: how arguments are read, and what becomes of a call without a marker whose line goes on
# (draft.py).
#
# `delete_all()` is a call. `delete_all() if sure else None`, `delete_all() == 1` and `[delete_all() for x in y]` are
# Python that would call it, or not, or more than once: a reader must not choose. The parenthesis does not tell, so the
# call stays open until the next character that is not white space.
"""The end of a call that is written as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.places.phases import ENDING
from toolglean.scan.rope import grown, joined

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

__all__ = ["await_end", "complete", "read_ending"]

EXPRESSION = "malformed call: it is a part of an expression"


def await_end(walk: Walk, end: int) -> None:
    """The parenthesis that ended at `end` closes the call, if what follows says nothing else."""
    walk.settle(end)
    walk.end_hole()
    walk.phase = ENDING


def read_ending(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """What follows the parenthesis."""
    while i < len(text):
        walk.pending = grown(walk.pending, text[i])
        walk.pending_chars += 1
        i += 1
        if text[i - 1] == "\n" and not _is_in_list(walk):
            complete(turn, walk)
            return i
        if not text[i - 1].isspace() or walk.pending_chars > turn.limits.held:
            pending = joined(walk.pending)
            fits = _fits(turn, walk, pending)
            if fits:
                complete(turn, walk)
            elif fits is False:
                _refuse(turn, walk, pending)
            if fits is not None:
                return i
    return i


def _fits(turn: Turn, walk: Walk, pending: str) -> bool | None:
    # Whether the call may end before that; None: one more character tells.
    rest = pending.lstrip()
    if not rest or (turn.draft is not None and turn.draft.alone):  # what follows is looked at as text
        return True
    if rest == "<":  # of a marker, or is less than
        return None
    if rest[0] == "<":
        return not (rest[1].isspace() or rest[1].isdigit() or rest[1] == "=")
    return walk.program.net.step(walk.place, rest[0]) is not None and rest[0] not in "=!"


def _is_in_list(walk: Walk) -> bool:
    key = "in list", walk.place.key
    if key not in walk.program.kept:
        literals = walk.program.net.literals_at(walk.place)
        walk.program.kept[key] = any(each.startswith("]") for each in literals)
    return bool(walk.program.kept[key])


def complete(turn: Turn, walk: Walk) -> None:
    """The call has ended; what was read since is read as what follows it."""
    pending, end = joined(walk.pending), walk.pending_start
    turn.end_call(end)
    walk.go_behind(walk.place)
    turn.read_again(pending, end, always=True)


def _refuse(turn: Turn, walk: Walk, pending: str) -> None:
    place, start = walk.pending_start, len(pending) - len(pending.lstrip())
    walk.clear_pending()
    turn.give_up(EXPRESSION, pending[start:], place + start)
    turn.read_again(pending[start:], place + start, always=True)
