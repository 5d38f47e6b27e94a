# The value of a whole region's text, and how a transform turns it into the message's value. Does not depend on where
# regions begin and end.
#
# JSON and coercion are those of `scan`. Nothing here raises for what a model wrote: a text that cannot be read has no
# value, NOTHING.
"""Values of regions."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from toolglean.scan.coerce import coerce_text, properties
from toolglean.scan.json import decode
from toolglean.scan.tokens import value_text
from toolglean.sources.response.calls import Tag, tag_of
from toolglean.sources.response.regexes import compiled, find_all
from toolglean.sources.response.spec import Field, path_of
from toolglean.tools import Tool

__all__ = ["NOTHING", "coerced", "json_or_text", "json_value", "region_value"]


class _Nothing:
    """No value: the text cannot be read."""


NOTHING = _Nothing()
_colon = re.compile(r"\s*:").match
_string = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL).match
_word = re.compile(r"\w[\w.+-]*").match


def region_value(field: Field, text: str, captures: Mapping[str, str]) -> Any:
    """The transformed value of a region of that field; NOTHING if its text cannot be read."""
    value = content_value(field.content, text, field.args)
    if value is NOTHING or field.transform is None:
        return value
    if not field.each:
        return _transformed(field.transform, {**captures, "content": value})
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return NOTHING
    found = [_transformed(field.transform, {**captures, **each}) for each in value]
    return NOTHING if NOTHING in found else found


def content_value(parser: str, text: str, args: Mapping[str, Any]) -> Any:
    """The value of the text, as that content parser reads it."""
    if parser == "json":
        return _json_content(text, args)
    if parser == "xml-inline":
        return _inner_values(_pairs(text, str(args["tag_pattern"])), args, merge=bool(args.get("merge_duplicates")))
    if parser == "kv-lines":
        return _inner_values(_lines(text, args), args)
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
    found, _ = value_text(text)
    return NOTHING if found is None else decode(found)[0]


def json_or_text(text: str) -> Any:
    """The text as a JSON value, or else the text itself."""
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
    closers = {end: text.rfind(end) for _, end in delims}  # the last place of each closing marker
    while i < len(text):
        begin, end = next((d for d in delims if text.startswith(d[0], i) and closers[d[1]] >= i + len(d[0])), ("", ""))
        word = _word(text, i) if unquoted and not begin else None
        string = _string(text, i)
        if begin:
            last = text.index(end, i + len(begin))
            found.append(json.dumps(text[i + len(begin) : last], ensure_ascii=False))
            i = last + len(end)
        elif word is not None:
            found.append(f'"{word[0]}"' if _colon(text, word.end()) else word[0])
            i = word.end()
        else:
            found.append(string[0] if string is not None else text[i])
            i += len(found[-1])
    return "".join(found)


# -- tags and lines ----------------------------------------------------------------------------------------------------


def _inner_values(pairs: list[tuple[str, str]], args: Mapping[str, Any], *, merge: bool = False) -> Any:
    # The values of these pairs by their keys; with `merge`, those of a repeated key as a list.
    found: dict[str, Any] = {}
    merged: set[str] = set()  # keys whose values were merged into a list
    for key, raw in pairs:
        value = _inner_value(raw, args)
        if value is NOTHING:
            return NOTHING
        if key in merged:
            found[key].append(value)
        elif key in found and merge:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else [before]), value]
            merged.add(key)
        else:
            found[key] = value
    return found


def _inner_value(text: str, args: Mapping[str, Any]) -> Any:
    inner = args.get("value_parser")
    return content_value(inner.get("name", "text"), text, inner.get("args", {})) if inner else text


def _pairs(text: str, pattern: str) -> list[tuple[str, str]]:
    tag = tag_of(pattern)
    if tag is not None:
        return _tag_pairs(text, tag)
    matches = find_all(compiled(pattern, "tag_pattern", behind=True), text)
    return [(captures["key"], captures["value"]) for _, _, captures in matches]


def _tag_pairs(text: str, tag: Tag) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pos = 0
    for place, end, captures in tag.heads.all_of(text):
        if place < pos:
            continue
        close = text.find(tag.tail, end)
        if close < 0:  # so there is none after any later head either
            break
        found.append((captures["key"], tag.trimmed(text[end:close])))
        pos = close + len(tag.tail)
    return found


def _lines(text: str, args: Mapping[str, Any]) -> list[tuple[str, str]]:
    parts = (line.partition(args.get("kv_sep", ":")) for line in text.split(args.get("line_sep", "\n")))
    pairs = [(key, raw) for key, parted, raw in parts if parted]
    return [(key.strip(), raw.strip()) for key, raw in pairs] if args.get("strip", True) else pairs


# -- transforms --------------------------------------------------------------------------------------------------------


def _transformed(transform: Any, scope: Mapping[str, Any]) -> Any:
    if isinstance(transform, dict):
        pairs = {key: _transformed(each, scope) for key, each in transform.items()}
        return NOTHING if NOTHING in pairs.values() else pairs
    if isinstance(transform, list):
        items = [_transformed(each, scope) for each in transform]
        return NOTHING if NOTHING in items else items
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
    """The arguments, with text values typed by the tool's schema, including those in a list of repeated parameters."""
    known = properties(tool.parameters)
    return {key: _typed(value, known.get(key), tool) for key, value in arguments.items()}


def _typed(value: Any, schema: Any, tool: Tool) -> Any:
    if isinstance(value, str):
        return coerce_text(value, schema, tool.parameters)
    if isinstance(value, list) and isinstance(schema, Mapping) and schema.get("type") != "array":
        return [_typed(each, schema, tool) for each in value]
    return value
