# What this file knows: whether a value that a schema names itself (an enum's member, a constant) meets all of it.
# What it must not know: grammars. It is no validator for values that models write.
"""Members of an enum that the schema around it allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["fits"]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value) and value == int(value),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: not _is_number(value) or value >= bound,
    "maximum": lambda value, bound: not _is_number(value) or value <= bound,
    "exclusiveMinimum": lambda value, bound: not _is_number(value) or value > bound,
    "exclusiveMaximum": lambda value, bound: not _is_number(value) or value < bound,
    "minLength": lambda value, bound: not isinstance(value, str) or len(value) >= bound,
    "maxLength": lambda value, bound: not isinstance(value, str) or len(value) <= bound,
    "minItems": lambda value, bound: not isinstance(value, list) or len(value) >= bound,
    "maxItems": lambda value, bound: not isinstance(value, list) or len(value) <= bound,
}


def fits(value: Any, schema: Any, look_up: Callable[[str], Any], depth: int = 0) -> bool:
    """Whether the value meets the schema, as far as the words go that schemas put beside an enum."""
    if isinstance(schema, bool) or depth > 32:
        return schema is not False
    if not isinstance(schema, Mapping):
        return True
    inner = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    if any(not fits(value, look_up(place), look_up, depth + 1) for place in inner):
        return False
    if not _of_type(value, schema) or not all(
        test(value, schema[word]) for word, test in _BOUNDS.items() if word in schema
    ):
        return False
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    if isinstance(value, str) and isinstance(schema.get("pattern"), str) and not _found(schema["pattern"], value):
        return False
    return _fits_unions(value, schema, look_up, depth) and _fits_inside(value, schema, look_up, depth)


def _of_type(value: Any, schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is None or (schema.get("nullable") is True and value is None):
        return True
    return any(_TYPES[each](value) for each in kinds if each in _TYPES)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _found(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def _fits_unions(value: Any, schema: Mapping[str, Any], look_up: Callable[[str], Any], depth: int) -> bool:
    tests = [
        [fits(value, each, look_up, depth + 1) for each in schema.get(word) or ()]
        for word in ("allOf", "anyOf", "oneOf")
    ]
    every, some, one = tests
    return all(every) and (not some or any(some)) and (not one or sum(one) == 1)


def _fits_inside(value: Any, schema: Mapping[str, Any], look_up: Callable[[str], Any], depth: int) -> bool:
    if isinstance(value, list) and "items" in schema:
        return all(
            fits(each, schema["items"], look_up, depth + 1) for each in value[len(schema.get("prefixItems") or ()) :]
        )
    if not isinstance(value, dict):
        return True
    known = schema.get("properties") or {}
    others = schema.get("additionalProperties", True)
    return all(name in value for name in schema.get("required") or ()) and all(
        fits(each, known.get(name, others), look_up, depth + 1) for name, each in value.items()
    )
