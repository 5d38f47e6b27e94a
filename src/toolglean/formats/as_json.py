# A declaration as JSON, so that it can be kept in a file, sent, and read by other programs: which keys it has, what
# each may contain, and the version of all that. Does not depend on how a declaration is read or found, or on files.
#
# The keys are the fields of `Declaration` that say how a model writes; those with their default value are left out. The
# version changes if a program that knows the old one would misread a new file.
"""Declarations as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields
from typing import Any

from toolglean.errors import FormatError, shown
from toolglean.formats.declaration import Declaration
from toolglean.formats.words import Json, JsonOrText, Pairs, PythonDict, Quoted, ScriptObject, Tree
from toolglean.scan.schema_faults import is_valid

__all__ = ["LISTED", "MARK", "VERSION", "fields_in", "json_schema", "text_of", "values_of"]

VERSION = 1
MARK = "toolglean_format"
"""The key of the version."""

_CODECS: Mapping[str, type[Any]] = {
    each.__name__: each for each in (Json, JsonOrText, PythonDict, ScriptObject, Quoted, Pairs, Tree)
}
_OWN = frozenset({"_", "aliases", "models", "source", "reads", "origin"})
"""Fields that are about the library, or about where the declaration came from."""
LISTED = ("aliases", "models", "source", "markers", "response_template")
"""What a list of formats says besides the declaration: its names, and what follows from it. It is not read back."""

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_PAIR = {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2}
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "str": _TEXT,
    "bool": {"type": "boolean"},
    "tuple[str, ...]": _TEXTS,
    "tuple[str, str]": _PAIR,
    "tuple[tuple[str, str], ...]": {"type": "array", "items": _PAIR},
    "str | tuple[str, ...]": {"anyOf": [_TEXT, _TEXTS]},
    "Mapping[str, str]": {"type": "object", "additionalProperties": _TEXT},
}


def _told() -> list[Field[Any]]:
    return [each for each in fields(Declaration) if each.name not in _OWN]


def values_of(declared: Declaration) -> dict[str, Any]:
    """The declaration as JSON values: the version, the name, and every field that has not its default value."""
    found: dict[str, Any] = {MARK: VERSION}
    for each in _told():
        value = getattr(declared, each.name)
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if value != default:
            is_codec = each.name == "arguments"
            found[each.name] = {"codec": type(value).__name__, **asdict(value)} if is_codec else value
    plain: dict[str, Any] = json.loads(json.dumps(found, default=dict))
    return plain


def text_of(declared: Declaration) -> str:
    """The same as JSON text."""
    return json.dumps(values_of(declared), ensure_ascii=False, indent=2)


def fields_in(value: Any) -> dict[str, Any]:
    """The fields of a declaration that `values_of` wrote.

    Args:
        value: JSON text, or the object in it.

    Raises:
        FormatError: it is not such an object; the message names the key.
    """
    given = _object(value)
    if given.get(MARK) != VERSION:
        raise FormatError(
            f"{MARK}={shown(given.get(MARK))} is not a version that this toolglean reads: expected {VERSION}; "
            "a later version of toolglean may read it"
        )
    known = {each.name: each for each in _told()}
    found: dict[str, Any] = {}
    for key, inner in given.items():
        if key == MARK or key in LISTED:
            continue
        if key not in known:
            raise FormatError(f"a format has no key {key!r}: expected one of {', '.join(known)}")
        found[key] = _codec(inner) if key == "arguments" else _checked(key, inner, str(known[key].type))
    for key in ("name", "call"):
        if key not in found:
            raise FormatError(f"a format needs the key {key!r}")
    return found


def _object(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str | bytes | bytearray):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"the format is not JSON: {error}") from error
    if not isinstance(value, Mapping):
        raise FormatError(f"{shown(value)} is not a format: pass the object that `Format.to_json` wrote")
    return value


def _checked(key: str, value: Any, kind: str) -> Any:
    if not is_valid(value, _SCHEMAS[kind], _SCHEMAS.get):
        raise FormatError(f"the key {key!r} of a format is {shown(value)}: expected {_words(_SCHEMAS[kind])}")
    return _tuples(value)


def _words(schema: Mapping[str, Any]) -> str:
    if schema is _TEXT:
        return "a string"
    if "maxItems" in schema:
        return "a list of two strings"
    return {"boolean": "true or false", "object": "an object of strings"}.get(
        schema.get("type", ""), "a list of strings"
    )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _codec(value: Any) -> Any:
    name = value.get("codec") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in _CODECS:
        raise FormatError(
            f"the key 'arguments' of a format is {shown(value)}: expected an object whose 'codec' is one of "
            f"{', '.join(_CODECS)}"
        )
    kind = _CODECS[name]
    own = {each.name: each for each in fields(kind)}
    given = {key: inner for key, inner in value.items() if key != "codec"}
    for key, inner in given.items():
        if key not in own or not is_valid(inner, _SCHEMAS[str(own[key].type)], _SCHEMAS.get):
            raise FormatError(
                f"the codec {name} of a format has {key}={shown(inner)}: expected {', '.join(own) or 'no key'}"
            )
    try:
        return kind(**given)
    except TypeError as error:
        raise FormatError(f"the codec {name} of a format lacks a key: expected {', '.join(own)}") from error


def json_schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of what `values_of` returns, and of a line of `toolglean formats --json`."""
    codecs = [
        {
            "type": "object",
            "properties": {"codec": {"const": name}} | {each.name: _SCHEMAS[str(each.type)] for each in fields(kind)},
            "required": ["codec", *(each.name for each in fields(kind) if each.default is MISSING)],
            "additionalProperties": False,
        }
        for name, kind in _CODECS.items()
    ]
    own = {each.name: {"anyOf": codecs} if each.name == "arguments" else _SCHEMAS[str(each.type)] for each in _told()}
    template = {"anyOf": [{"type": "object"}, {"type": "null"}]}
    listed = {"source": _TEXT, "markers": _TEXTS, "response_template": template}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A format of toolglean",
        "type": "object",
        "properties": {MARK: {"const": VERSION}} | own | dict.fromkeys(LISTED[:2], _TEXTS) | listed,
        "required": [MARK, "name", "call"],
        "additionalProperties": False,
    }
