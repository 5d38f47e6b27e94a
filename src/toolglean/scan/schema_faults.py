# Whether a JSON value meets a JSON schema, and where it does not. Does not depend on what the value is for.
#
# It judges what programs write: an enum's members, what a format is learnt from, files of the kit, and declarations.
# What a model writes is judged by by_schema/validate.py, which reduces each schema to what is certain of it, and counts
# its work.
"""JSON values against JSON schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import combinations
from typing import Any, TypeAlias

from toolglean.errors import shown
from toolglean.scan.nested import kinds_met, same_value

__all__ = ["DEEPEST", "KEYWORDS", "faults", "is_valid", "matches"]

DEEPEST = 32
"""How deep schemas may be in each other; whatever is deeper is valid."""

LookUp: TypeAlias = Callable[[str], Any]
Reduce: TypeAlias = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
Inner: TypeAlias = Callable[..., Iterator[str]]


def _is_multiple(value: Any, of: Any) -> bool:
    if isinstance(value, int) and isinstance(of, int) and of:
        return not value % of
    try:
        return not Decimal(str(value)) % Decimal(str(of))
    except ArithmeticError:  # zero, or a number with more digits than the context allows
        return False


def _of(kind: type | tuple[type, ...], meets: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    # A condition on values of that kind.
    return lambda value, setting: not isinstance(value, kind) or isinstance(value, bool) or meets(value, setting)


_NUMBER = (int, float)
_CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "enum": lambda value, members: any(same_value(value, each) for each in members),
    "const": same_value,
    "minimum": _of(_NUMBER, lambda value, bound: value >= bound),
    "maximum": _of(_NUMBER, lambda value, bound: value <= bound),
    "exclusiveMinimum": _of(_NUMBER, lambda value, bound: value > bound),
    "exclusiveMaximum": _of(_NUMBER, lambda value, bound: value < bound),
    "multipleOf": _of(_NUMBER, _is_multiple),
    "minLength": _of(str, lambda value, bound: len(value) >= bound),
    "maxLength": _of(str, lambda value, bound: len(value) <= bound),
    "pattern": _of(str, lambda value, pattern: not isinstance(pattern, str) or matches(pattern, value)),
    "minItems": _of(list, lambda value, bound: len(value) >= bound),
    "maxItems": _of(list, lambda value, bound: len(value) <= bound),
    "minProperties": _of(dict, lambda value, bound: len(value) >= bound),
    "maxProperties": _of(dict, lambda value, bound: len(value) <= bound),
}
"""Keywords that concern a value itself, in the order in which they are checked."""
KEYWORDS = frozenset(_CONDITIONS) | {
    *("$ref", "type", "nullable", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("items", "prefixItems", "uniqueItems", "contains", "minContains", "maxContains"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependentRequired"),
}
"""The keywords that are checked; all others are ignored."""


def _said(schema: Mapping[str, Any], _: int) -> Mapping[str, Any]:
    return {keyword: setting for keyword, setting in schema.items() if setting is not None or keyword == "const"}


def is_valid(value: Any, schema: Any, look_up: LookUp, reduce: Reduce = _said) -> bool:
    """Whether the value meets the schema: see `faults`."""
    return next(faults(value, schema, look_up, reduce=reduce), None) is None


def faults(
    value: Any, schema: Any, look_up: LookUp, where: str = "", depth: int = 0, reduce: Reduce = _said
) -> Iterator[str]:
    """Where the value does not meet the schema, and why; found one by one.

    Args:
        value: the JSON value.
        schema: the schema. Keywords that are not `KEYWORDS` are ignored, as are those whose setting is null.
        look_up: returns the schema to which a `$ref` leads.
        where: the place of the value, for messages.
        depth: in how many schemas this one is.
        reduce: returns what counts of a schema, which is in so many others.
    """
    if schema is False:
        yield f"{where or 'the value'}: {shown(value)} is not allowed"
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return
    schema = reduce(schema, depth)

    def inner(value: Any, schema: Any, where: str = where) -> Iterator[str]:
        return faults(value, schema, look_up, where, depth + 1, reduce)

    if isinstance(schema.get("$ref"), str):
        yield from inner(value, look_up(schema["$ref"]))
    problem = _problem(value, schema)
    if problem:
        yield f"{where or 'the value'}: {shown(value)} {problem}"
        return
    yield from _in_unions(value, schema, inner)
    if isinstance(value, list):
        yield from _in_items(value, schema, inner, where)
    elif isinstance(value, dict):
        yield from _in_members(value, schema, inner, where)


def _problem(value: Any, schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    is_null = schema.get("nullable") is True and value is None
    if kind is not None and not is_null and kinds_met(value).isdisjoint(kinds):
        return f"is not {' or '.join(map(str, kinds))}"
    failed = (word for word, meets in _CONDITIONS.items() if word in schema and not meets(value, schema[word]))
    return next((f"does not meet {word}={shown(schema[word])}" for word in failed), "")


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text; also if it is not an expression of Python."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError, OverflowError):
        return True


def _in_unions(value: Any, schema: Mapping[str, Any], inner: Inner) -> Iterator[str]:
    def passes(each: Any) -> bool:
        return next(inner(value, each), None) is None

    for each in schema.get("allOf") or ():
        yield from inner(value, each)
    some, one = ([passes(each) for each in schema.get(keyword) or ()] for keyword in ("anyOf", "oneOf"))
    if (some and not any(some)) or (one and sum(one) != 1):
        yield from inner(value, False)  # a schema
    if "not" in schema and passes(schema["not"]):
        yield from inner(value, False)
    if "if" in schema:
        yield from inner(value, schema.get("then" if passes(schema["if"]) else "else", True))


def _in_items(value: list[Any], schema: Mapping[str, Any], inner: Inner, where: str) -> Iterator[str]:
    first, rest = schema.get("prefixItems") or [], schema.get("items", True)
    for number, each in enumerate(value):
        yield from inner(each, first[number] if number < len(first) else rest, f"{where}[{number}]")
    if schema.get("uniqueItems") and any(same_value(*each) for each in combinations(value, 2)):
        yield f"{where or 'the value'}: two items are the same"
    if "contains" in schema:
        count = sum(next(inner(each, schema["contains"]), None) is None for each in value)
        if not schema.get("minContains", 1) <= count <= schema.get("maxContains", count):
            yield f"{where or 'the value'}: {count} items meet `contains`"


def _in_members(value: dict[str, Any], schema: Mapping[str, Any], inner: Inner, where: str) -> Iterator[str]:
    known, patterns = schema.get("properties") or {}, schema.get("patternProperties") or {}
    others, names = schema.get("additionalProperties", True), schema.get("propertyNames", True)
    needs = schema.get("dependentRequired") or {}
    needed = [
        *(schema.get("required") or ()),
        *(name for key, names in needs.items() if key in value for name in names),
    ]
    yield from (f"{where or 'the value'}: {name!r} is missing" for name in needed if name not in value)
    for name, each in value.items():
        place = f"{where}.{name}" if where else str(name)
        rules = [known[name]] if name in known else []
        rules += [rule for pattern, rule in patterns.items() if matches(pattern, name)]
        yield from inner(name, names, place)
        for rule in rules or [others]:
            yield from inner(each, rule, place)
