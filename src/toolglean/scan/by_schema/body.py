# What is in a frame whose opener does not name the tool. Does not depend on which frame that is.
#
# The name comes first or last (heads.py), or there are calls one after another, each of which shows where it ends
# (items.py).
"""Calls that name their tool themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolglean.scan.by_schema.found import FoundCall, Reading, Schema
from toolglean.scan.by_schema.heads import names_at, names_at_end
from toolglean.scan.by_schema.items import items
from toolglean.scan.by_schema.payload import Region, readings
from toolglean.scan.by_schema.source import Closer, Source
from toolglean.scan.by_schema.tags import Tag

_sign_and_word = re.compile(
    r"(?:[^\w\s]{1,3}[ \t]+)?([\w.-]*\w)(?=[ \t]*(?:--|[({:|=\[]|\r?\Z|[ \t][^\W\d][\w-]*[:=]))"
).match

__all__ = ["body", "closed_by"]


def closed_by(
    source: Source, tool: Schema | None, places: tuple[int, int], frames: tuple[Tag, ...], ends: Iterable[Closer]
) -> Iterator[Reading]:
    """The readings of a frame that may end at several places: a later one is less plausible.

    Args:
        source: the text.
        tool: the tool that the opener names, if it names one.
        places: where the frame begins, and where its opener ends.
        frames: the tags that are open around it.
        ends: where what closes it may begin and end.
    """
    for number, (begin, end) in enumerate(ends):
        if number > source.bound:
            return
        region = Region(places[1], begin, frames, "elements" if number else "text", (places[0], end))
        for each in body(source, region, tool):
            yield each._replace(cost=each.cost + number)


def body(source: Source, region: Region, tool: Schema | None) -> Iterator[Reading]:
    """The readings of the whole region as a call of the tool; if there is none, as calls that name their tools."""
    if tool is not None:
        yield from readings(source, region, tool)
        return
    for named, after in names_at(source, region.start, region.end):
        yield from readings(source, region._replace(start=after), named)
    for named, before, is_word in names_at_end(source, region.start, region.end):
        inner = region._replace(end=before, accepts=region.accepts if is_word else "literals")
        yield from readings(source, inner, named)
    several = items(source, region.start, region.end, region.span)
    if several is not None:
        yield Reading(region.span[1], 0, several)
    elif region.accepts != "literals":
        yield from _one_by_one(source, region)


def _one_by_one(source: Source, region: Region) -> Iterator[Reading]:
    # Calls of which each begins with its tool's name, at a line's beginning or after the same tag.
    places = _places(source, region)
    if len(places) < 2:
        return
    cost = 0
    calls: list[FoundCall] = []
    for number, (begin, _) in enumerate(places):
        end = places[number + 1][1] if number + 1 < len(places) else region.end
        found: dict[str, Reading] = {}
        for tool, after in names_at(source, begin, end):
            inner = region._replace(start=after, end=end, span=(begin, end))
            for each in readings(source, inner, tool):
                found.setdefault(each.calls[0].arguments_text, each)
        if len(found) != 1:
            return
        (one,) = found.values()
        cost += one.cost
        calls += one.calls
    if cost <= source.bound:
        yield Reading(region.span[1], cost, tuple(calls))


def _places(source: Source, region: Region) -> list[tuple[int, int]]:
    # Where calls may begin, and where what separates each from the one before does.
    found: list[tuple[int, int]] = []
    start = source.after_space(region.start)
    for pos, line in source.lines(start, region.end):
        word = _sign_and_word(line)
        if word and word[1] in source.tools:
            found.append((pos + word.start(1), pos))
    if len(found) > 1 and found[0][1] == start:
        return found
    tag = source.opener_at(start, region.end)
    first = start if tag is None else source.after_space(tag.end)
    if source.tool_at(first) is None:
        return []
    tags = [each for each in source.tags(first, region.end) if each.is_plain]
    marks = [each for each in tags if source.tool_at(source.after_space(each.end)) is not None]
    if len({source.text[each.start : each.end] for each in marks}) != 1:
        return []
    return [(first, start), *((source.after_space(each.end), each.start) for each in marks)]
