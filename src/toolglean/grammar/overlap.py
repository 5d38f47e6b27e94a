# What this file knows: whether no value meets two schemas.
# What it must not know: grammars, and what a value of a schema looks like.
"""Schemas that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["KINDS", "all_disjoint", "disjoint"]

KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")


def all_disjoint(branches: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no value meets two of them: other types, other values, or another value of one required member."""
    return all(disjoint(one, other) for at, one in enumerate(branches) for other in branches[:at])


def disjoint(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether no value meets both."""
    kinds = [_types(each) for each in (one, other)]
    if not kinds[0] & kinds[1]:
        return True
    values = [_values(each) for each in (one, other)]
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


def _types(schema: Mapping[str, Any]) -> set[str]:
    kind = schema.get("type")
    values = _values(schema)
    if kind is None and values is not None:
        words = {bool: "boolean", str: "string", int: "number", float: "number", dict: "object", list: "array"}
        return {words.get(type(each), "null") for each in values}
    found = set(kind if isinstance(kind, list) else [kind]) if kind is not None else set(KINDS)
    found = {"number" if each == "integer" else each for each in found}
    return found | ({"null"} if schema.get("nullable") is True else set())


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found = schema.get("enum")
    return list(found) if isinstance(found, Sequence) and not isinstance(found, str) else None
