"""Functions as tools: one reading of names, docstrings and parameters, for the plain schema and for pydantic's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from toolglean._functions import described, read_function
from toolglean.errors import UsageError


def weather(city: str, days: int = 1) -> str:
    """The weather of a city."""
    return f"{city} {days}"


class Weather:
    """Not this."""

    def __call__(self, city: str, days: int = 1) -> str:
        """The weather of a city."""
        return f"{city} {days}"

    def method(self, city: str, days: int = 1) -> str:
        """The weather of a city."""
        return f"{city} {days}"


class Plain:
    """The weather of a city."""

    def __call__(self, city: str, days: int = 1) -> str:
        return f"{city} {days}"


def positional(country: str, city: str, days: int = 1) -> str:
    """The weather of a city."""
    return f"{country} {city} {days}"


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "weather": weather,
    "Weather": Weather(),
    "method": Weather().method,
    "Plain": Plain(),
    "positional": functools.partial(positional, "Norway"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_described(name: str) -> None:
    properties = {"city": {"type": "string"}, "days": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["city"]}
    assert described(FUNCTIONS[name]) == (name, schema, "The weather of a city.")
    assert read_function(FUNCTIONS[name], "other").name == "other"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pydantic_describes_it_alike(name: str) -> None:
    llm = pytest.importorskip("toolglean.llm", reason="needs toolglean[llm]")
    metadata = llm.CallableTool.from_function(FUNCTIONS[name]).metadata
    _, schema, doc = described(FUNCTIONS[name])
    parameters = metadata.get_parameters_dict()
    assert (metadata.name, metadata.description) == (name, doc)
    assert parameters["required"] == schema["required"]
    assert {key: each["type"] for key, each in parameters["properties"].items()} == {
        key: each["type"] for key, each in schema["properties"].items()
    }


def test_annotations_that_cannot_be_found_say_nothing() -> None:
    def f(x: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Odd."""

    assert described(f) == ("f", {"type": "object", "properties": {"x": {}}, "required": ["x"]}, "Odd.")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, r"has no name for a model to call: pass a named function"),
        (dict, r"the parameters of function 'dict' cannot be read \(.*\): pass a tool dict with a schema"),
        (len, r"'len' cannot be called by name, because its parameter 'obj' is positional only: wrap it"),
    ],
    ids=["lambda", "dict", "len"],
)
def test_functions_that_cannot_be_described(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        described(function)
