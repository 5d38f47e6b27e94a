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
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.engine.plan import Plan
from toolglean.response.fields import DROP, INSIDE, Fields
from toolglean.response.marks import Found, Marks
from toolglean.response.opening import AtStart, Mark
from toolglean.response.reading import CallsRegion
from toolglean.response.spec import CALLS, Template

if TYPE_CHECKING:
    from toolglean.engine.turn import Payload, Turn
    from toolglean.scan.text import Finder

__all__ = ["ResponsePlan", "after_anchor", "response_plan"]


class ResponsePlan(Fields, Plan):
    """What the machine looks for: see `Plan`."""

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the marks that count where the turn is: in that `lane`, where `only` these fields may follow."""
        number = self._inside(lane, only)
        found: Any = self.between if number is None else self._closers[number]
        return found  # type: ignore[no-any-return]  # a Finder by its face

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning."""
        return 1 if self._lanes else 0

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """The mark `found` was met in the `turn`, at `start`."""
        assert isinstance(found, Found)
        number = self._inside(turn.lane, turn.only)
        if number is not None:
            return Mark(self, found, start, number, closes=True), 0 if found.before else len(found)
        if found.number == DROP:
            return Mark(self, found, start, None, closes=True), 0 if found.before else len(found)
        if self.fields[found.number].role != CALLS:
            return Mark(self, found, start, found.number, closes=False), len(found)
        turn.open_region(start, len(found))
        turn.region.keep(found)
        return CallsRegion(self, found.number, found, found.captures, start), len(found)

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The `turn` begins, with `text` from `i`: a field is open from the start, or a literal further on shows it."""
        del text
        turn.require_marker()
        return AtStart(self, turn.base + i), 0

    def _inside(self, lane: int, only: tuple[int, ...]) -> int | None:
        if lane:
            return self._lanes[lane - 1]
        return only[0] - INSIDE if only and only[0] >= INSIDE else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.source,)


@lru_cache(maxsize=64)
def _plan(source: str) -> ResponsePlan:
    return ResponsePlan(source)


def response_plan(template: Mapping[str, Any]) -> ResponsePlan:
    """The plan of a template; made once, and shared."""
    return _plan(json.dumps(template, ensure_ascii=False))


def after_anchor(template: Template, prompt: str) -> str:
    """What the prompt has already written of the assistant's message: all behind the last anchor.

    The whole prompt, where there is no anchor in it.
    """
    found = Marks([(0, template.anchor)]).all_of(prompt)
    return prompt[found[-1][1] :] if found else prompt
