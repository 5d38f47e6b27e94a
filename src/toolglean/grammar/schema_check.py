# Which schemas cannot become a grammar: those that nest too deeply, count too far, or give a keyword a value that it
# does not take. Does not depend on grammars, or on what the keywords mean.
#
# Schemas come from programs, and from servers that others run. Each is checked once, without recursion, so that
# everything that follows can rely on its form.
"""The form of schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from toolglean.errors import UsageError
from toolglean.scan.nested import kinds_of_value

__all__ = ["check"]

Step: TypeAlias = tuple[Any, str, int]
"""A value, its path, and its depth."""

DEEPEST = 256
"""How deep a schema may nest; each object and each list is a level."""
FARTHEST = 2**63
"""The largest count. Some programs write such a number to say that there is no limit."""
LONGEST_NAME = 1000
"""The most characters of a property's name."""
BITS = 8192
"""The most bits of a whole number, some 2,500 digits. Python refuses to print more than 4,300."""

_COUNTS = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
)  # fmt: skip
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_SCHEMAS = (
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
    "unevaluatedProperties", "additionalItems",
)  # fmt: skip
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS_BY_NAME = ("dependentRequired", "dependencies")


def check(schema: Any, path: str) -> None:
    """Check a schema, and everything in it.

    Args:
        schema: the parameters of a tool.
        path: the path of the schema, for messages.

    Raises:
        UsageError: no grammar can be made from it; the message begins with the path of what is wrong.
    """
    _check_values(schema, path)
    todo: list[tuple[Any, str]] = [(schema, path)]
    while todo:
        found, where = todo.pop()
        if isinstance(found, Mapping):
            _check_words(found, where)
            _check_names(found, where)
            todo += _inner(found, where)
        elif not isinstance(found, bool):
            raise UsageError(f"{where} must be a schema (an object), not {found!r:.80}")


def _check_values(schema: Any, path: str) -> None:
    # Check the depth, and all numbers.
    todo: list[Step] = [(schema, path, 0)]
    while todo:
        value, where, depth = todo.pop()
        if isinstance(value, Mapping | list | tuple):
            if depth == DEEPEST:
                raise UsageError(f"{where:.200}: the schema is nested more than {DEEPEST} levels deep: flatten it")
            pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
            todo += [(each, f"{where}.{key}", depth + 1) for key, each in pairs]
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise UsageError(f"{where}: a number of {value.bit_length():,} bits is too large: use a smaller one")


def _check_words(schema: Mapping[Any, Any], path: str) -> None:
    for keyword, what, is_right in _WORDS:
        if keyword in schema and schema[keyword] is not None and not is_right(schema[keyword]):
            raise UsageError(f"{path}.{keyword} must be {what}, not {schema[keyword]!r:.80}: correct the schema")


def _check_names(schema: Mapping[Any, Any], path: str) -> None:
    for name in (*(schema.get("properties") or ()), *(schema.get("required") or ())):
        if isinstance(name, str) and len(name) > LONGEST_NAME:
            raise UsageError(f"{path}.properties: {name!r:.80} has more than {LONGEST_NAME} characters: shorten it")


def _inner(schema: Mapping[Any, Any], path: str) -> Iterator[tuple[Any, str]]:
    for keyword in _SCHEMAS:
        found = schema.get(keyword)
        if isinstance(found, list):  # `items` of older drafts: see `modern`
            yield from ((each, f"{path}.{keyword}.{at}") for at, each in enumerate(found))
        elif found is not None:
            yield found, f"{path}.{keyword}"
    for keyword in _LISTS:
        yield from ((each, f"{path}.{keyword}.{at}") for at, each in enumerate(schema.get(keyword) or ()))
    for keyword in _MAPS:
        found = schema.get(keyword) or {}
        yield from ((each, f"{path}.{keyword}.{name}") for name, each in found.items() if each is not None)


def _is_number(value: Any) -> bool:
    return "number" in kinds_of_value(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= FARTHEST and value == int(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_names(value: Any) -> bool:
    return _is_list(value) and all(isinstance(each, str) for each in value)


def _is_type(value: Any) -> bool:
    return isinstance(value, str) or _is_names(value)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


_WORDS = (
    *((keyword, f"a whole number from 0 to {FARTHEST}", _is_count) for keyword in _COUNTS),
    *((keyword, "a number", lambda value: _is_number(value) or isinstance(value, bool)) for keyword in _NUMBERS),
    *((keyword, "a list", _is_list) for keyword in (*_LISTS, "enum")),
    *((keyword, "an object", _is_map) for keyword in (*_MAPS, *_LISTS_BY_NAME)),
    ("required", "a list of names", _is_list),
    ("type", "the name of a type, or a list of them", _is_type),
)
