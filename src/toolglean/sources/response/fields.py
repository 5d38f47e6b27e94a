# What this file knows: what opens and closes each field of a response template, and in which way its calls are read.
# What it does not depend on: what is done where a mark was found (region.py, tags.py, text.py).
#
# The turn itself remembers where it is: reasoning is a channel, and a field whose text is being read (content, or an
# unknown field) is what the turn is narrowed to.
"""The fields of a response template, with their marks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from toolglean.sources.response.calls import way_of
from toolglean.sources.response.marks import Found, Marks
from toolglean.sources.response.spec import Role, read_template

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["CLOSE", "Fields", "Note"]

DROP = -1
CLOSE = -2


@dataclass(frozen=True, slots=True)
class Note:
    """A region, for whoever watches: its mark, and where it and its text stand.

    A region of text is noted twice, as it opens and as it closes; a closer of the sink is a region of its own.
    """

    mark: Found
    start: int
    body: int
    body_end: int
    end: int


class Fields:
    """The fields of a template. Shared, never changed.

    Args:
        source: the template as JSON text: what a pickle contains.

    Attributes:
        fields: the fields that have an opener; all that is numbered is numbered as they are.
        ways: how the calls of each are read.
        between: finds what may stand between regions.
        closers: finds what closes the region of a field.
        firsts: finds what may stand first in a region of calls, and between two parameters: a head, or the closer.
        ends: finds where a region ends of whose calls one cannot be read: at the next opener at the latest.
        at_start: the field whose region is open where the turn starts.
        far: that whose region is, if a literal stands further on; and the literal.
        bare, spaced: see `Plan`.
        watch: gets a `Note` of each region.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.template = read_template(json.loads(source))
        self.fields = self.template.fields
        self.ways = tuple(map(way_of, self.fields))
        self.watch: Callable[[Note], object] | None = None
        self._channels = [number for number, each in enumerate(self.fields) if each.role is Role.REASONING]
        openers = [(number, each.open) for number, each in enumerate(self.fields) if each.open is not None]
        closers = [[(CLOSE, each.close)] if each.close is not None else [] for each in self.fields]
        heads = [[(number, way.tag.marker)] if way.tag else [] for number, way in enumerate(self.ways)]
        self.closers = list(map(Marks, closers))
        self.firsts = [Marks([*head, *closer]) for head, closer in zip(heads, closers, strict=True)]
        self.ends = [Marks([*closer, opener]) for closer, opener in zip(closers, openers, strict=True)]
        sink = self.template.sink
        # In a template that names where content stands, the anchor is no content where the model writes it again.
        drop = sink.close if sink is not None else self.template.anchor
        # What only stands ahead closes nothing here: the region that it opens does.
        dropped = [(DROP, replace(drop, reduced=replace(drop.reduced, ahead=())))] if drop is not None else []
        self.between = Marks([*openers, *dropped])
        self.at_start = next((number for number, each in openers if each.reduced.at_start), None)
        self.far = next(((number, each.reduced.far) for number, each in openers if each.reduced.far), None)
        self.bare = self.at_start is not None or self.far is not None
        self.spaced = self.bare  # white space before what may be such a region waits for what follows

    # -- where a turn stands -------------------------------------------------------------------------------------------

    def inside(self, channel: int, only: tuple[int, ...]) -> int | None:
        """The field of text whose region is open."""
        if channel:
            return self._channels[channel - 1]
        return only[0] if only else None

    def enter(self, turn: Turn, number: int | None) -> None:
        """Go into the region of a field of text, or (None) out of any region."""
        channel = self._channels.index(number) + 1 if number in self._channels else 0
        turn.narrow((number,) if number is not None and not channel else ())
        turn.enter_channel(channel)

    def open_at_start(self, turn: Turn, number: int, start: int) -> None:
        """The region of that field is open where the turn starts."""
        self.note(Found("", number), start, start)
        self.enter(turn, number)

    # -- for those who watch -------------------------------------------------------------------------------------------

    def watched(self, watch: Callable[[Note], object]) -> Self:
        """The same plan, which tells of each region."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.watch = watch
        return twin

    def note(self, mark: Found, start: int, body: int, body_end: int = -1, end: int = -1) -> None:
        """A region was read; or begins or ends, if it is one of text: with a mark from `start` to `body`."""
        if self.watch is not None:
            self.watch(Note(mark, start, body, body_end, end))
