# What two schemas mean together: the schema that satisfies both, and whether any value can. Does not depend on
# references and unions (shapes.py), or on how values are written.
"""Two schemas together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolglean.scan.nested import kinds_of_value

__all__ = ["KINDS", "NEVER", "all_disjoint", "disjoint", "merged", "values_of"]

NEVER = False
"""The schema that nothing meets, as JSON Schema writes it."""

KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
"""The types of JSON values."""

_NOTES = frozenset({"title", "description", "default", "examples", "format", "deprecated", "$comment", "discriminator"})


def merged(one: Mapping[str, Any], other: Mapping[str, Any], report: Callable[[str], None]) -> Any:
    """The schema of the values that meet both schemas; NEVER if there are none.

    Args:
        one: a schema without `$ref` and `allOf`.
        other: another one.
        report: is called with each keyword for which only one side is used.
    """
    found: dict[str, Any] = dict(one)
    for keyword, setting in other.items():
        if keyword not in found or found[keyword] == setting or keyword in _NOTES:
            found.setdefault(keyword, setting)
        elif keyword in _TOGETHER:
            found[keyword] = _TOGETHER[keyword](found[keyword], setting)
            if found[keyword] is NEVER and keyword != "additionalProperties":
                return NEVER
        else:
            report(keyword)
    return _closed(found, one, other)


def _types(one: Any, other: Any) -> Any:
    left, right = ([each] if isinstance(each, str) else list(each) for each in (one, other))
    both = [each for each in left if each in right or (each == "integer" and "number" in right)]
    both += [each for each in right if each == "integer" and "number" in left and each not in both]
    return both or NEVER


def _in_both(one: Any, other: Any) -> Any:
    # True and 1 are equal and have the same hash: the value of the first side is used, as with `in`.
    plain = {each for each in other if not isinstance(each, list | dict)}
    rest = [each for each in other if isinstance(each, list | dict)]
    return [each for each in one if each in (rest if isinstance(each, list | dict) else plain)] or NEVER


def _both(one: Any, other: Any) -> Any:
    if NEVER in (one, other):
        return NEVER
    if one is True or other is True:
        return other if one is True else one
    return {"allOf": [one, other]}


def _properties(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(one)
    for name, inner in other.items():
        found[name] = _both(found[name], inner) if name in found else inner
    return found


_TOGETHER: Mapping[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "properties": _properties,
    "required": lambda one, other: list(dict.fromkeys([*one, *other])),
    "enum": _in_both,
    "const": lambda *_: NEVER,
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), _both),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""What two settings of a keyword, which differ, mean together; NEVER: nothing meets both."""


def _closed(found: dict[str, Any], one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    # Exclude what one side lists, if the other does not list it and allows no others.
    for closed in (one, other):
        if closed.get("additionalProperties") is NEVER and isinstance(found.get("properties"), Mapping):
            own = closed.get("properties") or {}
            found["properties"] = {name: inner if name in own else NEVER for name, inner in found["properties"].items()}
    return found


# -- schemas that exclude each other -----------------------------------------------------------------------------------


def all_disjoint(branches: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no value meets two of them: types, values, or the values of a required member differ."""
    return all(disjoint(one, other) for at, one in enumerate(branches) for other in branches[:at])


def disjoint(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether no value meets both."""
    kinds = [_kinds(each) for each in (one, other)]
    if not kinds[0] & kinds[1]:
        return True
    values = [values_of(each) for each in (one, other)]
    if values[0] is not None and values[1] is not None and not any(each in values[1] for each in values[0]):
        return True
    shared = set(one.get("required") or ()) & set(other.get("required") or ())
    both = [each.get("properties") or {} for each in (one, other)]
    return kinds[0] == kinds[1] == {"object"} and any(
        isinstance(both[0].get(name), Mapping)
        and isinstance(both[1].get(name), Mapping)
        and disjoint(both[0][name], both[1][name])
        for name in shared
    )


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    kind = schema.get("type")
    values = values_of(schema)
    if kind is None and values is not None:
        return {kind for each in values for kind in kinds_of_value(each)} - {"integer"}
    found = set(kind if isinstance(kind, list) else [kind]) if kind is not None else set(KINDS)
    found = {"number" if each == "integer" else each for each in found}
    return found | ({"null"} if schema.get("nullable") is True else set())


def values_of(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values that the schema itself names; None if it names none."""
    if "const" in schema:
        return [schema["const"]]
    found = schema.get("enum")
    return list(found) if isinstance(found, Sequence) and not isinstance(found, str) else None
