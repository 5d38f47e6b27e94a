# What the machine looks for in text that a response template describes, and what each mark opens. Does not depend on
# how regions are read (region.py, tags.py, text.py).
#
# Between regions, the machine looks for all openers, and for the sink's closers, which are markup. In a region of text
# it looks only for its closer.
#
# A field that is neither content, reasoning nor calls is content, markers included, exactly as the model wrote it: no
# event can express more, and nothing is lost. `message` returns its value, by watching the regions with a plan of its
# own.
"""The plan of a response template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.engine.plan import Plan
from toolglean.formats.origin import ResponseTemplate
from toolglean.sources.response.calls import Kind
from toolglean.sources.response.fields import Fields
from toolglean.sources.response.marks import Found, Marks
from toolglean.sources.response.region import Arguments, CallsRegion, Objects, Whole
from toolglean.sources.response.spec import Role, read_template
from toolglean.sources.response.tags import Tags
from toolglean.sources.response.text import AtStart, Mark

if TYPE_CHECKING:
    from toolglean.engine.turn import Payload, Turn
    from toolglean.scan.text import Finder

__all__ = ["ResponsePlan", "prompt_of", "response_plan"]

_readers: Mapping[Kind, type[CallsRegion]] = {
    Kind.OBJECTS: Objects,
    Kind.ARGUMENTS: Arguments,
    Kind.PARAMETERS: Tags,
    Kind.WHOLE: Whole,
}


class ResponsePlan(Fields, Plan):
    """What the machine looks for: see `Plan`."""

    @property
    def described(self) -> ResponseTemplate:
        """See `Plan`."""
        return ResponseTemplate(json.loads(self.source))

    def finder(self, channel: int, only: tuple[int, ...]) -> Finder:
        """Finds the marks that are recognised in that `channel`, where `only` these fields may follow."""
        number = self.inside(channel, only)
        found: Any = self.between if number is None else self.closers[number]
        return found  # type: ignore[no-any-return]  # it has a Finder's interface

    def reasoning_channel(self) -> int:
        """The channel in which a turn starts if the prompt has opened the reasoning."""
        return 1 if self._channels else 0

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """The mark `found` was found in the `turn`, at `start`."""
        assert isinstance(found, Found)
        number = self.inside(turn.channel, turn.narrowed_to)
        if found.number < 0 or number is not None:
            return Mark(self, found, start, number, closes=True), 0 if found.before else len(found)
        if self.fields[found.number].role is not Role.CALLS:
            return Mark(self, found, start, found.number, closes=False), len(found)
        turn.open_region(start, len(found))
        turn.region.keep(str(found))
        return _readers[self.layouts[found.number].kind](self, found, start), len(found)

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The `turn` begins with `text` from `i`: a field is open, or a later literal shows whether it is."""
        turn.require_marker()
        return AtStart(self, turn.tape.base + i), 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.source,)


@lru_cache(maxsize=64)
def _plan(source: str) -> ResponsePlan:
    return ResponsePlan(source)


def response_plan(template: Mapping[str, Any]) -> ResponsePlan:
    """The plan of a template, cached and shared."""
    return _plan(json.dumps(template, ensure_ascii=False))


def prompt_of(template: Mapping[str, Any], prompt: str) -> str:
    """The part of the assistant's message that is in the prompt: the text after the last anchor, or the whole prompt.

    Args:
        template: the response template.
        prompt: the rendered prompt, or its end.
    """
    found = Marks([(0, read_template(template).anchor)]).all_of(prompt)
    return prompt[found[-1][1] :] if found else prompt
