# Which values are valid under a JSON schema. Does not depend on calls.
"""JSON schemas, value by value."""

from __future__ import annotations

import time
from typing import Any

import pytest

from toolglean.scan.by_schema.validate import fits

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
ROOT = {
    "$defs": {
        "n": INTEGER,
        "loop": {"$ref": "#/$defs/loop"},
        "tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}, "v": INTEGER}},
    }
}
TWICE: dict[str, Any] = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}

# title, schema, values that fit, values that do not
ROWS: list[tuple[str, Any, list[Any], list[Any]]] = [
    ("nothing said", {}, [1, "a", None, {}, []], []),
    ("no schema", None, [1, "a"], []),
    ("true and false", False, [], [1, None]),
    ("an unknown type", {"type": "any"}, [1, "a", None], []),
    ("strings", STRING, ["", "1"], [1, None, True, []]),
    ("integers", INTEGER, [0, -1, 10**30, 2.0], [1.5, "1", True, None]),
    ("numbers", {"type": "number"}, [1, 1.5], ["1", False]),
    ("booleans", {"type": "boolean"}, [True, False], [0, 1, "true"]),
    ("objects and lists", {"type": ["object", "array"]}, [{}, []], ["{}", None]),
    ("words that people write", {"type": "INT"}, [1], ["1"]),
    ("null", {"type": ["string", "null"]}, [None, "a"], [1]),
    ("nullable", {"type": "string", "nullable": True}, [None, "a"], [1]),
    ("members", {"enum": ["a", 1]}, ["a", 1, 1.0], ["b", True, "1"]),
    ("one member", {"const": 0}, [0], [False, 1, None]),
    ("lengths", {"type": "string", "minLength": 1, "maxLength": 3}, ["a", "abc"], ["", "abcd"]),
    ("a pattern", {"pattern": "^[a-z]{2}-[0-9]+$"}, ["ab-1", 5], ["ab", "a-1"]),
    ("a pattern that could be slow", {"pattern": "^(a+)+$"}, ["b"], []),
    ("a pattern that is none", {"pattern": "("}, ["b"], []),
    ("limits", {"minimum": 1, "maximum": 3}, [1, 3, "x"], [0, 4, 3.5]),
    ("open limits", {"exclusiveMinimum": 1, "exclusiveMaximum": 3}, [2], [1, 3]),
    ("steps", {"multipleOf": 5}, [0, 10, 10.0, 10**30], [3, 7.5]),
    ("steps that are no whole number", {"multipleOf": 0.1}, [0.3, 1], []),
    ("nullable, with members", {"enum": ["a"], "nullable": True}, ["a", None], ["b"]),
    ("sizes of lists", {"minItems": 1, "maxItems": 2}, [[1], [1, 2], "x"], [[], [1, 2, 3]]),
    ("items", {"items": INTEGER}, [[], [1]], [["1"], [1, None]]),
    ("first items", {"prefixItems": [STRING], "items": INTEGER}, [["a", 1], ["a"], []], [[1], ["a", "b"]]),
    ("properties", {"properties": {"a": INTEGER}, "required": ["a"]}, [{"a": 1}, {"a": 1, "b": 2}], [{}, {"a": "1"}]),
    ("additional properties are not looked at", {"properties": {}, "additionalProperties": False}, [{"a": 1}], []),
    ("any of", {"anyOf": [INTEGER, STRING]}, [1, "a"], [None, []]),
    ("one of", {"oneOf": [INTEGER, {"type": "number"}]}, [1, 1.5], ["a"]),
    ("all of", {"allOf": [INTEGER, {"minimum": 1}]}, [1], [0, 1.5]),
    ("a reference", {"$ref": "#/$defs/n"}, [1], ["1"]),
    ("a reference to nothing", {"$ref": "#/$defs/nope"}, [1, "a"], []),
    ("a schema in itself", {"$ref": "#/$defs/tree"}, [{"next": {"next": {"v": 1}}}], [{"next": {"next": {"v": "1"}}}]),
    ("a reference to itself", {"$ref": "#/$defs/loop"}, [1], []),
    ("words that are malformed", {"type": 3, "minimum": "x", "required": 1, "properties": [], "enum": 1}, [1, {}], []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "good", "bad"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_values(schema: Any, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if not fits(value, schema, ROOT)] == []
    assert [value for value in bad if fits(value, schema, ROOT)] == []


def test_a_hostile_schema_ends() -> None:
    begin = time.perf_counter()
    assert not fits(1, TWICE, TWICE)
    assert not fits("a" * 4000 + "!", {"pattern": "^a*$"})
    assert time.perf_counter() - begin < 2
