# Cases of other projects: those that we answer otherwise are in tests/disagreements, each with its reason, and no other is.
# `python -m tests.support.report` shows the figures.
"""Tests against the vectors in ../shared."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import account, ended_calls
from tests.support.disagreements import explained, table
from tests.support.shared import SHARED, shared_rows
from tests.support.vectors import (
    WIRE,
    Answer,
    Case,
    judge,
    labels,
    ollama_begins,
    ollama_cases,
    same_call,
    template_cases,
    wire_cases,
)
from toolglean import Content, Parser, ParserOptions, join, parse

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here: it may not be committed")

UNEXPLAINED = 0.02  # of the cases of one format
EACH = 1  # of one format, by default


def _known(cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if labels()[case.label] is not None]


def _answers(cases: Iterable[Case]) -> list[tuple[Case, Answer]]:
    some = depth.chosen(cases, EACH, key=lambda case: case.id, group=lambda case: case.label)
    return [(case, judge(case, str(labels()[case.label]))) for case in some]


def _check(cases: list[Case], reasons: dict[str, str]) -> None:
    """No case differs by chunking; all that we answer otherwise are explained, and nothing else is."""
    answers = _answers(cases)
    broken = [
        f"{case.id} {case.label} {answer.verdict}" for case, answer in answers if answer.verdict in {"cuts", "error"}
    ]
    assert broken == []
    differing = {case.id for case, answer in answers if answer.verdict != "right" and not case.failed}
    unexplained = [f"{case.id} {case.label}" for case, _ in answers if case.id in differing - set(reasons)]
    sizes = Counter(case.label for case in cases)
    left = Counter(each.split()[1] for each in unexplained)
    assert {label: count for label, count in left.items() if count > UNEXPLAINED * sizes[label]} == {}, unexplained
    seen = {case.id for case, _ in answers}
    assert sorted(seen & set(reasons) - differing) == [], "right after all: take these out of the table"


@pytest.mark.parametrize("origin", WIRE)
def test_wire(origin: str) -> None:
    cases = _known(wire_cases(origin))
    assert len(cases) > 20
    reasons = explained("wire")
    _check(cases, {case_id: reason for case_id, reason in reasons.items() if case_id.startswith(f"{origin}:")})


def test_generated_cases_are_right_but_for_one_that_is_ambiguous_without_a_schema() -> None:
    assert [key for key in explained("wire") if key.startswith("generated:")] == ["generated:366"]
    case = next(case for case in wire_cases("generated") if case.id == "generated:366")
    assert case.label == "minimax_m3"  # text or number, empty text or empty object: nothing in the turn says which


def test_each_reason_is_said_once_and_has_cases() -> None:
    for name in ("wire", "ollama"):
        because = [row["because"] for row in table(name).values()]
        assert len(set(because)) == len(because)
        numbers = [
            (origin, number)
            for row in table(name).values()
            for origin, found in row.items()
            if origin != "because"
            for number in found
        ]
        assert len(set(numbers)) == len(numbers) > 0, "a case is listed twice"


# -- Ollama's parsers --------------------------------------------------------------------------------------------------


def test_ollamas_parsers() -> None:
    cases = _known(ollama_cases())
    assert len(cases) > 1500
    _check(cases, explained("ollama"))


# What is right for each case of defects.jsonl that has a parser: the calls' names with their status, and a digest of
# content, reasoning, names and arguments, which were looked at one by one.
RIGHT: dict[str, tuple[str, str]] = {
    "P01": ("f:ok", "4ae3c19d6a2f"),
    "P02": ("f:ok", "b9825fc82bb8"),
    "P02b": ("", "939fdb0c0369"),
    "P03": ("", "8a3f192ab2fa"),
    "P04": ("", "d292cb08536c"),
    "P04b": ("", "d292cb08536c"),
    "P04c": ("", "e7ce0b464c55"),
    "P04d": ("", "03f302072097"),
    "P04e": ("f:incomplete", "de5a2e5cbff1"),
    "P05": ("a:ok b:ok", "bf47f3fdd2e8"),
    "P05b": ("a:incomplete", "d6772a4a44c9"),
    "P05c": ("a:ok", "c209678f636e"),
    "P06": ("f:ok", "de5a2e5cbff1"),
    "P07": ("", "7d07b3219ecd"),
    "P07b": ("f:ok", "63719283abc9"),
    "P08": ("f:malformed g:ok", "0cc0a235e789"),
    "P09": ("", "6983321722c8"),
    # The call of an unknown tool, with text before and after it on its line: an example.
    "P10": ("", "43ef91ad5369"),
    "P11": ("f:ok", "8660ce2ed3e9"),
    "P11b": ("f:ok", "8443e48d1956"),
    "P11c": ("f:ok", "3e19a575dda3"),
    "P12": ("f:ok", "7bf4139ebe57"),
    "P13": ("f:ok", "472e4ffdc1e1"),
    "P13b": ("f:ok", "2ca06f0adad9"),
    "P13c": ("f:ok", "c87ee8604522"),
    "P13d": ("f:ok", "b3de61e67b79"),
    "P13e": ("f:ok", "c1a06fdec689"),
    "P14": ("f:ok", "44f2357f3047"),
    "P15": ("f:ok", "d43cf9183d99"),
    "P16": ("f:ok", "de5a2e5cbff1"),
    "P17": ("", "7bd86d2d521a"),  # an empty call at the end is markup, with a Problem
}


def _summary(row: dict[str, Any]) -> tuple[str, str]:
    name = labels()[row["parser"]]
    assert name is not None
    turn = "".join(row["chunks"])
    output = parse(turn, row["tools"], format=name, start=ollama_begins(row["parser"], row))
    calls = sorted([*output.calls, *output.unfinished], key=lambda call: call.index)
    whole = [
        output.content,
        output.reasoning,
        [[call.name, call.arguments if call.status == "ok" else {}] for call in calls],
    ]
    digest = hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:12]
    return " ".join(f"{call.name}:{call.status}" for call in calls), digest


def test_defects_of_ollamas_parsers_come_out_right() -> None:
    found = {
        row["id"].split()[0]: _summary(row) for row in shared_rows("vectors/ollama/defects.jsonl") if row.get("parser")
    }
    assert len(found) == 31
    assert found == RIGHT


# -- what templates write ----------------------------------------------------------------------------------------------


def test_templates_give_back_their_calls_but_for_those_that_lose_them() -> None:
    losing = table("lossy")
    wrong = set(losing.pop("wrong")["cases"])
    listed = {name: reason for reason, row in losing.items() for name in row["cases"]}
    assert len(listed) == sum(len(row["cases"]) for row in losing.values()), "a case is listed twice"
    assert wrong <= set(listed)

    cases = list(template_cases())
    assert len(cases) > 2_000
    lost: set[str] = set()
    # Some of each format; and of the names that lose something for each reason.
    losing_now = {*depth.chosen(sorted(listed), 2, key=str, group=listed.__getitem__)}
    losers = [pair for pair in cases if pair[0] in losing_now]
    others = [pair for pair in cases if pair[0] not in listed]
    some = depth.chosen(others, EACH, key=lambda pair: pair[1].id, group=lambda pair: pair[1].label)
    for name, case in (*losers, *some):
        label = labels()[case.label]
        assert label is not None
        answer = judge(case, label)
        if answer.verdict == "right":
            continue
        assert answer.verdict == "calls", (case.id, answer.detail)
        lost.add(name)
        assert name in listed, (case.id, answer.detail)
        if name not in wrong:
            finished = [call for call in answer.calls if call.status == "ok"]
            assert all(any(same_call(each, call) for each in case.calls or []) for call in finished), case.id
    assert sorted(losing_now - lost) == [], "these lose nothing any more: take them out of the table"


# -- what models wrote -------------------------------------------------------------------------------------------------

TAGS = {"hermes": ("<tool_call>",), "xlam": ('"name"',)}


def test_recorded_turns() -> None:
    clean: dict[str, list[bool]] = {"hermes": [], "xlam": []}
    # Turns of which nearly all must be read, so that a few do not show it; and some of all others.
    texts = shared_rows("vectors/recorded.jsonl.gz")
    for row in depth.chosen(texts, EACH, key=json.dumps, group=_recorded_by):
        text = row["text"]
        name = labels()[row["format"]] if row["kind"] == "recorded" else None
        chunkings = [[text], list(text), [text[at : at + 7] for at in range(0, len(text), 7)]]
        runs = []
        for chunks in chunkings:
            parser = Parser(format=name or "auto", options=ParserOptions(markup=True))
            runs.append(join([event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()))
        assert runs[0] == runs[1] == runs[2]
        account(runs[0], text)
        if row["kind"] == "recorded" and row["format"] in clean and not row["malformed"]:
            _note(clean[row["format"]], row["format"], runs[0], text)
    for kind, results in clean.items():
        assert len(results) > 40, kind
        assert sum(results) >= 0.99 * len(results), kind


def _recorded_by(row: dict[str, Any]) -> str:
    whole = row["kind"] == "recorded" and row["format"] in TAGS and not row["malformed"]
    return row["text"] if whole else f"{row['kind']} {row.get('format')}"


def _note(results: list[bool], kind: str, events: list[Any], text: str) -> None:
    if not any(tag in text for tag in TAGS[kind]):
        return  # an answer without calls
    calls = ended_calls(events)
    assert not any(isinstance(event, Content) and "<tool_call>" in event.text for event in events)
    results.append(bool(calls) and all(call.status == "ok" for call in calls))
