"""Every word of JSON Schema that tools use is held, or named: by an error, and with strict=False by a note."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

pytest.importorskip("jsonschema", reason="the law needs jsonschema, which comes with the extra [mcp]")

from tests.grammar.engines import OwnReader, sampled
from tests.grammar.laws import fault
from tests.support import depth
from toolglean import Tool, ToolSet, UsageError
from toolglean.formats import get_format
from toolglean.grammar import Grammar, grammar_of

AB = {"a": {"type": "integer"}, "b": {"type": "integer"}}
SIZES = {"type": "string", "enum": ["s", "m", "l"]}

# Schemas that JSON holds in full: values that are allowed, and values that are not.
SUPPORTED: list[tuple[str, dict[str, Any], list[Any], list[Any]]] = [
    ("type", {"type": "boolean"}, [True], [1, "true"]),
    ("types", {"type": ["integer", "null"]}, [1, None], ["1", 1.5]),
    ("enum", {"enum": ["a", 2, None]}, ["a", 2, None], ["b", 3]),
    ("const", {"const": {"a": [1]}}, [{"a": [1]}], [{"a": [2]}]),
    ("enum beside other words", {"enum": [1, 2, 3, 4], "multipleOf": 2, "not": {"const": 4}}, [2], [1, 3, 4]),
    ("enum of unique lists", {"enum": [[1, 1], [1, 2]], "uniqueItems": True}, [[1, 2]], [[1, 1]]),
    ("enum with a condition", {"enum": [1, 2, "x"], "if": {"type": "integer"}, "then": {"minimum": 2}}, [2, "x"], [1]),
    ("enum of objects", {"enum": [{"a": 1}, {"b": 1}], "dependentRequired": {"a": ["b"]}}, [{"b": 1}], [{"a": 1}]),
    ("minimum", {"type": "integer", "minimum": 3}, [3, 40], [2, -3]),
    ("exclusiveMinimum", {"type": "integer", "exclusiveMinimum": 3}, [4], [3]),
    ("exclusiveMinimum of draft 4", {"type": "integer", "minimum": 3, "exclusiveMinimum": True}, [4], [3]),
    ("maximum of draft 4", {"type": "integer", "maximum": 3, "exclusiveMaximum": False}, [3], [4]),
    ("multipleOf of one", {"type": "number", "multipleOf": 1}, [3], [1.5]),
    # 0.0 was left out next to a small bound.
    ("a small bound", {"type": "number", "minimum": 0, "maximum": 0.001}, [0.0, 0.001, 0], [0.0011, 0.01]),
    ("multipleOf of a half", {"type": "integer", "multipleOf": 0.5}, [3], [1.5]),
    ("lengths", {"type": "string", "minLength": 1, "maxLength": 2}, ["a", "é\n"], ["", "abc"]),
    ("pattern", {"type": "string", "pattern": "^a.*z$"}, ["az", "abcz"], ["a", "bz"]),
    ("format", {"type": "string", "format": "date"}, ["x"], [1]),
    ("items", {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, [[1]], [[], ["1"]]),
    ("prefixItems", {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "null"}}, [[1, None]], [[None], [1, 1]]),
    ("items of draft 7", {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False}, [[1, "a"]], [["a"], [1, "a", 1]]),
    ("unevaluatedItems", {"type": "array", "prefixItems": [{"type": "integer"}], "unevaluatedItems": False}, [[1]], [[1, 2]]),
    ("uniqueItems of one", {"type": "array", "items": SIZES, "uniqueItems": True, "maxItems": 1}, [["s"]], [["s", "s"]]),
    ("contains none", {"type": "array", "items": SIZES, "contains": {"const": "s"}, "minContains": 0}, [["m"]], [[1]]),
    ("properties", {"type": "object", "properties": AB, "required": ["b"]}, [{"b": 1}, {"a": 1, "b": 1}], [{}, {"a": 1}]),
    ("additionalProperties", {"type": "object", "additionalProperties": SIZES}, [{}, {"x": "s"}], [{"x": "y"}]),
    ("propertyNames", {"type": "object", "propertyNames": SIZES}, [{}, {"s": 1}], [{"x": 1}]),
    ("propertyNames of properties", {"type": "object", "properties": AB, "propertyNames": {"const": "a"}}, [{"a": 1}], [{"b": 1}]),
    ("patternProperties", {"type": "object", "patternProperties": {"^x_": {"type": "integer"}}}, [{}, {"x_1": 1, "x_2": 2}], [{"y": 1}, {"x_1": "1"}]),
    ("patternProperties beside properties", {"type": "object", "properties": AB, "patternProperties": {"^x_": {"type": "null"}}}, [{"a": 1, "x_1": None}], [{"a": None}, {"x_1": 1}]),
    ("two patterns that ask the same", {"type": "object", "patternProperties": {"^x": SIZES, "y$": SIZES}}, [{"x": "s", "ay": "m"}], [{"b": "s"}]),
    ("minProperties", {"type": "object", "properties": AB, "minProperties": 1}, [{"a": 1}, {"b": 1}], [{}]),
    ("maxProperties", {"type": "object", "properties": AB, "maxProperties": 1}, [{}, {"b": 1}], [{"a": 1, "b": 1}]),
    ("minProperties of a map", {"type": "object", "additionalProperties": True, "minProperties": 2}, [{"x": 1, "y": 2}], [{"x": 1}]),
    ("both, beside others", {"type": "object", "properties": AB, "additionalProperties": SIZES, "minProperties": 2, "maxProperties": 3}, [{"a": 1, "x": "s"}, {"x": "s", "y": "m"}], [{"a": 1}, {"a": 1, "b": 1, "x": "s", "y": "s"}]),
    ("unevaluatedProperties", {"allOf": [{"type": "object", "properties": AB}], "unevaluatedProperties": False}, [{"a": 1}], [{"c": 1}]),
    ("dependentRequired of none", {"type": "object", "properties": AB, "dependentRequired": {}}, [{"a": 1}], [{"c": 1}]),
    ("allOf", {"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 4}]}, [2, 4], [1, 5]),
    ("a keyword that is false, in allOf", {"allOf": [{"type": "string", "deprecated": False, "nullable": False}]}, ["a"], [1]),
    ("the same in anyOf", {"anyOf": [{"type": "string", "nullable": False}, {"type": "integer"}]}, ["a", 1], [1.5]),
    ("the value false", {"allOf": [{"type": "boolean"}, {"const": False}]}, [False], [True]),
    ("anyOf", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["a"]),
    ("oneOf of other types", {"oneOf": [{"type": "integer"}, {"type": "string"}]}, [1, "a"], [None]),
    ("not of a type", {"not": {"type": ["null", "object", "array", "string"]}}, [1, True], [None, "a", {}]),
    ("not of another type", {"type": "string", "not": {"type": "null"}}, ["a"], [None]),
    ("nullable of OpenAPI", {"type": "integer", "nullable": True}, [1, None], ["a"]),
    ("annotations", {"type": "integer", "title": "t", "default": 1, "examples": [2], "readOnly": True, "$comment": "c", "x-ours": 3}, [1], ["a"]),
]  # fmt: skip

# Schemas that no grammar holds: the word that is named.
NAMED: list[tuple[str, dict[str, Any]]] = [
    ("uniqueItems", {"type": "array", "items": SIZES, "uniqueItems": True}),
    ("contains", {"type": "array", "items": SIZES, "contains": {"const": "s"}}),
    ("multipleOf", {"type": "integer", "multipleOf": 3}),
    ("multipleOf", {"type": "number", "multipleOf": 0.01}),
    ("not", {"type": "string", "not": {"const": "a"}}),
    ("if", {"type": "object", "properties": AB, "if": {"required": ["a"]}, "then": {"required": ["b"]}}),
    ("dependentRequired", {"type": "object", "properties": AB, "dependentRequired": {"a": ["b"]}}),
    ("dependentSchemas", {"type": "object", "properties": AB, "dependentSchemas": {"a": {"required": ["b"]}}}),
    ("patternProperties", {"type": "object", "patternProperties": {"^x": SIZES, "y$": {"type": "integer"}}}),
    ("patternProperties", {"type": "object", "properties": AB, "patternProperties": {"^a": {"type": "integer"}}}),
    ("propertyNames", {"type": "object", "properties": AB, "propertyNames": {"maxLength": 3}, "additionalProperties": True}),
    ("pattern", {"type": "string", "pattern": "^(?=a)b$"}),
    ("pattern", {"type": "string", "pattern": "(a)\\1"}),
    ("pattern", {"type": "string", "pattern": "^[ab]+$", "maxLength": 3}),
    ("oneOf", {"oneOf": [{"type": "integer"}, {"type": "number"}]}),
    ("$ref", {"$ref": "https://example.com/schema"}),
    ("$dynamicRef", {"$dynamicRef": "#x"}),
]  # fmt: skip

DIALECTS = depth.chosen(["qwen3-coder", "pythonic", "gemma-4", "minimax-m3", "anthropic", "deepseek-v3.2"], 1, key=str)


def tools_of(schema: dict[str, Any]) -> ToolSet:
    return ToolSet([Tool("f", {"type": "object", "properties": {"p": schema}, "required": ["p"]})])


def made(declared: str, schema: dict[str, Any], **options: Any) -> Grammar:
    return grammar_of(declared, tools_of(schema), choice="required", **options)


@pytest.mark.parametrize(("schema", "good", "bad"), [row[1:] for row in SUPPORTED], ids=[row[0] for row in SUPPORTED])
def test_held_in_json(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    found = made("hermes", schema)
    accepts = OwnReader().acceptor(found)
    written = '<tool_call>\n{{"name": "f", "arguments": {{"p": {}}}}}\n</tool_call>'
    assert [value for value in good if not accepts(written.format(json.dumps(value, ensure_ascii=False)))] == []
    assert [value for value in bad if accepts(written.format(json.dumps(value)))] == []
    assert found.notes == ()


@pytest.mark.parametrize(("word", "schema"), NAMED, ids=[f"{row[0]}-{at}" for at, row in enumerate(NAMED)])
def test_named(word: str, schema: dict[str, Any]) -> None:
    path = f"tools.f.parameters.properties.p.{word}: "
    with pytest.raises(UsageError) as error:
        made("hermes", schema)
    assert str(error.value).startswith(path)
    assert [note for note in made("hermes", schema, strict=False).notes if note.startswith(path)]


@pytest.mark.parametrize("declared", DIALECTS)
def test_held_or_named_in_other_dialects(declared: str) -> None:
    """What a dialect does not hold is an error that names it; what is no error is held: samples of it are valid."""
    rng = random.Random(declared)
    # What judges knows neither older drafts nor OpenAPI's words.
    rows = [(row[0], row[1]) for row in SUPPORTED if " of draft " not in row[0] and "OpenAPI" not in row[0]] + NAMED
    if not depth.is_full():
        rows = rng.sample(rows, 12)
    for what, schema in rows:
        try:
            found = made(declared, schema)
        except UsageError as error:
            assert "tools.f.parameters" in str(error), what  # noqa: PT017  # some raise, and some do not
            continue
        engine = OwnReader()
        compiled = engine.compiled(found)
        for _ in range(2 if depth.is_full() else 1):
            text = sampled(engine.walk(compiled), rng, ["1", '"', "}", "x_1", "null", "s"], most=60)
            wrong = "" if text is None else fault(get_format(declared), tools_of(schema), "required", text)
            assert wrong == "", (what, text)
