# Arguments in elements, each value between marks that close. Does not depend on which brackets they have.
#
#   lead        key   tail           value    close
#   <           city  >              Paris    </city>              the tags are named by the keys
#   <p name="   city  ">             Paris    </p>                 … or have them in an attribute, or as a word
#   <k>         city  </k><v>        Paris    </v>                 … or in an element of their own
#   <p><n>      city  </n><v>        Paris    </v></p>             … and an element is around both
#   <p name="   city  " value="      Paris    "/>                  the value is in an attribute, too
#
# The first key shows how all are written. A value ends where what closes it is followed by the next pair, or by the
# end. Tags in values that have no partner there make a reading less plausible: that is its cost (payload.py).
"""Arguments in elements."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.source import Source, longest_at
from toolglean.scan.by_schema.tags import Tag, closes
from toolglean.scan.by_schema.values import Pair, is_id
from toolglean.scan.by_schema.words import ARGUMENTS, names_key

__all__ = ["MAX_LOST", "elements", "is_element", "partnerless"]

MAX_LOST = 1  # tags without a partner in one value

_VALUE_KEYS = frozenset({"value", "val", "v", "content"})
_TYPE_KEYS = frozenset({"string", "type"})  # an attribute that says what the value is


class _Style(NamedTuple):
    # How a pair is written: what is before and after its key, what closes its value, and the tags that it opens.
    head: re.Pattern[str]
    close: str
    tags: tuple[Tag, ...]


def elements(
    source: Source, start: int, end: int, tool: Schema, frames: tuple[Tag, ...]
) -> tuple[int, list[Pair]] | None:
    """Read `text[start:end]` as elements.

    Args:
        source: the text.
        start: where they begin.
        end: where they end.
        tool: whose parameters they are.
        frames: the tags that are open around them.

    Returns:
        What the reading costs, and the pairs. None if it is anything else.
    """
    start = source.after_space(start)
    pairs = _in_attributes(source, start, end, tool)
    if pairs:
        return 0, pairs
    found = (_read(source, start, end, style, frames, tool) for style in _styles_at(source, start, end, tool))
    return next((each for each in found if each is not None), None)


def is_element(source: Source, start: int, end: int, tool: Schema) -> bool:
    """Whether `text[start:end]` begins with an element of a declared key, which is closed."""
    return any(source.closers(each[0], end) for _, _, each in _heads_at(source, start, end, tool))


def _read(
    source: Source, pos: int, end: int, style: _Style, frames: tuple[Tag, ...], tool: Schema
) -> tuple[int, list[Pair]] | None:
    text, cost = source.text, 0
    found: dict[str, Pair] = {}
    while pos < end:
        head = style.head.match(text, pos, end)
        if not head:
            return None
        key = head[1]
        for close in re.compile(style.close.replace("KEY", re.escape(key))).finditer(text, head.end(), end):
            source.spend()
            pos = source.after_space(close.end())
            after = style.head.match(text, pos, end)
            if pos >= end or (after and after[1] not in {*found, key}):
                break
        else:
            return None
        lost = partnerless(source, head.end(), close.start(), (*style.tags, *frames), tool.properties)
        cost += lost
        if lost > MAX_LOST or cost > source.bound:
            return None
        found[key] = Pair(key, _without_breaks(text[head.end() : close.start()]))
    return cost, list(found.values())


def _without_breaks(text: str) -> str:
    # A line break at both ends belongs to the tags; one at a single end may belong to the value.
    begin = 2 if text.startswith("\r\n") else 1 if text.startswith("\n") else 0
    end = len(text) - (2 if text.endswith("\r\n") else 1 if text.endswith("\n") else 0)
    if not begin or end == len(text):
        return text
    return text[begin:end] if begin <= end else ""


def partnerless(source: Source, start: int, end: int, around: tuple[Tag, ...], keys: Container[str] = ()) -> int:
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
    return lost + sum(cost for _, cost in open_)


def _may_open(tag: Tag, around: tuple[Tag, ...], keys: Container[str]) -> bool:
    return tag.opens and any(
        tag.left == each.left and (tag.element == each.element or (each is around[0] and tag.element in keys))
        for each in around
    )


def _is_followed(source: Source, tag: Tag, end: int, around: tuple[Tag, ...], keys: Container[str]) -> bool:
    after = source.tag_at(at) if (at := source.after_space(tag.end)) < end else None
    if after is None:
        return False
    is_pair = after.left == around[0].left and after.is_plain and len(after.left) > 1
    return is_pair or _may_open(after, around, keys) or any(closes(each, after) for each in around)


# -- where a pair begins -----------------------------------------------------------------------------------------------


def _styles_at(source: Source, pos: int, end: int, tool: Schema) -> Iterator[_Style]:
    text = source.text
    keys = "|".join(map(re.escape, tool.keys))
    for start, key_end, tags in _heads_at(source, pos, end, tool):
        key = text[start:key_end]
        head = re.compile(rf"{_loose(text[pos:start])}({keys}){_loose(text[key_end : tags[0].end])}")
        own = rf"(?<![^\W_]){re.escape(re.escape(key))}(?![^\W_])"
        for begin, close in source.closers(tags[0], end):
            stop = close if len(tags) == 1 else source.closed_at(tags[1], close, end)
            if stop and ((at := source.after_space(stop)) >= end or head.match(text, at, end)):
                yield _Style(head, re.sub(own, "KEY", _loose(text[begin:stop])), tags)
                break


def _loose(text: str) -> str:
    # A pattern for the text: white space between tags does not matter.
    return r"\s*".join(map(re.escape, re.split(r"(?<=\W)\s+(?=\W)|(?<=\W)(?=[<\[{])", text)))


def _heads_at(source: Source, pos: int, end: int, tool: Schema) -> Iterator[tuple[int, int, tuple[Tag, ...]]]:
    # Where the key of a pair begins and ends that begins at `pos`; the tag before its value, and the one around both.
    tag = source.tag_at(pos)
    if tag is None or not tag.opens or tag.end > end:
        return
    source.spend()
    key = _keyed(tag, tool)
    if key:
        start = source.text.rindex(key, pos, tag.end)
        yield start, start + len(key), (tag,)
    if tag.pairs or len(tag.words) != 1 or not names_key(tag.element):
        return
    for element, outer in ((tag, ()), (source.opener_at(tag.end, end), (tag,))):
        at = end if element is None else source.after_space(element.end)
        key = longest_at(source.text, at, tool.keys)
        closer = source.closed_at(element, at + len(key), end) if element is not None and key else 0
        value = source.opener_at(closer, end) if closer else None
        if value is not None and element is not None and value.element != element.element:
            yield at, at + len(key), (value, *outer)


def _keyed(tag: Tag, tool: Schema) -> str:
    # The key that the tag has: as its name, its second word, or the value of an attribute.
    pairs = _arguments_in(tag, tool)
    word = tag.words[0].rpartition(":")[2] if tag.words and tag.words[0] not in tool.properties else tag.element
    if len(tag.words) == 1 and word in tool.properties:
        return "" if pairs else word
    if tag.words and not names_key(tag.words[0]):
        return ""
    items = [
        *(word for word in tag.words[1:] if word not in ARGUMENTS or word in tool.properties),
        *(value for _, value in pairs),
    ]
    return items[0] if len(items) == 1 and items[0] in tool.properties else ""


def _arguments_in(tag: Tag, tool: Schema) -> list[tuple[str, str]]:
    types = _TYPE_KEYS - tool.properties.keys()
    return [pair for pair in tag.pairs if not (is_id(*pair, tool) or pair[0] in types)]


def _in_attributes(source: Source, pos: int, end: int, tool: Schema) -> list[Pair]:
    # `<p name="city" value="Paris"/>`, `<city value="Paris"/>`
    found: list[Pair] = []
    forms = set()
    while pos < end:
        tag = source.tag_at(pos)
        if tag is None or not tag.empty or tag.end > end or not tag.pairs:
            return []
        pairs = _arguments_in(tag, tool)
        key = tag.element if tag.element in tool.properties else pairs.pop(0)[1] if len(pairs) > 1 else ""
        if len(pairs) != 1 or key not in tool.properties or (key == tag.element and pairs[0][0] not in _VALUE_KEYS):
            return []
        forms.add((tag.form, pairs[0][0], len(tag.pairs)))
        found.append(Pair(key, pairs[0][1], is_exact=True))
        pos = source.after_space(tag.end)
    return found if len(forms) == 1 else []
