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
"""The keywords that a grammar supports, for each kind of value."""

_UNSUPPORTED = {
    **dict.fromkeys(("not", "if", "$dynamicRef", "$recursiveRef"), ""),
    **dict.fromkeys(("contains", "uniqueItems"), "array"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "dependencies"), "object"),
    "multipleOf": "number",
}
_OF_WHOLE_VALUES = ("dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef")
"""Keywords that are not checked even for values that the schema itself names (scan/schema_faults.py)."""


def modern(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the keywords of draft 2020-12: lists of `items`, and bounds with a flag, are older."""
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
    """The schema without `unevaluated…`, which applies to all other members once unions and references are resolved."""
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
    """The keywords of the schema that restrict a value of that kind, and that a grammar cannot express.

    Args:
        schema: a schema without references and unions.
        kind: a JSON type, or "literal" for values that the schema itself names.
    """
    if kind == "literal":
        yield from (keyword for keyword in _OF_WHOLE_VALUES if keyword in schema)
        return
    own = "number" if kind == "integer" else kind
    for keyword, of in _UNSUPPORTED.items():
        if keyword in schema and (not of or of == own) and not _asks_nothing(keyword, schema, kind):
            yield keyword


def _asks_nothing(keyword: str, schema: Mapping[str, Any], kind: str) -> bool:
    # Whether the keyword adds no restriction on such a value.
    setting = schema[keyword]
    if keyword == "uniqueItems":
        most = schema.get("maxItems")
        return not setting or (most is not None and most <= 1)
    if keyword == "multipleOf":
        multiple = _multiple(schema)
        return kind == "integer" and multiple is not None and not 1 % multiple
    if keyword == "contains":
        return schema.get("minContains") == 0 and "maxContains" not in schema
    if keyword == "not":
        return _is_not_of(setting, schema, kind)
    if keyword == "if":
        return "then" not in schema and "else" not in schema
    return not setting  # an empty list of dependencies


def _is_not_of(setting: Any, schema: Mapping[str, Any], kind: str) -> bool:
    if setting is NEVER or _types_left_out(schema):
        return True
    return isinstance(setting, Mapping) and disjoint({**schema, "type": kind}, setting)


def _types_left_out(schema: Mapping[str, Any]) -> frozenset[str]:
    # The types that a `not` with only a type excludes.
    setting = schema.get("not")
    if not isinstance(setting, Mapping) or setting.keys() - {"type", "description", "title"} or "type" not in setting:
        return frozenset()
    kinds = setting["type"] if isinstance(setting["type"], list) else [setting["type"]]
    if "integer" in kinds and "number" not in kinds:
        return frozenset()  # numbers that are not integers: these grammars do not distinguish 3.0 from 3
    return frozenset(kinds) | ({"integer"} if "number" in kinds else frozenset())


def _multiple(schema: Mapping[str, Any]) -> Decimal | None:
    try:
        found = Decimal(str(schema.get("multipleOf")))
    except InvalidOperation:
        return None
    return found if found.is_finite() and found > 0 else None
