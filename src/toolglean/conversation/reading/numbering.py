# The index of a call, and the id that is made from it. Does not depend on why a call gets another index.
"""Events of a call under a shifted index."""

from __future__ import annotations

from typing import TypeVar

from toolglean.engine.ids import renumbered
from toolglean.events import CallDelta, CallEnd, CallStart

__all__ = ["shifted"]

CallEvent = TypeVar("CallEvent", bound=CallStart | CallDelta | CallEnd)


def shifted(event: CallEvent, shift: int, id_prefix: str) -> CallEvent:
    """The event, with that much added to its index. An id that a parser has made from the index changes with it.

    Args:
        event: an event of a call.
        shift: what is added.
        id_prefix: the prefix of the ids that the parser makes.
    """
    if not shift:
        return event
    own = event.id if isinstance(event, CallStart) else event.call.id if isinstance(event, CallEnd) else None
    index = event.index + shift
    return renumbered(event, index, f"{id_prefix}{index}" if own == f"{id_prefix}{event.index}" else own)
