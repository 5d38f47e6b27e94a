"""Schemas that are large, deep or wrong: a grammar, or a `UsageError` that names the path; never another error."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import depth
from toolglean.errors import ToolgleanError, UsageError
from toolglean.formats.write_values import json_text
from toolglean.grammar import grammar_of
from toolglean.grammar.nodes import Rules
from toolglean.grammar.shapes import Notes, Schemas
from toolglean.grammar.untyped import Untyped

FORMATS = ("hermes", "pythonic", "qwen3-coder", "minimax-m3", "gemma-4")
PATH = "tools.get.parameters"


def made(declared: str, parameters: Any, *, strict: bool = True) -> str:
    """The grammar in all three notations."""
    tool = {"type": "function", "function": {"name": "get", "parameters": parameters}}
    found = grammar_of(declared, [tool], strict=strict)
    return found.gbnf() + found.lark() + str(found.structural_tag())


def of(value: Any, **more: Any) -> dict[str, Any]:
    """Parameters with one member."""
    return {"type": "object", "properties": {"a": value}, **more}


def deep(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = of(inner, required=["a"])
    return inner


def names(count: int) -> dict[str, Any]:
    return {f"p{number}": {"type": "string"} for number in range(count)}


CHAIN = {f"x{number}": of({"$ref": f"#/$defs/x{number + 1}"}) for number in range(300)}
LISTS: Any = {"type": "string"}
for _ in range(100):
    LISTS = {"type": "array", "items": LISTS}

DONE: dict[str, Any] = {
    "100 objects in each other": deep(100, {"type": "string"}),
    "100 lists in each other": of(LISTS),
    "300 references, each in an object of its own": of({"$ref": "#/$defs/x0"}, **{"$defs": {**CHAIN, "x300": {}}}),
    "1,000 properties": {"type": "object", "properties": names(1000)},
    "1,000 properties that must be there": {"type": "object", "properties": names(1000), "required": [*names(1000)]},
    "2,000 alternatives": of({"type": "string", "pattern": "|".join(["ab"] * 2000)}),
    "an enum of 10,000 texts": of({"enum": [f"v{number}" for number in range(10_000)]}),
    "an enum of 10,000 texts beside a type": of({"type": "string", "enum": [f"v{n}" for n in range(10_000)]}),
    "an enum of 10,000 numbers": of({"enum": list(range(10_000))}),
    "1,000 constants": of({"anyOf": [{"const": f"v{number}"} for number in range(1000)]}),
    "no limit, written as a large number": of({"type": "string", "maxLength": 2**63 - 1}),
}
SLOW = {("1,000 properties", "gemma-4"), ("1,000 properties that must be there", "gemma-4")}
"""They are done too, in some seconds."""


EACH = [(name, declared) for name in DONE for declared in FORMATS if (name, declared) not in SLOW]
SOME: list[tuple[str, str]] = depth.chosen(EACH, 1, key=str, group=lambda each: each[0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "declared"), SOME)
def test_a_large_schema_is_done(name: str, declared: str) -> None:
    began = time.monotonic()
    try:
        assert made(declared, DONE[name])
    except UsageError as error:
        refused = str(error)
    else:
        refused = ""
    assert time.monotonic() - began < 20
    # A format whose values are text does not hold everything.
    assert not refused or (declared not in {"hermes", "pythonic"} and PATH in refused)


REFUSED: dict[str, tuple[Any, str]] = {
    "a pattern of 2,000 groups": (of({"type": "string", "pattern": "(" * 2000 + "a" + ")" * 2000}), ".a.pattern: "),
    "a pattern that counts what is counted": (of({"type": "string", "pattern": "a" + "{2}" * 2000}), ".a.pattern: "),
    "300 objects in each other": (deep(300, {"type": "string"}), ": the schema is nested more than 256 levels deep"),
    "a constant of 300 objects": (of({"const": deep(300, 1)}), ": the schema is nested more than 256 levels deep"),
    "a bound of 400 digits": (of({"type": "integer", "minimum": 10**399}), ".a: its bounds are too large"),
    "a bound of 400 digits below zero": (of({"type": "number", "maximum": -(10**399)}), ".a: its bounds are too large"),
    # The rules for its digits are nested as deeply as there are digits: Python could not recurse so far.
    "a bound of 324 digits after the point": (of({"type": "number", "minimum": 5e-324}), ".a: its bounds are too large"),
    "a bound of 5,000 digits": (of({"type": "integer", "minimum": 10**5000}), ".a.minimum: a number of 16,610 bits is too large"),
    "a member of 5,000 digits": (of({"enum": [10**5000]}), ".a.enum.0: a number of 16,610 bits is too large"),
    "a length of 400 digits": (
        of({"type": "string", "minLength": 10**399}),
        ".a.minLength must be a whole number from 0 to 9223372036854775808, not 1000",
    ),
    "a length that is not finite": (
        of({"type": "string", "minLength": float("inf")}),
        ".a.minLength must be a whole number from 0 to 9223372036854775808, not inf",
    ),
    "a length that is no number": (
        of({"type": "string", "maxLength": "9"}),
        ".a.maxLength must be a whole number from 0 to 9223372036854775808, not '9'",
    ),
    "a name of 100,000 characters": ({"type": "object", "properties": {"n" * 100_000: {}}}, ".properties: 'nnn"),
    "properties that are a list": ({"type": "object", "properties": ["a"]}, ".properties must be an object, not ['a']"),
    "a schema that is a text": (of("string"), ".properties.a must be a schema (an object), not 'string'"),
    "a choice that is an object": (of({"anyOf": {"type": "string"}}), ".a.anyOf must be a list, not {'type': 'string'}"),
    "references that never end": (of({"$ref": "#/properties/a"}), ".a: it refers to itself endlessly"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_its_path(name: str) -> None:
    parameters, said = REFUSED[name]
    with pytest.raises(UsageError) as caught:
        made("hermes", parameters)
    assert str(caught.value).startswith(PATH)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 600


def test_more_than_a_hundred_members_are_not_counted() -> None:
    parameters = {"type": "object", "properties": names(1000), "maxProperties": 500}
    with pytest.raises(UsageError, match="maxProperties: a grammar can count at most 100 members"):
        made("hermes", parameters)
    assert made("hermes", parameters, strict=False)


def test_ways_that_are_left_out_are_noted() -> None:
    tool = {
        "type": "function",
        "function": {"name": "get", "parameters": of({"anyOf": [{"const": n} for n in range(300)]})},
    }
    assert grammar_of("hermes", [tool]).notes == (
        f"{PATH}.properties.a: the grammar contains only the first 256 of its alternatives",
    )


def test_a_number_that_no_float_can_hold_is_left_out() -> None:
    assert "1" * 400 not in made("hermes", of({"enum": [7, int("1" * 400)]}))


@pytest.mark.parametrize("seed", range(4))
def test_long_enums_are_read_like_short_ones(seed: int) -> None:
    """For a long enum, the reader is shown only the members that a text could stand for."""
    rng = random.Random(seed)
    texts = ["1", "1.0", "01", "+1", "true", "True", "null", "None", " 1", "1e3", "x", "X", "yes", '"x"', "[]", "nan"]
    values: list[Any] = [
        *texts,
        1,
        1.0,
        2,
        True,
        False,
        None,
        1000,
        1000.0,
        -0.0,
        0,
        "0",
        "-0",
        [],
        {"a": 1},
        '{"a": 1}',
    ]
    for kind in ({}, {"type": ["string", "integer"]}, {"type": "string"}, {"type": ["boolean", "string", "number"]}):
        members = rng.sample(values, 20) + [f"v{number}" for number in range(60)]
        schema = {**kind, "enum": members}
        untyped = Untyped(Schemas(of(schema), Notes()), Rules())
        pairs = [(each if isinstance(each, str) else json_text(each), each) for each in members]
        assert untyped.which_are_read(pairs, schema) == [untyped.is_read(*each, schema) for each in pairs]


# -- words with other values -------------------------------------------------------------------------------------------

FULL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a+$", "title": "A", "format": "date"},
        "b": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 1},
        "c": {"type": "array", "items": {"$ref": "#/$defs/x"}, "minItems": 1, "maxItems": 2, "uniqueItems": False},
        "d": {"enum": ["x", 1], "const": "x", "nullable": True},
        "e": {"anyOf": [{"type": "string"}, {"not": {"type": "null"}}], "oneOf": [{"const": 1}], "allOf": [{}]},
        "f": {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False, "maxProperties": 2},
        "g": {"type": "object", "propertyNames": {"pattern": "x"}, "minProperties": 1, "dependentRequired": {}},
        "h": {"type": "array", "prefixItems": [{"type": "number", "exclusiveMinimum": 0}], "items": False},
    },
    "required": ["a", "z"],
    "$defs": {"x": {"type": "boolean", "if": {}, "then": {}, "else": {}}},
}
SHAPES: list[Any] = [
    None,
    [],
    [[]],
    {},
    {"a": {}},
    0,
    -1,
    1.5,
    10**400,
    float("inf"),
    float("nan"),
    True,
    "",
    "x",
    [None],
]


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if before:
        yield before
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*before, key))


def put(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    found = value.copy()
    found[place[0]] = new if len(place) == 1 else put(value[place[0]], place[1:], new)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("declared", ["hermes", "qwen3-coder"])
def test_any_other_value_of_any_word(declared: str) -> None:
    for place in places(FULL):
        for new in SHAPES:
            try:
                made(declared, put(FULL, place, new), strict=False)
            except ToolgleanError:
                continue
            except Exception as error:
                raise AssertionError(f"{place} = {new!r:.80}: {error!r}") from error
