# A fence that opens the turn and contains nothing but calls. Does not deal with code in other text (code.py).
"""A fence around the calls of a turn is markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.modes import SPACE
from toolglean.scan.text import WORD

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Turn

__all__ = ["closes_fence", "read_closing", "read_opening"]

MOST = 64  # characters of the end of a fence

_line_at = re.compile(rf"(`{{3,16}}|~{{3,16}}){WORD}\n\s{{0,64}}").match
_begins_line = re.compile(rf"(?:`{{1,16}}|~{{1,16}}){WORD}(?:\n\s{{0,64}})?").fullmatch


def read_opening(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """Read a fence at `i` that opens the turn, if a tag follows at once. Returns the place reached; -1 for text."""
    line = _line_at(text, i)
    if line is None or line.end() == len(text):
        return turn.hold(text, i) if _begins_line(text, i) else -1
    place, found = plan.text_finder(turn).find(text, line.end(), "\n")
    if place > line.end():
        return -1
    if not found:
        return turn.hold(text, i)
    if not plan.opens_call(found):
        return -1
    turn.judge.open_fence(line[1])  # first, so that what begins here may be undone
    payload, read = plan.begin(turn, found, turn.tape.base + place)
    turn.read_with(payload)
    turn.region.begin_before(line[0])
    return place + read


def read_closing(turn: Turn, text: str, i: int) -> int:
    """Read the end of that fence, at `i`. Returns its end; `i` if it is something else."""
    fence = turn.judge.fence
    j, size = i, len(fence)
    while j < min(len(text), i + MOST) and text[j] == fence[0]:
        j += 1
    if i < j == len(text) and j - i < MOST:  # more of them may follow
        return turn.hold(text, i)
    if j - i < size:
        return i
    turn.emit.markup(text[i:j], turn.tape.base + i)
    turn.judge.open_fence("")
    turn.enter(SPACE)
    return j


def closes_fence(fence: str, held: str) -> bool:
    """Whether that text, with which the turn ends, is the end of that fence, if there is one."""
    return bool(fence) and held.startswith(fence) and not held.strip(fence[0])
