# What a machine tells its watch, and that the watch changes nothing.
# Does not depend on who watches (explain/).
"""Watches: they are told how far payloads read."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from tests.support.chunkings import chunkings, events_of
from toolglean import Parser, ParserOptions
from toolglean.engine.machine import Machine
from toolglean.engine.matcher.payload import FormatPayload, FormatPlan
from toolglean.engine.turn import Turn
from toolglean.formats.compile import compiled
from toolglean.formats.registry import find_format

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "some <text>"}}\n</tool_call>'
TEXT = f"Hm. {CALL} A <tool_call> is a marker."


class Told:
    """A watch that notes what it is told: for each payload, the places that it has reached."""

    def __init__(self) -> None:
        self.payloads: list[FormatPayload] = []
        self.places: list[list[int]] = []
        self.went_on: list[bool] = []

    def read(self, turn: Turn, payload: FormatPayload, here: int) -> None:
        """See `Watch`."""
        if not any(each is payload for each in self.payloads):
            self.payloads.append(payload)
            self.places.append([])
        self.places[-1].append(here)
        self.went_on.append(turn.payload is payload and turn.reading_call)


def watched(told: Told | None) -> Parser:
    declared = find_format("hermes")
    assert declared is not None
    parser, plan = Parser(), FormatPlan(compiled((declared,)))
    Machine.__init__(parser, plan, None, ParserOptions(markup=True), watch=told)
    return parser


def test_each_payload_is_told_up_to_its_end() -> None:
    for chunks in chunkings(TEXT):
        told = Told()
        parser = watched(told)
        for chunk in chunks:
            parser.feed(chunk)
        first, second = told.places
        assert first == sorted(first)
        assert TEXT[: first[-1]].rstrip() == f"Hm. {CALL}"
        assert TEXT[: second[-1]] == f"Hm. {CALL} A <tool_call> "
        assert told.went_on.count(False) == 2
        assert not told.went_on[-1]


def test_a_watch_changes_nothing() -> None:
    assert events_of(lambda: watched(Told()), TEXT) == events_of(lambda: watched(None), TEXT)


@pytest.mark.parametrize(
    "copied", [Parser.fork, copy.copy, copy.deepcopy, lambda parser: pickle.loads(pickle.dumps(parser))]
)
def test_a_copy_is_not_watched(copied: Callable[[Parser], Parser]) -> None:
    told = Told()
    parser = watched(told)
    parser.feed(TEXT[:20])
    seen = [*map(len, told.places)]
    twin = copied(parser)
    twin.feed(TEXT[20:])
    assert [*map(len, told.places)] == seen
    parser.feed(TEXT[20:])
    assert sum(map(len, told.places)) > sum(seen) > 0
