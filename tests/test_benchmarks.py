"""What the benchmarks measure is what they say: the cases are read rightly, and the table is whole."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import toolglean
from benchmarks.cases import CHUNK, FLOODS, PROSE, READERS, Flood, Reader, call_of, cut
from benchmarks.measures import Row
from toolglean import CallEnd, Content, Output, Parser, ollama

ROOT = Path(__file__).parent.parent


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


def test_table() -> None:
    table = run()
    first = table.split("\n")[0]
    assert first.startswith(f"toolglean {toolglean.__version__}, commit ")
    assert f"Python {platform.python_version()}," in first
    for words in ("the floor", "feed", "add", "the exact port", "1 KB argument", "growth", "nested brackets", "a fork"):
        assert words in table
    assert "-X importtime, cumulative" in table


def test_json_rows() -> None:
    first, *rows = [json.loads(line) for line in run("--json").splitlines()]
    assert first["smoke"] is True
    assert all(row["value"] > 0 for row in rows)
    assert {row["name"] for row in rows if row["group"] == "prose, a chunk"} == {
        "the floor",
        *(reader.name for reader in READERS),
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
    assert len(call.arguments["text"]) == 1000


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_prose_is_content(reader: Reader, text: str) -> None:
    found = everything(reader, cut(text))
    assert all(isinstance(each, Content) for each in found)
    assert sum(len(each.text) for each in found if isinstance(each, Content)) > len(text) - 12  # less what is held back


def test_each_reader_begins_anew() -> None:
    for reader in READERS:
        chunks = cut(call_of(reader, 100))
        assert everything(reader, chunks) == everything(reader, chunks)


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.name)
def test_floods_are_what_they_say(flood: Flood) -> None:
    text = flood.text(flood.size)
    assert len(text) >= min(flood.size, 5_000)
    parser = Parser(("write_file", "get_weather"), tag="<tool_call>")
    calls = sum(len(parser.add(chunk).calls) for chunk in cut(text)) + len(parser.close().calls)
    assert calls == {"parallel calls": 80, "white space after a call": 1}.get(flood.name, 0)


def test_cut() -> None:
    assert cut("abcdefghi") == ["abcd", "efgh", "i"]
    assert CHUNK == 4
