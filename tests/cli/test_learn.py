"""`toolglean learn`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.trace_formats import FORMATS, TAUGHT, TOOLS
from toolglean import Format
from toolglean.cli import main

NOVA = next(each for each in FORMATS if each.name == "coin")
TURNS = [NOVA.turn(meant) for meant in TAUGHT]
CALLS = [[{"name": name, "arguments": arguments} for name, arguments in meant.calls] for meant in TAUGHT]


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return str(path)


def lines(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def pasted(code: str) -> Format:
    space: dict[str, Any] = {}
    exec(code, space)  # noqa: S102
    [found] = [value for value in space.values() if isinstance(value, Format)]
    return found


@pytest.mark.parametrize(
    "row",
    [lambda turn: turn, lambda turn: {"text": turn}, lambda turn: {"id": "a", "role": "assistant", "content": turn}],
    ids=["strings", "texts", "messages"],
)
def test_the_declaration_can_be_pasted(
    row: Callable[[str], Any], tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = lines(tmp_path / "log.jsonl", [row(turn) for turn in TURNS])
    assert main(["learn", log, "--tools", tools, "--name", "nova"]) == 0
    shown, _, code = capsys.readouterr().out.partition("\n\n")
    assert pasted(code) == Format.from_turns(TURNS, TOOLS, name="nova")
    assert shown.startswith("format      learnt\nevidence    5 of 5 turns: 8 calls")
    assert "losses      only turn 5 shows all that it needs" in shown


def test_the_tools_are_those_of_the_lines(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(Path(tools).read_text())
    rows = [{"text": turn, "tools": told[number % 2 :]} for number, turn in enumerate(TURNS)]
    assert main(["learn", lines(tmp_path / "log.jsonl", rows), "--name", "nova"]) == 0
    found = capsys.readouterr().out
    assert main(["learn", lines(tmp_path / "texts.jsonl", TURNS), "--tools", tools, "--name", "nova"]) == 0
    assert found == capsys.readouterr().out


def test_texts_are_turns(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(len(TURNS))]
    for file, turn in zip(files, TURNS, strict=True):
        file.write_text(turn)
    assert main(["learn", *map(str, files), "--tools", tools]) == 0
    assert pasted(capsys.readouterr().out.partition("\n\n")[2]) == Format.from_turns(TURNS, TOOLS)


def test_json_has_the_same(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = lines(tmp_path / "log.jsonl", TURNS)
    assert main(["learn", log, "--tools", tools, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"]["call"] == "<|fn|>{name}{arguments}<|/fn|>"
    assert found["recognised"] is None
    assert found["losses"] == ["only turn 5 shows all that it needs: pass more turns like it"]


def test_a_format_in_a_file_is_read_by_other_commands(
    tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log, file = lines(tmp_path / "log.jsonl", [{"text": turn} for turn in TURNS]), str(tmp_path / "nova.json")
    assert main(["learn", log, "--tools", tools, "--name", "nova", "--output", file]) == 0
    assert Format.from_json(Path(file).read_text()) == Format.from_turns(TURNS, TOOLS, name="nova")
    capsys.readouterr()
    assert main(["parse", log, "--turns", "--format", file, "--tools", tools]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    calls = [row["calls"] for row in rows if "calls" in row]
    assert [[{key: call[key] for key in ("name", "arguments")} for call in row] for row in calls] == CALLS
    Path(file).write_text(Format("nova", call="<go>{name}<with>{arguments}</go>").to_json())
    assert main(["grammar", file, "--tools", tools]) == 0
    capsys.readouterr()
    (tmp_path / "wrong.json").write_text('{"toolglean_format": 9}')
    assert main(["parse", log, "--turns", "--format", str(tmp_path / "wrong.json")]) == 2
    assert "wrong.json: toolglean_format=9 is not a version" in capsys.readouterr().err


def test_turns_that_are_left_out_are_named(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = lines(tmp_path / "log.jsonl", [*TURNS, TURNS[0][:60]])
    assert main(["learn", log, "--tools", tools]) == 0
    assert "turn 6 is left out: " in capsys.readouterr().out
    assert main(["learn", log, "--tools", tools, "--json"]) == 0
    [left_out] = json.loads(capsys.readouterr().out)["left_out"]
    assert left_out["turn"] == 6
    assert left_out["reason"]


def test_a_known_format_is_named(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for row in CALLS for call in row]
    assert main(["learn", lines(tmp_path / "log.jsonl", turns), "--tools", tools]) == 0
    out = capsys.readouterr().out
    assert out.startswith("format      hermes (known)\n")
    assert out.endswith("Parser(tools, format='hermes')\n")


def test_a_refusal_says_why(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = lines(tmp_path / "log.jsonl", ["Hello.", "Hi.", "Well."])
    assert main(["learn", log, "--tools", tools]) == 1
    assert "no turn contains the name of a tool" in capsys.readouterr().err
    assert main(["learn", log, "--tools", tools, "--json"]) == 1
    assert "no turn contains" in json.loads(capsys.readouterr().out)["reason"]


def test_answers_are_believed(tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = lines(tmp_path / "log.jsonl", TURNS)
    answers = lines(tmp_path / "answers.jsonl", CALLS)
    assert main(["learn", log, "--tools", tools, "--answers", answers]) == 0
    wrong = lines(tmp_path / "wrong.jsonl", [CALLS[1], *CALLS[1:]])
    capsys.readouterr()
    assert main(["learn", log, "--tools", tools, "--answers", wrong]) == 0
    assert "turn 1 is left out: a call of get_weather is read, and its answer has send_note" in capsys.readouterr().out
    wrong = lines(tmp_path / "wrong.jsonl", [*CALLS[1:], CALLS[0]])
    assert main(["learn", log, "--tools", tools, "--answers", wrong]) == 1
    assert "its answer has" in capsys.readouterr().err


def test_a_line_of_a_log_that_is_no_json_is_named(
    tmp_path: Path, tools: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole log was one turn."""
    log = tmp_path / "turns.jsonl"
    log.write_text(f"{json.dumps('a')}\n{json.dumps('b')}\n{{cut\n", encoding="utf-8")
    assert main(["learn", str(log), "--tools", tools]) == 2
    assert "turns.jsonl: line 3, column 2: not valid JSON" in capsys.readouterr().err
