"""Declarations as JSON, and back."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from toolglean import Format, FormatError, UsageError
from toolglean.formats.registry import all_formats
from toolglean.formats.words import Pairs

DECLARED = [each for each in all_formats() if each.is_declared]
WHOLE = {"toolglean_format": 1, "name": "nova", "call": "<go>{name}<with>{arguments}</go>"}


@lru_cache
def validator() -> Any:
    """Compares with the schema of formats, which is a valid one itself."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = Format.json_schema()
    made = jsonschema.validators.validator_for(schema)
    made.check_schema(schema)
    return made(schema)


@pytest.mark.parametrize("declared", DECLARED, ids=lambda each: each.name)
def test_every_format_comes_back(declared: Format) -> None:
    written = declared.to_json()
    own = replace(declared, aliases=(), models=(), source="", reads=None)
    assert Format.from_json(written) == own
    assert Format.from_json(json.loads(written)) == own
    validator().validate(json.loads(written))


def test_what_is_written() -> None:
    declared = Format(
        "nova", call="<go>{name}<with>{arguments}</go>", arguments=Pairs("{key}={value};"), separator="\n"
    )
    assert json.loads(declared.to_json()) == {
        **WHOLE,
        "separator": "\n",
        "arguments": {"codec": "Pairs", "pattern": "{key}={value};", "separator": " ", "quoted": False},
    }
    assert Format.from_json(declared.to_json()) == declared
    with pytest.raises(UsageError, match="cannot be used to be written as JSON"):
        Format.from_tag("<go>").to_json()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "not JSON"),
        ("[]", "is not a format"),
        ({}, "toolglean_format=None is not a version"),
        (WHOLE | {"toolglean_format": 2}, "toolglean_format=2 is not a version"),
        (WHOLE | {"callz": ""}, "no key 'callz'"),
        (WHOLE | {"call": 3}, "'call' of a format is 3: expected a string"),
        (WHOLE | {"section": ["a"]}, "expected a list of two strings"),
        (WHOLE | {"drop": "a"}, "expected a list of strings"),
        (WHOLE | {"sections": [["a", 1]]}, "expected a list"),
        (WHOLE | {"types": {"a": 1}}, "expected an object of strings"),
        (WHOLE | {"registered_only": 1}, "expected true or false"),
        (WHOLE | {"arguments": {"codec": "Yaml"}}, "'codec' is one of Json"),
        (WHOLE | {"arguments": {"codec": ["Json"]}}, "'codec' is one of Json"),
        (WHOLE | {"arguments": {"codec": "Tree"}}, "lacks a key: expected prefix"),
        (WHOLE | {"arguments": {"codec": "Tree", "prefix": 1}}, "has prefix=1"),
        ({"toolglean_format": 1, "call": "x"}, "needs the key 'name'"),
        (WHOLE | {"call": "<go>{nam}</go>"}, "unknown field {nam}"),
    ],
)
def test_what_is_wrong_is_named(value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Format.from_json(value)
