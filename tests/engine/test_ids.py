"""No two calls of a turn have the same id."""

from __future__ import annotations

import pytest

from tests.support.chunkings import read_with
from toolglean import CallEnd


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ([None, None], ["call_0", "call_1"]),
        (["call_1", None], ["call_1", "call_1_2"]),
        ([None, "call_0"], ["call_0", "call_0_2"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a_2", "a"], ["a", "a_2", "a_3"]),
    ],
)
def test_no_two_calls_share_an_id(written: list[str | None], ids: list[str]) -> None:
    parts = [f'"id": "{each}", ' if each else "" for each in written]
    text = "".join(f'<tool_call>{{{part}"name": "f", "arguments": {{}}}}</tool_call>' for part in parts)
    events = read_with(["f"], text, format="hermes")
    assert [event.call.id for event in events if isinstance(event, CallEnd)] == ids
