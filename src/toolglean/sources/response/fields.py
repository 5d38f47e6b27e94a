# What opens and closes each field of a response template, and how its calls are laid out. Does not depend on what is
# done when a mark is found (region.py, tags.py, text.py).
#
# The turn itself remembers where it is: reasoning is a channel, and a field whose text is being read (content, or an
# unknown field) is what the turn is narrowed to.
"""The fields of a response template, with their marks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from toolglean.sources.response.calls import layout_of
from toolglean.sources.response.marks import Found, Marks
from toolglean.sources.response.spec import Role, read_template

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["CLOSE", "Fields", "Note"]

DROP = -1
CLOSE = -2


@dataclass(frozen=True, slots=True)
class Note:
    """A region, reported to the function that watches: its mark, and the offsets of the region and its text.

    A region of text is reported twice, when it opens and when it closes; a closer of the sink is a separate region.
    """

    mark: Found
    start: int
    body: int
    body_end: int
    end: int


class Fields:
    """The fields of a template. Shared, and never changed.

    Args:
        source: the template as JSON text, which is also what a pickle contains.

    Attributes:
        fields: the fields that have an opener; their order gives them their numbers.
        layouts: how the calls of each field are read.
        between: finds the marks between regions.
        closers: for each field, finds the closer of its region.
        firsts: for each field, finds the first mark in a region of calls, or between two parameters: a head, or the
            closer.
        ends: for each field, finds the end of a region after a call that cannot be read, at the latest the next opener.
        at_start: the field whose region is open at the start of the turn.
        far: the field whose region is open at the start of the turn if a literal follows, and the literal.
        bare, spaced: see `Plan`.
        watch: is called with a `Note` of each region.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.template = read_template(json.loads(source))
        self.fields = self.template.fields
        self.layouts = tuple(map(layout_of, self.fields))
        self.watch: Callable[[Note], object] | None = None
        self._channels = [number for number, each in enumerate(self.fields) if each.role is Role.REASONING]
        openers = [(number, each.open) for number, each in enumerate(self.fields) if each.open is not None]
        closers = [[(CLOSE, each.close)] if each.close is not None else [] for each in self.fields]
        heads = [[(number, layout.tag.marker)] if layout.tag else [] for number, layout in enumerate(self.layouts)]
        self.closers = list(map(Marks, closers))
        self.firsts = [Marks([*head, *closer]) for head, closer in zip(heads, closers, strict=True)]
        self.ends = [Marks([*closer, opener]) for closer, opener in zip(closers, openers, strict=True)]
        sink = self.template.sink
        # Without a sink, every field has an opener, so an anchor that the model repeats is markup, not content.
        drop = sink.close if sink is not None else self.template.anchor
        # Literals that are only looked ahead to close nothing here: the region that they open does.
        dropped = [(DROP, replace(drop, reduced=replace(drop.reduced, ahead=())))] if drop is not None else []
        self.between = Marks([*openers, *dropped])
        self.at_start = next((number for number, each in openers if each.reduced.at_start), None)
        self.far = next(((number, each.reduced.far) for number, each in openers if each.reduced.far), None)
        self.bare = self.at_start is not None or self.far is not None
        self.spaced = self.bare  # white space before such a region waits for the text that follows

    # -- the open region -----------------------------------------------------------------------------------------------

    def inside(self, channel: int, only: tuple[int, ...]) -> int | None:
        """The field of text whose region is open; None if there is none."""
        if channel:
            return self._channels[channel - 1]
        return only[0] if only else None

    def enter(self, turn: Turn, number: int | None) -> None:
        """Enter the region of a field of text, or (None) leave any region."""
        channel = self._channels.index(number) + 1 if number in self._channels else 0
        turn.narrow((number,) if number is not None and not channel else ())
        turn.enter_channel(channel)

    def open_at_start(self, turn: Turn, number: int, start: int) -> None:
        """The region of that field is open at the start of the turn."""
        self.note(Found("", number), start, start)
        self.enter(turn, number)

    # -- watching ------------------------------------------------------------------------------------------------------

    def watched(self, watch: Callable[[Note], object]) -> Self:
        """A copy of the plan that reports each region to `watch`."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.watch = watch
        return copied

    def note(self, mark: Found, start: int, body: int, body_end: int = -1, end: int = -1) -> None:
        """Report a region: a whole one, or the beginning or end of a region of text, with a mark at `start`."""
        if self.watch is not None:
            self.watch(Note(mark, start, body, body_end, end))
