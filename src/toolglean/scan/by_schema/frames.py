# Frames: what is around a call, or around several, and says where it ends. Does not depend on how arguments are
# written (payload.py).
#
#   <call f> … </call>          tags of any shape (tags.py); the tool is named in the tag, first between the tags, or
#                               in an object between the tags
#   ```tool … ```               a fence whose first word is not a language
#   action: f {…}               a label and a sign; what follows ends by itself
#   (call f {…}), [f | k=v]     brackets around name and arguments
#   f: {…}, @f(…)               the name as the label, where the content begins with it
#   <calls> … </calls>          any of these around frames
"""Calls in frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from toolglean.scan.by_schema.body import body, closed_by, is_between
from toolglean.scan.by_schema.found import Reading, Schema
from toolglean.scan.by_schema.heads import (
    holds_arguments,
    label_at,
    named_by,
    named_in,
    names_at,
    names_in_lists,
    quoted_tool_at,
)
from toolglean.scan.by_schema.labels import between_lines, labelled
from toolglean.scan.by_schema.literals import after_blanks
from toolglean.scan.by_schema.payload import Region, is_literal, readings, typed
from toolglean.scan.by_schema.source import MAX_CLOSERS, ExhaustedError, Source
from toolglean.scan.by_schema.tags import Tag, compact, mirrored, openers_at
from toolglean.scan.by_schema.values import Pair, is_id, names_call
from toolglean.scan.by_schema.words import (
    END_SIGNS,
    ends,
    introduces_call,
    introduces_other,
    is_html,
    is_language,
    is_other_tag,
    is_sentence,
    parts_of,
)

__all__ = ["sequences"]

MAX_NESTED = 4
MAX_CALLS = 128
REACH = 256  # characters in which an arrow shows that a call is not a template

# -- several -----------------------------------------------------------------------------------------------------------


def sequences(
    source: Source, start: int, end: int, depth: int = MAX_NESTED, frames: tuple[Tag, ...] = ()
) -> list[Reading]:
    """The readings of the whole of `text[start:end]` as frames, which white space, commas or rules may separate."""
    seen = source.readings(end, depth)
    return _rest(source, _Part(end, depth, frames, seen), source.after_space(start), MAX_CALLS)


class _Part(NamedTuple):
    end: int
    depth: int
    frames: tuple[Tag, ...]
    seen: dict[int, list[Reading]]  # the readings from each place on


def _rest(source: Source, part: _Part, pos: int, left: int) -> list[Reading]:
    if pos in part.seen:
        return part.seen[pos]
    if not left:
        raise ExhaustedError
    found: list[Reading] = []
    for frame in _frames_at(source, pos, part) if pos < part.end else ():
        after = _after_frame(source, frame.end, part.end)
        rest = _rest(source, part, after, left - 1) if after < part.end else [Reading(part.end, 0, ())]
        if not rest and part.frames and (between := _after_separator(source, after, part.end)):
            rest = _rest(source, part, between, left - 1)
        for each in rest:
            reading = Reading(part.end, frame.cost + each.cost, frame.calls + each.calls)
            if reading.cost <= source.bound and reading not in found:
                found.append(reading)
    part.seen[pos] = found
    return found


def _inside(source: Source, part: _Part, start: int, end: int, cost: int = 0) -> Iterator[Reading]:
    # The calls in frames of which the part consists from `start` on, inside a frame that ends at `end`.
    for each in sequences(source, start, part.end, part.depth - 1, part.frames):
        if each.calls:
            yield Reading(end, each.cost + cost, each.calls)


def _frames_at(source: Source, pos: int, part: _Part) -> Iterator[Reading]:
    source.spend()
    tag = source.tag_at(pos)
    if tag is not None and not tag.slash and tag.end <= part.end and not _is_other(source, tag):
        yield from _between_tags(source, tag, part)
    yield from _in_fence(source, pos, part)
    yield from between_lines(source, pos, part.end, part.frames)
    yield from _side_by_side(source, pos, part)
    yield from _in_brackets(source, pos, part)
    yield from _after_label(source, pos, part)


def _is_other(source: Source, tag: Tag) -> bool:
    # Whether what is in the tag is not a call. A tool's name does not show that.
    words = [part for word in tag.words or (tag.element,) for part in word.split(":")]
    rest = " ".join(word for word in words if word not in source.tools)
    if len(words) > len(rest.split()):
        return (bool(rest) and introduces_other(rest)) or (tag.left == "<" and any(map(is_html, words)))
    return introduces_other(rest) or (tag.left in {"<", "["} and is_html(tag.element))


# -- between frames, and after them ------------------------------------------------------------------------------------

MAX_WORDS = 3  # of a tag that ends a turn

_rule = re.compile(r"[ \t\r\n]*(?:[,;|]|([-=*_~+#.])\1{2,}(?=[ \t]*\r?\n))?[ \t\r\n]*").match
_signs = r"[^\w\s\"'`(){}\[\]<>]{0,6}"
_stop_line = re.compile(rf"{_signs}[ \t]*(\w[\w -]{{0,15}}?)[ \t]*{_signs}|[{END_SIGNS}]{{1,3}}").fullmatch
_TURNS = frozenset(
    {"turn", "reply", "message", "msg", "assistant", "answer", "end", "done", "over", "stop", "fin", "eot", "halt"}
)
_WHOLES = frozenset({"", "turn", "ofturn", "text", "oftext", "message", "ofmessage", "reply", "ofreply", "answer"})


def _after_frame(source: Source, pos: int, end: int) -> int:
    # Where the next frame may begin after one that ended at `pos`: after white space, a comma, or a rule: behind the
    # last one, that would close what is around them. At the end of the whole text, one more line or tag may say that
    # the turn is over.
    at = source.after_space(pos)
    if at >= end or (end == len(source.text) and _ends_turn(source, at)):
        return end
    rule = _rule(source.text, pos, end)
    return rule.end() if rule and (rule.end() < end or not rule[1]) else at


def _after_separator(source: Source, pos: int, end: int) -> int:
    # The end of a tag at `pos` that only separates two frames; 0 if there is none.
    tag = source.opener_at(pos, end)
    if tag is None or not is_between(source, tag):
        return 0
    after = source.after_space(tag.end)
    return after if after < end else 0


def _ends_turn(source: Source, pos: int) -> bool:
    # Whether nothing but a tag follows that is written nowhere else, or a line that says that this is the end.
    rest = source.text[pos:].rstrip()
    line = _stop_line(rest)
    if line and source.starts_line(pos) and (line[1] is None or ends(line[1])):
        return not is_sentence(rest)
    tag = source.tag_at(pos)
    if tag is None or tag.pairs or tag.left == "(" or tag.end < pos + len(rest) or len(tag.words) > MAX_WORDS:
        return False
    if _TURNS.isdisjoint(parts_of(tag.said)):
        return False  # it closes what is before the text, or is text: `[see below]`
    word = compact(tag.said)
    is_other = word.startswith("end") and word[3:] not in _WHOLES
    return not (is_other or any(each in source.tools for each in tag.words)) and source.text.find(rest) == pos


# -- tags --------------------------------------------------------------------------------------------------------------


def _between_tags(source: Source, tag: Tag, part: _Part) -> Iterator[Reading]:
    named, frames = named_by(source, tag), (tag, *part.frames)
    if named is None and not all(is_id(*pair) or introduces_call(" ".join(pair)) for pair in tag.pairs):
        return  # it says something else about the call
    for begin, end in [(tag.end, tag.end)] if tag.empty else source.frame_ends(tag, part.end):
        source.spend()
        region = Region(tag.end, begin, frames, source.accepted(tag, begin), (tag.start, end))
        if named is not None:
            yield from _with_attributes(source, *named, region)
        elif not tag.empty:
            yield from body(source, region, None)
            if part.depth and region.accepts != "literals":
                yield from _inside(source, part._replace(end=begin, frames=frames), tag.end, end)


def _with_attributes(source: Source, tool: Schema, pairs: list[tuple[str, str]], region: Region) -> Iterator[Reading]:
    # The arguments are in the tag, or between the tags.
    ids = [pair for pair in pairs if is_id(*pair, tool)]
    rest = [Pair(key, value, is_exact=True) for key, value in pairs if (key, value) not in ids]
    region = region._replace(id=next((value for key, value in ids if names_call(key)), None))
    if not rest:
        yield from readings(source, region, tool)
    elif not source.text[region.start : region.end].strip():
        yield from region.read(typed(tool, rest))


def _side_by_side(source: Source, pos: int, part: _Part) -> Iterator[Reading]:
    # `<tool>f</tool><args>…</args>`: an element with nothing but the name, and one with the arguments.
    tag = source.tag_at(pos)
    named = named_in(source, tag, part.end) if tag is not None and tag.opens and not is_other_tag(tag.element) else None
    second = source.tag_at(source.after_space(named[1])) if named is not None else None
    if named is None or second is None or not second.opens or not holds_arguments(second.element, named[0]):
        return
    for begin, end in source.frame_ends(second, part.end):
        region = Region(second.end, begin, (second, *part.frames), "text", (pos, end))
        yield from readings(source, region, named[0])


# -- fences ------------------------------------------------------------------------------------------------------------

_fence = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]*([^`\n]{1,80})\r?\n").match


def _in_fence(source: Source, pos: int, part: _Part) -> Iterator[Reading]:
    found = _fence(source.text, pos)
    if not found or not source.starts_line(pos):
        return
    first, brace, _ = found[2].partition("{")  # the arguments may be on the line of the fence
    info = first.strip() or found[2].strip().strip("{}.").strip()
    tool = next((source.tools[each] for each in re.split(r"[\s:=\"'{}.]+", info) if each in source.tools), None)
    if not source.opens_content and found[1][0] != ":" and (tool is None or is_language(info)):
        return  # after other content, a fence is code, unless it names the tool
    if (
        (is_language(info) and info not in source.tools)
        or introduces_other(info.replace(tool.name, "") if tool else info)
        or len(info.split()) > 3
    ):
        return
    closers = source.alone(f"{found[1][0]}{{{len(found[1])},}}", found.end(), part.end)
    ends = list(islice(closers, source.bound + 1))
    begin = found.start(2) + len(first) if first.strip() and brace else found.end()
    yield from closed_by(source, tool, (pos, begin), part.frames, ends)
    for number, (stop, end) in enumerate(ends if part.depth and tool is None else ()):
        yield from _inside(source, part._replace(end=stop), found.end(), end, number)


# -- brackets around name and arguments --------------------------------------------------------------------------------


def _in_brackets(source: Source, pos: int, part: _Part) -> Iterator[Reading]:
    if source.text[pos] in "`*_~\"'" or source.text.startswith("{#", pos) or is_literal(source.text, pos):
        return  # Markdown, a comment, or data
    for left in openers_at(source.text, pos):
        if not left.startswith(("{{", "{%")) or "=>" in source.text[pos : pos + REACH]:  # a template's expression
            yield from _in_bracket(source, pos, pos, left, part)
    word = _function(source.text, pos)
    if word and introduces_call(word[1]) and source.starts_line(pos):  # `call("f", {…})`
        yield from _in_bracket(source, pos, word.start(2), word[2], part)


_function = re.compile(r"(\w+(?:\.\w+)?)([({\[])").match


def _in_bracket(source: Source, start: int, pos: int, left: str, part: _Part) -> Iterator[Reading]:
    right = mirrored(left)
    heads = _bracket_heads(source, after_blanks(source.text, pos + len(left)), part.end, left)
    if not heads:
        yield from _list_of_calls(source, pos, left, part)
        return
    # Where signs are the brackets, a later pair of them may have been meant: only literals show that it ends here.
    is_weak = right == left or left in {"(", "{"}
    tag = source.tag_at(pos)
    if tag is not None and (tag.left.startswith("<") or tag.is_run or tag.empty or not tag.pairs):
        return  # its closer is missing
    closers = re.compile(rf"(?={re.escape(right)})").finditer(source.text, pos + len(left), part.end)
    places = (found.start() for found in islice(closers, MAX_CLOSERS)) if tag is None else (tag.end - len(right),)
    for at in places:
        source.spend()
        for named, after in heads:
            if after <= at <= part.end - len(right):
                span = start, at + len(right)
                region = Region(after, at, part.frames, "literals" if is_weak else "text", span)
                yield from readings(source, region, named)


_listed = re.compile(r"\(\s*(\w[\w-]*)\s+(?=\()").match


def _list_of_calls(source: Source, pos: int, left: str, part: _Part) -> Iterator[Reading]:
    # `(calls (f …) (g …))`
    found = _listed(source.text, pos) if left == "(" else None
    end = source.before_space(pos, part.end)
    if found and part.depth and introduces_call(found[1]) and source.text[end - 1] == ")":
        yield from _inside(source, part._replace(end=end - 1), found.end(), end)


def _bracket_heads(source: Source, pos: int, end: int, left: str) -> list[tuple[Schema, int]]:
    pos += source.text.startswith(":", pos)
    found = list(names_at(source, pos, end))
    if left.endswith("(") and found and not source.text.startswith(('"', "'", found[0][0].name), pos):
        found = []  # words, a sign and a name in parentheses are prose
    word = re.compile(r"(\w[\w-]*)(\s+)(?:'(?=\w))?").match(source.text, pos)
    if word and not found and not introduces_other(word[1]) and ("\n" not in word[2] or left == "("):
        found = [*names_at(source, word.end(), end), *(names_in_lists(source, word.end()) if left == "(" else ())]
    return found


# -- labels ------------------------------------------------------------------------------------------------------------


def _after_label(source: Source, pos: int, part: _Part) -> Iterator[Reading]:
    if not source.starts_line(pos):
        return
    yield from labelled(source, pos, part.end, part.frames)
    label = label_at(source, pos)
    if label is None or introduces_other(label[0]) or label[0] in source.tools:
        return
    after = source.after_space(label[1])
    if part.depth and introduces_call(label[0]) and quoted_tool_at(source, after) is None:
        yield from _inside(source, part, after, part.end)
