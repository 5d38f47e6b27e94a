# Invariant: no mutant of any turn, read by any format, by `auto` or by a tag, breaks a law of fuzz/laws.py; and no case
# of the other fuzzers breaks theirs.
# Some dozen cases with fixed seeds here, thousands at full depth; 100,000 with a fresh seed by `nox -s nightly`.
"""The fuzzer, for a moment; and that it finds what is wrong."""

from __future__ import annotations

import importlib
import pickle
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fuzz
import toolglean.engine.emit
from fuzz import (
    alarm_files,
    alarm_hard,
    alarm_markers,
    alarms,
    compositions,
    documents,
    dropped,
    messages,
    mutants,
    prefixes,
    undo,
)
from fuzz.laws import Subject, broken
from fuzz.runner import Fuzzer, jobs
from tests.support import depth
from toolglean import Parser
from toolglean.formats.registry import get_format

LAWS: dict[str, tuple[Fuzzer[Any], int]] = {
    "undo": (undo.FUZZER, 2),
    "compositions": (compositions.FUZZER, 3),
    "documents": (documents.FUZZER, 4),
    "dropped": (dropped.FUZZER, 3),
    "prefixes": (prefixes.FUZZER, 1),
    "messages": (messages.FUZZER, 12),
}


@pytest.mark.parametrize("name", LAWS)
def test_no_case_breaks_the_law(name: str) -> None:
    fuzzer, count = LAWS[name]
    assert [str(each) for each in fuzzer.run(count * 1700 if depth.is_full() else count, seed=20)] == []


@pytest.mark.parametrize(
    "path", [each for each in Path(fuzz.__path__[0]).glob("*.py") if "\nFUZZER" in each.read_text()]
)
def test_every_fuzzer_runs_in_several_processes(path: Path) -> None:
    """`--workers`: what each process is sent can be pickled."""
    fuzzer = importlib.import_module(f"fuzz.{path.stem}").FUZZER
    assert pickle.loads(pickle.dumps((fuzzer.look, fuzzer.smaller))) == (fuzzer.look, fuzzer.smaller)


def test_no_mutant_breaks_a_law() -> None:
    assert [str(each) for each in mutants.run(2_000 if depth.is_full() else 3, seed=0)] == []


def test_every_format_is_read_by_name_by_auto_and_by_a_tag() -> None:
    names = mutants.names()
    assert {"hermes", "gemma-4", "auto", "tag:{"} <= set(names)
    # Batches of 200; formats of the tests' own are named several times.
    assert len(list(jobs(len(names) * 250, 0, names))) == sum(
        -(-250 * times // 200) for times in Counter(names).values()
    )
    for name in names:
        assert mutants.turns_for(name, shared=False), name


def test_a_breach_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A parser that loses a character now and then."""

    def content(self: toolglean.engine.emit.Emitter, text: str, start: int) -> None:
        found(self, text.replace("w", ""), start)

    found = toolglean.engine.emit.Emitter.content
    monkeypatch.setattr(toolglean.engine.emit.Emitter, "content", content)
    [breach, *_] = mutants.run(10, only="hermes")
    assert breach.breach.law in {"nothing lost", "one answer"}
    assert len(breach.text) < 12
    assert repr(breach.text) in capsys.readouterr().out


def test_a_parser_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Parser, chunk: str) -> None:
        raise IndexError(self, chunk)

    monkeypatch.setattr(Parser, "feed", feed)
    breach = broken(Subject("hermes"), "x")
    assert breach is not None
    assert (breach.law, breach.what) == ("no exception", "IndexError in feed")


def test_a_parser_without_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Parser, chunk: str) -> None:
        del self, chunk
        while True:
            pass

    monkeypatch.setattr(Parser, "feed", feed)
    monkeypatch.setattr("fuzz.laws.SECONDS", 0.05)
    breach = broken(Subject("hermes"), "x")
    assert breach is not None
    assert breach.law == "an end"


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["mutants", "--count", "20", "--seed", "5", "--format", "hermes"])
    assert mutants.main() == 0
    found = capsys.readouterr().out
    assert found.startswith("python -m fuzz.mutants --count 20 --seed 5\n")  # what repeats this run
    assert "20 mutants in " in found
    seeds = []
    for _ in range(2):  # a fresh one each time
        monkeypatch.setattr("sys.argv", ["mutants", "--count", "2", "--format", "hermes"])
        mutants.main()
        seeds.append(int(capsys.readouterr().out.split("\n")[0].rpartition(" ")[2]))
    assert seeds[0] != seeds[1]


@pytest.fixture(scope="module", autouse=True)
def _few_files() -> Iterator[None]:
    """Texts that are cut out of our own files: to search all of them takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        if not depth.is_full():
            texts = alarm_files._texts()
            patch.setattr(alarm_files, "_texts", lambda: texts[::8])
        yield


def test_texts_about_calls_hold_none() -> None:
    found = [
        (text, way, names)
        for text in alarms.texts(1_000 if depth.is_full() else len(alarms.KINDS), seed=1)
        for way in depth.chosen(alarms.WAYS, 1, key=lambda each: f"{each} {text.text}")
        if (names := alarms.alarms(text, way)) and (any(name in text.names for name in names) or way in alarms.GIVEN)
    ]
    assert found == []


def test_texts_about_calls_hold_none_in_pieces() -> None:
    count = (6 if depth.is_full() else 1) * len(alarms.KINDS)
    found = [(text, names) for text in alarms.texts(count, seed=2) if (names := alarms.alarms(text, "auto", text.text))]
    assert found == []


CLEAN = frozenset(alarm_hard.HARD_KINDS) - {alarm_hard.BARE, "XML files"}
"""Hard texts of these kinds quote every call. An XML file may be a frame that by-schema reading knows."""


def test_hard_texts_hold_none_where_every_call_is_quoted() -> None:
    chosen = alarms.hard_texts(1_000 if depth.is_full() else len(alarm_hard.HARD_KINDS), seed=4)
    made = [text for text in chosen if text.kind in CLEAN]
    assert [(text, names) for text in made for way in alarms.GIVEN if (names := alarms.alarms(text, way))] == []


def test_hard_texts_are_filled_and_the_same_each_time() -> None:
    count = len(alarm_hard.HARD_KINDS)
    made, again = (list(alarms.hard_texts(times * count, seed=5)) for times in (4 if depth.is_full() else 2, 1))
    assert made[:count] == again
    assert {text.kind for text in made} == set(alarm_hard.HARD_KINDS)
    assert [text for text in made if "«" in text.text] == []


def test_a_call_would_be_found() -> None:
    declared = get_format("hermes")
    turn = 'So: <tool_call>{"name": "shell", "arguments": {}}</tool_call>'
    text = alarms.Text("prose", turn, alarm_markers.TOOLS, declared)
    assert [alarms.alarms(text, way) for way in alarms.WAYS] == [["shell"]] * len(alarms.WAYS)


def test_texts_are_filled_and_the_same_each_time() -> None:
    made, again = (list(alarms.texts(4 * len(alarms.KINDS), seed=3)) for _ in range(2))
    assert made == again
    assert {text.kind for text in made} == set(alarms.KINDS)
    ours = "our own files"  # which may contain any sign
    assert [text for text in made if "«" in text.text and not text.kind.startswith(ours)] == []


@pytest.mark.parametrize(
    ("way", "name", "status"), [("auto", "shell", 1), ("format", "unheard_of", 1), ("auto, no tools", "shell", 0)]
)
def test_alarms_are_breaches_where_tools_are_given(
    way: str, name: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(alarms, "alarms", lambda *given: [name] if given[1] == way else [])
    monkeypatch.setattr("sys.argv", ["alarms", "--count", "9", "--show", "1"])
    assert alarms.main() == status
    assert capsys.readouterr().out.endswith(f"seed 0: {9 * status} breaches\n")
