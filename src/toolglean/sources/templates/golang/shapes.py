# The types of Ollama's messages and tools: their fields in order, how they print, and their JSON. Does not depend on
# templates, or on who fills the types.
#
# They are those of Ollama's `template` and `api` packages, of which there have been several versions: a field that only
# some versions have is printed only if it is not empty.
"""Ollama's messages and tools as Go values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolglean.sources.templates.golang.values import JsonMap, Member, Struct, StructType, Text

__all__ = ["ChatMessage", "message_value", "tool_value"]


@dataclass(slots=True)
class ChatMessage:
    """A message of Ollama's API. `calls` are (id, name, arguments, index)."""

    role: str
    content: str = ""
    thinking: str = ""
    images: list[Any] = field(default_factory=list)
    calls: list[tuple[str, str, dict[str, Any], int]] = field(default_factory=list)
    tool_name: str = ""
    tool_call_id: str = ""


def _typescript(kind: str) -> str:
    names = {"integer": "number", "array": "any[]", "object": "Record<string, any>"}
    return names.get(kind, kind if kind in {"string", "number", "boolean", "null"} else "any")


def _property_type(struct: Struct) -> str:
    """A property's type in TypeScript's words."""
    values = struct.values
    if values["AnyOf"]:
        return " | ".join(_property_type(each) for each in values["AnyOf"])
    return " | ".join(_typescript(each) for each in values["Type"]) or "any"


_PROPERTY = StructType(
    "api.ToolProperty",
    (
        Member("AnyOf", "anyOf", omitted=True),
        Member("Type", "type", omitted=True),
        Member("Items", "items", omitted=True),
        Member("Description", "description", omitted=True),
        Member("Enum", "enum", omitted=True),
        Member("Properties", "properties", omitted=True),
        Member("Required", "required", omitted=True, hidden_if_nil=True),
    ),
    methods={"ToTypeScriptType": _property_type},
)
_PARAMETERS = StructType(
    "template.templateToolFunctionParameters",
    (
        Member("Type", "type"),
        Member("Defs", "$defs", omitted=True, hidden_if_nil=True),
        Member("Items", "items", omitted=True, hidden_if_nil=True),
        Member("Required", "required", omitted=True),
        Member("Properties", "properties"),
    ),
)
_TOOL_FUNCTION = StructType(
    "template.templateToolFunction",
    (Member("Name", "name"), Member("Description", "description"), Member("Parameters", "parameters")),
)
_TOOL = StructType(
    "template.templateTool",
    (
        Member("Type", "type"),
        Member("Items", "items", omitted=True, hidden_if_nil=True),
        Member("Function", "function"),
    ),
    prints_json=True,
)
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


class _Properties(JsonMap):
    """Properties of a schema by name."""

    @staticmethod
    def zero() -> Struct:
        """The value of a missing name."""
        return _property({})


def tool_value(tool: dict[str, Any]) -> Struct:
    """A tool, from the dict that OpenAI's and Ollama's APIs take, with values as Go decodes them."""
    function = _dict(tool.get("function"))
    parameters = _dict(function.get("parameters"))
    schema = Struct(
        _PARAMETERS,
        Type=_str(parameters.get("type")),
        Defs=parameters.get("$defs"),
        Items=parameters.get("items"),
        Required=_strings(parameters.get("required")),
        Properties=_properties(parameters.get("properties"), _no_properties()),
    )
    about = Struct(
        _TOOL_FUNCTION,
        Name=_str(function.get("name")),
        Description=_str(function.get("description")),
        Parameters=schema,
    )
    return Struct(_TOOL, Type=_str(tool.get("type")), Items=tool.get("items"), Function=about)


def _property(schema: dict[str, Any]) -> Struct:
    kinds = schema.get("type")
    choices = schema.get("anyOf")
    return Struct(
        _PROPERTY,
        AnyOf=[_property(_dict(each)) for each in choices] if isinstance(choices, list) else [],
        Type=Text([kinds] if isinstance(kinds, str) else _strings(kinds)),
        Items=schema.get("items"),
        Description=_str(schema.get("description")),
        Enum=schema["enum"] if isinstance(schema.get("enum"), list) else [],
        Properties=_properties(schema.get("properties"), None),
        Required=_strings(schema.get("required")) or None,
    )


def _properties(schemas: Any, missing: _Properties | None) -> _Properties | None:
    if not isinstance(schemas, dict):
        return missing
    return _Properties({name: _property(_dict(schema)) for name, schema in schemas.items()})


def _no_properties() -> _Properties:
    properties = _Properties()
    properties.nil = True
    return properties


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def message_value(message: ChatMessage) -> Struct:
    """A message."""
    calls = [
        Struct(_CALL, ID=each, Function=Struct(_CALL_FUNCTION, Index=index, Name=name, Arguments=JsonMap(arguments)))
        for each, name, arguments, index in message.calls
    ]
    return Struct(
        _MESSAGE,
        Role=message.role,
        Content=message.content,
        Thinking=message.thinking,
        Images=message.images,
        ToolCalls=calls,
        ToolName=message.tool_name,
        ToolCallID=message.tool_call_id,
    )
