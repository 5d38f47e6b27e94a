# How messages and tools in OpenAI's shape become the values that Ollama passes to a Go template; the types of those
# values: their fields in order, how they print, and their JSON. Does not depend on templates.
#
# The types are those of Ollama's `template` and `api` packages, of which there have been several versions: a field that
# only some versions have is printed only if it is not empty. Ollama's data has been JSON at some point, so all numbers
# in arguments and schemas are floats.
"""OpenAI's messages and tools, as Ollama's Go values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from toolglean.errors import UsageError, shown
from toolglean.sources.templates.golang.values import JsonList, JsonMap, Member, Struct, StructType, Text

__all__ = ["chat_messages", "chat_tools", "decoded", "text"]

MAX_DEPTH: Final = 256
"""The deepest nesting of lists and objects."""

_SURROGATE = re.compile("[\ud800-\udfff]")


# --- JSON values ---------------------------------------------------------------------------------------------------


def decoded(value: Any, depth: int = 0) -> Any:
    """A value as Go decodes it from JSON into `any`.

    Raises:
        UsageError: it is not a JSON value, is nested deeper than `MAX_DEPTH`, or is too large for a float.
    """
    if isinstance(value, str):
        return text(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return _float(value)
    if depth >= MAX_DEPTH:
        raise UsageError(f"messages or tools are nested more than {MAX_DEPTH} levels deep: flatten the value")
    if isinstance(value, Mapping):
        return {text(str(key)): decoded(each, depth + 1) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [decoded(each, depth + 1) for each in value]
    raise UsageError(f"messages or tools contain a value of type {type(value).__name__}: pass only JSON values")


def text(value: str) -> str:
    """Text without lone surrogates, which UTF-8 cannot encode."""
    return value if value.isascii() else _SURROGATE.sub("\ufffd", value)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UsageError(
            f"an integer of {value.bit_length():,} bits in messages or tools is too large for the float that Ollama "
            "converts it to: pass it as a string"
        ) from None


# --- tools ---------------------------------------------------------------------------------------------------------


def _typescript(kind: str) -> str:
    names = {"integer": "number", "array": "any[]", "object": "Record<string, any>"}
    return names.get(kind, kind if kind in {"string", "number", "boolean", "null"} else "any")


def _property_type(struct: Struct) -> str:
    """A property's type in TypeScript's words."""
    values = struct.values
    if values["AnyOf"]:
        return " | ".join(_property_type(each) for each in values["AnyOf"])
    return " | ".join(_typescript(each) for each in values["Type"]) or "any"


class _Properties(JsonMap):
    """Properties of a schema by name."""

    @staticmethod
    def zero() -> Struct:
        """The value of a missing name."""
        return _struct(_PROPERTY, {})


def _struct(kind: StructType, given: Any) -> Struct:
    given = given if isinstance(given, dict) else {}
    return Struct(kind, **{each.name: each.decode(given.get(each.key)) for each in kind.members})


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _properties(schemas: Any) -> _Properties | None:
    if not isinstance(schemas, dict):
        return None
    return _Properties({name: _struct(_PROPERTY, schema) for name, schema in schemas.items()})


def _own_properties(schemas: Any) -> _Properties:
    found = _properties(schemas)
    if found is None:
        found = _Properties()
        found.nil = True
    return found


_PROPERTY: StructType = StructType(
    "api.ToolProperty",
    (
        Member("AnyOf", "anyOf", lambda given: [_struct(_PROPERTY, each) for each in _list(given)], omitted=True),
        Member("Type", "type", lambda kind: Text([kind] if isinstance(kind, str) else _strings(kind)), omitted=True),
        Member("Items", "items", omitted=True),
        Member("Description", "description", _str, omitted=True),
        Member("Enum", "enum", _list, omitted=True),
        Member("Properties", "properties", _properties, omitted=True),
        Member("Required", "required", lambda given: _strings(given) or None, omitted=True, hidden_if_nil=True),
    ),
    methods={"ToTypeScriptType": _property_type},
)
_PARAMETERS = StructType(
    "template.templateToolFunctionParameters",
    (
        Member("Type", "type", _str),
        Member("Defs", "$defs", omitted=True, hidden_if_nil=True),
        Member("Items", "items", omitted=True, hidden_if_nil=True),
        Member("Required", "required", _strings, omitted=True),
        Member("Properties", "properties", _own_properties),
    ),
)
_TOOL_FUNCTION = StructType(
    "template.templateToolFunction",
    (
        Member("Name", "name", _str),
        Member("Description", "description", _str),
        Member("Parameters", "parameters", lambda given: _struct(_PARAMETERS, given)),
    ),
)
_TOOL = StructType(
    "template.templateTool",
    (
        Member("Type", "type", _str),
        Member("Items", "items", omitted=True, hidden_if_nil=True),
        Member("Function", "function", lambda given: _struct(_TOOL_FUNCTION, given)),
    ),
    prints_json=True,
)


def chat_tools(tools: Sequence[Mapping[str, Any]] | None) -> JsonList:
    """Tools as Ollama passes them to a template, from the dicts that OpenAI's and Ollama's APIs take.

    Raises:
        UsageError: a value is not a JSON value.
    """
    found = JsonList(_struct(_TOOL, decoded(each)) for each in tools or ())
    found.nil = not found
    return found


# --- messages ------------------------------------------------------------------------------------------------------

_CALL_FUNCTION = StructType(
    "template.templateToolCallFunction",
    (Member("Index", "Index"), Member("Name", "Name"), Member("Arguments", "Arguments")),
)
_CALL = StructType("template.templateToolCall", (Member("ID", "ID"), Member("Function", "Function")))
_MESSAGE = StructType(
    "*template.templateMessage",
    tuple(
        Member(name, name) for name in ("Role", "Content", "Thinking", "Images", "ToolCalls", "ToolName", "ToolCallID")
    ),
)


def chat_messages(messages: Sequence[Mapping[str, Any]]) -> list[Struct]:
    """Messages as Ollama passes them to a template.

    Raises:
        UsageError: a message is not of OpenAI's shape, or its arguments are not an object.
    """
    return [_message(each, at) for at, each in enumerate(messages)]


def _message(message: Mapping[str, Any], at: int) -> Struct:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str):
        raise UsageError(f"messages[{at}]={shown(message)} is not a message: pass a dict with a role")
    thinking = message.get("reasoning_content") or message.get("thinking") or message.get("reasoning") or ""
    calls = message.get("tool_calls") or ()
    return Struct(
        _MESSAGE,
        Role=text(role),
        Content=_content(message.get("content")),
        Thinking=_content(thinking),
        Images=decoded(message.get("images") or []),
        ToolCalls=[_call(each, at) for at, each in enumerate(calls)],
        ToolName=text(str(message.get("tool_name") or message.get("name") or "")),
        ToolCallID=text(str(message.get("tool_call_id") or "")),
    )


def _content(content: Any) -> str:
    """The content as one text; the texts of a list of parts are joined."""
    if content is None or isinstance(content, str):
        return text(content or "")
    if isinstance(content, Sequence):
        return text("".join(each if isinstance(each, str) else str(each.get("text") or "") for each in content))
    raise UsageError(f"content={shown(content)} of a message is not valid: pass text or a list of parts")


def _call(call: Mapping[str, Any], at: int) -> Struct:
    function = call.get("function", call)
    index = function.get("index", call.get("index", at))
    name, arguments = text(str(function.get("name") or "")), JsonMap(_arguments(function.get("arguments")))
    called = Struct(_CALL_FUNCTION, Index=int(index), Name=name, Arguments=arguments)
    return Struct(_CALL, ID=text(str(call.get("id") or "")), Function=called)


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # a text that is not JSON is refused below
            arguments = json.loads(arguments) if arguments.strip() else {}
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise UsageError(f"arguments={shown(arguments)} of a tool call are not a JSON object: pass an object")
    values: dict[str, Any] = decoded(arguments)
    return values
