# What this file knows: what a plain function says of itself as a tool, with the standard library alone.
# Does not depend on who calls it, or on how a call is written.
"""Functions as tools: name, docstring, and a JSON schema of the parameters."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, Union

from toolglean.errors import UsageError

__all__ = ["described"]

_KINDS: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array", type(None): "null"
}  # fmt: skip


def described(function: Callable[..., Any]) -> tuple[str, dict[str, Any], str]:
    """A function as a tool: its name, a schema with its parameters, and its docstring.

    Raises:
        UsageError: it has no name, cannot be called by name, or does not tell its parameters.
    """
    name = getattr(function, "__name__", type(function).__name__)
    if name == "<lambda>" or isinstance(function, functools.partial):
        raise UsageError(f"{function!r:.80} has no name for a model to call: give a Tool with a name")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise UsageError(f"the parameters of {name!r} cannot be read: describe them with `tool`") from error
    said = _annotations(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in parameters:
        if each.kind == each.POSITIONAL_ONLY:
            raise UsageError(f"{name!r} cannot be called by name: its parameter {each.name!r} is positional only")
        if each.kind in {each.VAR_KEYWORD, each.VAR_POSITIONAL}:
            continue
        properties[each.name] = _schema(said.get(each.name))
        if each.default is each.empty:
            required.append(each.name)
    schema = {"type": "object", "properties": properties, "required": required}
    return name, schema, inspect.getdoc(function) or ""


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    # Of an object that can be called, its method's; of names that are not to be found, nothing.
    holder = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    try:
        return typing.get_type_hints(holder)
    except Exception:  # noqa: BLE001  # annotations are evaluated: anything may come of it
        return {}


def _schema(said: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(said), typing.get_args(said)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in {Union, types.UnionType}:
        schemas = [_schema(each) for each in inner]
        return {"anyOf": schemas} if all(schemas) else {}
    word = _KINDS.get(origin or said)
    if word == "array" and inner and (items := _schema(inner[0])):
        return {"type": word, "items": items}
    return {"type": word} if word else {}
