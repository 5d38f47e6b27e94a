# Where in the turn the pieces of a call's arguments are.
# Does not depend on how any format writes them.
"""The places of `CallDelta`."""

from __future__ import annotations

from typing import Any

import pytest

from toolglean import CallDelta, CallEnd, CallStart, Event, Format, Parser, ToolSet, UsageError, render
from toolglean.formats.registry import all_formats
from toolglean.formats.words import Json, JsonOrText

PROPERTIES = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
}
SCHEMA = {"type": "object", "properties": PROPERTIES}
TOOLS = ToolSet([{"type": "function", "function": {"name": "get_weather", "description": "-", "parameters": SCHEMA}}])
ARGUMENTS: dict[str, Any] = {"city": 'Oslo, the "big" <one>\nyes', "days": 31415, "tags": ["alpha", "beta"]}
FORMATS = all_formats()
SIZES = (1, 2, 3, 7, 10_000)


def events_in_pieces(parser: Parser, text: str, size: int) -> list[Event]:
    """The events as they come, not joined: each delta has a place of its own."""
    events: list[Event] = []
    for i in range(0, len(text), size):
        events += parser.feed(text[i : i + size])
    return events + parser.finish()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("declared", FORMATS, ids=[each.name for each in FORMATS])
def test_where_deltas_are(declared: Format) -> None:
    """No delta is before the one that came first, and JSON that is passed on unchanged is where the delta says."""
    try:
        turn = render(declared, [("get_weather", ARGUMENTS)], tools=TOOLS)
    except UsageError:  # not every dialect can write every string
        turn = render(declared, [("get_weather", {"city": "Oslo", "days": 3})], tools=TOOLS)
    verbatim = isinstance(declared.arguments, Json | JsonOrText) and not declared.parameters
    for size in SIZES:
        last = 0
        for event in events_in_pieces(Parser(TOOLS, format=declared.name), turn, size):
            if isinstance(event, CallStart | CallDelta | CallEnd):
                assert last <= event.start <= len(turn)
                last = event.start
            if isinstance(event, CallDelta) and verbatim and "keywords" not in declared.call:
                assert turn.startswith(event.text, event.start), event


def test_a_text_value_and_a_typed_one() -> None:
    turn = "<function=get_weather>\n<parameter=days>\n31415\n</parameter>\n<parameter=city>\nOslo\n</parameter>\n</function>"
    for size in SIZES:
        events = events_in_pieces(Parser(TOOLS, format="qwen3-coder"), turn, size)
        deltas = [event for event in events if isinstance(event, CallDelta)]
        assert [turn[each.start :].startswith("31415") for each in deltas if each.text == "31415"] == [True]
        assert all(turn.startswith(each.text, each.start) for each in deltas if each.text.isalpha())


def test_what_is_put_in_has_the_place_of_the_repair() -> None:
    turn = '<|tool_call>call:get_weather{city:Bergen, Norway<|"|>,days:5}<tool_call|>'
    for size in SIZES:
        starts = [each.start for each in events_in_pieces(Parser(TOOLS), turn, size) if isinstance(each, CallDelta)]
        assert starts == sorted(starts)
