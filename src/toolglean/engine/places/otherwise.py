# What this file knows: by whom a region is read again of which no call came: by the siblings of its format, and, where
# they were asked because of an unknown name, by the format once more.
# What it must not know: how anything is read, and what becomes of the region if nobody reads it.
#
# Each reading of a region begins at its first character, and each region is read once by each: so the whole is linear,
# and the same for every chunking. Calls of siblings count only for known tools.
"""A region, read otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.modes import CONTENT
from toolglean.engine.places.phases import DOUBTED, ONLY, SIBLING

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn
    from toolglean.formats.compile import Program

__all__ = ["read_otherwise"]


def read_otherwise(turn: Turn, walk: Walk, problem: str, *, doubted: bool = False) -> bool:
    """Have the region read again, from its opener on. False: nobody else can read it.

    Args:
        turn: the turn, whose region is open.
        walk: the walk that has read the region so far.
        problem: the reason of the `Problem` that is due if no call comes of it.
        doubted: whether the walk could go on, but the call's name is unknown.
    """
    if walk.siblings is None or walk.role in {ONLY, SIBLING} or turn.in_prompt:
        return False
    text = turn.region.text[turn.region.lead :]
    if walk.role == DOUBTED:
        found: tuple[Program, int] | None = walk.siblings.own, walk.siblings.own_opener(text, turn.lane)
        role = ONLY
    elif doubted and turn.names.tools is None:
        return False
    else:
        found = walk.siblings.again_at_start(text) if walk.from_start else walk.siblings.at_opener(text)
        role = DOUBTED if doubted else SIBLING
    if found is None:
        return False
    program, kept = found
    lane = turn.lane if role == ONLY else CONTENT
    place = program.bare_start(()) if walk.from_start else program.lane(lane, ()).place_behind(turn.last)
    twin = type(walk)(program, place)
    twin.settle(turn.region.start + turn.region.lead)
    twin.role, twin.from_start, twin.siblings, twin.problem = role, walk.from_start, walk.siblings, problem
    twin.in_line = walk.in_line
    return turn.read_region_again(twin, 0 if walk.from_start else kept, bare=walk.from_start)
