# The index of a call, and the id that is made from it. Does not depend on why a call gets another index.
"""Events of a call under another index."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from toolglean.events import CallDelta, CallEnd, CallStart

__all__ = ["renumbered"]

CallEvent = TypeVar("CallEvent", bound=CallStart | CallDelta | CallEnd)


def renumbered(event: CallEvent, shift: int, id_prefix: str) -> CallEvent:
    """The event, with that much added to its index. An id that a parser has made from the index changes with it.

    Args:
        event: an event of a call.
        shift: what is added.
        id_prefix: the prefix of the ids that the parser makes.
    """
    if not shift:
        return event
    index = event.index + shift
    old, new = f"{id_prefix}{event.index}", f"{id_prefix}{index}"
    if isinstance(event, CallStart):
        return replace(event, index=index, id=new if event.id == old else event.id)
    if isinstance(event, CallEnd):
        id = new if event.call.id == old else event.call.id  # noqa: A001  # the field's own word
        return replace(event, index=index, call=replace(event.call, index=index, id=id))
    return replace(event, index=index)
