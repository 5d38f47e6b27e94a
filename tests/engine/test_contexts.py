# Which contexts of a call do not hold yet, and which formats a quick run looks at.
# Does not depend on what the contexts are, nor on what is a breach (fuzz/contexts.py).
"""A call of a dangerous tool in every context: it runs where it must, and nowhere else."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from fuzz import contexts
from fuzz.context_calls import ARGUMENTS, SEND, TOOLS, Context, all_written
from fuzz.context_places import QUOTED
from fuzz.contexts import CONTEXTS, Reading, cells, fault
from tests.support import depth
from toolglean import ParserOptions, parse

FORMATS = {
    *("hermes", "qwen3-coder", "glm-4.7", "mistral-v13", "llama3-json", "llama4-pythonic", "pythonic"),
    *("gemma-4", "harmony", "tool-tags"),
}
"""One format for each way of writing a call. A full run looks at all formats."""


def test_calls_run_only_where_they_must() -> None:
    """By default, one of ten formats in each context: which one, changes with it."""
    written = [each for each in all_written() if depth.is_full() or each.format.name in FORMATS]
    for context in CONTEXTS:
        some = depth.chosen(written, 1, key=lambda each: f"{context.name} {each.format.name}")
        found = [f"{cell.way}, {cell.format}: {cell.fault}" for cell in cells([context], some) if cell.fault]
        assert found == [], context.name


def test_quoted_calls_are_read_where_that_is_asked_for() -> None:
    wrong = []
    for written in (each for each in all_written() if each.marked and (depth.is_full() or each.format.name in FORMATS)):
        for context, name in product(QUOTED, ("auto", written.format.name)):
            text = context.turn(written)
            if text is not None and written.send in text:
                found = parse(text, TOOLS, format=name, options=ParserOptions(quoted="call")).calls
                if [(call.name, call.arguments) for call in found] != [(SEND[0], dict(ARGUMENTS))]:
                    wrong.append((context.name, name, text))
    assert wrong == []


def test_names_are_those_of_contexts() -> None:
    names = [context.name for context in CONTEXTS]
    assert len(set(names)) == len(names)
    assert {each.format.name for each in all_written()} >= FORMATS


def test_every_context_makes_sense_for_some_format() -> None:
    for context in CONTEXTS:
        assert any(context.turn(each) is not None for each in all_written()), context.name


def _context(says: Any, *, said: bool = False) -> Context:
    return Context("a name", says, "a reason", lambda _: "", said=said)


_RAN = Reading((("send_money", True, dict(ARGUMENTS)),), problem=False)
_OTHER = Reading((("send_money", True, {}),), problem=False)
_UNKNOWN = Reading((("send_mony", False, dict(ARGUMENTS)),), problem=False)
_NOTE = Reading((("note", True, {"text": "x"}),), problem=False)


@pytest.mark.parametrize(
    ("says", "found", "wrong"),
    [
        ("runs", _RAN, ""),
        ("runs", _OTHER, "other arguments or calls"),
        ("runs", _NOTE, "must run, and did not"),
        ("content", _RAN, "must not run, and ran"),
        ("content", _UNKNOWN, "an unknown call"),
        ("content", _NOTE, ""),
        ("malformed", _RAN, "must not run, and ran"),
        ("malformed", _UNKNOWN, ""),
        ("unknown", _RAN, "must not run, and ran"),
        ("unknown", _UNKNOWN, ""),
        ("either", _RAN, ""),
        ("either", _NOTE, ""),
        ("either", _OTHER, "other arguments or calls"),
    ],
)
def test_what_is_a_breach(says: str, found: Reading, wrong: str) -> None:
    assert fault(_context(says), found) == wrong


def test_a_call_may_have_to_say_something() -> None:
    assert fault(_context("runs", said=True), _RAN) == "ran without a Problem"
    assert fault(_context("runs", said=True), Reading(_RAN.ran, problem=True)) == ""


@pytest.mark.parametrize("says", ["runs", "content"])
def test_the_command(
    says: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    """One context that holds, and one that does not."""
    context = Context("alone", says, "a reason", lambda written: written.send, calls=(SEND,))
    monkeypatch.setattr(contexts, "CONTEXTS", (context,))
    file = tmp_path / "table.txt"
    monkeypatch.setattr("sys.argv", ["contexts", "--format", "hermes", "--show", "--out", str(file)])
    assert contexts.main() == (1 if says == "content" else 0)
    printed = capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == printed
    assert "1/1" in printed
    assert contexts.earlier(printed) == {"alone": "      1/1      1/1"}
    monkeypatch.setattr("sys.argv", ["contexts", "--format", "hermes", "--before", str(file)])
    contexts.main()
    assert "      1/1      1/1\n" in capsys.readouterr().out
    assert ("must not run, and ran (1): hermes" in printed) == (says == "content")
