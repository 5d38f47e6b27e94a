# Which value a text means, under which schema. Does not depend on formats; what the inference engines make of the values in
# their own tests is compared in tests/engine/test_vectors.py.
"""Values from text, kind by kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolglean.scan.coerce import coerce_text, is_text, json_text, kinds_of, known, properties, unquoted, within

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
OBJECT, ARRAY, NULL = ({"type": kind} for kind in ("object", "array", "null"))
ROOT = {
    "$defs": {"n": INTEGER, "either": {"anyOf": [STRING, INTEGER]}, "loop": {"$ref": "#/$defs/loop"}, "list/~x": ARRAY},
    "definitions": {"s": STRING},
}
TREE: dict[str, Any] = {"anyOf": [{"$ref": "#"}, INTEGER]}

# title, schema, texts and the values they stand for
ROWS: list[tuple[str, Any, dict[str, Any]]] = [
    ("no schema", None, {"3": "3", "true": "true", "null": "null", "{}": "{}", "": "", " x ": " x "}),
    ("an empty schema", {}, {"3": "3", "null": "null"}),
    ("a schema that names no kind", {"description": "a number"}, {"3": "3"}),
    ("a kind that nobody knows", {"type": "any"}, {"3": "3"}),
    ("no schema at all", True, {"3": "3"}),
    ("a string keeps the text", STRING, {"3": "3", "true": "true", "null": "null", "[1]": "[1]", " x\n": " x\n", "": ""}),
    ("integers", INTEGER, {"7": 7, "-7": -7, "+7": 7, " 7\n": 7, "007": 7, "0": 0, "9007199254740993": 9007199254740993}),
    ("whole numbers are integers", INTEGER, {"3.0": 3, "3.": 3, "-3.00": -3, "1e3": 1000, "1e23": 10**23, "1.50e1": 15, "-.5e1": -5, "1e-0": 1, "0e-9999": 0, "9007199254740993.0": 9007199254740993}),
    ("no integers", INTEGER, {"3.5": "3.5", "1e-1": "1e-1", ".": ".", "+": "+", "e3": "e3", "1e309": "1e309", "1e-99999": "1e-99999", "abc": "abc", "": "", "1_000": "1_000", "1e999": "1e999", "null": "null", "true": "true", "٣": "٣"}),
    ("a very long integer", INTEGER, {"9" * 4300: int("9" * 4300), "9" * 4301: "9" * 4301}),
    ("numbers", NUMBER, {"3.5": 3.5, "-.5": -0.5, "1.": 1.0, "1e3": 1000.0, "5.0": 5.0, "7": 7, "9007199254740993": 9007199254740993}),
    ("no numbers", NUMBER, {"NaN": "NaN", "inf": "inf", "-Infinity": "-Infinity", "1e999": "1e999", "1,5": "1,5", "0x10": "0x10", ".": "."}),
    ("booleans", BOOLEAN, {"true": True, "False": False, "TRUE": True, " true ": True}),
    ("no booleans", BOOLEAN, {"1": "1", "0": "0", "yes": "yes", "null": "null", "": ""}),
    ("null", NULL, {"null": None, " null ": None, "None": None, "none": "none", "": "", "NULL": "NULL"}),
    ("null in a list of types", {"type": ["string", "null"]}, {"null": None, "None": "None", "none": "none", "3": "3"}),
    ("null, named first, is not the end", {"type": ["null", "integer"]}, {"null": None, "None": None, "3": 3, "x": "x"}),
    ("nullable", {"type": "integer", "nullable": True}, {"null": None, "3": 3}),
    ("nullable without a type", {"nullable": True}, {"null": "null"}),
    ("null is not allowed", {"type": ["integer", "boolean"]}, {"null": "null"}),
    ("types in order", {"type": ["integer", "string"]}, {"3": 3, "3.0": 3, "x": "x"}),
    ("a string first", {"type": ["string", "integer"]}, {"3": "3", "true": "true"}),
    ("boolean and integer", {"type": ["boolean", "integer"]}, {"1": 1, "true": True}),
    ("a string gives way to objects and lists", {"type": ["string", "object", "array"]}, {'{"a": 1}': {"a": 1}, "[1]": [1], "{x": "{x", "1": "1"}),
    ("objects", OBJECT, {'{"a": 1}': {"a": 1}, " {} ": {}, "[1]": "[1]", "{1, 2}": "{1, 2}", "x": "x"}),
    ("objects as Python writes them", OBJECT, {"{'a': None, 'b': (1, True)}": {"a": None, "b": [1, True]}}),
    ("objects escaped once more", OBJECT, {r'{\"a\": \"x\"}': {"a": "x"}, r'{\"a\": ': r'{\"a\": '}),
    ("objects cut off", OBJECT, {'{"a": 1': '{"a": 1', '{"a": 1} x': '{"a": 1} x'}),
    ("lists", ARRAY, {"[1, 2]": [1, 2], "['a', None]": ["a", None], "(1,)": [1], "{}": "{}", "1, 2": "1, 2", '["a\nb"]': ["a\nb"]}),
    ("nothing is typed within", {"type": "array", "items": INTEGER}, {'["1"]': ["1"]}),
    ("no NaN within", ARRAY, {"[NaN]": "[NaN]", "[1e999]": "[1e999]", "[nan]": "[nan]"}),
    ("too deep", ARRAY, {"[" * 300 + "]" * 300: "[" * 300 + "]" * 300}),
    ("anyOf", {"anyOf": [INTEGER, NULL]}, {"3": 3, "null": None, "x": "x"}),
    ("oneOf, in order", {"oneOf": [{"anyOf": [BOOLEAN, NUMBER]}, STRING]}, {"true": True, "3": 3, "x": "x"}),
    ("allOf: the first that names a kind", {"allOf": [{"description": "x"}, {"minimum": 1}, INTEGER, STRING]}, {"3": 3}),
    ("a type next to anyOf", {"type": "string", "anyOf": [INTEGER]}, {"3": "3"}),
    ("objects and lists by their words", {"anyOf": [{"properties": {}}, {"items": {}}]}, {"{}": {}, "[]": []}),
    ("an enum", {"enum": ["1", 2, True, None, "low"]}, {"1": "1", "2": 2, "2.0": 2, "true": True, "null": None, "low": "low", "high": "high", '"low"': '"low"'}),
    ("a constant", {"const": 3}, {"3": 3, "4": "4"}),
    ("an enum next to types", {"type": ["string", "integer"], "enum": ["a", 1]}, {"a": "a", "1": 1, "2": "2"}),
    ("an enum refuses nothing", {"type": "integer", "enum": [1, 2]}, {"3": 3, "x": "x"}),
    ("an enum in one of many", {"anyOf": [{"type": "string", "enum": ["all"]}, INTEGER]}, {"all": "all", "5": 5, "x": "x"}),
    ("true is not 1", {"enum": [1]}, {"true": "true"}),
    ("a reference", {"$ref": "#/$defs/n"}, {"3": 3}),
    ("a reference, old style", {"$ref": "#/definitions/s"}, {"3": "3"}),
    ("a reference with odd characters", {"$ref": "#/$defs/list~1~0x"}, {"[]": []}),
    ("references within", {"anyOf": [{"$ref": "#/$defs/n"}, NULL]}, {"3": 3, "null": None}),
    ("a reference into a list", {"$ref": "#/$defs/either/anyOf/1"}, {"3": 3}),
    ("references that lead nowhere", {"anyOf": [{"$ref": "#/a/b"}, {"$ref": "http://x"}, {"$ref": "#/$defs/loop"}]}, {"3": "3"}),
    ("words that people write", {"type": "int"}, {"3": 3}),
    ("words that people write, in capitals", {"type": ["DICT", "List", "Float"]}, {"{}": {}, "[]": [], "3.5": 3.5}),
    ("nonsense", {"type": 3, "enum": "x", "anyOf": {}, "oneOf": [1, None, "x"]}, {"3": "3"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (ARRAY, r'"[\"a\", 1]"', ["a", 1]),
        ({"type": ["integer", "null"]}, '"7"', 7),
        ({"type": ["integer", "null"]}, '"null"', None),
        (INTEGER, '"x"', '"x"'),
        (INTEGER, '"7', '"7'),
        ({"type": ["integer", "string"]}, '"7"', '"7"'),
        ({"enum": [7]}, '"7"', '"7"'),
    ],
)
def test_a_json_string_where_no_string_is_allowed(schema: Any, text: str, value: Any) -> None:
    assert unquoted(text, schema, schema, 9) == value


BRANCHES = [{"properties": {"a": INTEGER, "b": INTEGER}}, {"properties": {"b": BOOLEAN, "c": {"$ref": "#/$defs/n"}}}]


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_parameters_in_a_choice(word: str) -> None:
    """Fixed bug: they were unknown, so that their values stayed text."""
    root = {word: BRANCHES, "$defs": ROOT["$defs"], "properties": {"d": ARRAY}}
    found = properties(root)
    assert {name: kinds_of(schema, root) for name, schema in found.items()} == {
        "a": {"integer"},
        "b": {"integer", "boolean"},
        "c": {"integer"},
        "d": {"array"},
    }
    either = [{"properties": {"x": STRING}}, {"properties": {"x": INTEGER}}]
    for order, value in ((either, "5"), (either[::-1], 5)):  # as if the parameter had the choice
        assert coerce_text("5", properties({word: order})["x"]) == value
    assert properties({word: [{"properties": {"x": {}}}, BRANCHES[0] | {"properties": {"x": INTEGER}}]})["x"] == {}
    own = {"allOf": [{"properties": {"x": {"type": ["string", "null"]}}}], "properties": {"x": STRING}}
    assert properties(own)["x"] is STRING


@pytest.mark.parametrize(("schema", "texts"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_ladder(schema: Any, texts: dict[str, Any]) -> None:
    for text, value in texts.items():
        found = coerce_text(text, schema, ROOT)
        assert found == value, text
        assert type(found) is type(value), text


def test_a_schema_that_holds_itself() -> None:
    assert coerce_text("3", TREE, TREE) == 3
    assert not is_text(TREE, TREE)
    for word in ("anyOf", "oneOf", "allOf"):
        wide = {word: [{word: [{"$ref": "#"}] * 9}] * 9 + [INTEGER]}
        assert coerce_text("3", wide, wide) == 3
        assert within(wide, "x", wide) is None
        assert properties(wide) == {}
    assert properties({"allOf": [{"$ref": "#"}], "properties": {"a": STRING}}) == {"a": STRING}


@pytest.mark.parametrize(
    ("schema", "start", "text"),
    [
        (None, "", True),
        ({}, "", True),
        (STRING, "", True),
        (INTEGER, "", False),
        ({"type": ["string", "integer"]}, "", True),
        ({"type": ["integer", "string"]}, "x", False),
        ({"type": ["string", "null"]}, "", False),
        ({"type": ["string", "null"]}, " nu", False),
        ({"type": ["string", "null"]}, "null ", False),
        ({"type": ["string", "null"]}, "nil", True),
        ({"anyOf": [STRING, OBJECT]}, "", False),
        ({"anyOf": [STRING, OBJECT]}, " {", False),
        ({"anyOf": [STRING, OBJECT]}, "x", True),
        ({"enum": ["a", "b"]}, "", True),
        ({"enum": ["a", 1]}, "", False),
        ({"type": "string", "enum": ["a"]}, "", True),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, INTEGER]}, "", False),
        (OBJECT, "x", False),
        ({"$ref": "#/$defs/n"}, "", False),
    ],
)
def test_is_text(schema: Any, start: str, text: bool) -> None:
    assert is_text(schema, ROOT, start) is text


KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array", "any"])
SCHEMAS = st.recursive(
    st.just({}) | st.builds(lambda kind: {"type": kind}, KINDS | st.lists(KINDS, max_size=3)) | st.builds(lambda members: {"enum": members}, st.lists(st.sampled_from(["a", "1", 1, None, True, 2.5]), max_size=3)),
    lambda inner: st.builds(lambda word, each, more: {word: each} | more, st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, max_size=3), st.sampled_from([{}, {"nullable": True}, {"type": "string"}])),
    max_leaves=5,
)  # fmt: skip
TEXTS = st.text(st.sampled_from("nulNoe{}[]()'\" tr10.-ae,:"), max_size=8) | st.sampled_from(
    ["null", "None", " null", "true", "1", "2.5", "{}", "[1]", "a"]
)


@given(SCHEMAS, TEXTS, TEXTS)
def test_what_may_stream_is_the_text(schema: Any, start: str, rest: str) -> None:
    value = coerce_text(start + rest, schema)
    if is_text(schema, None, start):
        assert value == start + rest
    assert json.loads(json_text(value)) == value
    if not known(schema):
        assert value == start + rest


def test_properties() -> None:
    own, more = {"a": STRING}, {"b": INTEGER}
    assert properties(None) == properties({}) == properties({"properties": 3}) == {}
    assert properties({"properties": own}) == own
    assert (
        properties({"allOf": [{"properties": own}, {"$ref": "#/$defs/m"}], "$defs": {"m": {"properties": more}}})
        == own | more
    )
    assert properties({"$ref": "#/$defs/m"}, {"$defs": {"m": {"properties": more}}}) == more


def test_within() -> None:
    thing = {
        "anyOf": [
            STRING,
            {"$ref": "#/$defs/n"},
            {"type": "object", "properties": {"a": STRING}, "additionalProperties": INTEGER},
        ]
    }
    assert within(thing, "a", ROOT) == STRING
    assert within(thing, "b", ROOT) == INTEGER
    assert kinds_of(thing, ROOT) == {"string", "integer", "object"}
    assert within({"items": NUMBER, "additionalProperties": STRING}, "item") == NUMBER
    assert within({"additionalProperties": STRING}, "item") == STRING
    assert within({"items": NUMBER, "additionalProperties": False}, "a") is None
    assert within(None, "a") is None


# Formats whose values are more than a text: types next to the value, JSON without a schema, CDATA, other white space.
