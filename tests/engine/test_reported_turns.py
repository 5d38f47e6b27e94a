"""Turns from threads in which people report calls that were missed, or that ran: read as somebody who reads them would."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import calls_of, read_with
from tests.support.shared import FIXTURES, rows

ROWS = rows(FIXTURES / "reported_turns.jsonl")
TYPES = {"": "string", "i": "integer", "n": "number", "b": "boolean", "a": "array", "o": "object"}


def tools_of(described: dict[str, str]) -> list[dict[str, Any]]:
    """The tools, from words such as `path*` and `lines:i`: a parameter, a letter of its type, a star if it is required."""
    tools = []
    for name, words in described.items():
        parameters = [word.rstrip("*").partition(":") for word in words.split()]
        schema = {
            "type": "object",
            "properties": {key: {"type": TYPES[kind]} for key, _, kind in parameters},
            "required": [word.rstrip("*").partition(":")[0] for word in words.split() if word.endswith("*")],
        }
        tools.append({"name": name, "parameters": schema})
    return tools


@pytest.mark.sampled(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["source"])
def test_a_reported_turn(row: dict[str, Any]) -> None:
    for name in dict.fromkeys((None, row.get("format"))):
        events = read_with(tools_of(row["tools"]), row["text"], format=name, one_of_many=True)
        assert [list(call) for call in calls_of(events)] == row["calls"], name
