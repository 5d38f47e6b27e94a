# What is in a frame whose opener does not name the tool. Does not depend on which frame that is.
#
# The name comes first or last (heads.py), or there are calls one after another, each of which shows where it ends:
#
#   {"tool": "f", "args": {…}}, {"tool": "f", "k": …}, {"f": {…}}, [{…}, {…}]    objects that name their tool
#   f {…}, f(…), f --k "v"                                                       a name before literals
#
# Between two of them may be a comma or another sign, a line of dashes, a tag, or a line break: the same everywhere.
# Or each of them begins with its tool's name, at the beginning of a line or after the same tag.
"""Calls that name their tool themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from toolglean.scan.by_schema.found import FoundCall, Reading, Schema
from toolglean.scan.by_schema.heads import names_at, names_at_end
from toolglean.scan.by_schema.literals import literal_at
from toolglean.scan.by_schema.pairs import exact_at
from toolglean.scan.by_schema.payload import Region, call_of, literal_call, readings, typed
from toolglean.scan.by_schema.source import Closer, Source
from toolglean.scan.by_schema.tags import Tag
from toolglean.scan.by_schema.values import is_id
from toolglean.scan.by_schema.words import introduces_arguments, names_tool, separates

__all__ = ["body", "closed_by", "is_between"]

MAX_ITEMS = 64
MAX_WRAPS = 3


# -- the name first or last --------------------------------------------------------------------------------------------


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
    several = _items(source, region.start, region.end, region.span)
    if several is not None:
        yield Reading(region.span[1], 0, several)
    elif region.accepts != "literals":
        yield from _one_by_one(source, region)


# -- calls of which each begins with its tool's name -------------------------------------------------------------------

_sign_and_word = re.compile(
    r"(?:[^\w\s]{1,3}[ \t]+)?([\w.-]*\w)(?=[ \t]*(?:--|[({:|=\[]|\r?\Z|[ \t][^\W\d][\w-]*[:=]))"
).match


def _one_by_one(source: Source, region: Region) -> Iterator[Reading]:
    # Calls of which each begins with its tool's name, at a line's beginning or after the same tag.
    places = _places(source, region)
    if len(places) < 2:
        return
    cost = 0
    calls: list[FoundCall] = []
    for (begin, _), (_, end) in pairwise([*places, (region.end, region.end)]):
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
    if tag is not None and not is_between(source, tag):
        return []
    if source.tool_at(first) is None:
        return []
    tags = [each for each in source.tags(first, region.end) if each.is_plain and is_between(source, each)]
    marks = [each for each in tags if source.tool_at(source.after_space(each.end)) is not None]
    if len({source.text[each.start : each.end] for each in marks}) != 1:
        return []
    return [(first, start), *((source.after_space(each.end), each.start) for each in marks)]


def is_between(source: Source, tag: Tag) -> bool:
    """Whether the tag only separates calls, or stands before each of them. Any other one says something about them."""
    return separates(tag.said) and tag.element not in source.tools


# -- calls that show where they end ------------------------------------------------------------------------------------

_rule = re.compile(r"[ \t\r\n]*(?:([,;|])|(?<=\n)([^\w\s]{2,8})[ \t]*(?=\r?\n))[ \t\r\n]*").match
_ends_pairs = re.compile(r"[ \t]*(?:;|\r?\n|\Z)").match

Calls = tuple[FoundCall, ...]
Item = tuple[int, Calls]
"""Where a call, or several in a list, end, and the calls."""


def _items(source: Source, start: int, end: int, span: tuple[int, int]) -> Calls | None:
    # The calls of which the whole of `text[start:end]` consists, in a frame at that span.
    found: list[FoundCall] = []
    pos = source.after_space(start)
    tag = source.opener_at(pos, end)
    mark: str | None = None
    if tag is not None and is_between(source, tag) and not source.closers(tag, end):
        mark, pos = source.text[pos : tag.end], source.after_space(tag.end)  # a tag before each of them
    for number in range(MAX_ITEMS):
        item = _item_at(source, pos, end)
        if item is None:
            return None
        found += item[1]
        sign, pos = _separator(source, item[0], end)
        if pos >= end and not any(map(str.isalnum, sign)):
            return tuple(found) if number else tuple(each.at(span) for each in found)
        if mark not in {None, sign} or pos >= end:
            return None
        mark = sign
    return None


def _separator(source: Source, pos: int, end: int) -> tuple[str, int]:
    # What is between two calls, and its end.
    at = source.after_space(pos)
    tag = source.tag_at(at)
    if tag is not None and tag.end <= end and not (tag.pairs or tag.empty) and is_between(source, tag):
        return source.text[at : tag.end], source.after_space(tag.end)
    rule = _rule(source.text, pos, end)
    if rule:
        return rule[1] or rule[2], rule.end()
    return "", at


def _item_at(source: Source, pos: int, end: int) -> Item | None:
    source.spend(2)
    if source.text[pos : pos + 1] in {"{", "["}:
        value = literal_at(source.text, pos)
        if value is None or value[0] > end:
            return None
        span = (pos, value[0])
        calls = _several_of(source, value[1], span, MAX_WRAPS)
        return None if calls is None else (value[0], calls)
    for tool, after in names_at(source, pos, end):
        begin = source.after_space(after)
        found = literal_call(source, begin, tool)
        if found is None:
            exact = exact_at(source.text, begin, end, tool) if "\n" not in source.text[after:begin] else None
            call = typed(tool, exact.pairs) if exact is not None else None
            if exact is not None and call is not None and _ends_pairs(source.text, exact.end, end):
                found = exact.end, call
        if found is not None and found[0] <= end:
            return found[0], (found[1].at((pos, found[0])),)
    return None


_AROUND = frozenset({"call", "calls", "function", "function_call", "tool_call", "tool_calls"})
"""Keys under which a call may be: anything deeper is data."""


def _several_of(source: Source, value: Any, span: tuple[int, int], depth: int) -> Calls | None:
    # The calls that an object names, or a list of such objects.
    if isinstance(value, list):
        several = [_several_of(source, each, span, 1) for each in value]
        found = tuple(call for each in several if each is not None for call in each)
        return found if found and None not in several else None
    if not isinstance(value, dict):
        return None
    one = _one_of(source, value, span)
    if one is not None or not depth:
        return None if one is None else (one,)
    inner = [each for key, each in value.items() if isinstance(each, dict | list) and key.casefold() in _AROUND]
    others = [each for each in value.values() if isinstance(each, str) and each in source.tools]
    known = all(key.casefold() in _AROUND or is_id(key, each) for key, each in value.items())
    return _several_of(source, inner[0], span, depth - 1) if len(inner) == 1 and known and not others else None


def _one_of(source: Source, value: dict[str, Any], span: tuple[int, int]) -> FoundCall | None:
    keyed = [key for key, each in value.items() if key in source.tools and isinstance(each, dict)]
    named = [
        _named(source, value, key)
        for key, each in value.items()
        if isinstance(each, str) and each in source.tools and names_tool(key)
    ]
    if len(keyed) == 1 and all(
        is_id(key, each, source.tools[keyed[0]]) for key, each in value.items() if key != keyed[0]
    ):
        named.append(call_of(source.tools[keyed[0]], value[keyed[0]]))
    found = [each for each in named if each is not None]
    return found[0].at(span) if len(found) == 1 else None


def _named(source: Source, value: dict[str, Any], key: str) -> FoundCall | None:
    # The arguments beside the name, or under one other key.
    tool = source.tools[value[key]]
    rest = {name: each for name, each in value.items() if name != key}
    beside = {name: each for name, each in rest.items() if is_id(name, each, tool)}
    inner = [name for name in rest if name not in beside]
    flat = call_of(tool, rest)
    if flat is not None or len(inner) != 1 or not introduces_arguments(inner[0]):
        return flat
    under = _object(rest[inner[0]])
    return call_of(tool, under | beside) if under is not None else None


def _object(value: Any) -> dict[str, Any] | None:
    # An object, perhaps as JSON text.
    if isinstance(value, str) and value[:1] == "{":
        read = literal_at(value, 0)
        value = read[1] if read is not None and read[0] == len(value) else None
    return value if isinstance(value, dict) else None
