"""What the benchmarks measure is what they say: the cases are read rightly, and the table is whole."""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolglean
from benchmarks import __main__ as command
from benchmarks.adapters import CHUNKS, PAYLOADS, adapters
from benchmarks.cases import CHUNK, FLOODS, PROSE, READERS, Flood, Reader, Text, call_of, cut, prose
from benchmarks.cases import reader as reader_of
from benchmarks.measures import SMOKE, Effort, Row
from tests.support import depth
from toolglean import CallEnd, Content, Event, Output, Reasoning, ollama

ROOT = Path(__file__).parents[2]


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
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(sys, "argv", ["benchmarks", "--smoke", "--json"])
        assert command.main() == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_table(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The same rows as a table: to measure them twice would say no more. (tests/project/test_docs.py runs this command, too.)
    def measured(effort: Effort) -> list[Row]:
        assert effort is SMOKE
        return [Row(**{key: value for key, value in line.items() if key != "met"}) for line in lines[1:]]

    monkeypatch.setattr(command, "all_rows", measured)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--smoke"])
    assert command.main() == 0
    table = capsys.readouterr().out
    first = table.split("\n")[0]
    assert first.startswith(f"toolglean {toolglean.__version__}, commit ")
    assert f"Python {platform.python_version()}," in first
    names = [*(text.name for text in PROSE), *(each.name for each in READERS), *(flood.name for flood in FLOODS)]
    for words in ("the baseline", "1 KB argument", "growth", "a fork", *names):
        assert words in table
    assert "-X importtime, cumulative" in table


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
    assert {row["name"] for row in rows if row["group"] == "prose, a chunk"} == {
        "the baseline",
        *PROSE[0].readers,
    }
    for row in rows:
        if row["goal"] is None:
            assert row["met"] is None
        else:
            assert row["met"] == (row["judged"] <= row["goal"])


@pytest.mark.parametrize(("judged", "met"), [(1.0, True), (1.3, True), (1.31, False)])
def test_goal(judged: float, met: bool) -> None:
    assert Row("", "", judged, "x", goal=1.3, judged=judged).met is met


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


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_each_reader_reads_the_call(reader: Reader) -> None:
    found = everything(reader, cut(call_of(reader, 1000)))
    calls = [
        each.call if isinstance(each, CallEnd) else each
        for each in found
        if hasattr(each, "arguments") or isinstance(each, CallEnd)
    ]
    [call] = calls
    assert isinstance(call, toolglean.ToolCall | ollama.Call)
    assert call.name == "write_file"
    assert call.arguments == {"text": prose(1000)}


def test_every_format_of_the_design_is_a_reader() -> None:
    names = {"hermes", "qwen3-coder", "glm-4.5", "mistral-v13", "pythonic", "gemma-4", "harmony"}
    assert {each.name for each in READERS if each.call_goal == 12} == names | {"feed"}


@pytest.mark.parametrize(
    ("text", "name"),
    [(text, name) for text in PROSE for name in text.readers],
    ids=lambda each: getattr(each, "name", each),
)
def test_prose_is_content_or_reasoning(text: Text, name: str) -> None:
    found = everything(reader_of(name), [text.opener, *cut(text.text)])
    kind = Reasoning if text.opener else Content
    assert all(isinstance(each, kind) for each in found)
    characters = sum(len(each.text) for each in found if isinstance(each, Content | Reasoning))
    assert characters > len(text.text) - 12  # less what is held back


def test_each_reader_begins_anew() -> None:
    for reader in READERS:
        chunks = cut(call_of(reader, 100))
        assert everything(reader, chunks) == everything(reader, chunks)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: f"{flood.reader}, {flood.name}")
def test_floods_are_what_they_say(flood: Flood) -> None:
    # Where calls are counted, at full size; the others are as odd at a tenth of it.
    size = flood.size if depth.is_full() or flood.calls else flood.size // 10
    text = flood.text(size)
    assert len(text) >= min(size, 5_000)
    read = reader_of(flood.reader).new()
    events: list[Event] = [event for chunk in cut(text) for event in read(chunk)]
    assert sum(isinstance(event, CallEnd) and event.call.status == "ok" for event in events) == flood.calls


def test_cut() -> None:
    assert cut("abcdefghi") == ["abcd", "efgh", "i"]
    assert CHUNK == 4
