"""What the benchmarks measure is what they say: the cases are read rightly, and the table is whole."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import toolglean
from benchmarks import __main__ as command
from benchmarks import against
from benchmarks.adapters import CHUNKS, PAYLOADS, adapters
from benchmarks.cases import (
    FLOODS,
    LISTS,
    PROSE,
    READERS,
    SIZES,
    Flood,
    Reader,
    Text,
    call_of,
    code,
    cut,
    numbers,
    prose,
)
from benchmarks.cases import reader as reader_of
from benchmarks.measures import MEASURES
from benchmarks.timing import BASELINE, SMOKE, Effort, Measure, Quotient, Row, Stopwatch, Work, rows_of, told
from benchmarks.turns import COUNT, HERMES, SMALL_CALLS, TOKENS, SmallCalls, read, short_turn, tool_dicts
from fuzz import repairs
from tests.support import depth
from tests.support.chunkings import ended_calls
from toolglean import CallEnd, Content, Event, Output, Reasoning, ollama
from toolglean.formats import all_formats

ROOT = Path(__file__).parents[2]
NAMES = ("hermes", "qwen3-coder", *(each.name for each in all_formats()))
"""Formats whose calls are broken by default: the first one that a repair concerns."""


def run(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks", "--smoke", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=300,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """What the command says as JSON: the heading, and the rows; from a process of its own at full depth."""
    if depth.is_full():
        return [json.loads(line) for line in run("--json").splitlines()]
    gc.freeze()  # each measure collects garbage first: all that the tests before have made would be looked through
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(sys, "argv", ["benchmarks", "--smoke", "--json"])
        patch.setattr(Stopwatch, "_calibrated", staticmethod(lambda *_: 1))  # nobody reads the figures: each work once
        patch.setattr(Measure, "rounds_of", lambda *_: 1)
        patch.setattr(
            repairs, "families", lambda repair: next([each] for each in NAMES if [*repairs.cases(repair, each, 4)])
        )
        assert command.main() == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_table(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The same rows as a table: to measure them twice would say no more. (tests/project/test_docs.py runs this command, too.)
    def measured(measures: Iterable[Measure], effort: Effort) -> list[Row]:
        assert effort is SMOKE
        assert tuple(measures) == MEASURES
        return [Row(**{key: value for key, value in line.items() if key != "met"}) for line in lines[1:]]

    monkeypatch.setattr(command, "rows", measured)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--smoke"])
    assert command.main() == 0
    table = capsys.readouterr().out
    first = table.split("\n")[0]
    assert first.startswith(f"toolglean {toolglean.__version__}, commit ")
    assert f"Python {platform.python_version()}," in first
    names = [text.name for text in PROSE] + [reader.name for reader in READERS] + [flood.name for flood in FLOODS]
    for words in (BASELINE, "1 KB of prose", "1 KB of numbers", "growth", *names, *(each.name for each in SMALL_CALLS)):
        assert words in table
    assert all(each.group in table for each in MEASURES)
    assert "-X importtime, cumulative" in table
    assert "toolglean --version" in table


def test_adapters_are_measured_on_what_they_change() -> None:
    pytest.importorskip("openai", reason="needs toolglean[openai]")
    pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    count = CHUNKS if depth.is_full() else CHUNKS // 10
    found = {(client, payload): (count, works) for client, payload, count, works in adapters(count)}
    assert set(found) == {(client, payload) for client in ("openai", "ollama") for payload in PAYLOADS}
    for (client, payload), (count, works) in found.items():
        assert works["bare"]() == count + 1, "each chunk, and the one that ends the stream"
        if payload == "prose":
            assert works["adapted"]() == count + 1
        else:
            assert works["adapted"]() < count + 1, f"{client}: the call's markup is gone"


def test_json_rows(lines: list[dict[str, Any]]) -> None:
    first, *rows = lines
    assert first["smoke"] is True
    assert all(row["value"] > 0 for row in rows)
    assert {row["name"] for row in rows if row["group"] == "prose, a chunk"} == {"the baseline", *PROSE[0].readers}
    for row in rows:
        if row["goal"] is None:
            assert row["met"] is None
        else:
            assert row["met"] == (row["judged"] <= row["goal"])


@pytest.mark.parametrize(("judged", "met"), [(1.0, True), (1.3, True), (1.31, False)])
def test_goal(judged: float, met: bool) -> None:
    assert Row("", "", judged, "x", goal=1.3, judged=judged).met is met


@pytest.mark.parametrize(("rounds", "expected"), [(None, 15), (5, 5), (99, 15)])
def test_rounds_of_a_measure(rounds: int | None, expected: int) -> None:
    assert Measure("", lambda _: [], rounds=rounds).rounds_of(Effort(15, 0.001)) == expected


def test_rows_are_made_of_the_best_of_each_work() -> None:
    works = [
        Work(BASELINE, print, parts=10, shown=False),
        Work("read", print, parts=5, unit="us", goal=3),
        Work("bytes", print, unit="bytes", goal=6, counted=True),
    ]
    best = {BASELINE: 1.25, "read": 2.5, "bytes": 7.0}
    ratios = (Quotient("four", "read", BASELINE, goal=5), Quotient("three", "read", BASELINE, goal=None, less=1))
    assert list(rows_of("g", [told(work) for work in works], ratios, best)) == [
        Row("g", "read", 500_000.0, "us", 4.0, 3, 4.0),
        Row("g", "bytes", 7.0, "bytes", None, 6, 7.0),
        Row("g", "four", 4.0, "x", None, 5, 4.0),
        Row("g", "three", 3.0, "x", None, None, 3.0),
    ]


def test_a_stopwatch_warms_each_work_and_repeats_short_ones() -> None:
    runs = {"timed": 0, "counted": 0}

    def run(name: str) -> float:
        runs[name] += 1
        return 42.0

    works = [Work("timed", lambda: run("timed")), Work("counted", lambda: run("counted"), counted=True)]
    watch = Stopwatch(Measure("", lambda _: works), Effort(1, 0.001))
    assert runs == {"timed": 2, "counted": 1}
    found = watch.round()
    assert runs["timed"] > 10
    assert runs["counted"] == 2
    assert found["counted"] == 42.0
    assert 0 < found["timed"] < 0.001


@pytest.mark.parametrize(
    ("only", "groups"), [(["A FORK"], {"a fork"}), (["fork", "import"], {"a fork", "from toolglean import Parser"})]
)
def test_some_groups_alone(only: list[str], groups: set[str]) -> None:
    assert {measure.group for _, measure in command.chosen(only)} == groups
    assert all(MEASURES[number] is measure for number, measure in command.chosen(only))
    assert [measure for _, measure in command.chosen([])] == list(MEASURES)


def test_a_group_that_does_not_exist() -> None:
    with pytest.raises(SystemExit, match=r"--only nope is in the name of no group\. The groups are: prose, a chunk, "):
        command.chosen(["nope"])


def test_two_trees_in_turn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["benchmarks", "--smoke", "--only", "a fork", "--against", str(ROOT / "src")]
    measured: list[against.Pair] = []

    def noted(*given: Any) -> Iterator[against.Pair]:
        measured.extend(against.compared(*given))
        return iter(measured)

    monkeypatch.setattr(command, "compared", noted)
    monkeypatch.setattr(sys, "argv", words)
    assert command.main() == 0
    heading, _, *table = capsys.readouterr().out.splitlines()
    assert heading.endswith(f"before: {ROOT / 'src'}")
    assert table[0] == "| | before | after | before / after | x baseline, before | after | goal | |"
    assert table[2] == "| **a fork** | | | | | | | |"
    names = ["in text", "in a call, 100 KB of arguments read", "the same, qwen3-coder"]
    assert [line.split(" | ")[0].removeprefix("| ") for line in table[3:]] == names
    assert all(line.count("|") == 9 and "–" not in line for line in table[3:])
    monkeypatch.setattr(command, "compared", lambda *_: iter(measured))  # to measure them twice would say no more
    monkeypatch.setattr(sys, "argv", [*words, "--json"])
    assert command.main() == 0
    _, *pairs = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(pair["before"]["name"], pair["after"]["goal"]) for pair in pairs] == [(name, 10) for name in names]


def test_another_tree_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no toolglean/__init__\.py: give the src folder of another checkout"):
        next(against.compared(tmp_path, [], SMOKE))


def test_what_one_tree_cannot_do_has_no_figure() -> None:
    row = Row("g", "n", 200.0, "ns", 2.0, 3.0, 2.0)
    assert list(against.markdown([against.Pair(None, row), against.Pair(row, None)]))[2:] == [
        "| **g** | | | | | | | |",
        "| n | – | 200 ns |  |  | 2.0 | 3 | met |",
        "| n | 200 ns | – |  | 2.0 |  | 3 |  |",
    ]


def everything(reader: Reader, chunks: list[str]) -> list[object]:
    read = reader.new()
    found: list[object] = []
    for chunk in chunks:
        got = read(chunk)
        if isinstance(got, list):
            found += got
        elif isinstance(got, Output | ollama.Added):
            found += [Content(got.content, 0), *got.calls] if got.content else got.calls
    return found


CALLS: list[tuple[Reader, Callable[[int], Any], str]] = [
    *((each, prose, "text") for each in READERS),
    *((each, code, "text") for each in READERS[3:]),
    *((each, numbers, "numbers") for each in LISTS),
]


@pytest.mark.parametrize(
    ("reader", "payload", "key"), CALLS, ids=lambda each: getattr(each, "name", getattr(each, "__name__", each))
)
def test_each_reader_reads_the_call(reader: Reader, payload: Callable[[int], Any], key: str) -> None:
    chunks = cut(call_of(reader, 1000, payload))
    found: list[Any] = everything(reader, chunks)
    assert everything(reader, chunks) == found  # it begins anew
    ended: list[Any] = ended_calls(found)
    [call] = ended or [each for each in found if hasattr(each, "arguments")]
    assert isinstance(call, toolglean.ToolCall | ollama.Call)
    assert key == "numbers" or call.name == "write_file"
    assert call.arguments == {key: payload(1000)}
    assert getattr(call, "status", "ok") == "ok"


@pytest.mark.parametrize("each", SMALL_CALLS, ids=lambda each: each.name)
def test_small_calls_are_all_read(each: SmallCalls) -> None:
    parser = each.new()
    events = [event for chunk in cut(each.text()) for event in parser.feed(chunk)] + parser.finish()
    ends = [event for event in events if isinstance(event, CallEnd)]
    assert [(end.call.status, end.call.name, end.call.arguments) for end in ends] == [
        ("ok", "get_weather", {"city": "Oslo"})
    ] * COUNT
    assert "".join(event.text for event in events if isinstance(event, Content)).strip() == ""
    read(each.new, [each.text(2)])()


@pytest.mark.parametrize("tools", [tool_dicts(10), toolglean.ToolSet(tool_dicts(10, "_7"))], ids=["dicts", "ToolSet"])
def test_a_short_turn_has_one_call(tools: Any) -> None:
    for format in ("hermes", "auto"):  # noqa: A001  # as the parser calls it
        short_turn(tools, *TOKENS, HERMES, format=format)
    found = toolglean.parse("".join([*TOKENS, HERMES]), tools, format="hermes")
    assert [call.name for call in found.calls] == ["get_weather"]
    assert found.content == "".join(TOKENS)
    assert len(TOKENS) == 12
    assert len(toolglean.ToolSet(tools)) == 10


def test_every_row_of_the_goals_has_a_goal() -> None:
    goals = {each.name: each.code_goal for each in READERS if each.code_goal}
    as_json = dict.fromkeys(("feed", "hermes", "mistral-v13", "harmony"), 4.5)
    assert goals == as_json | dict.fromkeys(("qwen3-coder", "glm-4.5"), 5.0)
    small = {each.name: each.goal for each in SMALL_CALLS if each.goal}
    assert small == {"hermes": 12, "tag": 12, "auto": 12, "kimi-k2": 14, "qwen3-coder": 18}
    goals_of = {
        measure.group: [work.goal for work in measure.make(SMOKE) if work.goal]
        for measure in MEASURES
        if measure.group in {"a short turn", "Parser(tools)", "1,000 sets of tools in turn"}
    }
    assert goals_of == {
        "a short turn": [280, 310],
        "Parser(tools)": [35, 35, 35, 35, 310, 310],
        "1,000 sets of tools in turn": [35, 35, 280, 310],
    }
    assert SIZES[0] == 1_000
    assert SIZES[-1] == 1_000_000


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("text", "name"),
    [(text, name) for text in PROSE for name in text.readers],
    ids=lambda each: getattr(each, "name", each),
)
def test_prose_is_content_or_reasoning(text: Text, name: str) -> None:
    found = everything(reader_of(name), [text.opener, *cut(text.text)])
    kind = Reasoning if text.name == "reasoning" else Content
    assert all(isinstance(each, kind) for each in found)
    characters = sum(len(each.text) for each in found if isinstance(each, Content | Reasoning))
    held = 12 if name in {each.name for each in READERS} else 600  # typed tools: a line that may begin a call waits
    assert characters > len(text.text) - held


@pytest.mark.sampled(3)
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: f"{flood.reader}, {flood.name}")
def test_floods_are_what_they_say(flood: Flood) -> None:
    # Where calls are counted, at full size; the others are as odd at a tenth of it.
    size = flood.size if depth.is_full() or flood.calls else flood.size // 10
    text = flood.text(size)
    assert len(text) >= min(size, 5_000)
    read = reader_of(flood.reader).new()
    events: list[Event] = [event for chunk in cut(text) for event in read(chunk)]
    assert sum(isinstance(event, CallEnd) and event.call.status == "ok" for event in events) == flood.calls
