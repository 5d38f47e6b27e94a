# What this file knows: how the parameters of an xml-inline region are read, each value as it arrives.
# What it must not know: how a value is typed (parameters.py of the core).
#
# Between two parameters anything may stand, as for transformers: most patterns name `</tool_call>` as the closer and
# say nothing of the `</function>` before it. Behind a value's closing literal, though, only a tag or the closer may
# follow, or it is text of the value: `</parameter> is how it ends` does not end it.
#
# White space beside a value: where the pattern takes off all of it (`\s*`), one line break is taken off, and the one
# behind only if there was one before: what models write is a line break, and the indentation of a value is its own.
"""Parameters of a region."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.engine.parameters import Parameters
from toolglean.response.marks import Found
from toolglean.response.phases import BETWEEN, VALUE, VALUE_END
from toolglean.response.values import json_or_text
from toolglean.scan.rope import grown, joined
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.response.region import Region

__all__ = ["JsonParameters", "read_between", "read_value", "read_value_end"]


class JsonParameters(Parameters):
    """Parameters of a template that reads values as JSON where it can: where the schema says nothing, so do we."""

    __slots__ = ()

    def begin_value(self, lead: str) -> str:
        """See `Parameters.begin_value`."""
        begun = super().begin_value(lead)
        if self._coerce and self._schema is None and self.streams:
            self.streams = False
            return begun[:-1]
        return begun

    def _typed(self, text: str, *, repair: bool) -> Any:
        if self._coerce and self._schema is None:
            return json_or_text(text.strip())
        return super()._typed(text, repair=repair)


def read_between(turn: Turn, region: Region, text: str, i: int) -> int:
    """Up to the next parameter, or the closer."""
    place, found = region.plan.firsts(region.number).find(text, i)
    if not isinstance(found, Found):
        return turn.hold(text, place)
    parameters = region.parameters
    assert parameters is not None
    if found.number < 0:
        turn.delta(parameters.end(), turn.base + place)
        region.end_call(turn, turn.base + place)
        region.close(turn, found, turn.base + place, "")
        return place + len(found)
    tag = region.way.tag
    parameters.word("key", found.captures["key"])
    turn.delta(parameters.begin_value("\n" if tag.lead is not None else ""), turn.base + place)
    region.phase = VALUE
    return place + len(found)


def read_value(turn: Turn, region: Region, text: str, i: int) -> int:
    """The text of a parameter."""
    parameters = region.parameters
    assert parameters is not None
    if parameters.lead:
        parameters.lead = ""
        if text[i] == "\n":
            parameters.paired = True
            return i + 1
    place, found = value_finder(region, parameters).find(text, i)
    if place > i:
        turn.delta(parameters.text(text[i:place]), turn.base + i)
    if not found:
        return turn.hold(text, place)
    region.tail = found
    region.body_end = turn.base + place + len(found)
    region.phase = VALUE_END
    return place + len(found)


def value_finder(region: Region, parameters: Parameters) -> Finder:
    """Finds the value's closing literal, with the line break that belongs to it."""
    tag = region.way.tag
    return _finder(tag.tail, trail=tag.trail is not None and (parameters.paired or tag.lead is None))


@lru_cache(maxsize=64)
def _finder(tail: str, *, trail: bool) -> Finder:
    return Finder([tail, "\n" + tail] if trail else [tail], exact=True)


def read_value_end(turn: Turn, region: Region, text: str, i: int) -> int:
    """Behind what looks like the value's closing literal."""
    parameters = region.parameters
    assert parameters is not None
    j = i
    while j < len(text) and text[j].isspace():
        j += 1
    region.gathered = grown(region.gathered, text[i:j])
    if j == len(text):
        return j
    tail, region.tail, region.gathered = region.tail + joined(region.gathered), "", ()
    start = turn.base + j - len(tail)
    if text[j] in region.plan.firsts(region.number).firsts:
        turn.delta(parameters.end_value(repair=False), start)
        if parameters.too_deep:
            turn.stop("depth", tail, turn.base + j)
            return j
        region.phase = BETWEEN
        return j
    region.phase = VALUE
    taken = tail[:1] if turn.read_again(tail[1:], start + 1) else tail
    turn.delta(parameters.text(taken), start)
    return j
