# Arguments that are elements: their tags name the keys, and what is between tags are the values. Does not depend on
# what is around them.
#
#   <city>Paris</city>                          the tag is the key
#   <arg city>Paris</arg>, <arg=city>Paris</arg>, <param name="city">Paris</param>      the key is in the tag
#   <param name="city" value="Paris"/>, <city value="Paris"/>                           … and so is the value
#   <k>city</k><v>Paris</v>                     two elements, perhaps in a third: <p><k>city</k><v>Paris</v></p>
#
# All pairs of a call are written in the same way. Where a value ends is a guess, because it may contain tags: its end
# is a closing tag after which the next pair, or the end, follows. A guess costs as many tags as it leaves without their
# partner in the value, and costs more than `source.bound` allows are not made (payload.py).
"""Arguments in elements."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.source import Source, longest_at
from toolglean.scan.by_schema.tags import Tag, closes
from toolglean.scan.by_schema.values import Pair, is_id

__all__ = ["MAX_LOST", "elements", "imbalance", "is_element"]

MAX_LOST = 1  # tags without a partner in one value

VALUE_KEYS = frozenset({"value", "val", "v", "content"})


@dataclass(frozen=True, slots=True)
class _Child:
    # A pair begins: its key, the way in which it is written, and either its value and its end, or the tag before its
    # value, and the tag around both of its elements.
    key: str
    style: Any
    end: int
    value: str | None = None
    tag: Tag | None = None
    outer: Tag | None = None


_STRAY = frozenset(
    {
        "a",
        "an",
        "and",
        "for",
        "her",
        "his",
        "its",
        "my",
        "of",
        "or",
        "our",
        "some",
        "that",
        "the",
        "their",
        "this",
        "to",
    }
)


def elements(
    source: Source, start: int, end: int, tool: Schema, frames: tuple[Tag, ...]
) -> Iterator[tuple[int, list[Pair]]]:
    """The readings of `text[start:end]` as elements: what each costs, and the pairs.

    Args:
        source: the text.
        start: where they begin.
        end: where they end.
        tool: whose parameters they are.
        frames: the tags that are open around them.
    """
    yield from _more(source, _Area(end, tool, frames), source.after_space(start), (), 0, None)


def is_element(source: Source, start: int, end: int, tool: Schema) -> bool:
    """Whether `text[start:end]` begins with an element of a declared key, which is closed."""
    children = _children_at(source, start, _Area(end, tool, ()))
    return any(each.tag is None or source.closers(each.tag, end) for each in children)


@dataclass(frozen=True, slots=True)
class _Area:
    end: int
    tool: Schema
    frames: tuple[Tag, ...]


def _more(
    source: Source, area: _Area, pos: int, pairs: tuple[Pair, ...], cost: int, style: Any
) -> Iterator[tuple[int, list[Pair]]]:
    if pos >= area.end:
        if pairs:
            yield cost, list(pairs)
        return
    used = {pair.key for pair in pairs}
    for child in _children_at(source, pos, area):
        if child.key in used or (style is not None and child.style != style):
            continue
        for more, pair, after in _values(source, area, child):
            if more <= MAX_LOST and cost + more <= source.bound:
                yield from _more(source, area, after, (*pairs, pair), cost + more, child.style)


def _values(source: Source, area: _Area, child: _Child) -> Iterator[tuple[int, Pair, int]]:
    # The values that the pair may have: what each costs, the pair, and where the next one begins.
    if child.tag is None:
        yield 0, Pair(child.key, child.value or "", is_exact=True), source.after_space(child.end)
        return
    around = (child.tag, *((child.outer,) if child.outer else ()), *area.frames)
    for begin, end in source.closers(child.tag, area.end):
        source.spend()
        after = source.after_space(end)
        if child.outer:
            outer = next((each for each in source.closers(child.outer, area.end) if each[0] == after), None)
            if outer is None:
                continue
            after = source.after_space(outer[1])
        if after < area.end and not any(each.style == child.style for each in _children_at(source, after, area)):
            continue
        lost, opened = partnerless(source, child.tag.end, begin, around, area.tool.properties)
        if lost > MAX_LOST:
            return  # and so for all that end later
        cost = lost + opened
        yield cost, _pair(child.key, source.text[child.tag.end : begin]), after


def _pair(key: str, text: str) -> Pair:
    inner = text.strip()
    if inner.startswith("<![CDATA[") and inner.find("]]>") == len(inner) - 3:
        return Pair(key, inner[9:-3], is_exact=True)
    return Pair(key, _without_breaks(text))


def _without_breaks(text: str) -> str:
    # A line break at both ends belongs to the tags; one at a single end may belong to the value.
    begin = 2 if text.startswith("\r\n") else 1 if text.startswith("\n") else 0
    end = len(text) - (2 if text.endswith("\r\n") else 1 if text.endswith("\n") else 0)
    if not begin or end == len(text):
        return text
    return text[begin:end] if begin <= end else ""


def imbalance(source: Source, start: int, end: int, around: tuple[Tag, ...]) -> int:
    """How many tags like those around `text[start:end]` have no partner in it."""
    return sum(partnerless(source, start, end, around))


def partnerless(
    source: Source, start: int, end: int, around: tuple[Tag, ...], keys: Container[str] = ()
) -> tuple[int, int]:
    """How many closing and opening tags like those around `text[start:end]`, or of those keys, have no partner in it.

    A closing tag and an opening one next to it count twice: rather than text, this is where a value ended.
    """
    open_: list[tuple[Tag, int]] = []  # each with what it costs, if it has no partner
    lost = closed = 0
    for tag in source.tags(start, end):
        if open_ and closes(open_[-1][0], tag):
            open_.pop()
            closed = source.after_space(tag.end)
        elif any(closes(each, tag) for each in around):
            lost += 1 + _is_followed(source, tag, end, around, keys)
            if lost > MAX_LOST:
                break
        elif _may_open(tag, around, keys):
            open_.append((tag, 2 if tag.start == closed else 1))
    return lost, sum(cost for _, cost in open_)


def _may_open(tag: Tag, around: tuple[Tag, ...], keys: Container[str]) -> bool:
    return not (tag.slash or tag.empty) and any(
        tag.left == each.left and (tag.element == each.element or (each is around[0] and tag.element in keys))
        for each in around
    )


def _is_followed(source: Source, tag: Tag, end: int, around: tuple[Tag, ...], keys: Container[str]) -> bool:
    after = source.tag_at(at) if (at := source.after_space(tag.end)) < end else None
    if after is None:
        return False
    is_pair = after.left == around[0].left and not (after.slash or after.empty or after.pairs) and len(after.left) > 1
    return is_pair or _may_open(after, around, keys) or any(closes(each, after) for each in around)


# -- where a pair begins -----------------------------------------------------------------------------------------------


def _children_at(source: Source, pos: int, area: _Area) -> Iterator[_Child]:
    tag = source.tag_at(pos)
    if tag is None or tag.slash or tag.end > area.end:
        return
    source.spend()
    keyed = _keyed(tag, area.tool)
    if keyed is not None:
        yield keyed
    if not tag.pairs and not tag.empty and len(tag.words) == 1:
        child = _of_two(source, tag, area)
        if child is not None:
            yield child
        inner = source.tag_at(at) if (at := source.after_space(tag.end)) < area.end else None
        if inner is not None and not (inner.slash or inner.pairs or inner.empty):
            child = _of_two(source, inner, area)
            if child is not None:
                yield _Child(child.key, (tag.element, child.style), child.end, tag=child.tag, outer=tag)


def _keyed(tag: Tag, tool: Schema) -> _Child | None:
    # The tag has the key, and perhaps the value.
    keys = tool.properties
    pairs = [(key, each) for key, each in tag.pairs if not is_id(key, tool)]
    word = tag.words[0].rpartition(":")[2] if tag.words and tag.words[0] not in keys else tag.element
    if len(tag.words) == 1 and word in keys:
        if not pairs:
            return None if tag.empty else _Child(word, (tag.form, "named"), tag.end, tag=tag)
        (key, value), *others = pairs
        style: Any = (tag.form, "named", key)
        is_value = tag.empty and key in VALUE_KEYS and not others
        return _Child(word, style, tag.end, value=value) if is_value else None
    words, items = tag.words, [("", word) for word in tag.words[1:]] + pairs
    if words and words[0].casefold() in _STRAY:  # `<the code>` is no `<arg code>`
        return None
    if not items or items[0][1] not in keys or len(items) > 2 or len(words) > 2:
        return None
    style = (tag.form, words[:1], items[0][0])
    if len(items) == 1:
        return None if tag.empty else _Child(items[0][1], style, tag.end, tag=tag)
    if tag.empty and items[1][0]:
        return _Child(items[0][1], (*style, items[1][0]), tag.end, value=items[1][1])
    return None if tag.empty or items[1][0] != "string" else _Child(items[0][1], style, tag.end, tag=tag)


def _of_two(source: Source, tag: Tag, area: _Area) -> _Child | None:
    # An element with the key, and one with the value.
    at = source.after_space(tag.end)
    key = longest_at(source.text, at, area.tool.keys)
    if not key:
        return None
    at = source.after_space(at + len(key))
    closer = next((each for each in source.closers(tag, area.end) if each[0] == at), None)
    if closer is None:
        return None
    value = source.tag_at(at) if (at := source.after_space(closer[1])) < area.end else None
    if value is None or value.slash or value.empty or value.pairs or value.element == tag.element:
        return None
    return _Child(key, (tag.form, tag.words, value.words), value.end, tag=value)
