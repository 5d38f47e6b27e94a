"""`toolglean replay`, as a user calls it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.test_replay_page import Tree
from toolglean.cli import main
from toolglean.kit.demo import load_streams

TURN = 'I look. <tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
LOG = "\n".join(
    json.dumps(line)
    for line in (
        {"id": "a", "content": "Hello."},
        {"id": "b", "choices": [{"message": {"content": "One."}}, {"message": {"content": TURN}}]},
        {"error": {"message": "overloaded"}},
        {"id": "d", "message": {"role": "assistant", "content": "So.", "thinking": "Hm.", "tool_calls": [{"function": {"name": "g", "arguments": {}}}]}},
    )
)  # fmt: skip


def replayed(tmp_path: Path, *args: str, code: int = 0) -> dict[str, Any]:
    """The data on the page that the command writes."""
    page = tmp_path / "page.html"
    assert main(["replay", *args, "--html", str(page)]) == code
    tree = Tree(page.read_text(encoding="utf-8"))
    data: dict[str, Any] = json.loads(tree.texts["script"][0])
    assert tree.texts["title"] == [f"{data['title']} - replay"]
    return data


def chunks_of(data: dict[str, Any]) -> list[str]:
    """What was fed, step by step."""
    found = [""] * (data["steps"] - 1)
    for text, _, fed, *_ in data["parts"]:
        found[fed - 1] += text
    return found


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.jsonl"
    path.write_text(LOG, encoding="utf-8")
    return str(path)


def test_a_shipped_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = replayed(tmp_path, "glm-4.5")
    stream = next(each for each in load_streams() if each.name == "glm-4.5")
    assert chunks_of(data) == list(stream.tokens)
    assert data["title"] == "glm-4.5: reasoning first; then a tag for each argument"
    assert next(event for event in data["events"] if event[1] == "call_start")[-1] is True  # its tools are known
    told = capsys.readouterr().out
    assert told.startswith(f"{tmp_path / 'page.html'}: {len(stream.tokens)} tokens, ")
    assert "1 call, " in told


def test_a_call_that_is_not_complete_is_counted_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "turn.txt"
    path.write_text('<tool_call>{"name": "f", "arguments": {"a": 1', encoding="utf-8")
    assert main(["replay", str(path), "--html", str(tmp_path / "page.html")]) == 4
    assert ", 1 call (1 unfinished), " in capsys.readouterr().out


def test_chunks_stay_as_they_came(tmp_path: Path) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_text('"I look. "\n""\n"<tool_"\n"call>"\n"\\ud83d"\n', encoding="utf-8")
    data = replayed(tmp_path, str(path))
    assert chunks_of(data) == ["I look. ", "", "<tool_", "call>", "\ud83d"]
    assert data["notes"] == []
    assert chunks_of(replayed(tmp_path, str(path), "--chunk", "10")) == ["I look. <t", "ool_call>\ud83d"]
    assert "".join(chunks_of(replayed(tmp_path, str(path), "--text"))).startswith('"I look. "')


def test_text_is_cut_at_its_words(tmp_path: Path) -> None:
    path = tmp_path / "turn.txt"
    path.write_text(TURN, encoding="utf-8")
    data = replayed(tmp_path, str(path))
    assert chunks_of(data)[:3] == ["I", " look", "."]
    assert data["notes"] == ["The input does not show in which pieces the turn arrived, so it was cut at its words."]
    assert data["title"] == str(path)


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert replayed(tmp_path)["parts"] == []
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert "".join(chunks_of(replayed(tmp_path, "-"))) == "Hello."


def test_a_line_of_a_log(tmp_path: Path, log: str) -> None:
    assert "".join(chunks_of(replayed(tmp_path, log))) == "Hello."
    second = replayed(tmp_path, f"{log}:2")
    assert ("".join(chunks_of(second)), second["title"]) == ("One.", f"{log}: line 2, choice 0")
    assert "".join(chunks_of(replayed(tmp_path, f"{log}:2", "--choice", "1", "--turns"))) == TURN
    fourth = replayed(tmp_path, f"{log}:4", "--start", "reasoning")
    assert fourth["notes"][:2] == [
        "The server had already taken 3 characters of reasoning out of this turn.",
        "The server had already taken these calls out of this turn: g.",
    ]
    names = {event[1] for event in fourth["events"]}
    assert names == {"content"}  # the reasoning is not in the text any more


def test_options_are_those_of_parse(tmp_path: Path, log: str) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('["other"]', encoding="utf-8")
    data = replayed(tmp_path, f"{log}:2", "--choice", "1", "--tools", str(tools), "--format", "hermes")
    assert data["marks"][0][2] == "hermes"
    assert next(event for event in data["events"] if event[1] == "call_start")[-1] is False


def test_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["replay", "hermes", "--html", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"<!DOCTYPE html>\n")
