# The keywords of JSON Schema: which kind of value each constrains, which of them a grammar cannot express, and the
# keywords of older drafts. Does not depend on references and unions (shapes.py), or on how values are written.
"""The keywords of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from toolglean.grammar.merge import KINDS, NEVER, disjoint

__all__ = ["SUPPORTED", "closed", "kinds_of", "modern", "unsupported_in"]

SUPPORTED = {
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("propertyNames", "minProperties", "maxProperties"),
    ),
}
"""What a grammar may hold, for each kind of value."""

_UNSUPPORTED = {
    **dict.fromkeys(("not", "if", "$dynamicRef", "$recursiveRef"), ""),
    **dict.fromkeys(("contains", "uniqueItems"), "array"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "dependencies"), "object"),
    "multipleOf": "number",
}
_OF_WHOLE_VALUES = ("dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef")
"""What is not looked at even where the schema names the value itself (fits.py)."""


def modern(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the words of draft 2020-12: lists of `items`, and bounds that a flag excludes, are older."""
    found = dict(schema)
    if isinstance(found.get("items"), list):
        found["prefixItems"] = found.pop("items")
        found["items"] = found.pop("additionalItems", True)
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(found.get(flag), bool):
            excluded = found.pop(flag)
            if excluded and bound in found:
                found[flag] = found.pop(bound)
    return found


def closed(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema without `unevaluated…`: behind all unions and references, that is what is left for the others."""
    found = dict(schema)
    for keyword, own in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
        if keyword in found:
            rest = found.pop(keyword)
            found.setdefault(own, rest)
    return found


def kinds_of(schema: Mapping[str, Any]) -> list[str]:
    """The types of values that the schema allows."""
    kind = schema.get("type")
    named = [each for each in (kind if isinstance(kind, list) else [kind]) if each in KINDS]
    if not named and kind is None:
        of_object = "additionalProperties" in schema or "properties" in schema
        named = ["object"] if of_object else [each for each in KINDS if each != "integer"]
    if "number" in named:
        named = [each for each in named if each != "integer"]
    if schema.get("nullable") is True and "null" not in named:
        named.append("null")
    if _multiple(schema) == 1:
        named = ["integer" if each == "number" else each for each in named]
    left_out = _types_left_out(schema)
    return [each for each in named if each not in left_out]


def unsupported_in(schema: Mapping[str, Any], kind: str) -> Iterator[str]:
    """The words of the schema that ask something of a value of that kind, and that a grammar cannot say.

    Args:
        schema: a schema without references and unions.
        kind: a type of JSON, or "literal", for values that the schema names itself.
    """
    if kind == "literal":
        yield from (keyword for keyword in _OF_WHOLE_VALUES if keyword in schema)
        return
    own = "number" if kind == "integer" else kind
    for keyword, of in _UNSUPPORTED.items():
        if keyword in schema and (not of or of == own) and not _asks_nothing(keyword, schema, kind):
            yield keyword


def _asks_nothing(keyword: str, schema: Mapping[str, Any], kind: str) -> bool:
    # Whether the word asks nothing of such a value beyond what is held.
    said = schema[keyword]
    if keyword == "uniqueItems":
        most = schema.get("maxItems")
        return not said or (most is not None and most <= 1)
    if keyword == "multipleOf":
        multiple = _multiple(schema)
        return kind == "integer" and multiple is not None and not 1 % multiple
    if keyword == "contains":
        return schema.get("minContains") == 0 and "maxContains" not in schema
    if keyword == "not":
        return _is_not_of(said, schema, kind)
    if keyword == "if":
        return "then" not in schema and "else" not in schema
    return not said  # no dependencies


def _is_not_of(said: Any, schema: Mapping[str, Any], kind: str) -> bool:
    if said is NEVER or _types_left_out(schema):
        return True
    return isinstance(said, Mapping) and disjoint({**schema, "type": kind}, said)


def _types_left_out(schema: Mapping[str, Any]) -> frozenset[str]:
    # Of `not` with a type and no more.
    said = schema.get("not")
    if not isinstance(said, Mapping) or said.keys() - {"type", "description", "title"} or "type" not in said:
        return frozenset()
    kinds = said["type"] if isinstance(said["type"], list) else [said["type"]]
    if "integer" in kinds and "number" not in kinds:
        return frozenset()  # numbers that are no integers: no grammar of ours tells 3.0 from 3
    return frozenset(kinds) | ({"integer"} if "number" in kinds else frozenset())


def _multiple(schema: Mapping[str, Any]) -> Decimal | None:
    try:
        found = Decimal(str(schema.get("multipleOf")))
    except InvalidOperation:
        return None
    return found if found.is_finite() and found > 0 else None
