# What chat templates of nearly forty formats wrote for fixed cases of calls: a slice of what tests/engine/test_vectors.py reads
# whole where ../shared is at hand. tests/sources/test_fetched_templates.py renders real templates anew, in CI's nightly run.
"""Tests against the turns in fixtures/renders."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.shared import FIXTURES, rows
from tests.support.vectors import Case, judge
from toolglean import Parser

INPUTS: dict[str, Any] = json.loads((FIXTURES / "renders" / "inputs.json").read_text(encoding="utf-8"))
TURNS = rows(FIXTURES / "renders" / "turns.jsonl")
TEMPLATES = sorted({(row["kind"], row["template"], row["format"]) for row in TURNS})


def of(kind: str, template: str) -> list[dict[str, Any]]:
    return [row for row in TURNS if (row["kind"], row["template"]) == (kind, template)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "template", "name"), TEMPLATES)
def test_the_calls_of_a_template_come_back(kind: str, template: str, name: str) -> None:
    found = of(kind, template)
    assert found
    for row in found:
        case = Case(row["case"], name, INPUTS["tools"], row["turn"], INPUTS["cases"][row["case"]], None, None)
        answer = judge(case, name)
        assert answer.verdict == "right", (row["case"], answer.detail)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "template", "name"), TEMPLATES)
def test_without_a_name_the_turn_shows_its_format(kind: str, template: str, name: str) -> None:
    row = next((row for row in of(kind, template) if row["case"] == "two"), of(kind, template)[0])
    parser = Parser(INPUTS["tools"])
    calls = [*parser.add(row["turn"]).calls, *parser.close().calls]
    assert [(call.name, call.arguments) for call in calls] == [
        (each["name"], each["arguments"]) for each in INPUTS["cases"][row["case"]]
    ], name
