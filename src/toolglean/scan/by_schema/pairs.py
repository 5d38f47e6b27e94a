# Arguments as pairs of a key and a value, all in the style of the first one (styles.py). Does not depend on what is
# around the pairs.
#
#   pair                  between
#   city: Paris           a line break
#   city=Paris            ;   (or another sign, a tag, or a blank)
#   --city "Oslo"         nothing: what is before each key shows where the value ends
#   (city "Oslo")         lists, as in Lisp
#   ?city=Oslo&days=3     the query of a URL
#
# A value that is a literal shows its own end. Any other value ends where the next declared key is written in the same
# way. What looks like a pair of another key, or like a pair in another way, is refused: nothing shows where the value
# ends.
"""Arguments as pairs of a key and a value."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import after_blanks, after_space, literal_at, plain_string_at, string_at
from toolglean.scan.by_schema.styles import Head, Style, heads, sign_at, style_at
from toolglean.scan.by_schema.tags import mirrored, says_end, tag_at
from toolglean.scan.by_schema.values import Pair, has_quotes, is_id
from toolglean.scan.coerce import coerce_text
from toolglean.scan.nested import json_text

__all__ = ["Exact", "aligned", "exact_at", "exact_in"]

MAX_PAIRS = 64

_SIGNS = frozenset({"=", ":", "：", "＝", "=>", "->", ":=", "::", "==", ">>", "→", "⇒", "⟶", "~", "~>", "|"})
_SEPARATORS = frozenset(";,|&/·•¦§~，；、")


# -- values that show their own end ------------------------------------------------------------------------------------

_any_key = re.compile(
    r"(?P<lead>[^\w\s\"'`<>(){}\[\],;]{0,3}[ \t]{0,4})(?P<quote>[\"'`]?)(?P<key>\w[\w.-]*)(?P=quote)"
).match
_listed = re.compile(r"\([ \t]*[:\"']?([\w-][\w.-]*)[\"']?(?:[ \t]+\.)?\s+").match
_list_end = re.compile(r"\s*\)").match
_gap = re.compile(
    r"[ \t]*(?P<sign>[,;|&/·•¦§~，；、]|<[^\w\s<>]{1,6}>|<[|｜]?[a-z]{1,12}[|｜]?>|(?=\r?\n)|(?=[ \t]))"
    r"(?:[ \t]*\r?\n)*[ \t]*"
).match
_bare = re.compile(r"[^\s\"'<>(){}\[\],;|`\\$-][^\s\"'<>`\\$]*(?<![,;])(?=[ \t\r\n]|\Z)").match


class Exact(NamedTuple):
    """Pairs with literal values: where they end, the last sign after them, the pairs, and what is between two."""

    end: int
    sign: str
    pairs: list[Pair]
    between: str = ""


def exact_at(text: str, pos: int, end: int, tool: Schema) -> Exact | None:
    """As many pairs as there are from `pos` on; None if there is none, or if another key is written in their way."""
    if text.startswith("?", pos):
        return _query(text, pos, end, tool)
    style: Style | None = None
    sign: str | None = None
    after: Exact | None = None
    found: list[Pair] = []
    pos = min(after_space(text, pos), end)  # what is given may end before the white space does
    while len(found) < MAX_PAIRS:
        begun = _begun(text, pos, end)
        if begun is None or style not in {None, begun[0]}:
            return after
        style, key, at = begun
        value = _literal(text, at, end, style)
        if value is None or not (key in tool.properties or is_id(key, value[1], tool)):
            return None
        found += [Pair(key, value[1], is_exact=True)] if key in tool.properties else []
        mark = _gap(text, value[0], end)
        this = (mark["sign"] or ("\n" if "\n" in mark[0] else " ")) if mark else None
        if not mark or sign not in {None, this}:
            return Exact(value[0], "", found, sign or "")
        after = Exact(value[0], mark["sign"], found, sign or "")
        sign, pos = this, mark.end()
    return None


def exact_in(text: str, start: int, end: int, tool: Schema) -> list[Pair] | None:
    """The pairs of which the whole of `text[start:end]` consists."""
    found = exact_at(text, start, end, tool)
    if found is None:
        return None
    rest = text[found.end : end].strip()
    return found.pairs if rest == found.sign and not rest.startswith("<") else None


_parameters = re.compile(r"\?((?:[\w.-]+=[^\s&\"'`<>{}\[\]|\\^]*&)*[\w.-]+=[^\s&\"'`<>{}\[\]|\\^]*)").match
_escapes = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*").fullmatch


def _query(text: str, pos: int, end: int, tool: Schema) -> Exact | None:
    # `?city=New%20York&days=3`: the query of a URL. A plus sign is a blank only where other signs are escaped.
    found = _parameters(text, pos, end)
    if not found or not _escapes(found[1]) or ("+" in found[1] and "%" not in found[1]):
        return None
    from urllib.parse import unquote_plus  # noqa: PLC0415  # few calls need it

    rows = [row.partition("=") for row in found[1].split("&")]
    if any(key not in tool.properties for key, _, _ in rows):
        return None
    return Exact(found.end(), "", [Pair(key, unquote_plus(value), is_exact=True) for key, _, value in rows], "&")


def _begun(text: str, pos: int, end: int) -> tuple[Style, str, int] | None:
    found = _listed(text, pos, end)
    if found:
        return Style("(", "", " "), found[1], found.end()
    found = _any_key(text, pos, end)
    if not found:
        return None
    lead = found["lead"].strip()
    mid = sign_at(text, found.end(), end)
    if mid:
        return Style(lead, found["quote"], mid[1]), found["key"], min(after_space(text, mid.end()), end)
    if (lead.startswith("-") or lead in {":", "#:"}) and text[found.end() : found.end() + 1] in {" ", "\t"}:
        return Style(lead, found["quote"], " "), found["key"], found.end() + 1
    return None


def _literal(text: str, pos: int, end: int, style: Style) -> tuple[int, str] | None:
    # The end of the value, and its text.
    found = plain_string_at(text, pos) if text[pos : pos + 1] in {'"', "'"} else None
    if found is not None:
        found = found[0], _unbroken(text, pos, *found)
    elif text[pos : pos + 1] not in {'"', "'", "`"}:
        literal, bare = literal_at(text, pos), _bare(text, pos, end) if style.lead.startswith("--") else None
        if literal is not None and (literal[0] == end or (literal[0] < end and _may_end(text[literal[0]]))):
            raw = text[pos : literal[0]]
            found = literal[0], json_text(literal[1]) if isinstance(literal[1], dict | list) else raw
        elif bare:
            found = bare.end(), bare[0]
    closer = _list_end(text, found[0], end) if found is not None and style.lead == "(" else None
    if found is None or found[0] > end or (style.lead == "(" and not closer):
        return None
    return (closer.end(), found[1]) if closer else found


def _may_end(char: str) -> bool:
    return not (char.isalnum() or char in "_-+:./%@#$'\"")


# -- values that end where the next pair begins ------------------------------------------------------------------------


def aligned(text: str, tool: Schema) -> list[Pair] | None:
    """The pairs of which the whole text consists; None if it is anything else, or nothing shows where a value ends."""
    start, end = after_space(text, 0), len(text)
    begun = style_at(text, start, end, tool)
    if begun is None:
        return None
    style, first = begun
    marks = [(each, _mark_before(text, each.start)) for each in heads(text, first.value, end, style, tool.keys)]
    between = _between(text, first, style, {mark for each, mark in marks if each.key != first.key})
    if between is None or (between == "\n" and "\n" in text[:start] and text.rpartition("\n")[2].strip()):
        return None  # the frame's opener is on a line of its own, and its closer is not
    others = [
        each
        for each, mark in marks
        if between in {"", mark} and (between or style.lead[:1] != "-" or text[each.start - 1].isspace())
    ]
    head: Head | None = first
    rows: list[tuple[Head, str, bool]] = []
    while head is not None and len(rows) < MAX_PAIRS:
        stop, exact = _whole(text, head.value, end, between or style.lead)
        after = next((each for each in others if each.start >= stop), None)
        raw = text[head.value : end if after is None else after.start]
        if exact is None and _is_block(raw):
            return None  # in a way that is not read here, or without a line
        if exact is not None and raw[stop - head.value :].replace(between, "", 1).strip(" \t\r\n,;"):
            return None  # something is behind it that belongs to no value
        rows.append((head, raw if exact is None else exact, exact is not None))
        head = after
    return _pairs(rows, style, between, tool) if head is None else None


def _between(text: str, first: Head, style: Style, seen: set[str]) -> str | None:
    # What is between a value and the next key: a line break, a sign, a tag, a blank, or nothing. None if it differs.
    if not seen:
        return "\n" if "\n" in text[first.start :].strip() else "" if style.lead else ";"
    if style.lead:
        return "\n" if seen == {"\n"} else ""
    seen.discard("")
    return seen.pop() if len(seen) == 1 else None


_tag_before = re.compile(r"(?:<[^\w\s<>]{1,6}>|<[|｜]\w{1,16}[|｜]>)\Z").search


def _mark_before(text: str, pos: int) -> str:
    rest = text[max(0, pos - 160) : pos].rstrip(" \t")
    if rest.endswith("\n"):
        return "\n"
    tag = _tag_before(rest)
    if tag:
        return tag[0]
    last = rest[-1:]
    if last in _SEPARATORS or (last and last not in "<>=+" and unicodedata.category(last) in {"So", "Sm"}):
        return last
    return " " if text[pos - 1 : pos] in {" ", "\t"} else ""


# -- values ------------------------------------------------------------------------------------------------------------

_heredoc = re.compile(r"<<[-'\"]{0,2}(\w+)['\"]?[ \t]*\r?\n(?:(.*?)\n)??[ \t]*\1[ \t]*(?=\r?\n|\Z)", re.DOTALL).match
_block = re.compile(r"\|-?[ \t]*\r?\n((?:[ \t]+\S.*(?:\n|\Z)|[ \t]*\r?\n)+)").match

_is_block = re.compile(r"[ \t]*[|>][-+0-9]{0,2}[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)").match
_comment = re.compile(r"(?:#[ \t]|//)").match
_comment_behind = re.compile(r"\S[ \t]+(?:#[ \t]|//)").search


def _whole(text: str, pos: int, end: int, mark: str) -> tuple[int, str | None]:
    # Where a value ends that shows its end, or else where it begins; and the value, if that is not its text.
    at = after_blanks(text, pos)
    found = _heredoc(text, at) if text.startswith("<<", at) else None
    if found:
        return found.end(), found[2] or ""
    lines = _block(text, at) if text.startswith("|", at) else None
    if lines and mark == "\n" and lines[1].strip():
        rows = lines[1].rstrip().split("\n")
        indent = min(len(row) - len(row.lstrip()) for row in rows if row.strip())
        return (at + len(lines[0].rstrip()), "\n".join(row[indent:] for row in rows)) if indent else (pos, None)
    literal = literal_at(text, at) if text[at : at + 1] in {'"', "'", "{", "["} else None
    if literal is None or literal[0] > end or not _is_followed(text, literal[0], mark.strip()):
        return pos, None
    is_triple = text.startswith(('"""', "'''"), at)
    return literal[0], _unbroken(text, at, literal[0], literal[1]) if is_triple else None


def _is_followed(text: str, pos: int, mark: str) -> bool:
    # Whether a value may end there: its line ends, or the mark follows; if there is no mark, a blank.
    at = after_blanks(text, pos)
    return text[at : at + 1] in {"", "\n", "\r"} or (text.startswith(mark, at) if mark else at > pos)


def _unbroken(text: str, pos: int, end: int, value: str) -> str:
    # The value of a string in quotes; without the line breaks that belong to three quotes on lines of their own.
    is_block = text.startswith(('"""\n', "'''\n"), pos)
    if not is_block or text[text.rfind("\n", 0, end - 3) + 1 : end - 3].strip() or not value.endswith("\n"):
        return value
    return value[1:-1] if len(value) > 1 else ""


def _pairs(rows: list[tuple[Head, str, bool]], style: Style, between: str, tool: Schema) -> list[Pair] | None:
    closing = (style.lead.rstrip(":= \t"),) if style.lead[:1].isalnum() else ()
    absent = set(tool.keys) - {head.key for head, _, _ in rows}
    if len(rows) == 1 and _may_be_cut(rows[0][1], style):
        return None
    found: list[Pair] = []
    for number, (head, raw, is_exact) in enumerate(rows):
        value: str | None = raw
        if not is_exact:
            value = _value(raw, style, between, closing, is_last=number + 1 == len(rows))
            if value is None or _hides(value, style, between, absent, is_only=len(rows) == 1):
                return None
            if style.tail in _SIGNS and _has_comment(value):
                return None
        found.append(Pair(head.key, value or "", is_exact))
    if between == "\n" and not closing and _have_ends(found):
        return None
    if style.tail in _SIGNS and _differ_in_quotes(found, tool):
        return None
    return _without_shell_quotes(found) if style.lead.startswith("-") else _without_end_tag(found, style)


def _has_comment(value: str) -> bool:
    # Whether a comment ends the value, which may take the call back: behind its last words, or on a line of its own.
    before, _, last = value.rpartition("\n")
    return (bool(before) and _comment(last.lstrip()) is not None) or _comment_behind(last) is not None


def _differ_in_quotes(pairs: list[Pair], tool: Schema) -> bool:
    # Whether one text is in quotes and another is not: then nobody knows whether they belong to it.
    raw = [pair for pair in pairs if not pair.is_exact]
    texts = [each for each in raw if isinstance(coerce_text(each.text, tool.properties[each.key], tool.root), str)]
    return len({has_quotes(each.text.strip()) for each in texts}) > 1


def _may_be_cut(raw: str, style: Style) -> bool:
    # One opening tag without its closer may be cut off.
    if style.lead[:1].isalnum() or mirrored(style.lead) == style.lead:
        return False
    tag = tag_at(style.tail + " ", 0)
    return tag is None or tag.left in raw


def _value(raw: str, style: Style, between: str, closing: tuple[str, ...], *, is_last: bool) -> str | None:
    value = raw.strip()
    if closing:
        inner, _, last = value.rpartition("\n")
        is_closed = says_end(last, closing) and not any(says_end(row, closing) for row in inner.split("\n"))
        return raw[: raw.rindex(last)].removeprefix("\r").removeprefix("\n").rstrip("\r\n") if is_closed else None
    rows = value.split("\n")
    if raw.lstrip(" \t")[:1] in {"\n", "\r"} and len(rows) > 1:
        if style.tail == "\n" and not style.lead:
            return None  # a key, a value, a key, a value
        body = raw.lstrip("\r\n").rstrip()
        if any(row[:1] in {" ", "\t"} for row in body.split("\n")):
            return body if style.lead else None  # the blanks may belong to the value, or to the spelling
    mark = between.strip() or (style.lead if style.lead == style.tail else "")
    if mark and (not is_last or value.endswith(mark)) and (between.strip() or is_last):
        value = value.removesuffix(mark).rstrip()
    return value


def _have_ends(pairs: list[Pair]) -> bool:
    # Whether a line of its own seems to end each value: a word for it, or the same line again.
    last = [pair.text.rpartition("\n")[2].strip() for pair in pairs if "\n" in pair.text and not pair.is_exact]
    return len(set(last)) < len(last) or any(row and says_end(row, (pair.key,)) for pair in pairs for row in last)


_pair = re.compile(
    r"[ \t]*+([^\w\s\"'`<>(){}\[\],;=]{0,4})[ \t]*+([\w.-]*\w)[ \t]*(=>|->|:=|::|==|>>|→|⇒|⟶|[=:|~])"
).match


def _hides(value: str, style: Style, between: str, absent: Iterable[str], *, is_only: bool) -> bool:
    # Whether the value may contain another pair, so that nothing shows where it ends.
    literal = string_at(value, 0) if value[:1] in {'"', "'"} else None
    if literal is not None and literal[0] == len(value):
        return False
    is_line, rows = between == "\n", value.split("\n")[1:]
    if is_line:
        hides = any(_is_pair(row, style, absent) for row in rows)
    elif style.lead:
        hides = style.lead == style.tail and style.lead in value
        hides = hides or (style.lead.startswith("--") and re.search(r"(?<!\S)--\w", value) is not None)
    elif between.strip():
        hides = bool(rows) and (is_only or any(map(_pair, rows)))
    else:
        hides = bool(rows) or literal is not None or len(value.split()) > 1  # nothing shows where it ends
    mark = style.lead or between
    hides = hides or (style.tail == "|" and not style.lead and not is_line and "|" in value)
    hides = hides or bool(mark.strip() and style.tail.strip() and _word_after(value, mark, style.tail))
    is_plain = not style.lead or style.lead.startswith("-") or style.tail not in _SIGNS
    return hides or (((is_plain and style.tail in _SIGNS) or is_line) and _has_key(value, style.tail, absent))


def _is_pair(row: str, style: Style, absent: Iterable[str]) -> bool:
    # Whether the line of a value may be a pair itself, of a declared key, or in the same way.
    found = _pair(row)
    if not found or (style.lead and not row.strip().startswith(style.lead)):
        return False
    return found[3] == style.tail or found[2] in absent


def _word_after(value: str, mark: str, sign: str) -> bool:
    pattern = rf"{re.escape(mark)}[ \t]*[\w.-]*\w[ \t]?{re.escape(sign)}"
    return re.search(pattern, value) is not None


def _has_key(value: str, tail: str, keys: Iterable[str]) -> bool:
    # Whether one of the keys is in the value, with that sign after it.
    names, sign = "|".join(map(re.escape, keys)), re.escape(tail.strip())
    before, follows = (r"(?<!\w)", rf"[ \t]*{sign}") if sign else (r"--[ \t]*", r"[ \t]")
    return bool(names) and re.search(rf"{before}(?:{names})(?!\w|[.-]+\w){follows}", value) is not None


def _without_end_tag(pairs: list[Pair], style: Style) -> list[Pair]:
    # Without the tag, in the shape of those before the keys, with which all of the values end.
    tag = tag_at(style.lead, 0) if len(pairs) > 1 and style.lead and style.lead[-1] != style.lead[0] else None
    ends = [_tag_at_end(pair.text, tag.left) for pair in pairs] if tag is not None else [""]
    if len(set(ends)) > 1 or not ends[0]:
        return pairs
    return [Pair(pair.key, pair.text.removesuffix(ends[0]).rstrip()) for pair in pairs]


def _tag_at_end(text: str, left: str) -> str:
    pos = text.rfind(left)
    tag = tag_at(text, pos) if pos >= 0 else None
    return text[pos:] if tag is not None and tag.end == len(text) else ""


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
