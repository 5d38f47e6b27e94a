# What this file knows: what the text of a whole region stands for, and how a transform makes the message's value of it.
# What it must not know: where regions begin and end.
#
# JSON and coercion are those of the core. Nothing here raises for what a model wrote: a text that cannot be read has no
# value, NOTHING.
"""Values of regions."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from toolglean.response.real import find_all, real
from toolglean.response.spec import Field, path_of
from toolglean.response.tags import Tag, tag_of
from toolglean.scan.json import FAIL, NEED, JsonScanner, decode
from toolglean.tools import Tool
from toolglean.values.coerce import coerce_text, properties

__all__ = ["NOTHING", "coerced", "json_or_text", "json_value", "region_value"]


class _Nothing:
    """No value: the text cannot be read."""


NOTHING = _Nothing()
_colon = re.compile(r"\s*:").match


def region_value(field: Field, text: str, captures: Mapping[str, str]) -> Any:
    """The value of a region of that field, transformed; NOTHING if its text cannot be read."""
    value = content_value(field.content, text, field.args)
    if value is NOTHING or field.transform is None:
        return value
    if not field.each:
        return _transformed(field.transform, {**captures, "content": value})
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return NOTHING
    found = [_transformed(field.transform, {**captures, **each}) for each in value]
    return NOTHING if any(each is NOTHING for each in found) else found


def content_value(parser: str, text: str, args: Mapping[str, Any]) -> Any:
    """What the text stands for, as that content parser reads it."""
    if parser == "json":
        return _json_content(text, args)
    if parser == "xml-inline":
        return _tags(text, args)
    if parser == "kv-lines":
        return _lines(text, args)
    text = text.strip() if args.get("strip", True) else text
    return text if parser == "text" else _scalar(parser, text)


def _scalar(parser: str, text: str) -> Any:
    if parser == "bool":
        return text.lower() in {"true", "1"}
    kind = "integer" if parser == "int" else "number"
    found = coerce_text(text, {"type": kind})
    if isinstance(found, str) or not math.isfinite(found):
        return NOTHING
    return float(found) if parser == "float" else found


# -- JSON --------------------------------------------------------------------------------------------------------------


def json_value(text: str) -> Any:
    """The JSON value that the text is, as the core reads JSON; NOTHING if it is not JSON."""
    scanner = JsonScanner()
    text = text.strip(" \t\r\n") + " "  # a number ends only with the character behind it
    end = scanner.skim(text, 0, 0)
    if scanner.token in {NEED, FAIL} or text[end:].strip(" \t\r\n"):
        return NOTHING
    return decode(scanner.written(text, 0, end))[0]


def json_or_text(text: str) -> Any:
    """The JSON value that the text is, else the text."""
    found = json_value(text)
    return text if found is NOTHING else found


def _json_content(text: str, args: Mapping[str, Any]) -> Any:
    delims = args.get("string_delims", [])
    unquoted = bool(args.get("unquoted_keys"))
    found = json_value(_plain_json(text, delims, unquoted=unquoted) if delims or unquoted else text)
    return text.strip() if found is NOTHING and args.get("allow_non_json") else found


def _plain_json(text: str, delims: list[list[str]], *, unquoted: bool) -> str:
    # Strings between markers become JSON strings, and bare keys get their quotes; JSON strings stay as they are.
    found: list[str] = []
    i = 0
    open_ended: set[str] = set()
    while i < len(text):
        j, piece = _string_at(text, i, delims, open_ended)
        if not piece and unquoted and (text[i].isalnum() or text[i] == "_"):
            j, piece = _word_at(text, i)
        found.append(piece or text[i])
        i = j
    return "".join(found)


def _string_at(text: str, i: int, delims: list[list[str]], open_ended: set[str]) -> tuple[int, str]:
    # `open_ended`: closing markers that do not come any more, and are not looked for again.
    for begin, end in delims:
        if end in open_ended or not text.startswith(begin, i):
            continue
        close = text.find(end, i + len(begin))
        if close >= 0:
            return close + len(end), json.dumps(text[i + len(begin) : close], ensure_ascii=False)
        open_ended.add(end)
    if text[i] != '"':
        return i + 1, ""
    j = i + 1
    while j < len(text) and text[j] != '"':
        j += 1 + (text[j] == "\\")
    return min(j + 1, len(text)), text[i : j + 1]


def _word_at(text: str, i: int) -> tuple[int, str]:
    j = i
    while j < len(text) and (text[j].isalnum() or text[j] in "_-.+"):
        j += 1
    return j, f'"{text[i:j]}"' if _colon(text, j) else text[i:j]


# -- tags and lines ----------------------------------------------------------------------------------------------------


def _tags(text: str, args: Mapping[str, Any]) -> Any:
    found: dict[str, Any] = {}
    merged: set[str] = set()  # keys whose value is a list of ours
    for key, raw in _pairs(text, str(args["tag_pattern"])):
        inner = args.get("value_parser")
        value = content_value(inner.get("name", "text"), raw, inner.get("args", {})) if inner else raw
        if value is NOTHING:
            return NOTHING
        if key in merged:
            found[key].append(value)
        elif key in found and args.get("merge_duplicates"):
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else [before]), value]
            merged.add(key)
        else:
            found[key] = value
    return found


def _pairs(text: str, pattern: str) -> list[tuple[str, str]]:
    tag = tag_of(pattern)
    if tag is not None:
        return _tag_pairs(text, tag)
    matches = find_all(real(pattern, "tag_pattern", behind=True), text)
    return [(captures["key"], captures["value"]) for _, _, captures in matches]


def _tag_pairs(text: str, tag: Tag) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pos = 0
    for place, end, captures in tag.heads.all_of(text):
        if place < pos:
            continue
        close = text.find(tag.tail, end)
        if close < 0:  # nor behind any later head
            break
        found.append((captures["key"], tag.trimmed(text[end:close])))
        pos = close + len(tag.tail)
    return found


def _lines(text: str, args: Mapping[str, Any]) -> Any:
    found: dict[str, Any] = {}
    inner = args.get("value_parser")
    for line in text.split(args.get("line_sep", "\n")):
        key, parted, raw = line.partition(args.get("kv_sep", ":"))
        if parted:
            raw = raw.strip() if args.get("strip", True) else raw
            value = content_value(inner.get("name", "text"), raw, inner.get("args", {})) if inner else raw
            if value is NOTHING:
                return NOTHING
            found[key.strip() if args.get("strip", True) else key] = value
    return found


# -- the message's shape -----------------------------------------------------------------------------------------------


def _transformed(transform: Any, scope: Mapping[str, Any]) -> Any:
    if isinstance(transform, dict):
        pairs = {key: _transformed(each, scope) for key, each in transform.items()}
        return NOTHING if any(each is NOTHING for each in pairs.values()) else pairs
    if isinstance(transform, list):
        items = [_transformed(each, scope) for each in transform]
        return NOTHING if any(each is NOTHING for each in items) else items
    path = path_of(transform)
    if not path:
        return transform
    value: Any = scope
    for step in path:
        if not isinstance(value, Mapping) or step not in value:
            return NOTHING
        value = value[step]
    return value


def coerced(arguments: Mapping[str, Any], tool: Tool) -> dict[str, Any]:
    """The arguments, with text values typed by the tool's schema, also those in a list of repeated parameters."""
    known = properties(tool.parameters)
    return {key: _typed(value, known.get(key), tool) for key, value in arguments.items()}


def _typed(value: Any, schema: Any, tool: Tool) -> Any:
    if isinstance(value, str):
        return coerce_text(value, schema, tool.parameters)
    if isinstance(value, list) and isinstance(schema, Mapping) and schema.get("type") != "array":
        return [_typed(each, schema, tool) for each in value]
    return value
