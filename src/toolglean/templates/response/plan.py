# What this file knows: what the machine looks for in text that a response template describes, and what each mark opens.
# What it must not know: how a region of calls is read (region.py).
#
# Between regions, all openers are looked for, with the sink's closers, which are markup. In a region of text only its
# closer is. Reasoning is a lane of the machine; that content (or a field that we do not know) stands in a region, the
# machine remembers in `only`, in which formats number from 0 and regions from INSIDE.
#
# A field that is neither content, reasoning nor calls is content, with its markers, as the model wrote it: no event
# says more, and nothing is lost. `message` gives its value.
"""The plan of a response template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.templates.response.marks import Found, Marker, Marks
from toolglean.templates.response.opening import AtStart, Mark
from toolglean.templates.response.region import Region
from toolglean.templates.response.spec import CALLS, REASONING, Field, Template, read_template
from toolglean.templates.response.ways import Way, way_of

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.plan import Payload
    from toolglean.scan.text import Finder

__all__ = ["ResponsePlan", "after_anchor", "response_plan"]

DROP = -1
CLOSE = -2
INSIDE = 1 << 20

_none = Marks(())


class ResponsePlan:
    """What the machine looks for: see `plan.Plan`.

    Args:
        source: the template as JSON text: what a pickle holds.
    """

    stops_after_bare = False

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

    # -- the machine's side --------------------------------------------------------------------------------------------

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the marks that count where the turn is."""
        number = self._inside(lane, only)
        found: Any = self.between if number is None else self._closers[number]
        return found  # type: ignore[no-any-return]  # a Finder by its face

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning."""
        return 1 if self._lanes else 0

    def begin(self, machine: Machine, found: str, start: int) -> tuple[Payload, int]:
        """A mark was found at that place."""
        assert isinstance(found, Found)
        number = self._inside(machine.lane, machine.only)
        if number is not None:
            return Mark(self, found, start, number, closes=True), 0 if found.before else len(found)
        if found.number == DROP:
            return Mark(self, found, start, None, closes=True), 0 if found.before else len(found)
        if self.fields[found.number].role != CALLS:
            return Mark(self, found, start, found.number, closes=False), len(found)
        machine.open_region(start, len(found))
        machine.keep(found)
        return Region(self, found.number, found, found.captures, start), len(found)

    def begin_bare(self, machine: Machine, char: str, start: int) -> tuple[Payload, int] | None:
        """The turn begins: a field that is open from the start, or that a literal further on shows to be open."""
        del char
        machine.fresh = False
        return AtStart(self, start), 0

    def _inside(self, lane: int, only: tuple[int, ...]) -> int | None:
        if lane:
            return self._lanes[lane - 1]
        return only[0] - INSIDE if only and only[0] >= INSIDE else None

    # -- for payloads --------------------------------------------------------------------------------------------------

    def enter(self, machine: Machine, number: int | None) -> None:
        """Go into the region of a field of text, or (None) out of any region."""
        lane = self._lanes.index(number) + 1 if number in self._lanes else 0
        machine.only = (INSIDE + number,) if number is not None and not lane else ()
        machine.enter_lane(lane)

    def closers(self, number: int) -> Marks:
        """What closes the region of that field."""
        return self._closers[number]

    def firsts(self, number: int) -> Marks:
        """What may stand first in a region of parameters, and between two of them."""
        return self._firsts[number]

    def ends(self, number: int) -> Marks:
        """What a region that cannot be read goes up to."""
        return self._ends[number]

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.source,)


@lru_cache(maxsize=64)
def _plan(source: str) -> ResponsePlan:
    return ResponsePlan(source)


def _opener(field: Field) -> Marker:
    assert field.open is not None
    return field.open


def _closers(field: Field) -> Marks:
    return Marks([(CLOSE, field.close)]) if field.close is not None else _none


def response_plan(template: Mapping[str, Any]) -> ResponsePlan:
    """The plan of a template; made once, and shared."""
    return _plan(json.dumps(template, ensure_ascii=False))


def after_anchor(template: Template, prompt: str) -> str:
    """What the prompt has already written of the assistant's message: all behind the last anchor.

    The whole prompt, where there is no anchor in it.
    """
    found = Marks([(0, template.anchor)]).all_of(prompt)
    return prompt[found[-1][1] :] if found else prompt
