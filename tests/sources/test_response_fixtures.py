# Response templates of our own, one for each way to write a call, with what each turn comes to: in fixtures/, so that they
# are there where ../shared is not. transformers itself is asked the same by tests/support/transformers_check.py.
"""Tests against fixtures/response_templates.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.chunkings import calls_of, events_of
from tests.support.response_turns import TOOLS, machine_of
from tests.support.shared import FIXTURES
from toolglean import Format, Parser
from toolglean.sources.response import message
from toolglean.sources.response.plan import response_plan

ROWS: list[dict[str, Any]] = json.loads((FIXTURES / "response_templates.json").read_text(encoding="utf-8"))
CASES = [(row, case) for row in ROWS for case in row["cases"]]
IDS = [f"{row['name']}, {number}" for row in ROWS for number in range(len(row["cases"]))]


def tools_of(row: dict[str, Any]) -> list[Any] | None:
    return TOOLS if row.get("typed") else None


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_the_message(row: dict[str, Any], case: dict[str, Any]) -> None:
    assert message(row["template"], case["text"], case.get("prefix", ""), tools_of(row)) == case["message"]


@pytest.mark.parametrize(("row", "case"), [pair for pair in CASES if "prefix" not in pair[1]])
def test_the_calls_are_streamed_the_same_at_every_chunking(row: dict[str, Any], case: dict[str, Any]) -> None:
    plan = response_plan(row["template"])
    events = events_of(lambda: machine_of(plan, tools_of(row)), case["text"])
    wanted = [
        (each["function"]["name"], each["function"]["arguments"]) for each in case["message"].get("tool_calls", ())
    ]
    assert calls_of(events) == wanted


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_parser_takes_the_template(row: dict[str, Any]) -> None:
    for case in row["cases"]:
        if "prefix" not in case:
            parser = Parser(TOOLS, format=Format.from_response_template(row["template"]))
            calls = [*parser.add(case["text"]).calls, *parser.close().calls]
            wanted = [each["function"]["name"] for each in case["message"].get("tool_calls", ())]
            assert [call.name for call in calls] == wanted
