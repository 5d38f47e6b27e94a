"""The errors are those of docs/reference/llm-errors.md: the classes, their bases and their attributes."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from toolglean import ToolgleanError
from toolglean.llm import errors

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "llm-errors.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*? \| .*?) \|$", PAGE, re.MULTILINE))
CLASSES = [name for name in errors.__all__ if name != "LLMError"]


def test_the_page_has_every_class_and_no_other() -> None:
    assert sorted(ROWS) == sorted(CLASSES)


def attributes(name: str) -> list[str]:
    # "the same" refers to the row of the class in the second column.
    _, told = ROWS[name].split(" | ")
    own = re.findall(r"`(\w+)(?:\(\))?`", told)
    return own if "the same" not in told else attributes(parents(name)[0]) + own


def parents(name: str) -> list[str]:
    return re.findall(r"`(\w+)`", ROWS[name].split(" | ")[0])


@pytest.mark.parametrize("name", CLASSES)
def test_each_is_what_the_page_says(name: str) -> None:
    error = getattr(errors, name)("what happened")
    assert isinstance(error, errors.LLMError)
    assert isinstance(error, ToolgleanError)
    for parent in parents(name):
        assert isinstance(error, getattr(errors, parent, None) or getattr(builtins, parent))
    for attribute in attributes(name):
        assert hasattr(error, attribute)
    assert str(error) == "what happened"


@pytest.mark.parametrize("name", CLASSES)
def test_each_is_copied_and_pickled_with_what_it_carries(name: str) -> None:
    error = getattr(errors, name)("what happened")
    marked = next(iter(vars(error)), None)
    if marked is not None:
        setattr(error, marked, "marked")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert (str(twin), vars(twin)) == (str(error), vars(error))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.ConfigurationError("x", field="timeout", value=-1), {"field": "timeout", "value": -1}),
        (errors.MissingVariablesError("x", missing=["a", "b"], template="{a}"), {"missing": ("a", "b"), "template": "{a}"}),
        (errors.UnknownToolError("x", name="f", known={"g": 1}), {"name": "f", "known": ("g",)}),
        (errors.ServerError("x", status=404, body="no", model="m", attempts=3), {"status": 404, "body": "no", "model": "m", "attempts": 3}),
        (errors.ObjectError("x", text="abc"), {"span": (0, 3), "text": "abc", "index": 0}),
        (errors.ToolExecutionError("x", tool_name="f", arguments={"a": 1}), {"tool_name": "f", "arguments": {"a": 1}}),
    ],
)  # fmt: skip
def test_what_they_carry(error: Exception, expected: dict[str, Any]) -> None:
    assert {key: getattr(error, key) for key in expected} == expected
