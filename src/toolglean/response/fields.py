# What this file knows: what opens and closes each field of a response template, and in which way its calls are read.
# What it must not know: what is done where a mark was found (opening.py, reading.py).
"""The fields of a response template, with their marks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from toolglean.response.marks import Marker, Marks
from toolglean.response.spec import REASONING, Field, read_template
from toolglean.response.ways import Way, way_of

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["CLOSE", "DROP", "INSIDE", "Fields"]

DROP = -1
CLOSE = -2
INSIDE = 1 << 20

_none = Marks(())


class Fields:
    """The fields of a template. Shared, never changed.

    Args:
        source: the template as JSON text: what a pickle holds.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.template = read_template(json.loads(source))
        self.fields = self.template.fields
        self.ways: tuple[Way, ...] = tuple(map(way_of, self.fields))
        self._lanes = [number for number, each in enumerate(self.fields) if each.role == REASONING]
        self.between = Marks(self._markers_between())
        self._closers = [_closers(each) for each in self.fields]
        self._firsts = [self._first_of_calls(number) for number in range(len(self.fields))]
        self._ends = [self._ends_of_calls(number) for number in range(len(self.fields))]
        opened = [(number, _opener(each).reduced) for number, each in enumerate(self.fields)]
        self.at_start = next((number for number, each in opened if each.at_start), None)
        self.far = next(((number, each.far) for number, each in opened if each.far), None)
        self.bare = self.at_start is not None or self.far is not None
        self.spaced = self.bare  # white space before what may be such a region waits for what follows

    def _markers_between(self) -> list[tuple[int, Marker]]:
        found = [(number, _opener(each)) for number, each in enumerate(self.fields)]
        sink = self.template.sink
        # A template that says where content stands says that its anchor is none, where the model writes it again.
        drop = sink.close if sink is not None else self.template.anchor
        # What only stands ahead closes nothing here: the region that it opens does.
        return [*found, (DROP, replace(drop, reduced=replace(drop.reduced, ahead=())))] if drop is not None else found

    def _first_of_calls(self, number: int) -> Marks:
        # What must follow an opener: a parameter's head, or the closer.
        tag, close = self.ways[number].tag, self.fields[number].close
        found = [(number, tag.marker)] if tag is not None else []
        return Marks([*found, (CLOSE, close)] if close is not None else found)

    def _ends_of_calls(self, number: int) -> Marks:
        # Where a region ends of whose calls one cannot be read, or has no closer: at the next opener at the latest.
        close = self.fields[number].close
        found = [(number, _opener(self.fields[number]))]
        return Marks([(CLOSE, close), *found] if close is not None else found)

    # -- for payloads --------------------------------------------------------------------------------------------------

    def enter(self, turn: Turn, number: int | None) -> None:
        """Go into the region of a field of text, or (None) out of any region."""
        lane = self._lanes.index(number) + 1 if number in self._lanes else 0
        turn.narrow((INSIDE + number,) if number is not None and not lane else ())
        turn.enter_lane(lane)

    def closers(self, number: int) -> Marks:
        """What closes the region of that field."""
        return self._closers[number]

    def firsts(self, number: int) -> Marks:
        """What may stand first in a region of parameters, and between two of them."""
        return self._firsts[number]

    def ends(self, number: int) -> Marks:
        """What a region that cannot be read goes up to."""
        return self._ends[number]


def _opener(field: Field) -> Marker:
    assert field.open is not None
    return field.open


def _closers(field: Field) -> Marks:
    return Marks([(CLOSE, field.close)]) if field.close is not None else _none
