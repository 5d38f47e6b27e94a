# The rule that tells a call in JSON from a definition and from data. All of it is in this file, as pure functions. It
# does not depend on how the JSON is read, where it is in the turn, or what becomes of it.
#
# The arguments are under one of `ARGUMENT_KEYS` (names.py). Otherwise, if exactly one key other than the name and
# `BESIDE_KEYS` has a value, and the value is an object, that object is the arguments, unless the key is one of
# `RESULT_KEYS`. If no other key is left, they are `{}`. Anything else is malformed, never `{}`: arguments that were
# written are never dropped. So is a call with a parameter of its tool next to the arguments. Other keys there are left
# out, with a `Problem` that names them.
#
# A call inside an object is under a key for calls (`HOLDER_KEYS`), and the object has no name and no arguments of its
# own: anything else is data of the object (engine/frame.py).
#
# JSON without a marker is a call only if, in addition,
# - the object is the turn's own value: at the top, in the list at the top, or under one of `HOLDER_KEYS`
# - the name is the name of a tool, if tools are given
# - the arguments that the tool's schema requires are present; a tool that requires none may be called by its name
#   alone, if there is nothing else at all
# - the arguments are under one of `ARGUMENT_KEYS`: under any other key, they are a result, an example or a schema
# - only ids and a thought (`THOUGHT_KEYS`) are next to the call: a result, a status, a description or a warning shows
#   that it is data
# - its type is one of `CALL_TYPES`, its role the assistant's, and it does not answer a call: anything else is a result,
#   or another's message. The same of what is around it
# If one object breaks these rules, all of the JSON is data: a list of calls contains only calls.
#
# The definition of a tool is never a call: the value under the key of the arguments is a JSON schema, or, without a
# marker, a `description` is next to the name.
"""Which JSON is a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.scan.json import decode
from toolglean.scan.names import ARGUMENT_KEYS, CALL_TYPES, may_be_wrapped

__all__ = [
    "ANOTHERS", "BESIDE", "DEFINITION", "INSIDE", "IN_TEXT", "NO_ARGUMENTS", "NO_OBJECT", "OTHER_KEY", "declares",
    "fault_of_arguments", "fault_of_text", "fault_without_arguments", "is_anothers", "is_definition", "missing",
    "takes_arguments",
]  # fmt: skip

ANOTHERS = "it is a result, or a message of another role"
DEFINITION = "it is the definition of a tool"
NO_ARGUMENTS = "the arguments are missing"
WRAPPED = "the arguments are in another object"
NO_OBJECT = "the arguments are not an object"
BESIDE = "there are other keys next to the name"
INSIDE = "it is inside other JSON"
OTHER_KEY = "the name is a key, or is under a key that does not hold names"
IN_TEXT = "there is other text on its line"

_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_WRITTEN = _TYPES | {"str", "int", "float", "bool", "list", "dict", "any", "none", "tuple", "double"}
"""These, and what prompts write instead: `"type": "str, optional"`."""

Schema = Mapping[str, Any] | None
"""The schema of a tool's parameters; None if no tool of that name is known."""


def declares(schema: Schema, key: str) -> bool:
    """Whether the tool's schema declares that parameter."""
    return key in _properties(schema)


def takes_arguments(schema: Schema) -> bool:
    """Whether the tool's schema declares any parameters."""
    return bool(_properties(schema))


def _properties(schema: Schema) -> Mapping[str, Any]:
    if not schema:
        return {}
    from toolglean.scan.coerce import properties  # noqa: PLC0415  # slow to import, and few calls need it

    return properties(schema)


def missing(schema: Schema, keys: Iterable[str]) -> bool:
    """Whether these keys lack an argument that the tool's schema requires."""
    required = schema.get("required") if schema is not None else None
    if not isinstance(required, list | tuple):
        return False
    found = set(keys)
    return any(isinstance(key, str) and key not in found for key in required)


def is_definition(arguments: Mapping[str, Any], schema: Schema) -> bool:
    """Whether the arguments are the schema of a tool's parameters instead of values for them."""
    if "type" in arguments and isinstance(arguments.get("properties"), dict):
        return not declares(schema, "properties")
    schemas = [key for key, value in arguments.items() if _is_schema(value)]
    return bool(schemas) and len(schemas) == len(arguments) and not any(_takes_objects(schema, key) for key in schemas)


def _is_schema(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.partition(",")[0].strip().lower() in _WRITTEN


def _takes_objects(schema: Schema, key: str) -> bool:
    # Only a type that is known, other than "object", shows that the parameter does not accept objects.
    inner = _properties(schema).get(key)
    kind = inner.get("type") if isinstance(inner, Mapping) else None
    return not isinstance(kind, str) or kind == "object" or kind not in _TYPES


def fault_of_text(text: str, schema: Schema, *, bare: bool) -> str:
    """Why a call with arguments of that text must not run; "" if it may.

    Args:
        text: the arguments, as whole JSON or "".
        schema: the schema of the tool's parameters.
        bare: whether no marker shows that a call is meant. After a marker, most arguments need not be decoded here.
    """
    may_be_definition = '"type"' in text and ('"properties"' in text or bool(_properties(schema)))
    may_lack = (bare or may_be_wrapped(text) is not None) and missing(schema, ())
    if not may_be_definition and not may_lack:
        return ""
    arguments = decode(text or "{}")[0]
    if is_definition(arguments, schema):
        return DEFINITION
    [key, *more] = arguments or ("",)
    if may_lack and key in ARGUMENT_KEYS and not more and not declares(schema, key):
        return WRAPPED
    return NO_ARGUMENTS if bare and missing(schema, arguments) else ""


# -- JSON without a marker: why an object is not a call; "" if it is ---------------------------------------------------


def fault_of_arguments(arguments: Mapping[str, Any], schema: Schema) -> str:
    """For arguments under one of `ARGUMENT_KEYS`."""
    if is_definition(arguments, schema):
        return DEFINITION
    return NO_ARGUMENTS if missing(schema, arguments) else ""


def fault_without_arguments(keys: int, schema: Schema) -> str:
    """For an object without arguments that has that many keys."""
    return "" if keys == 1 and schema is not None and not missing(schema, ()) else NO_ARGUMENTS


def is_anothers(key: str, value: str) -> bool:
    """Whether that string under that key, next to a call or around it, shows that it is not a call of the assistant."""
    return value not in CALL_TYPES if key == "type" else key == "role" and value != "assistant"
