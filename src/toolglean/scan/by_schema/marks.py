# Arguments that are keys and values between marks. Does not depend on what is around them.
#
#   city=Paris; days=3              a sign between the pairs
#   --city "New York" --days 3      a sign before each key; perhaps with a shell's quotes
#   |city|Paris|days|3|             marks before and after each key
#   <k>city<v>Paris<k>days<v>3      tags that are not closed
#
# The marks are the same for all pairs. A value ends where the next declared key is written between such marks. What
# looks like a pair of another key is refused: nothing shows where the value ends.
"""Arguments between marks."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import string_at
from toolglean.scan.by_schema.pairs import MID, any_pair, has_key, has_literal
from toolglean.scan.by_schema.source import longest_at
from toolglean.scan.by_schema.tags import mirrored, tag_at
from toolglean.scan.by_schema.values import Pair

__all__ = ["marked"]

_word = re.compile(r"[\w.-]*\w").match
_run = re.compile(r"[^\w\s\"'`]{1,4}").match
_sign = re.compile(r"[^\w\s\"']").search
_tag_between = re.compile(r"<[^\w\s<>]{1,6}>\Z|<[|｜]\w{1,16}[|｜]>\Z").search
_SEPARATORS = frozenset(";,|&/·•¦§~")


@dataclass(frozen=True, slots=True)
class _Marks:
    before: str  # each key
    after: str  # each key
    between: str  # a value and the next key; "" if `before` is enough


def marked(text: str, tool: Schema) -> Iterator[list[Pair]]:
    """The pairs between marks that are the same for all, in each way in which they can be read."""
    text = text.strip()
    for marks in (*_marks(text, tool), *_tag_marks(text, tool)):
        found = _split(text, marks, tool)
        if found is not None:
            yield found


def _marks(text: str, tool: Schema) -> Iterator[_Marks]:
    begin = _run(text, 0)
    before = begin[0] if begin else ""
    key = longest_at(text, len(before), tool.keys)
    if not key:
        return
    pos = len(before) + len(key)
    after = _after_key(text, pos, before)
    if not after or (not before and after.strip() not in _MIDS):
        return
    if before:
        yield _Marks(before, after, "")
        return
    seen = set()
    for other in tool.keys:
        for found in re.finditer(re.escape(other + after), text[pos:]):
            separator = _separator(text[pos : pos + found.start()])
            if other != key and separator and longest_at(text, pos + found.start(), tool.keys) == other:
                seen.add(separator)
    if len(seen) < 2:
        yield _Marks("", after, seen.pop() if seen else ";")


def _tag_marks(text: str, tool: Schema) -> Iterator[_Marks]:
    # `<arg>city<val>Paris`, `<arg>city=Paris`: a tag that is not closed before each key.
    tag = tag_at(text, 0)
    if tag is None or tag.slash or tag.empty or len(tag.words) + len(tag.pairs) != 1 or tag.element in tool.properties:
        return
    key = longest_at(text, tag.end, tool.keys)
    pos = tag.end + len(key)
    if key and pos < len(text):
        mark = tag_at(text, pos)
        mid = MID(text, pos)
        if mark is not None and not (mark.slash or mark.empty):
            yield _Marks(text[: tag.end], text[pos : mark.end], "")
        elif mark is None and mid:
            yield _Marks(text[: tag.end], mid[0], "")


def _separator(text: str) -> str:
    # The sign at the end of the text, or else a blank; "" if there is neither.
    tag = _tag_between(text)
    if tag:
        return tag[0]
    rest = text.rstrip()
    if rest[-1:] in _SEPARATORS or (
        rest and rest[-1] not in "<>=+" and unicodedata.category(rest[-1:]) in {"So", "Sm"}
    ):
        return rest[-1:]
    return " " if len(rest) < len(text) else ""


_MIDS = frozenset({"=", ":", "=>", "->", ":=", "::", "==", "→", "⇒", "~", "|"})


def _after_key(text: str, pos: int, before: str) -> str:
    right = mirrored(before)
    if before and right != before:
        return right if text.startswith(right, pos) else ""
    mid = MID(text, pos)
    if mid:
        return mid[1] if mid[0] == mid[1] else mid[0]
    if before and text.startswith(before, pos):
        return before
    return " " if before and text[pos : pos + 1] == " " else ""


def _split(text: str, marks: _Marks, tool: Schema) -> list[Pair] | None:
    heads = _heads(text, marks, tool)
    is_alone = len(heads) == 1 and mirrored(marks.before) != marks.before
    if is_alone and (tag := tag_at(marks.after + " ", 0)) is not None and tag.left not in text[heads[0][1] :]:
        is_alone = False
    if not heads or heads[0][0] != 0 or is_alone:
        return None  # one opening tag without its closer may be cut off
    values = [text[head[1] : after[0]] for head, after in zip(heads, [*heads[1:], (len(text), 0, "")], strict=True)]
    end_tag = (
        _end_tag(values, marks.before)
        if len(values) > 1 and marks.before and marks.before[-1] != marks.before[0]
        else ""
    )
    found: list[Pair] = []
    used = {head[2] for head in heads}
    absent = tuple(key for key in tool.keys if key not in used)
    for number, (_, begin, key) in enumerate(heads):
        end = heads[number + 1][0] if number + 1 < len(heads) else len(text)
        value = text[begin:end].strip().removesuffix(end_tag)
        if number + 1 == len(heads) or (marks.before == marks.after and "\n" in text[begin:end]):
            value = _without_end(value, marks)
        if (
            _hides(value, marks)
            or _hides_key(value, marks, absent)
            or (not marks.before and "\n" in value and _breaks(value, marks, heads))
        ):
            return None
        found.append(Pair(key, value))
    return _without_shell_quotes(found) if marks.before.startswith("-") else found


def _breaks(value: str, marks: _Marks, heads: list[tuple[int, int, str]]) -> bool:
    # Whether the lines of the value may be pairs themselves.
    return not marks.between.strip() or len(heads) == 1 or any(any_pair(row) for row in value.split("\n")[1:])


def _end_tag(values: list[str], before: str) -> str:
    # The tag, in the shape of those before the keys, with which all of the values end.
    first = values[0].strip()
    for pos in range(len(first)):
        tag = tag_at(first, pos) if not (first[pos].isalnum() or first[pos].isspace()) else None
        if tag is not None and tag.end == len(first) and before.startswith(tag.left):
            mark = first[pos:]
            return mark if all(value.strip().endswith(mark) for value in values) else ""
    return ""


def _hides_key(value: str, marks: _Marks, keys: tuple[str, ...]) -> bool:
    if has_literal(value):
        return False
    if not (marks.before or marks.between.strip()) and (
        (value[:1] in {'"', "'"} and string_at(value, 0) is not None) or len(value.split()) > 1
    ):
        return True  # more than one word, without anything that shows where the value ends
    if not marks.before and marks.after.strip() == "|":
        return "|" in value
    is_plain = not marks.before or marks.before.startswith("-") or marks.after.strip() not in _MIDS
    return marks.after.strip() in _MIDS and is_plain and has_key(value, marks.after, keys)


def _without_shell_quotes(pairs: list[Pair]) -> list[Pair]:
    # If one value is in quotes, and each is one word for a shell, then a shell's quotes are meant.
    try:
        words = [shlex.split(pair.text) for pair in pairs]
    except ValueError:
        return pairs
    is_quoted = any(pair.text[:1] in {'"', "'"} for pair in pairs)
    if not is_quoted or any(len(each) != 1 for each in words) or any("\\" in pair.text for pair in pairs):
        return pairs
    return [Pair(pair.key, word, is_exact=True) for pair, (word,) in zip(pairs, words, strict=True)]


def _without_end(value: str, marks: _Marks) -> str:
    # The mark after the last value, if there is one.
    mark = marks.between or (marks.before if marks.before == marks.after else "")
    return value[: -len(mark)].rstrip() if mark.strip() and value.endswith(mark) else value


def _heads(text: str, marks: _Marks, tool: Schema) -> list[tuple[int, int, str]]:
    # Where each pair begins, where its value begins, and its key.
    found: list[tuple[int, int, str]] = []
    pos = 0
    while pos < len(text):
        head = _head_at(text, pos, marks, tool, is_first=not found)
        if head is not None:
            found.append((pos, *head))
            pos = head[0]
            quoted = string_at(text, pos) if text[pos : pos + 1] in {'"', "'"} else None
            after = text[quoted[0] :].lstrip() if quoted is not None else ""
            if quoted is not None and (not after or after.startswith(marks.between.strip() or marks.before)):
                pos = quoted[0]
        else:
            pos += 1
    return found


def _head_at(text: str, pos: int, marks: _Marks, tool: Schema, *, is_first: bool) -> tuple[int, str] | None:
    mark = marks.before or ("" if is_first else marks.between)
    if not text.startswith(mark, pos):
        return None
    at = pos + len(mark)
    while mark and not marks.before and text[at : at + 1] in {" ", "\t"}:
        at += 1
    if marks.before.startswith("-") and pos and not text[pos - 1].isspace():
        return None
    key = longest_at(text, at, tool.keys)
    if not key:
        return None
    at += len(key)
    if not text.startswith(marks.after, at):
        return None
    return at + len(marks.after), key


def _hides(value: str, marks: _Marks) -> bool:
    # Whether the value contains what looks like a pair of another key.
    if not marks.before and has_literal(value):
        return False
    if marks.before == marks.after:
        return value.count(marks.before) % 2 == 1 or marks.before * 2 in value or marks.before in value
    mark = marks.before or marks.between
    return _has_pair(value, mark, marks.after) or (not marks.before and _has_pair(value, "\n", marks.after))


def _has_pair(value: str, mark: str, sign: str) -> bool:
    pos = value.find(mark)
    while pos >= 0:
        at = pos + len(mark)
        while value[at : at + 1] in {" ", "\t"}:
            at += 1
        word = _word(value, at)
        if word and value[word.end() :].startswith(sign) and sign.strip():
            return True
        pos = value.find(mark, pos + 1)
    return False
