# Which calls a text consists of, if it consists of nothing else. Does not depend on the engine, or on formats.
#
# The frames are read (frames.py), then the arguments in them (payload.py). All readings are found that leave at most so
# many tags without a partner in values; first none, then one more, and so on. The first reading is used if there is no
# other one that is about as plausible: one that leaves `MARGIN` - 1 more.
"""Calls that are read by their tools' schemas."""

from __future__ import annotations

from collections.abc import Iterable

from toolglean.scan.by_schema.found import FoundCall, Reading, ToolWithSchema, readable
from toolglean.scan.by_schema.frames import sequences
from toolglean.scan.by_schema.source import Budget, ExhaustedError, Source
from toolglean.scan.nested import json_text

__all__ = ["read_calls"]

MAX_COST = 4
MARGIN = 2


def read_calls(
    text: str, tools: Iterable[ToolWithSchema], *, opens_content: bool = True, budget: Budget | None = None
) -> tuple[FoundCall, ...] | None:
    """The calls of which the text consists, whatever marks are around them.

    Args:
        text: the text, from the first character of a frame to the end of the turn.
        tools: the tools that may be called. Those without declared parameters are left out.
        opens_content: whether nothing but white space came before the text in the turn's content.
        budget: how much work may be done; pass one to all readings that shall share it. By default each has its own.

    Returns:
        The calls in the order of the text, or None if the text is anything but calls in closed frames, or can be read
        in several ways.
    """
    readable_tools = {name: tool for name, tool in readable(tools).items() if name in text}
    if not readable_tools or not text.strip():
        return None
    source = Source(text, readable_tools, budget or Budget(), opens_content=opens_content)
    try:
        return _plausible(source)
    except (ExhaustedError, RecursionError):
        return None


def _plausible(source: Source) -> tuple[FoundCall, ...] | None:
    for bound in range(MAX_COST + 1):
        found = _at_most(source, bound)
        if found:
            others = _at_most(source, bound + MARGIN - 1)
            return found[0].calls if _are_same(found + others) else None
    return None


def _at_most(source: Source, bound: int) -> list[Reading]:
    source.allow(bound)
    return [each for each in sequences(source, 0, len(source.text)) if each.calls]


def _are_same(readings: list[Reading]) -> bool:
    return len({json_text([[call.name, call.arguments] for call in each.calls]) for each in readings}) == 1
