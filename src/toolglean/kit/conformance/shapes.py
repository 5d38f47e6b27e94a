# Checks a JSON value against one of the kit's own schemas, so that each file is described once. Does not depend on what
# the value means.
#
# It knows the keywords that these schemas use, and refuses a schema with any other: a keyword that is ignored would
# let a wrong file pass. For the schemas of tools, which may contain anything: toolglean.scan.by_schema.
"""A validator for the kit's schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["KEYWORDS", "wrong"]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_NOTES: Final = frozenset({"$schema", "$defs", "title", "description"})
KEYWORDS: Final = _NOTES | {
    "$ref",
    "type",
    "enum",
    "const",
    "pattern",
    "minLength",
    "minimum",
    "required",
    "properties",
    "additionalProperties",
    "items",
}
"""The keywords that it knows."""


def wrong(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """What is wrong with a value, each with its place.

    Args:
        value: the JSON value.
        schema: the schema.
        root: the schema that has the definitions.
        where: the place of the value, for messages.
    """
    assert KEYWORDS.issuperset(schema), schema.keys() - KEYWORDS
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from wrong(value, root["$defs"][name], root, where)
        return
    problem = _wrong_itself(value, schema)
    if problem:
        shown = repr(value)
        yield f"{where or 'the file'}: {shown if len(shown) < 80 else shown[:80] + '…'} {problem}"
    elif isinstance(value, dict):
        yield from _wrong_object(value, schema, root, where)
    elif isinstance(value, list) and "items" in schema:
        for number, each in enumerate(value):
            yield from wrong(each, schema["items"], root, f"{where}[{number}]")


def _wrong_itself(value: Any, schema: Mapping[str, Any]) -> str:
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else types
    if types and not any(_is(value, each) for each in types):
        return f"is not {' or '.join(types)}"
    members = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if members is not None and not any(value == each and type(value) is type(each) for each in members):
        return f"is not {' or '.join(map(repr, members))}"
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return f"does not match {schema['pattern']}"
        if len(value) < schema.get("minLength", 0):
            return "is empty"
    if _is(value, "number") and not value >= schema.get("minimum", value):
        return f"is less than {schema['minimum']}"
    return ""


def _is(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _wrong_object(
    value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], where: str
) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{where or 'the file'}: {name!r} is missing"
    for name, each in value.items():
        place = f"{where}.{name}" if where else name
        if name in known:
            yield from wrong(each, known[name], root, place)
        elif others is False:
            yield f"{place}: not a field of this schema"
        elif others is not True:
            yield from wrong(each, others, root, place)
