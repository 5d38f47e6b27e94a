"""The input: the same arguments read the same turn in `parse`, `explain` and `replay`."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_logs import needs_pyarrow, needs_zstd, tables, zstd
from tests.cli.test_parse import lines, toolglean
from tests.cli.test_replay import replayed
from toolglean.kit.demo import load_streams

CALL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
XML = "<tool_call>\n<function=f>\n<parameter=x>\n5\n</parameter>\n</function>\n</tool_call>"
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}}]

Found = tuple[str | None, list[tuple[str, bool | None, Any, str]]]
"""The format, and of each call its name, whether it is known, its arguments, and its status."""


def found_in(row: dict[str, Any]) -> Found:
    calls = sorted([*row["calls"], *row["unfinished"]], key=lambda call: int(call["index"]))
    return row["format"], [(each["name"], each["known"], each["arguments"], each["status"]) for each in calls]


def read_by_all(tmp_path: Path, *args: str) -> Found:
    """What `parse` finds, after a check that `explain` and `replay` find the same."""
    done = toolglean("parse", *args)
    rows = [row for row in lines(done) if "summary" not in row]
    assert len(rows) == 1, done.stderr
    explained = toolglean("explain", "--json", *args)
    assert explained.returncode == done.returncode
    explanation = json.loads(explained.stdout)
    calls = [span["call"] for span in explanation["spans"] if span["call"]]
    own = found_in({"format": explanation["format"], "calls": calls, "unfinished": []})
    page = tmp_path / "page.html"
    assert toolglean("replay", *args, "--html", str(page)).returncode == done.returncode
    data = replayed(tmp_path, *args, code=done.returncode)
    starts = [(event[3], event[-1]) for event in data["events"] if event[1] == "call_start"]
    found = found_in(rows[0])
    assert own == found
    assert [name for name, _ in starts] == [call[0] for call in found[1]]
    assert [known for _, known in starts] == [call[1] for call in found[1]]
    return found


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("row", "args", "wanted"),
    [
        ({}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"tools": TOOLS}, [], ("qwen3-coder", [("f", True, {"x": 5}, "ok")])),
        ({"tools": json.dumps(TOOLS)}, [], ("qwen3-coder", [("f", True, {"x": 5}, "ok")])),
        ({"request": {"tools": TOOLS}}, [], ("qwen3-coder", [("f", True, {"x": 5}, "ok")])),
        ({"request": {"body": {"tools": TOOLS}}}, [], ("qwen3-coder", [("f", True, {"x": 5}, "ok")])),
        ({"tools": ["g"]}, [], ("qwen3-coder", [("f", False, {"x": "5"}, "ok")])),
        ({"tools": []}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"tools": None, "model": "qwen3-coder:30b"}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"model": 3}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"tools": TOOLS}, ["--tools", "OTHER"], ("qwen3-coder", [("f", False, {"x": "5"}, "ok")])),
        ({"may": TOOLS}, ["--tools-column", "may"], ("qwen3-coder", [("f", True, {"x": 5}, "ok")])),
        ({"model": "qwen3-coder:30b"}, ["--strict-format"], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"model": "qwen3:8b"}, ["--strict-format"], ("hermes", [])),
        ({"who": "qwen3:8b"}, ["--strict-format", "--model-column", "who"], ("hermes", [])),
        ({"model": "of which nobody has heard"}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"format": "hermes"}, ["--strict-format"], ("hermes", [])),
        ({"format": "hermes", "model": "qwen3-coder:30b"}, ["--strict-format"], ("hermes", [])),
        ({"how": "hermes"}, ["--strict-format", "--format-column", "how"], ("hermes", [])),
        ({"format": "hermes"}, ["--format", "qwen3-coder"], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"format": "json"}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),  # as Ollama's requests have it
        ({"format": {"type": "object"}}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
        ({"format": "nothing"}, [], ("qwen3-coder", [("f", None, {"x": "5"}, "ok")])),
    ],
)
def test_what_a_line_says_about_itself(row: Any, args: list[str], wanted: Found, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('["other"]', encoding="utf-8")
    given = [str(tmp_path / "other.json") if each == "OTHER" else each for each in args]
    log = written(tmp_path / "log.jsonl", {"id": 1, "content": "Hello."}, {"id": 2, "content": XML, **row})
    assert read_by_all(tmp_path, f"{log}:2", *given) == wanted
    toolglean("parse", log, *given, "--output", str(tmp_path / "rows.jsonl"))
    rows = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert found_in(json.loads(rows[1])) == wanted


def test_the_text_may_be_under_any_key(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", {"said": "Hello.", "content": "x"}, {"said": CALL, "content": "y"})
    assert read_by_all(tmp_path, f"{log}:2", "--text-column", "said") == ("hermes", [("f", None, {"x": 1}, "ok")])
    done = toolglean("parse", log, "--text-column", "said")
    assert [row["content"] for row in lines(done)[:-1]] == ["Hello.", ""]
    assert toolglean("parse", log, "--text-column", "nothing").returncode == 1


def test_tools_of_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", {"id": 1, "content": CALL, "tools": "oops"})
    assert toolglean("parse", log).returncode == 1
    done = toolglean("explain", log)
    assert done.returncode == 1
    assert f"toolglean: {log}: line 1: Tools ignored: " in done.stderr.decode()
    data = replayed(tmp_path, log, code=1)
    assert data["notes"][0].startswith("Tools ignored: ")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("stream", load_streams(), ids=lambda each: each.name)
def test_a_shipped_stream_is_read_with_its_tools(stream: Any, tmp_path: Path) -> None:
    name, calls = read_by_all(tmp_path, stream.name)
    assert name == stream.name
    assert [(call[0], call[1]) for call in calls] == [(call["name"], True) for call in stream.calls]
    tools = tmp_path / "tools.json"
    tools.write_text('["other"]', encoding="utf-8")
    [turn] = lines(toolglean("parse", stream.name, "--tools", str(tools)))
    assert all(call["known"] is False for call in turn["calls"])


def test_a_file_comes_before_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hermes").write_text("Mine.", encoding="utf-8")
    Path("log.jsonl:7").write_text("Mine, too.", encoding="utf-8")
    assert lines(toolglean("parse", "hermes"))[0]["content"] == "Mine."
    assert lines(toolglean("parse", "log.jsonl:7"))[0]["content"] == "Mine, too."


def test_a_line_is_one_row_and_a_summary(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", {"id": 1, "content": "Hi"}, {"id": 2, "content": CALL}, "a turn")
    row, last = lines(toolglean("parse", f"{log}:2"))
    assert (row["id"], row["line"], last["summary"]["turns"]) == (2, 2, 1)
    assert lines(toolglean("parse", f"{log}:3"))[0]["content"] == "a turn"
    done = toolglean("anonymize", f"{log}:2")
    assert json.loads(done.stdout)["content"].startswith("<tool_call>")


@pytest.mark.parametrize("command", ["parse", "explain", "replay"])
def test_a_line_that_is_not_a_turn(command: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"id": 1, "content": "Hi"}\n{"error": "overloaded"}\noops\n', encoding="utf-8")
    args = ["--html", str(tmp_path / "page.html")] if command == "replay" else []
    for line, said in ((2, "this is an error object, not a turn: overloaded"), (3, "not valid JSON (Expecting value")):
        done = toolglean(command, f"{path}:{line}", *args)
        assert done.returncode == 1
        assert f"toolglean: {path}: line {line}" in done.stderr.decode()
        assert said in done.stderr.decode()


@pytest.mark.parametrize("command", ["explain", "replay", "bench"])
def test_of_many_turns_the_first_is_used_and_that_is_said(command: str, tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", {"id": 1, "content": "Hello."}, {"id": 2, "content": CALL[:-20]})
    args = {"replay": ["--html", str(tmp_path / "page.html")], "bench": ["--json"]}.get(command, [])
    done = toolglean(command, log, *args)
    assert done.returncode == 0
    assert done.stderr.decode() == (
        f"toolglean: {log} has many turns, and this is the one on line 1; for another one, pass {log}:LINE\n"
    )
    assert toolglean(command, f"{log}:1", *args).stderr == b""


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gz", pytest.param("zst", marks=needs_zstd)])
@pytest.mark.parametrize("data", [CALL, json.dumps([CALL[:9], CALL[9:]]), json.dumps({"id": 1, "content": CALL})])
def test_compressed_input(kind: str, data: str, tmp_path: Path) -> None:
    packed = gzip.compress(data.encode()) if kind == "gz" else zstd().compress(data.encode())
    (tmp_path / "any name").write_bytes(packed)
    args = ["--turns"] if data.startswith("{") else []
    found = read_by_all(tmp_path, str(tmp_path / "any name"), *args)
    assert found == ("hermes", [("f", None, {"x": 1}, "ok")])


@needs_pyarrow
def test_a_table(tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415  # an extra

    path = tmp_path / "log.parquet"
    parquet.write_table(tables([json.dumps({"id": n, "content": f"{n}. {CALL}"}) for n in range(5)]), path)
    rows = lines(toolglean("parse", str(path)))
    assert [row["content"] for row in rows[:-1]] == ["0. ", "1. ", "2. ", "3. ", "4. "]
    assert rows[-1]["summary"]["calls"] == 5
    assert read_by_all(tmp_path, f"{path}:3") == ("hermes", [("f", None, {"x": 1}, "ok")])
    assert b"this is Parquet, which has a turn in each row" in toolglean("parse", str(path), "--text").stderr


def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from toolglean.cli import main  # noqa: PLC0415  # for this test alone

    data = io.BufferedReader(io.BytesIO(gzip.compress(CALL.encode())))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    assert main(["parse"]) == 0
    assert json.loads(capsys.readouterr().out)["calls"][0]["name"] == "f"
