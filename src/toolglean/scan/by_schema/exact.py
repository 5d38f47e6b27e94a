# Arguments of which each value is a literal, so that it shows itself where it ends. Does not depend on what is around
# them.
#
#   kind="bar" | series=[3, 1]      pairs between which there is a sign, a line break, a blank, or a tag
#   code := "X";
#   --query "a b" --limit 3         options, whose values may also be words
#   (query "a b") (limit 3)         lists, as in Lisp
#   ?query=a%20b&limit=3            the query of a URL
#
# All pairs are written in the same way: see styles.py.
"""Arguments with literal values."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolglean.scan.by_schema.align import MAX_PAIRS, unbroken
from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import literal_at, string_at
from toolglean.scan.by_schema.styles import Style, sign_at, space
from toolglean.scan.by_schema.values import Pair, is_id
from toolglean.scan.nested import json_text

__all__ = ["Exact", "exact_at", "exact_in"]

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
    head: Style | None = None
    sign: str | None = None
    found: list[Pair] = []
    after = Exact(pos, "", found)
    pos = space(text, pos, end).end()  # type: ignore[union-attr]  # it matches the empty string
    while len(found) < MAX_PAIRS:
        begun = _begun(text, pos, end)
        if begun is None or (head is not None and begun[0] != head):
            return after if found else None
        if begun[1] not in tool.properties and not is_id(begun[1], tool):
            return None
        head, key, at = begun
        value = _literal(text, at, end, head)
        closer = _list_end(text, value[0], end) if value is not None and head.lead == "(" else None
        if value is None or (head.lead == "(" and not closer):
            return None
        value = (closer.end(), value[1]) if closer else value
        pair = Pair(key, value[1], is_exact=True)
        if key in tool.properties:
            found.append(pair)
        mark = _gap(text, value[0], end)
        if not mark or (sign is not None and (mark["sign"] or _break(mark[0])) != sign):
            return Exact(value[0], "", found, sign or "")
        after = Exact(value[0], mark["sign"], found, sign or "")
        if sign is None:
            sign = mark["sign"] or _break(mark[0])
        pos = mark.end()
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


def _break(text: str) -> str:
    return "\n" if "\n" in text else " "


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
        return Style(lead, found["quote"], mid[1]), found["key"], space(text, mid.end(), end).end()  # type: ignore[union-attr]  # it matches the empty string
    if (lead.startswith("-") or lead in {":", "#:"}) and text[found.end() : found.end() + 1] in {" ", "\t"}:
        return Style(lead, found["quote"], " "), found["key"], found.end() + 1
    return None


def _literal(text: str, pos: int, end: int, head: Style) -> tuple[int, str] | None:
    # The end of the value, and its text.
    if text[pos : pos + 1] in {'"', "'"}:
        quoted = string_at(text, pos)
        if (
            quoted is None
            or quoted[0] > end
            or ("\\" in text[pos : quoted[0]] and quoted[1] not in text[pos : quoted[0]])
        ):
            return None  # a backslash that would change the value: nobody knows whether it is an escape
        return quoted[0], unbroken(text, pos, *quoted)
    found = literal_at(text, pos) if text[pos : pos + 1] != "`" else None
    if found is not None and found[0] <= end and (found[0] == end or _may_end(text[found[0]])):
        is_object = isinstance(found[1], dict | list)
        return found[0], json_text(found[1]) if is_object else found[1] if isinstance(found[1], str) else text[
            pos : found[0]
        ]
    bare = _bare(text, pos, end) if head.lead.startswith("--") else None
    return (bare.end(), bare[0]) if bare else None


def _may_end(char: str) -> bool:
    return not (char.isalnum() or char in "_-+:./%@#$'\"")
