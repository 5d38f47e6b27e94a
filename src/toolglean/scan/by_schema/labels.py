# Calls after a label or an arrow at the beginning of a line. Does not depend on the frames around them.
#
#   action: f {…}                   the arguments end by themselves; a semicolon or a word that closes may follow
#   OPERATION: f                    … and may have a label of their own
#   PAYLOAD: {…}
#   STOP
#   => f {…};                       an arrow is a label too
#   $> f --key "v" <eoc>            other arguments must be closed: by a tag, by a word or a sign on a line of its own
#                                   (or by the end of their line, if no other pair can follow)
#   f: {…}, @f(…)                   the name as the label, where the content begins with it
"""Calls after labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolglean.scan.by_schema.align import Exact, exact_at
from toolglean.scan.by_schema.body import Reading, found_in
from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.heads import label_at, quoted_tool_at
from toolglean.scan.by_schema.payload import Payload, Region, literal_payload, payloads
from toolglean.scan.by_schema.source import MAX_CLOSERS, Source
from toolglean.scan.by_schema.tags import Tag, closing_words, compact
from toolglean.scan.by_schema.values import arguments_of
from toolglean.scan.by_schema.words import ends, introduces_call, introduces_other
from toolglean.scan.nested import json_text

__all__ = ["labelled"]

_colon = re.compile(r"[ \t]*:?[ \t\r\n]*").match
_any_sign = re.compile(r"[ \t]*(?:={1,2}>|-{1,2}>|~>|:=|>>|::|[:→⇒|,;])?[ \t\r\n]*").match
_arrow = re.compile(r"(?:={1,2}>|-{1,2}>|\$>|[→⇒⇨⟶⟹➜➔➤▶►❯])[ \t]*").match
_word_and_name = re.compile(r"([!%@&§¶]?)([A-Za-z][\w-]{0,23})[ \t]+").match
_weak_sign = re.compile(r"[^\n]*?[^-=~](?:>{1,3}|\|)[ \t]*\Z").match
_semicolon = re.compile(r"[ \t]*;(?=[ \t]*(?:\r?\n|\Z))").match
_lone_word = re.compile(
    r"[^\w\s\"'`(){}\[\]<>*#>]{0,3}[ \t]*([A-Za-z][A-Za-z_]{0,15}(?:[ ][A-Za-z_]{1,15})?)[.;!]?[ \t]*(?=\r?\n|\Z)"
).match
_lone_sign = re.compile(
    r"(?:[‡⁂∎■◼◆⏹⊣⊥]|;;|%%|@@|\$\$|\^\^|-{3,}|={3,}|#{3,}|<{3,}|\+{3,}|~{3,}(?![^\n]))[ \t]*(?=\r?\n|\Z)"
).match
_is_line_end = re.compile(r"[ \t]*\r?\n").match
_CLOSED = frozenset("\"'}]")  # with which a literal ends that is not cut off
_line_end = re.compile(r"[ \t]*(?=\r?\n|\Z)").match


def labelled(source: Source, pos: int, end: int, frames: tuple[Tag, ...]) -> Iterator[Reading]:
    """The calls after a label at the beginning of a line.

    Args:
        source: the text.
        pos: where the label begins.
        end: the end of the text that may be read.
        frames: the tags that are open around it.
    """
    if source.opens_content:
        yield from _after_name(source, pos, end)
    found = _head(source, pos)
    if found is None:
        return
    tool, after, label = found
    sign = _any_sign(source.text, after)
    at = sign.end() if sign else after
    is_strong = source.opens_content or not label or introduces_call(label)
    yield from _with_literal(source, tool, (pos, at), label, end, is_strong=is_strong)
    yield from _closed(source, tool, (pos, after), label, Region(after, end, frames))


def _head(source: Source, pos: int) -> tuple[Schema, int, str] | None:
    # The tool that the label is for, where its name ends, and the label.
    arrow = _arrow(source.text, pos)
    if arrow:
        found = quoted_tool_at(source, arrow.end())
        return None if found is None else (*found, "")
    label = label_at(source, pos)
    if label is None:
        word = _word_and_name(source.text, pos)
        label = (word[2], word.end()) if word and (word[1] or introduces_call(word[2])) else None
    if label is None or introduces_other(label[0]) or label[0] in source.tools:
        return None
    if _weak_sign(source.text, pos, label[1]) and not introduces_call(label[0]):
        return None
    after = source.after_space(label[1])
    found = quoted_tool_at(source, after)
    if found is None:
        return None
    is_key = "\n" in source.text[label[1] : after] and source.text[found[1] : found[1] + 1] == ":"
    return None if is_key else (*found, label[0])  # a key of YAML


# -- arguments that end by themselves ----------------------------------------------------------------------------------


def _after_name(source: Source, pos: int, end: int) -> Iterator[Reading]:
    # `f: {…}`, `f {…}`, `@f(…)`; but `f(…)` is code, and after an arrow is a result.
    at = pos + source.text.startswith("@", pos)
    tool = source.tool_at(at)
    sign = _colon(source.text, at + len(tool.name)) if tool is not None else None
    if tool is not None and sign and (at > pos or not source.text.startswith("(", sign.end())):
        yield from _with_literal(source, tool, (pos, sign.end()), tool.name, end, is_strong=True)


def _with_literal(
    source: Source, tool: Schema, places: tuple[int, int], label: str, end: int, *, is_strong: bool
) -> Iterator[Reading]:
    # `places`: where the frame begins, and where the arguments do. These must be in brackets.
    start, at = places
    second = label_at(source, at)
    if second is not None:
        at = source.after_space(second[1])
    found = literal_payload(source, at, tool)
    if found is None or found[0] > end:
        return
    closer = _closer(source, found[0], tool, label)
    semicolon = _semicolon(source.text, found[0], end)
    if is_strong or second is not None or closer:
        for stop in {found[0], closer or found[0], semicolon.end() if semicolon else found[0]}:
            if stop <= end:
                yield from found_in(tool, start, stop, iter([found[1]]))


# -- arguments that must be closed -------------------------------------------------------------------------------------


def _closed(source: Source, tool: Schema, places: tuple[int, int], label: str, region: Region) -> Iterator[Reading]:
    start, after = places
    sign = _any_sign(source.text, after)
    exact = exact_at(source.text, sign.end() if sign else after, region.end, tool)
    if exact is not None:
        arguments = arguments_of(tool, exact.pairs)
        stop = _end_of(source, exact, tool, label) if arguments is not None else 0
        if arguments is not None and 0 < stop <= region.end:
            yield from found_in(tool, start, stop, iter([Payload(0, arguments, json_text(arguments))]))
            return
    for number, (begin, stop) in enumerate(_closers(source, after, region.end, tool, label)):
        if number > source.bound:
            return
        inner = Region(after, begin, region.frames, "text" if not number else "elements")
        for each in found_in(tool, start, stop, payloads(source, inner, tool)):
            yield each._replace(cost=each.cost + number)


def _end_of(source: Source, exact: Exact, tool: Schema, label: str) -> int:
    # Where the call with those pairs ends; 0 if another pair may have been cut off.
    begin = exact.end + (len(exact.sign) if exact.sign == ";" else 0)
    stop = 0 if exact.sign.strip() not in {"", ";"} and exact.sign[0] != "<" else _closer(source, begin, tool, label)
    if stop:
        return stop
    is_full = len(exact.pairs) == len(tool.properties) and source.text[exact.end - 1] in _CLOSED
    is_line = exact.between not in {"", "\n"} and _is_line_end(source.text, exact.end) is not None
    return exact.end if is_line or (is_full and _line_end(source.text, exact.end)) else 0


def _closers(source: Source, start: int, end: int, tool: Schema, label: str) -> Iterator[tuple[int, int]]:
    # The lines, and the tags at ends of lines, that close.
    pos = start
    count = 0
    for line in source.text[start:end].split("\n"):
        stop = pos + len(line)
        places = [pos + len(line) - len(line.lstrip())]
        mark = max(line.rfind("<"), line.rfind("["), line.rfind("⟦"), line.rfind("«"))
        if mark > 0:
            places.append(pos + mark - (line[mark - 1] == line[mark]))
        for place in places:
            close = _closer(source, place, tool, label, is_raw=True) if place < stop else 0
            if close and count < MAX_CLOSERS and place > start:
                count += 1
                yield place, close
                break
        pos = stop + 1


def _closer(source: Source, pos: int, tool: Schema, label: str, *, is_raw: bool = False) -> int:
    # The end of what closes a call there, perhaps on the next line; 0 if there is nothing.
    text = source.text
    on_line = source.after_blanks(pos)
    at = source.after_space(pos)
    if at >= len(text):
        return 0
    tag = source.tag_at(at)
    if tag is not None and not (tag.pairs or tag.empty) and len(tag.words) < 3 and _line_end(text, tag.end):
        words = " ".join(tag.words)
        is_end = compact(words) in closing_words((label, tool.name)) or tag.slash or ends(words)
        if is_end and not any(word in source.tools or word in tool.properties for word in tag.words):
            return tag.end
    if at == on_line and not source.starts_line(at):
        sign = _lone_sign(text, at)
        return sign.end() if sign and not sign[0][0].isascii() else 0
    sign = _lone_sign(text, at)
    if sign and not (is_raw and sign[0][0] in "-=#~+"):
        return at + len(sign[0].rstrip())
    word = _lone_word(text, at)
    if not word or word[1] in source.tools or word[1] in tool.properties:
        return 0
    if source.is_begun(word.start(1), word[1], tool):
        return 0
    is_end = compact(word[1]) in closing_words((label, tool.name)) or ends(word[1])
    return at + len(word[0].rstrip()) if is_end else 0
