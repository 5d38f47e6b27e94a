# Where deeply nested values are written or visited outside parsing. How they are read is in test_hostile_values.py.
"""Deep values near the caller's own recursion limit raise nowhere."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from toolglean.conversation import ContentPartToolCall, ToolCallAggregator
from toolglean.conversation.arguments import coerce_arguments
from toolglean.conversation.fields import result_text, written_arguments
from toolglean.conversation.reading.server_turn import ServerTurn
from toolglean.conversation.turns import _problem
from toolglean.events import CallEnd, fold
from toolglean.scan.nested import json_text

ROOM = 40
DEEP: dict[str, Any] = {"a": [7]}
for _ in range(60):
    DEEP = {"a": [DEEP]}
TEXT = json.dumps(DEEP)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}}


def near_the_end(work: Callable[[], Any]) -> Any:
    work()  # what is imported and compiled only once takes more of the stack
    depth = len(inspect.stack(0))

    def deeper(frames: int) -> Any:
        return deeper(frames - 1) if frames > 0 else work()

    return deeper(sys.getrecursionlimit() - depth - ROOM)


def server_call() -> str:
    [*_, end] = ServerTurn(None, {}).call("f", DEEP)
    assert isinstance(end, CallEnd)
    return fold([end]).calls[0].arguments_text


def joined() -> str:
    calls = ToolCallAggregator()
    calls.add([{"index": 0, "function": {"name": "f", "arguments": DEEP}}])
    return "".join(calls._calls[0].parts)


CASES: dict[str, Callable[[], str]] = {
    "scan.nested": lambda: json_text(DEEP),
    "conversation.reading.server_turn": server_call,
    "conversation.deltas": joined,
    "conversation.fields, arguments": lambda: written_arguments("f", DEEP),
    "conversation.fields, results": lambda: result_text(DEEP, "f"),
    "conversation.turns": lambda: _problem("malformed", ContentPartToolCall("f", DEEP))["text"],
    "conversation.arguments": lambda: json_text(coerce_arguments(DEEP, SCHEMA)),
}


@pytest.mark.parametrize("name", CASES)
def test_deep_values_near_the_recursion_limit(name: str) -> None:
    assert near_the_end(CASES[name]) == TEXT


def test_arguments_keep_their_order_and_are_not_changed() -> None:
    """Members are walked from the last one on."""
    given = {"b": "1", "a": ["2", {"z": "3", "y": "4"}], "c": '[5, "6"]'}
    numbers: dict[str, Any] = {"type": "integer"}
    inner = {"type": "object", "properties": {"y": numbers, "z": numbers}}
    schema = {
        "properties": {
            "a": {"type": "array", "items": {"anyOf": [inner, numbers]}},
            "b": numbers,
            "c": {"type": "array", "items": numbers},
        }
    }
    found = coerce_arguments(given, schema)
    assert json.dumps(found) == '{"b": 1, "a": [2, {"z": 3, "y": 4}], "c": [5, 6]}'
    assert given == {"b": "1", "a": ["2", {"z": "3", "y": "4"}], "c": '[5, "6"]'}


def test_what_contains_itself_is_not_json_at_any_depth_of_the_stack() -> None:
    inner: list[Any] = []
    value: Any = inner
    for _ in range(60):
        value = {"a": [value]}
    inner.append(value)

    def written() -> str:
        with pytest.raises(ValueError):  # noqa: PT011  # the standard library's own words, where its stack lasts
            json_text(value)
        return "refused"

    assert near_the_end(written) == "refused"


def test_half_a_pair_goes_out_escaped() -> None:
    assert written_arguments("f", {"é\ud83d": "\ude00"}) == '{"é\\ud83d": "\\ude00"}'
