# What this file knows: how the arguments of a call are brought to the kinds that the tool's JSON schema asks for.
# What it must not know: how the call was written, who executes it.
#
# Only a text is ever changed, and only where the schema does not allow a text there: "2" becomes 2 where it says
# integer, '{"a": 1}' an object where it says object; "2" stays "2" where it says string, also beside integer, and where
# it says nothing. What cannot be brought to the kind stays as it is: the tool will say what is wrong with it.
#
# Containers are walked with a stack of our own: the caller may stand near the recursion limit.
"""Arguments by schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from toolglean.scan.coerce import coerce_text, kinds_of, within

__all__ = ["coerce_arguments", "read_arguments"]

MAX_DEPTH = 64  # of objects and lists within each other; what lies deeper stays as it is

Schema = Mapping[str, Any] | None
_Place: TypeAlias = "tuple[Any, Any, Any, Schema, int]"
"""A container of ours, the key in it, its value, the schema of that, and how deep it lies."""


def read_arguments(given: Any) -> dict[str, Any] | None:
    """`given` as a dict: of a mapping, of the JSON text of an object, {} of None or ""; None of anything else."""
    if isinstance(given, str):
        if not given.strip():
            return {}
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else None


def coerce_arguments(arguments: Mapping[str, Any], parameters: Schema) -> dict[str, Any]:
    """The arguments, each text brought to the kind that the schema asks for in its place.

    Args:
        arguments: what the model wrote; it is not changed.
        parameters: the tool's schema of its parameters.

    Returns:
        A new dict with the same keys in the same order. A value that the schema allows as it is, or says nothing of, or
        that cannot be brought to the kind, is as it was.
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
    """The value; of a container a new one, whose members are still to come: they are put in `todo`."""
    if schema is None or depth > MAX_DEPTH:
        return value
    if isinstance(value, str):
        kinds = kinds_of(schema, root)
        if not kinds or "string" in kinds:
            return value
        value = coerce_text(value, schema, root)
    if isinstance(value, Mapping):
        members: dict[Any, Any] = dict(value)  # which keeps the order, whenever they come
        todo += [(members, name, each, within(schema, name, root), depth + 1) for name, each in value.items()]
        return members
    if isinstance(value, list):
        inner = within(schema, "item", root)
        items = list(value)
        todo += [(items, place, each, inner, depth + 1) for place, each in enumerate(value)]
        return items
    return value
