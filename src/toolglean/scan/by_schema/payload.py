# The arguments of a call whose tool is known: all of a region of the text, read by whatever fits. Does not depend on
# how the region was found.
#
# Readers are tried one after another, and every reading is reported with what it costs: how many tags it leaves without
# a partner inside values. Text can nearly always be read in two ways if values may contain anything; what was meant is
# the reading that costs less than all others by a margin (read.py), and none if there is no such reading.
"""The arguments in a region of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from toolglean.scan.by_schema.elements import MAX_LOST, elements, is_element, partnerless
from toolglean.scan.by_schema.found import FoundCall, Reading, Schema
from toolglean.scan.by_schema.heads import wrapped
from toolglean.scan.by_schema.literals import keywords_at, literal_at
from toolglean.scan.by_schema.pairs import aligned, exact_in
from toolglean.scan.by_schema.source import Source
from toolglean.scan.by_schema.tags import Tag
from toolglean.scan.by_schema.values import Pair, arguments_of, is_call, without_ids
from toolglean.scan.nested import json_text
from toolglean.scan.tokens import value_text

__all__ = ["Region", "call_of", "is_literal", "literal_call", "readings", "typed"]

MAX_WRAPS = 2

_word_and_option = re.compile(r"[ \t]*(?:[\w.-]*\w[ \t]+)?--\w").match
_sign_and_pair = re.compile(r"(?:[;|,&][ \t]*|[ \t])[^\W\d][\w.-]*[ \t]*(?:=>|->|:=|[=:](?!/))").search
_tag_and_pair = re.compile(r"(?:<[^\w\s<>]{1,6}>|<[|｜]\w{1,16}[|｜]>)[ \t]*[\w.-]+[ \t]*(?:=>|->|:=|[=:])").search

_first_word = re.compile(r"[^\w\s]{0,3}[ \t]*([\w.-]*\w)[ \t]*(?:--|[({:|=\[]|\Z)").match


class Region(NamedTuple):
    """A part of the text.

    Attributes:
        start: where it begins.
        end: where it ends.
        frames: the tags that are open around it.
        accepts: which values without quotes are accepted.
        span: where the frame of the call begins and ends.
        id: the call's id, if the frame's opener has it.
    """

    start: int
    end: int
    frames: tuple[Tag, ...]
    accepts: Literal["text", "elements", "literals"]
    span: tuple[int, int]
    id: str | None = None

    def read(self, call: FoundCall | None, cost: int = 0) -> Iterator[Reading]:
        """The reading of the call that has those arguments, if there is one."""
        if call is not None:
            yield Reading(self.span[1], cost, (call.at(self.span, self.id),))


def readings(source: Source, region: Region, tool: Schema, wraps: int = MAX_WRAPS) -> Iterator[Reading]:
    """The readings of the whole region as arguments of the tool."""
    source.spend()
    start = source.after_space(region.start)
    end = source.before_space(start, region.end)
    if start >= end:
        return
    source.spend((end - start) // 32)
    literal = literal_call(source, start, tool)
    if literal is not None and literal[0] == end:
        yield from region.read(literal[1])
        return
    if source.text[start] in "{([" and is_literal(source.text, start, end):
        return  # an object that is not the arguments is not text either
    exact = exact_in(source.text, start, end, tool)
    found = typed(tool, exact) if exact is not None else None
    if found is not None:
        yield from region.read(found)
        return
    if region.accepts != "literals":
        yield from _raw(source, region, start, end, tool)
    if wraps:
        for inner, next_end in wrapped(source, start, end, region.end, tool):
            yield from readings(source, region._replace(start=inner, end=next_end), tool, wraps - 1)


def literal_call(source: Source, pos: int, tool: Schema) -> tuple[int, FoundCall] | None:
    """The call with the arguments in the object, or in the parentheses, that begin at `pos`, and their end."""
    text = source.text
    if text[pos : pos + 1] not in {"{", "(", "["}:
        return None
    source.spend(8)
    if text[pos] == "(":
        at = source.after_space(pos + 1)
        inner = literal_call(source, at, tool) if text[at : at + 1] in {"{", "["} else None
        if inner is not None:
            close = source.after_space(inner[0])
            return (close + 1, inner[1]) if text.startswith(")", close) else None
        found = keywords_at(text, pos)
    else:
        found = literal_at(text, pos)
    if found is None or not isinstance(found[1], dict):
        return None
    call = call_of(tool, found[1], text[pos : found[0]])
    return None if call is None else (found[0], call)


def is_literal(text: str, start: int, end: int | None = None) -> bool:
    """Whether a literal or keyword arguments begin at `start`, and end at `end` if that is given."""
    found = keywords_at(text, start) if text[start] in "{(" else None
    found = found or literal_at(text, start)
    return found is not None and end in {None, found[0]}


def call_of(tool: Schema, values: dict[str, Any], text: str = "") -> FoundCall | None:
    """The call with those values, which `text` may contain as JSON; None if they do not fit."""
    arguments, name = without_ids(tool, values)
    if not is_call(tool, arguments):
        return None
    verbatim = value_text(text)[0] if text.startswith("{") and len(arguments) == len(values) else None
    return FoundCall(tool.name, arguments, verbatim if verbatim is not None else json_text(arguments), id=name)


def _raw(source: Source, region: Region, start: int, end: int, tool: Schema) -> Iterator[Reading]:
    read = elements(source, start, end, tool, region.frames)
    if read is not None:
        yield from region.read(typed(tool, read[1]), read[0])
    if region.accepts != "text" or is_element(source, start, end, tool):
        return  # a value that ends at the next tag would contain the closing one
    text = source.text[start:end]
    source.spend(len(text) // 8)
    found = None if _has_lone_closer(source, region) else aligned(source.text[region.start : region.end], tool)
    cost = partnerless(source, start, end, region.frames) if found else 0
    if not found or cost > min(source.bound, MAX_LOST):
        return
    if not any(_hides_call(source, pair) or _seems_cut(pair, is_line="\n" not in text) for pair in found):
        absent = set(tool.properties) - {pair.key for pair in found}
        if not _has_mark_of(source, region, (start, end), absent):
            yield from region.read(typed(tool, found), cost)


def _seems_cut(pair: Pair, *, is_line: bool) -> bool:
    # Whether the value begins with a quotation mark that is not closed at its end, or contains a pair after a tag.
    text = pair.text.strip()
    is_half = text[:1] in {'"', "'", "`"} and (len(text) == 1 or text[-1] != text[0])
    hides = _tag_and_pair(text) or (_sign_and_pair(text) if is_line else None)
    return not pair.is_exact and (is_half or hides is not None or (is_line and not text))


def _has_mark_of(source: Source, region: Region, span: tuple[int, int], keys: set[str]) -> bool:
    # Whether a tag in the shape of the frame has one of those keys: it may begin another pair.
    shapes = {frame.left for frame in region.frames}
    return any(
        tag.left in shapes and not keys.isdisjoint([*tag.words, *(value for _, value in tag.pairs)])
        for tag in source.tags(*span)
    )


def _hides_call(source: Source, pair: Pair) -> bool:
    # Whether a line of the value begins with a tool's name, as a call may.
    for row in () if pair.is_exact else pair.text.split("\n")[1:]:
        found = _first_word(row)
        words = {*(found.groups() if found else ()), *row.split(None, 2)[1:2]}  # `f …`, `CALL f …`
        if not words.isdisjoint(source.tools) or _word_and_option(row):
            return True
    return False


def _has_lone_closer(source: Source, region: Region) -> bool:
    # Whether a frame may have ended on a line before: then this is what was meant, even if what follows is cut off.
    closers = (each for frame in region.frames for each in source.closers(frame, region.end))
    return any(begin >= region.start and source.starts_line(begin) for begin, _ in closers)


def typed(tool: Schema, pairs: list[Pair]) -> FoundCall | None:
    """The call with those pairs as arguments; None if they do not fit."""
    found = arguments_of(tool, pairs)
    return None if found is None else FoundCall(tool.name, found, json_text(found))
