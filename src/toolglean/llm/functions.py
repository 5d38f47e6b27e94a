# What this file knows: what a Python function says of itself: its signature, its annotations, its docstring.
# What it must not know: what becomes of a tool.
"""Functions, as what a model is told of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model
from pydantic.fields import FieldInfo

from toolglean.llm.errors import ToolSchemaError

__all__ = ["Described", "describe"]


class Described:
    """What a function says of itself.

    Attributes:
        fn: the function, to be called with all arguments by name.
        name: its own, or the one that was given.
        text: its docstring without the parts about parameters and results.
        parameters: a class of its parameters.
    """

    def __init__(self, fn: Callable[..., Any], name: str, text: str, parameters: type[BaseModel]) -> None:
        self.fn = fn
        self.name = name
        self.text = text
        self.parameters = parameters


def describe(fn: Callable[..., Any], name: str | None = None) -> Described:
    """Look at a function, a method, a class, a `functools.partial`, or an object with `__call__`.

    Raises:
        ToolSchemaError: it has no name and none is given; its signature or its annotations cannot be read; a parameter
            has a type without a JSON schema.
    """
    inner = _inner(fn)
    own = name or str(getattr(inner, "__name__", ""))
    if name is None and inner.__name__ == "__call__":
        own = type(fn).__name__
    if not own or own == "<lambda>":
        raise ToolSchemaError(f"{fn!r} has no name for a model to call: give one (name=…)")
    told = docstring_parser.parse(_doc(fn, inner))
    said = {param.arg_name.lstrip("*"): " ".join((param.description or "").split()) for param in told.params}
    signature = _signature(fn, own)
    fields = _field_names(signature)
    parameters = _class(inner, own, signature, said, fields)
    return Described(_by_name(fn, signature, fields), own, (told.description or "").strip(), parameters)


def _inner(fn: Any) -> Any:
    # Where the annotations are.
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn if inspect.isroutine(fn) or inspect.isclass(fn) else type(fn).__call__


def _doc(fn: Any, inner: Any) -> str:
    if inner is fn or isinstance(fn, functools.partial):
        return inspect.getdoc(inner) or ""
    return inspect.getdoc(inner) or inspect.getdoc(fn) or ""  # an object's: its method's, else its class's


def _signature(fn: Callable[..., Any], name: str) -> inspect.Signature:
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError) as error:
        raise ToolSchemaError(f"the parameters of function {name!r} cannot be read: {error}", tool_name=name) from error


def _hints(inner: Any, name: str) -> dict[str, Any]:
    try:
        return get_type_hints(inner.__init__ if inspect.isclass(inner) else inner, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise ToolSchemaError(f"the annotations of {name!r} cannot be read: {error}", tool_name=name) from error


def _field_names(signature: inspect.Signature) -> dict[str, str]:
    # By the parameter's name. Some names a pydantic class cannot have (`json`, `_x`): those are aliases of another.
    return {
        name: name if not name.startswith("_") and not hasattr(BaseModel, name) else f"argument_{place}_{name}"
        for place, name in enumerate(signature.parameters)
    }


def _class(
    inner: Any, name: str, signature: inspect.Signature, said: Mapping[str, str], names: Mapping[str, str]
) -> type[BaseModel]:
    hints = _hints(inner, name)
    fields: dict[str, Any] = {}
    extra: Any = "forbid"
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            hint = hints.get(parameter.name, Any)
            field = _field(parameter, hint, said.get(parameter.name, ""))
            own = names[parameter.name]
            fields[own] = (hint if own == parameter.name else Annotated[hint, Field(alias=parameter.name)], field)
    try:
        return create_model(name, __config__=ConfigDict(extra=extra, arbitrary_types_allowed=True), **fields)
    except (PydanticUserError, NameError, TypeError) as error:
        raise ToolSchemaError(f"function {name!r} has no schema: {error}", tool_name=name) from error


def _field(parameter: inspect.Parameter, hint: Any, said: str) -> Any:
    # What the annotation says of the parameter goes before what the docstring says.
    if isinstance(parameter.default, FieldInfo):
        return parameter.default
    default = ... if parameter.default is parameter.empty else parameter.default
    told = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    if any(isinstance(each, FieldInfo) and each.description for each in told):
        return Field(default)
    text = next((each for each in told if isinstance(each, str)), said)
    return Field(default, description=text) if text else Field(default)


def _by_name(fn: Callable[..., Any], signature: inspect.Signature, names: Mapping[str, str]) -> Callable[..., Any]:
    # Arguments come by the names of the class's fields. Some parameters have another there; some take none by name;
    # and a default may be pydantic's `Field(…)`.
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

    if not inspect.iscoroutinefunction(fn):
        return called

    @functools.wraps(fn)
    async def acalled(*args: Any, **arguments: Any) -> Any:
        return await called(*args, **arguments)

    return acalled
