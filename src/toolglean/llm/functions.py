# What this file knows: how a function's parameters become a pydantic class, described by its annotations and docstring.
# Does not depend on what is done with the tool. toolglean/_functions.py reads the function.
"""Functions as tools, with pydantic's schemas."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model
from pydantic.fields import FieldInfo

from toolglean._functions import Function, read_function
from toolglean.conversation.runner import is_async
from toolglean.errors import UsageError
from toolglean.llm.errors import ToolSchemaError

__all__ = ["Described", "describe"]


class Described(NamedTuple):
    """A function as a tool.

    Attributes:
        fn: the function, which can be called with all arguments by name.
        name: its own name, or the given one.
        text: its docstring without the sections about parameters and results.
        parameters: a class with its parameters as fields.
    """

    fn: Callable[..., Any]
    name: str
    text: str
    parameters: type[BaseModel]


def describe(fn: Callable[..., Any], name: str | None = None) -> Described:
    """Describe a function, a method, a class, a `functools.partial`, or an object with `__call__`.

    Raises:
        ToolSchemaError: it has no name and none is given; its parameters or its annotations cannot be read; a parameter
            has a type without a JSON schema.
    """
    try:
        found = read_function(fn, name)
    except UsageError as error:
        raise ToolSchemaError(str(error), tool_name=name or "") from error
    parsed = docstring_parser.parse(found.doc)
    descriptions = {param.arg_name.lstrip("*"): " ".join((param.description or "").split()) for param in parsed.params}
    fields = _field_names(found.signature)
    parameters = _class(found, descriptions, fields)
    return Described(_by_name(fn, found.signature, fields), found.name, (parsed.description or "").strip(), parameters)


def _hints(function: Function) -> dict[str, Any]:
    try:
        return function.hints(include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        message = f"the annotations of function {function.name!r} cannot be read: {error}"
        raise ToolSchemaError(message, tool_name=function.name) from error


def _field_names(signature: inspect.Signature) -> dict[str, str]:
    # By the parameter's name. A pydantic class cannot have fields with some names (`json`, `_x`), so these are aliases.
    return {
        name: name if not name.startswith("_") and not hasattr(BaseModel, name) else f"argument_{place}_{name}"
        for place, name in enumerate(signature.parameters)
    }


def _class(function: Function, descriptions: Mapping[str, str], names: Mapping[str, str]) -> type[BaseModel]:
    hints = _hints(function)
    fields: dict[str, Any] = {}
    extra: Any = "forbid"
    for parameter in function.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            hint = hints.get(parameter.name, Any)
            field = _field(parameter, hint, descriptions.get(parameter.name, ""))
            own = names[parameter.name]
            fields[own] = (hint if own == parameter.name else Annotated[hint, Field(alias=parameter.name)], field)
    try:
        return create_model(function.name, __config__=ConfigDict(extra=extra, arbitrary_types_allowed=True), **fields)
    except (PydanticUserError, NameError, TypeError) as error:
        raise ToolSchemaError(f"function {function.name!r} has no schema: {error}", tool_name=function.name) from error


def _field(parameter: inspect.Parameter, hint: Any, description: str) -> Any:
    # The annotation's description of the parameter takes precedence over the docstring's.
    if isinstance(parameter.default, FieldInfo):
        return parameter.default
    default = ... if parameter.default is parameter.empty else parameter.default
    extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    if any(isinstance(each, FieldInfo) and each.description for each in extras):
        return Field(default)
    text = next((each for each in extras if isinstance(each, str)), description)
    return Field(default, description=text) if text else Field(default)


def _by_name(fn: Callable[..., Any], signature: inspect.Signature, names: Mapping[str, str]) -> Callable[..., Any]:
    # Arguments are given by the names of the class's fields. A parameter may have another name there, it may be
    # positional only, or its default may be pydantic's `Field(…)`.
    kinds = signature.parameters.values()
    renamed = {field: name for name, field in names.items() if field != name}
    placed = [each.name for each in kinds if each.kind is each.POSITIONAL_ONLY]
    defaults = {each.name: each.default for each in kinds if isinstance(each.default, FieldInfo)}
    if not (renamed or placed or defaults):
        return fn

    @functools.wraps(fn)
    def called(*args: Any, **arguments: Any) -> Any:
        arguments = {renamed.get(name, name): value for name, value in arguments.items()}
        for name, default in defaults.items():
            if not default.is_required():
                arguments.setdefault(name, default.get_default(call_default_factory=True))
        given = [arguments.pop(name) for name in placed if name in arguments]
        return fn(*args, *given, **arguments)

    if not is_async(fn):
        return called

    @functools.wraps(fn)
    async def acalled(*args: Any, **arguments: Any) -> Any:
        return await called(*args, **arguments)

    return acalled
