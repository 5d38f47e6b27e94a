# Which schemas cannot become a grammar: those that nest too deeply, count too far, or give a keyword a value that it
# does not take. Does not depend on grammars, or on what the keywords mean.
#
# Schemas come from programs, and from servers that others run. Each is checked once, without recursion, so that
# everything that follows can rely on its form.
"""The form of schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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

_SCHEMAS = frozenset({
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
    "unevaluatedProperties", "additionalItems",
})  # fmt: skip
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


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
        if not isinstance(found, Mapping | bool):
            raise UsageError(f"{where} must be a schema (an object), not {found!r:.80}")
        for keyword, setting in found.items() if isinstance(found, Mapping) else ():
            if setting is not None:
                _check_setting(keyword, setting, where)
                todo += [(each, f"{where}.{keyword}{step}") for step, each in _inner(keyword, setting)]


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


def _check_setting(keyword: Any, setting: Any, path: str) -> None:
    if keyword in _TAKES:
        what, takes = _TAKES[keyword]
        if not takes(setting):
            raise UsageError(f"{path}.{keyword} must be {what}, not {setting!r:.80}: correct the schema")
    for name in setting if keyword in {"properties", "required"} else ():
        if isinstance(name, str) and len(name) > LONGEST_NAME:
            raise UsageError(f"{path}.properties: {name!r:.80} has more than {LONGEST_NAME} characters: shorten it")


def _inner(keyword: Any, setting: Any) -> Iterator[tuple[str, Any]]:
    # The schemas in the setting of a keyword, and the path to each.
    if keyword in _MAPS:
        yield from ((f".{name}", each) for name, each in setting.items() if each is not None)
    elif keyword in _LISTS or (keyword in _SCHEMAS and isinstance(setting, list)):  # of older drafts: see `modern`
        yield from ((f".{at}", each) for at, each in enumerate(setting))
    elif keyword in _SCHEMAS:
        yield "", setting


def _is_number(value: Any) -> bool:
    return "number" in kinds_of_value(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= FARTHEST and value == int(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_type(value: Any) -> bool:
    return isinstance(value, str) or (_is_list(value) and all(isinstance(each, str) for each in value))


_SIZES = (f"{which}{what}" for which in ("min", "max") for what in ("Length", "Items", "Properties", "Contains"))
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TAKES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(_SIZES, (f"a whole number from 0 to {FARTHEST}", _is_count)),
    **dict.fromkeys(_BOUNDS, ("a number", lambda value: _is_number(value) or isinstance(value, bool))),
    **dict.fromkeys((*_LISTS, "enum"), ("a list", _is_list)),
    **dict.fromkeys(
        (*_MAPS, "dependentRequired", "dependencies"), ("an object", lambda value: isinstance(value, Mapping))
    ),
    "required": ("a list of names", _is_list),
    "type": ("the name of a type, or a list of them", _is_type),
}
"""What some keywords take, and whether a value is that."""
