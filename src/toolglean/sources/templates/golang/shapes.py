# The types of Ollama's messages and tools: their fields in order, how they print, and their JSON. Does not depend on
# templates, or on who fills the types.
#
# They are those of Ollama's `template` and `api` packages, of which there have been several versions: a field that only
# some versions have is printed only if it is not empty.
"""Ollama's messages and tools as Go values."""

from __future__ import annotations

from typing import Any

from toolglean.sources.templates.golang.values import JsonMap, Member, Struct, StructType, Text

__all__ = ["call_value", "message_value", "tool_value"]


def _typescript(kind: str) -> str:
    names = {"integer": "number", "array": "any[]", "object": "Record<string, any>"}
    return names.get(kind, kind if kind in {"string", "number", "boolean", "null"} else "any")


def _property_type(struct: Struct) -> str:
    """A property's type in TypeScript's words."""
    values = struct.values
    if values["AnyOf"]:
        return " | ".join(_property_type(each) for each in values["AnyOf"])
    return " | ".join(_typescript(each) for each in values["Type"]) or "any"


# --- tools ---------------------------------------------------------------------------------------------------------


class _Properties(JsonMap):
    """Properties of a schema by name."""

    @staticmethod
    def zero() -> Struct:
        """The value of a missing name."""
        return _decoded(_PROPERTY, {})


def _decoded(kind: StructType, given: Any) -> Struct:
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
    return _Properties({name: _decoded(_PROPERTY, schema) for name, schema in schemas.items()})


def _own_properties(schemas: Any) -> _Properties:
    found = _properties(schemas)
    if found is None:
        found = _Properties()
        found.nil = True
    return found


_PROPERTY: StructType = StructType(
    "api.ToolProperty",
    (
        Member("AnyOf", "anyOf", lambda given: [_decoded(_PROPERTY, each) for each in _list(given)], omitted=True),
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
        Member("Parameters", "parameters", lambda given: _decoded(_PARAMETERS, given)),
    ),
)
_TOOL = StructType(
    "template.templateTool",
    (
        Member("Type", "type", _str),
        Member("Items", "items", omitted=True, hidden_if_nil=True),
        Member("Function", "function", lambda given: _decoded(_TOOL_FUNCTION, given)),
    ),
    prints_json=True,
)


def tool_value(tool: dict[str, Any]) -> Struct:
    """A tool, from the dict that OpenAI's and Ollama's APIs take, with values as Go decodes them."""
    return _decoded(_TOOL, tool)


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


def message_value(**values: Any) -> Struct:
    """A message: a value for each of its fields."""
    return Struct(_MESSAGE, **values)


def call_value(model_id: str, index: int, name: str, arguments: dict[str, Any]) -> Struct:
    """A call of a message."""
    return Struct(
        _CALL, ID=model_id, Function=Struct(_CALL_FUNCTION, Index=index, Name=name, Arguments=JsonMap(arguments))
    )
