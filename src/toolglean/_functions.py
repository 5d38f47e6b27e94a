# What this file knows: what a Python function tells about itself (its name, docstring, parameters and annotations), and
# the JSON schema of its parameters, with the standard library alone. toolglean.llm uses the same reading for pydantic's
# schemas.
# Does not depend on who calls the function, or on how a call is written.
"""Functions as tools: name, docstring, parameters, and a JSON schema."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Union

from toolglean.errors import UsageError

__all__ = ["Function", "described", "read_function"]

_KINDS: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array", type(None): "null"
}  # fmt: skip


class Function(NamedTuple):
    """What a function tells about itself.

    Attributes:
        name: its own name, or the given one; for an object with `__call__`, the name of its class.
        doc: its docstring; for an object, that of its method or of its class; "" if there is none.
        signature: its parameters, without those that a partial has filled.
        annotated: the function or method with the annotations.
    """

    name: str
    doc: str
    signature: inspect.Signature
    annotated: Any

    def hints(self, *, include_extras: bool = False) -> dict[str, Any]:
        """The annotations by parameter.

        Args:
            include_extras: whether to keep `Annotated[...]`.

        Raises:
            Any exception, because annotations are evaluated.
        """
        holder = self.annotated.__init__ if inspect.isclass(self.annotated) else self.annotated
        return typing.get_type_hints(holder, include_extras=include_extras)


def read_function(function: Callable[..., Any], name: str | None = None) -> Function:
    """Read a function, a method, a class, a `functools.partial`, or an object with `__call__`.

    Args:
        function: the function.
        name: the name for the model; None: its own.

    Raises:
        UsageError: it has no name and none is given, or its parameters cannot be read.
    """
    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    is_object = not (inspect.isroutine(inner) or inspect.isclass(inner))
    annotated = type(inner).__call__ if is_object else inner
    own = name or str(getattr(inner, "__name__", type(inner).__name__))
    if own == "<lambda>":
        raise UsageError(f"{function!r:.80} has no name for a model to call: pass a named function, a Tool, or name=…")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        message = f"the parameters of function {own!r} cannot be read ({error}): pass a tool dict with a schema instead"
        raise UsageError(message) from error
    documented = annotated if annotated.__doc__ else inner  # the docstring that `__call__` inherits is Python's
    return Function(own, inspect.getdoc(documented) or "", signature, annotated)


def described(function: Callable[..., Any]) -> tuple[str, dict[str, Any], str]:
    """A function as a tool: its name, a schema with its parameters, and its docstring.

    Raises:
        UsageError: it has no name, cannot be called by name, or its parameters cannot be read.
    """
    found = read_function(function)
    said = _hints(found)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in found.signature.parameters.values():
        if each.kind == each.POSITIONAL_ONLY:
            raise UsageError(
                f"{found.name!r} cannot be called by name, because its parameter {each.name!r} is positional only: "
                "wrap it in a function with named parameters"
            )
        if each.kind in {each.VAR_KEYWORD, each.VAR_POSITIONAL}:
            continue
        properties[each.name] = _schema(said.get(each.name))
        if each.default is each.empty:
            required.append(each.name)
    return found.name, {"type": "object", "properties": properties, "required": required}, found.doc


def _hints(function: Function) -> dict[str, Any]:
    try:
        return function.hints()
    except Exception:  # noqa: BLE001  # a name that cannot be found: the schema says nothing about any type
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
