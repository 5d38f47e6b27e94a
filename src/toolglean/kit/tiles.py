# A turn in tiles: what each stretch of it was read as, and its line and column. Shared by explain and replay. Does not
# depend on why it was read so.
#
# With `ParserOptions(markup=True)` the events of a parser tile the turn: every character is content, reasoning or
# markup, or is in the span of a call.
"""A turn in tiles."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from toolglean.events import CallEnd, Content, Event, Markup, Reasoning, ToolCall

__all__ = ["Places", "Tile", "tile_of"]

_KINDS: dict[type[Event], str] = {Content: "content", Reasoning: "reasoning", Markup: "markup"}


class Tile(NamedTuple):
    """A stretch of the turn.

    Attributes:
        kind: "content", "reasoning", "markup" or "call".
        start, end: its place in the turn, in characters.
        call: the call, if it is one.
    """

    kind: str
    start: int
    end: int
    call: ToolCall | None = None


def tile_of(event: Event) -> Tile | None:
    """The stretch that an event covers; None if it covers none, as the start of a call and a problem do."""
    if isinstance(event, CallEnd):
        return Tile("call", *event.call.span, event.call)
    if isinstance(event, Content | Reasoning | Markup):
        return Tile(_KINDS[type(event)], event.start, event.start + len(event.text))
    return None


class Places:
    """Lines and columns of a text, counted from 1.

    Args:
        text: the text; only a line feed ends a line.
    """

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def of(self, place: int) -> tuple[int, int]:
        """The line and column of that place."""
        line = bisect_right(self._starts, place)
        return line, place - self._starts[line - 1] + 1
