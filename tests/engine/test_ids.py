"""Ids: no two calls of a turn have the same, and where one ends."""

from __future__ import annotations

import pytest

from tests.support.chunkings import read_with
from toolglean import CallEnd, Format


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


@pytest.mark.parametrize(
    ("pattern", "given"),
    [
        ('<call id="{id}"><name>{name}</name>{arguments}</call>', "c1"),
        ('<call id="{id}"><name>{name}</name>{arguments}</call>', 'c"1'),
        ("<call name={name} id={id}>[args]{arguments}</call>", "c1"),
        ("<call {name} ({id})](args){arguments}</call>", "c)1"),
    ],
)
def test_an_id_ends_at_a_marker_with_a_bracket_in_it(pattern: str, given: str) -> None:
    """Fixed bug: such a declared format was never read, and nothing said so."""
    text = pattern.format(id=given, name="f", arguments="{}")
    events = read_with(["f"], text, format=Format("own", call=pattern))
    assert [(each.call.id, each.call.name) for each in events if isinstance(each, CallEnd)] == [(given, "f")]
