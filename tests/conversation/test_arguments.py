"""Strings are converted to the types in the schema, unless it allows a string."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolglean.conversation.arguments import coerce_arguments, read_arguments

INTEGER, NUMBER, BOOLEAN = {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
STRING, OBJECT, ARRAY = {"type": "string"}, {"type": "object"}, {"type": "array"}
POINT = {"type": "object", "properties": {"x": INTEGER, "name": STRING}}


def coerced(value: Any, schema: Any, **more: Any) -> Any:
    return coerce_arguments({"v": value}, {"type": "object", "properties": {"v": schema}, **more})["v"]


ROWS: list[tuple[Any, Any, Any]] = [
    # the written value, the schema, the value for the tool
    ("2", INTEGER, 2),
    ("-2.0", INTEGER, -2),
    ("2.5", INTEGER, "2.5"),
    ("two", INTEGER, "two"),
    ("", INTEGER, ""),
    ("2.5", NUMBER, 2.5),
    ("2", NUMBER, 2),
    ("NaN", NUMBER, "NaN"),
    ("true", BOOLEAN, True),
    ("False", BOOLEAN, False),
    ("1", BOOLEAN, "1"),
    ("null", {"type": ["integer", "null"]}, None),
    ("3", {"anyOf": [INTEGER, {"type": "null"}]}, 3),
    ('{"a": 1}', OBJECT, {"a": 1}),
    ("{'a': True}", OBJECT, {"a": True}),
    ("[1, 2]", ARRAY, [1, 2]),
    ("[1, 2]", OBJECT, "[1, 2]"),
    ("1", {"enum": [1, 2]}, 1),
    # a string where one is allowed
    ("2", STRING, "2"),
    ("true", STRING, "true"),
    ("null", STRING, "null"),
    ('{"a": 1}', STRING, '{"a": 1}'),
    ("2", {"type": ["integer", "string"]}, "2"),
    ("2", {"anyOf": [INTEGER, STRING]}, "2"),
    ('{"a": 1}', {"anyOf": [OBJECT, STRING]}, '{"a": 1}'),
    ("null", {"anyOf": [STRING, {"type": "null"}]}, "null"),
    ("1", {"enum": ["1", 1]}, "1"),
    # the schema says nothing
    ("2", {}, "2"),
    ("2", True, "2"),
    # not a string
    (2, STRING, 2),
    (2.0, INTEGER, 2.0),
    (True, INTEGER, True),
    (None, INTEGER, None),
    # nested
    (["1", "2"], {"type": "array", "items": INTEGER}, [1, 2]),
    ('["1", 2]', {"type": "array", "items": INTEGER}, [1, 2]),
    ({"x": "1", "name": "1", "other": "1"}, POINT, {"x": 1, "name": "1", "other": "1"}),
    ('{"x": "1", "name": "1"}', POINT, {"x": 1, "name": "1"}),
    ({"a": {"x": "1"}}, {"type": "object", "additionalProperties": POINT}, {"a": {"x": 1}}),
    ([{"x": "1"}], {"anyOf": [{"type": "array", "items": POINT}, {"type": "null"}]}, [{"x": 1}]),
]


@pytest.mark.parametrize(("written", "schema", "got"), ROWS, ids=repr)
def test_rows(written: Any, schema: Any, got: Any) -> None:
    found = coerced(written, schema)
    assert found == got
    assert type(found) is type(got)


def test_references() -> None:
    place = {"$defs": {"Point": POINT}}
    assert coerced({"x": "1"}, {"$ref": "#/$defs/Point"}, **place) == {"x": 1}
    assert coerced('{"x": "1"}', {"$ref": "#/$defs/Point"}, **place) == {"x": 1}
    loop = {"$defs": {"Node": {"type": "object", "properties": {"n": INTEGER, "next": {"$ref": "#/$defs/Node"}}}}}
    assert coerced({"n": "1", "next": {"n": "2"}}, {"$ref": "#/$defs/Node"}, **loop) == {"n": 1, "next": {"n": 2}}


def test_what_is_given_is_not_changed_and_order_is_kept() -> None:
    written = {"b": ["1"], "a": "2", "c": "3"}
    schema = {"properties": {"a": INTEGER, "b": {"type": "array", "items": INTEGER}}}
    found = coerce_arguments(written, schema)
    assert written == {"b": ["1"], "a": "2", "c": "3"}
    assert list(found.items()) == [("b", [1]), ("a", 2), ("c", "3")]
    assert coerce_arguments(written, {}) == written
    assert coerce_arguments(written, None) == written


def test_a_deep_value_ends_nothing() -> None:
    deep: Any = "1"
    schema: Any = INTEGER
    for _ in range(5000):
        deep, schema = [deep], {"type": "array", "items": schema}
    assert coerced(deep, schema)[0][0] == deep[0][0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.recursive(
    st.sampled_from([{}, INTEGER, NUMBER, BOOLEAN, STRING, OBJECT, ARRAY, {"type": ["string", "null"]}]),
    lambda inner: st.one_of(
        st.builds(lambda each: {"type": "array", "items": each}, inner),
        st.builds(lambda each: {"type": "object", "additionalProperties": each}, inner),
        st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner),
    ),
    max_leaves=4,
)
TEXTS = st.sampled_from(["1", "true", "null", "[1]", '{"a": "1"}', "x"]) | st.text(max_size=6)


@given(JSON | TEXTS, SCHEMAS)
def test_what_fits_stays_and_what_was_brought_to_fit_does_too(value: Any, schema: Any) -> None:
    found = coerced(value, schema)
    assert coerced(found, schema) == found
    if not isinstance(value, str | list | dict):
        assert found is value
    if isinstance(value, str) and schema in ({}, STRING, {"type": ["string", "null"]}):
        assert found == value


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        (None, {}),
        ("", {}),
        (" \n", {}),
        ("[1]", None),
        ("{", None),
        ("a=1", None),
        ('{"a": NaN}', None),
        ([1], None),
        (1, None),
        ("[" * 100_000, None),
    ],
    ids=lambda each: repr(each)[:20],
)
def test_arguments_are_read(given: Any, arguments: Any) -> None:
    assert read_arguments(given) == arguments
