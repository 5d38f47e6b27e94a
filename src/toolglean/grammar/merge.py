# What this file knows: what two schemas say together.
# What it must not know: references and unions (shapes.py), and how any value is written.
"""Two schemas as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["NEVER", "merged"]

NEVER = False
"""The schema that nothing meets, as JSON Schema writes it."""

_LARGER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_SMALLER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_NOTES = frozenset({"title", "description", "default", "examples", "format", "deprecated", "$comment", "discriminator"})


def merged(one: Mapping[str, Any], other: Mapping[str, Any], report: Callable[[str], None]) -> Any:
    """The schema that both hold; NEVER where they cannot.

    Args:
        one: a schema without `$ref` and `allOf`.
        other: another one.
        lost: is told each word of which only one side is held.
    """
    found: dict[str, Any] = dict(one)
    for keyword, said in other.items():
        if keyword not in found or found[keyword] == said or keyword in _NOTES:
            found.setdefault(keyword, said)
        elif keyword == "type":
            found[keyword] = _types(found[keyword], said)
        elif keyword == "properties":
            found[keyword] = _properties(one, other, report)
        else:
            found[keyword] = _word(keyword, found[keyword], said, report)
        if found[keyword] is NEVER and keyword != "additionalProperties":
            return NEVER
    return _closed(found, one, other)


def _types(one: Any, other: Any) -> Any:
    left, right = ([each] if isinstance(each, str) else list(each) for each in (one, other))
    both = [each for each in left if each in right or (each == "integer" and "number" in right)]
    both += [each for each in right if each == "integer" and "number" in left and each not in both]
    return both or NEVER


def _word(keyword: str, one: Any, other: Any, report: Callable[[str], None]) -> Any:
    if keyword in _LARGER:
        return max(one, other)
    if keyword in _SMALLER:
        return min(one, other)
    if keyword == "required":
        return list(dict.fromkeys([*one, *other]))
    if keyword == "enum":
        return _in_both(one, other) or NEVER
    if keyword == "const":
        return NEVER
    if keyword in {"items", "additionalProperties", "propertyNames"}:
        return _both(one, other)
    report(keyword)
    return one


def _in_both(one: Any, other: Any) -> list[Any]:
    # True and 1 are equal, and hash alike: the first side's is taken, as `in` does.
    plain = {each for each in other if isinstance(each, str | int | float | bool | None)}
    rest = [each for each in other if not isinstance(each, str | int | float | bool | None)]
    return [
        each for each in one if (each in plain if isinstance(each, str | int | float | bool | None) else each in rest)
    ]


def _both(one: Any, other: Any) -> Any:
    if NEVER in (one, other):
        return NEVER
    if one is True or other is True:
        return other if one is True else one
    return {"allOf": [one, other]}


def _properties(one: Mapping[str, Any], other: Mapping[str, Any], report: Callable[[str], None]) -> dict[str, Any]:
    del report
    found = dict(one["properties"])
    for name, said in other["properties"].items():
        found[name] = _both(found[name], said) if name in found else said
    return found


def _closed(found: dict[str, Any], one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    # What one side lists and the other, which allows no others, does not.
    for closed in (one, other):
        if closed.get("additionalProperties") is NEVER and isinstance(found.get("properties"), Mapping):
            own = closed.get("properties") or {}
            found["properties"] = {name: said if name in own else NEVER for name, said in found["properties"].items()}
    return found
