# What a turn holds back of its text: a call that may be a duplicate, and what follows it. Does not depend on when it is
# let go (text.py).
"""Calls that were not emitted yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from toolglean.conversation.reading.duplicates import DuplicateFilter
from toolglean.events import CallDelta, CallEnd, CallStart, Event

__all__ = ["Ended", "Rest", "Shared", "in_one"]


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
