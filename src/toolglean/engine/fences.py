# What this file knows: what becomes of a fence that opens the turn and holds calls.
# What it must not know: code that stands in other text (quotes.py).
"""A fence around the calls of a turn is markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.modes import CALL, SPACE
from toolglean.engine.quotes import begins_fence, fence_at

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Turn

__all__ = ["read_closing", "read_opening"]


def read_opening(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """A fence that opens the turn, at `i`, if a tag follows at once; returns the place reached, -1 if it is text."""
    line = fence_at(text, i)
    if line is None or line.end() == len(text):
        return turn.hold(text, i) if begins_fence(text, i) else -1
    place, found = plan.text_finder(turn).find(text, line.end(), "\n")
    if place > line.end():
        return -1
    if not found:
        return turn.hold(text, i)
    turn.mode = CALL
    turn.payload, read = plan.begin(turn, found, turn.base + place)
    turn.region.begin_before(line[0])
    turn.wrapper = len(line[1])
    return place + read


def read_closing(turn: Turn, text: str, i: int) -> int:
    """What stands where that fence may end; returns its end, or `i` if it is something else."""
    j = i
    while j < len(text) and text[j] == "`":
        j += 1
    if i < j == len(text) and j - i <= turn.wrapper:
        return turn.hold(text, i)
    if j - i < turn.wrapper:
        return i
    turn.emit.markup(text[i:j], turn.base + i)
    turn.wrapper, turn.mode = 0, SPACE
    return j
