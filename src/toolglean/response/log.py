# What this file knows: which regions a turn had, for messages in the shape of transformers.
# What it must not know: how they were found.
#
# A turn with a `log` (message.py gives it one) is told of each region; all others are not asked to keep any.
"""The regions of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["Entry", "closed", "log_call", "opened"]


@dataclass(slots=True)
class Entry:
    """A region: its field's number (-1: a closer of the sink), its captures, and where it and its text stand."""

    number: int
    captures: dict[str, str] = field(default_factory=dict)
    start: int = 0
    body: int = 0
    body_end: int = -1  # not closed yet
    end: int = -1


def opened(turn: Turn, number: int, captures: dict[str, str], start: int, body: int) -> None:
    """A region of text begins."""
    log: list[Entry] | None = turn.log
    if log is not None:
        log.append(Entry(number, captures, start, body))


def closed(turn: Turn, start: int, end: int, *, is_sink: bool) -> None:
    """A closer stands there: of the open region, or of the sink."""
    log: list[Entry] | None = turn.log
    if log is not None and is_sink:
        log.append(Entry(-1, {}, start, start, start, end))
    elif log:
        log[-1].body_end, log[-1].end = start, end


def log_call(turn: Turn, number: int, captures: dict[str, str], places: tuple[int, int, int], end: int) -> None:
    """A region of calls was read: where it, its text and its text's end stand, and its end."""
    log: list[Entry] | None = turn.log
    if log is not None:
        start, body, body_end = places
        log.append(Entry(number, captures, start, body, body_end, end))
