# What this file knows: texts that once made a parser raise, or wait for minutes, by what they say of values and names.
# What it must not know: how values are read. (Floods of all kinds are a table: benchmarks/floods.py.)
"""Hostile values."""

from __future__ import annotations

import pytest

from tests.chunkings import content_of, events_of
from toolglean import Parser, Reasoning
from toolglean.formats.registry import all_formats

PAIRS = sorted({pair for declared in all_formats() for pair in declared.all_reasonings if pair[0].strip()})


# -- reasoning in auto -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opener", "closer"), PAIRS, ids=[opener for opener, _ in PAIRS])
def test_auto_knows_the_reasoning_of_every_family(opener: str, closer: str) -> None:
    """Some pairs are left out in `auto`, for they are prose; the others must keep their own lane."""
    for tools in (None, ["f"]):
        events = events_of(lambda tools=tools: Parser(tools, format="auto", markup=True), f"{opener}Hm{closer}Hello")
        thought = "".join(each.text for each in events if isinstance(each, Reasoning))
        if opener[0].isalpha():
            assert content_of(events) == f"{opener}Hm{closer}Hello"
        else:
            assert (thought.strip(), content_of(events).strip()) == ("Hm", "Hello")


@pytest.mark.parametrize("text", ["<thinking>Hm", "Write <thinking> first.", "<thinking>x</thinking>"])
def test_thinking_in_auto(text: str) -> None:
    events_of(lambda: Parser(format="auto", markup=True), text)
