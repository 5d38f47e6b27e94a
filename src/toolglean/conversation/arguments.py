# How the arguments of a call are brought to the types in the tool's JSON schema, and checked.
# Does not depend on how the call was written, or on what executes it.
#
# Only a string is ever changed, and only where the schema does not allow a string: "2" becomes 2 if the schema says
# integer, and '{"a": 1}' becomes an object if it says object. "2" stays "2" if the schema allows a string, also next to
# integer, or does not mention the value. A value that cannot be converted stays as it is: the check, or the tool, will
# report it.
#
# Containers are walked with a stack of our own, because the caller may be near the recursion limit.
"""Arguments by schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolglean.conversation.fields import arguments_of
from toolglean.errors import shown
from toolglean.scan.coerce import coerce_text, kinds_of, properties, within
from toolglean.scan.nested import kinds_met

__all__ = ["coerce_arguments", "faults_of", "read_arguments"]

MAX_DEPTH = 64  # of nested objects and lists; deeper values stay as they are

Schema = Mapping[str, Any] | None
_Place: TypeAlias = "tuple[Any, Any, Any, Schema, int]"
"""A container of ours, the key in it, its value, the value's schema, and its depth."""


def read_arguments(given: Any) -> dict[str, Any] | None:
    """The arguments as a dict; None if `given` is not a mapping, the JSON text of an object, blank text or None."""
    arguments, unread = arguments_of(given)
    return None if unread else arguments


def coerce_arguments(arguments: Mapping[str, Any], parameters: Schema) -> dict[str, Any]:
    """The arguments, with each string converted to the type in the schema.

    Args:
        arguments: what the model wrote; it is not changed.
        parameters: the JSON schema of the tool's parameters.

    Returns:
        A new dict with the same keys in the same order. A value is unchanged if the schema allows it, does not mention
        it, or if it cannot be converted.
    """
    found: dict[str, Any] = {}
    todo: list[_Place] = [
        (found, name, value, within(parameters, name, parameters), 1) for name, value in arguments.items()
    ]
    while todo:
        holder, key, value, schema, depth = todo.pop()
        holder[key] = _coerced(value, schema, parameters, depth, todo)
    return {name: found[name] for name in arguments}


def _coerced(value: Any, schema: Schema, root: Schema, depth: int, todo: list[_Place]) -> Any:
    """The value; for a container, a new one, whose members are added to `todo`."""
    if schema is None or depth > MAX_DEPTH:
        return value
    if isinstance(value, str):
        kinds = kinds_of(schema, root)
        if not kinds or "string" in kinds:
            return value
        value = coerce_text(value, schema, root)
    if isinstance(value, Mapping):
        members: dict[Any, Any] = dict(value)  # which keeps the order of the keys
        todo += [(members, name, each, within(schema, name, root), depth + 1) for name, each in value.items()]
        return members
    if isinstance(value, list):
        inner = within(schema, "item", root)
        items = list(value)
        todo += [(items, place, each, inner, depth + 1) for place, each in enumerate(value)]
        return items
    return value


def faults_of(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with the arguments by the schema: missing ones, unknown ones, and those of another type.

    Nested values are not checked: that is the tool's job.
    """
    known = properties(schema)
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
    faults = [f"parameter {name!r} is missing" for name in names if name not in arguments]
    if schema.get("additionalProperties") is False:
        faults += [f"there is no parameter {name!r}" for name in arguments if name not in known]
    for name, value in arguments.items():
        kinds = kinds_of(known.get(name), schema)
        if kinds and kinds.isdisjoint(kinds_met(value)) and "enum" not in kinds:
            faults.append(f"parameter {name!r} must be {' or '.join(sorted(kinds))}, not {shown(value)}")
    return faults
