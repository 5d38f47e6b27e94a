# What a turn holds back of its text: a call that may be a duplicate, and what follows it; and how the events of a call
# look once it is let go, with its index. Does not depend on when that is (text.py).
"""Calls that were not emitted yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from toolglean.conversation.reading.duplicates import DuplicateFilter
from toolglean.engine.ids import renumbered
from toolglean.events import CallDelta, CallEnd, CallStart, Event

__all__ = ["Ended", "Rest", "Shared", "in_one", "shifted"]

CallEvent = TypeVar("CallEvent", bound=CallStart | CallDelta | CallEnd)


@dataclass(slots=True, eq=False)
class Ended:
    """A call that has ended, but was not emitted yet.

    Attributes:
        event: its end.
        text: what the model wrote.
        stays: whether it stays text, once that is known.
    """

    event: CallEnd
    text: str
    stays: bool = False


@dataclass(slots=True, eq=False)
class Shared:
    """What the parts of one turn have in common.

    Attributes:
        duplicates: the calls that have arrived from one source only so far.
        next: the index of the next call.
        free: whether another call may be emitted.
    """

    duplicates: DuplicateFilter = field(default_factory=DuplicateFilter)
    next: int = 0
    free: bool = True


class Rest(NamedTuple):
    """The closing markers of that call, and what else was markup between it and what follows."""

    call: Ended
    text: str
    start: int


def in_one(event: CallEnd) -> list[Event]:
    """The events of a call that is emitted at once."""
    call, place = event.call, event.call.span[0]
    text = call.arguments_text or ("{}" if call.status == "ok" else "")
    pieces = [CallDelta(event.index, text, place)] if text else []
    return [CallStart(event.index, call.id, call.name, call.known, place), *pieces, event]


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
