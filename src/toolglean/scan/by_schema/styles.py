# How a pair of a key and a value is written: what is before the key, around it, and between it and the value. The keys
# of a tool are the anchors: what is around one of them is a style, and others are looked for in the same style. One
# turn is read so (pairs.py), formats are learnt from many (sources/traces/pairs.py). Does not know where values end.
#
#   lead  quote key quote  tail  value
#               city        : Paris
#               city        = Paris
#   --          city          "New York"
#   |           city        | Paris
#   <k>         city       <v>Paris
#   <p name="   city       "> Paris
#   ***         city      *** Paris
#               city        ⏎ Paris
#   ARG:        city        ⏎ Paris
"""How pairs of a key and a value are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import after_blanks
from toolglean.scan.by_schema.source import longest_at
from toolglean.scan.by_schema.tags import Tag, closes, mirrored, tag_at

__all__ = [
    "Head", "Style", "heads", "sign_at", "style_at", "styles_around", "typed",
]  # fmt: skip

MAX_LEAD = 64  # characters before a key

sign_at = re.compile(r"[ \t]*(=>|->|:=|::|==|>>|~>|→|⇒|⟶|[=:：＝|~])[ \t]?").match
_plain_lead = re.compile(r"[^\w\s\"'`]{1,6}[ \t]{0,4}").match
_signs_before = re.compile(r"[^\w\s\"'`]{1,6}[ \t]{0,4}\Z").search
_half_tag = re.compile(r"[^\w\s].*\w.*").fullmatch
_type = re.compile(
    r"(?<=[\"'=:(|@ ])(?:string|integer|number|boolean|array|object|str|int|float|bool|list|dict|text|num|json)"
    r"(?=[\"')\]>| ])"
)
_label = re.compile(r"[\w-]{1,64}[ \t]*[:=][ \t]*(?=\S{1,64}[ \t]*\r?\n)").match
_BULLETS = frozenset("-*•+")
_QUOTES = frozenset("\"'`")


class Style(NamedTuple):
    """How the pairs of a call are written: what is before a key, around it, and between it and its value."""

    lead: str
    quote: str
    tail: str


class Head(NamedTuple):
    """Where a pair begins, where its key and its value begin, and the key."""

    start: int
    at: int
    value: int
    key: str


def style_at(text: str, pos: int, end: int, tool: Schema) -> tuple[Style, Head] | None:
    """How the pair is written that begins at `pos`."""
    for lead in _leads(text, pos, end, tool):
        at = pos + len(lead)
        quote = text[at] if text[at : at + 1] in _QUOTES and at < end else ""
        key = longest_at(text, at + len(quote), tool.keys)
        after = at + len(quote) * 2 + len(key)
        if key and after <= end and text.startswith(quote, after - len(quote)):
            found = _tail(text, pos, (after, end), lead.strip())
            if found is not None:
                return Style(lead.strip(), quote, found[0]), Head(pos, at + len(quote), found[1], key)
    return None


def _leads(text: str, pos: int, end: int, tool: Schema) -> Iterator[str]:
    tag = tag_at(text, pos)
    if tag is not None and tag.opens and len(tag.words) + len(tag.pairs) == 1 and tag.element not in tool.properties:
        yield text[pos : tag.end]
    for matches in (_plain_lead, _label):
        found = matches(text, pos, end)
        if found:
            yield found[0]
    yield ""


def styles_around(text: str, at: int, key: str, region: tuple[int, int]) -> Iterator[Style]:
    """The ways in which the key at that place of a region may be written: after nothing, signs or a tag; in a tag."""
    for begin in _begins(text, region[0], at):
        lead = text[begin:at].strip()
        found = _tail(text, begin, (at + len(key), region[1]), lead)
        if found is not None:
            yield Style(lead, "", found[0])


def _begins(text: str, start: int, at: int) -> Iterator[int]:
    yield at
    signs = _signs_before(text, max(start, at - MAX_LEAD), at)
    if signs:
        yield signs.start()
    for pos in range(at - 1, max(start, at - MAX_LEAD) - 1, -1):
        tag = None if text[pos].isalnum() or text[pos].isspace() else tag_at(text, pos)
        if tag is not None and (tag.end > at or not text[tag.end : at].strip()):
            yield pos


def _tail(text: str, begin: int, span: tuple[int, int], lead: str) -> tuple[str, int] | None:
    # What is between a key and its value, and where the value begins.
    (pos, end), right, opened = span, mirrored(lead), _tag(lead)
    if opened is not None:
        tag = tag_at(text, pos)
        close = tag.end if tag is not None and closes(opened, tag) else pos
        tag = tag_at(text, close)
        stop = tag.end if tag is not None and tag.opens else close
        if stop > pos:
            return text[pos:stop], stop
    elif _half_tag(lead):
        tag = tag_at(text, begin)
        return (typed(text[pos : tag.end]), tag.end) if tag is not None and pos < tag.end <= end else None
    elif right != lead and not lead[0].isalnum():
        return (right, pos + len(right)) if text.startswith(right, pos) else None
    sign = sign_at(text, pos, end)
    if sign:
        return sign[1], sign.end()
    blanks = after_blanks(text, pos)
    if lead and text.startswith(lead, blanks) and (blanks == pos or _ends_line(text, blanks + len(lead), end)):
        return lead, blanks + len(lead)
    if _ends_line(text, pos, end):
        return "\n", after_blanks(text, pos)
    return (" ", pos + 1) if lead and lead not in _BULLETS and text[pos : pos + 1] in {" ", "\t"} else None


def typed(text: str) -> str:
    """A text with `{type}` for the word for a type."""
    return _type.sub("{type}", text, count=1)


def _tag(lead: str) -> Tag | None:
    tag = tag_at(lead, 0) if len(lead) > 2 else None
    return tag if tag is not None and tag.end == len(lead) else None


def _ends_line(text: str, pos: int, end: int) -> bool:
    pos = after_blanks(text, pos)
    return pos < end and text[pos] in "\r\n"


def heads(text: str, pos: int, end: int, style: Style, keys: tuple[str, ...]) -> Iterator[Head]:
    """The pairs of those keys in that style, from `pos` on."""
    for found in _keys(style.lead, style.quote, keys).finditer(text, pos, end):
        tail = _tail(text, found.start(), (found.end(), end), style.lead)
        if tail is not None and tail[0] == style.tail:
            yield Head(found.start(), found.start(1), tail[1], found[1])


@lru_cache(maxsize=128)
def _keys(lead: str, quote: str, keys: tuple[str, ...]) -> re.Pattern[str]:
    before = rf"{re.escape(lead)}[ \t]*" if lead else r"(?<!\w)(?<!\w[-.])"
    names = "|".join(map(re.escape, keys))
    return re.compile(rf"{before}{re.escape(quote)}({names})(?!\w|[.-]+\w){re.escape(quote)}")
