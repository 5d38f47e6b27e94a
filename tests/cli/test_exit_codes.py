"""The exit codes: one meaning in all commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_logs import write
from tests.cli.test_parse import COMMAND, toolglean
from tests.support import depth
from toolglean import parse as parsed
from toolglean.batch.lines import fields_of
from toolglean.batch.outcome import CUT_OFF, READ, UNREAD, code_of, worse
from toolglean.cli import main
from toolglean.kit.demo import load_streams, load_tools

CALL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
BROKEN = '<tool_call>{"name": "f", "arguments": {"x": 1, y: 2}}</tool_call>'

TURNS: list[tuple[str, int]] = [
    ("", READ),
    ("no call", READ),
    (f"Hi. {CALL}", READ),
    ("<think>Hm.</think>Hi.", READ),
    ("Write <tool_call> first.", READ),
    (CALL[:-20], CUT_OFF),  # in its arguments
    ("<tool_call>", CUT_OFF),  # after its opener
    ('Hi <tool_call>{"na', CUT_OFF),  # before its name is whole
    ("<tool_call>\n<function=f>\n<parameter=x>\n1", CUT_OFF),
    (f"{CALL}\n{CALL[:-20]}", CUT_OFF),  # a good call is before it
    (BROKEN, UNREAD),
    ("<tool_call>{oops}", UNREAD),
    ("<tool_call>{oops", UNREAD),  # cut off, too, but it could not be read before that
    (f"{BROKEN}\n{CALL[:-20]}", UNREAD),  # cut off, and something worse
    (f"`{CALL}`", UNREAD),  # a call that is quoted: a problem
    (CALL.replace('"x": 1', '"x": 1, "x": 2'), UNREAD),
    (CALL.replace("}}", "}"), UNREAD),  # repaired: not read as it was written
]

WAYS: dict[str, Callable[[str, Path], list[str]]] = {
    "parse": lambda text, folder: ["parse", "--text", str(write(folder / "turn.txt", [text]))],
    "parse --events": lambda text, folder: ["parse", "--events", "--text", str(write(folder / "turn.txt", [text]))],
    "parse --stream": lambda text, folder: ["parse", "--stream", str(write(folder / "turn", [json.dumps(each) for each in text]))],
    "parse --turns": lambda text, folder: ["parse", "--turns", _log(text, folder)],
    "parse --summary": lambda text, folder: ["parse", "--turns", "--summary", _log(text, folder)],
    "parse --output": lambda text, folder: ["parse", _log(text, folder), "--output", str(folder / "rows.jsonl")],
    "a line": lambda text, folder: ["parse", f"{_log(text, folder)}:2"],
    "explain": lambda text, folder: ["explain", "--text", str(write(folder / "turn.txt", [text]))],
    "doctor": lambda text, folder: ["doctor", "--text", str(write(folder / "turn.txt", [text]))],
    "doctor, a line": lambda text, folder: ["doctor", f"{_log(text, folder)}:2"],
    "explain a line": lambda text, folder: ["explain", f"{_log(text, folder)}:2"],
    "replay": lambda text, folder: ["replay", *("--text", str(write(folder / "turn.txt", [text])), "--html", str(folder / "page.html"))],
    "replay a line": lambda text, folder: ["replay", f"{_log(text, folder)}:2", "--html", str(folder / "page.html")],
}  # fmt: skip


def _log(text: str, folder: Path) -> str:
    rows = [{"id": 1, "content": "Hello."}, {"id": 2, "content": text}]
    return str(write(folder / "log.jsonl", [json.dumps(each) for each in rows]))


@pytest.mark.sampled(1, each="text")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("text", "code"), TURNS)
def test_a_turn_has_one_code_in_every_command(text: str, code: int, way: str, tmp_path: Path) -> None:
    assert toolglean(*WAYS[way](text, tmp_path)).returncode == code


def test_a_cut_is_never_more_than_a_cut() -> None:
    """A turn of the shipped streams that stops anywhere: it was read so far, or its call was cut off."""
    for stream in load_streams():
        text = "".join(stream.tokens)
        ends = range(0, len(text), 1 if depth.is_full() else 7)
        codes = [code_of(fields_of(parsed(text[:end], load_tools()))) for end in ends]
        assert set(codes) == {READ, CUT_OFF}, stream.name
        assert code_of(fields_of(parsed(text, load_tools()))) == READ


def test_the_worst_turn_decides() -> None:
    assert [worse(READ, CUT_OFF), worse(CUT_OFF, UNREAD), worse(UNREAD, READ)] == [CUT_OFF, UNREAD, UNREAD]


@pytest.mark.parametrize("output", [[], ["--output"]])
@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ([CALL, "Hi"], READ),
        (["none", "Hi"], READ),
        (["<tool_call>{oops</tool_call>", "Hi"], UNREAD),
        ([CALL, CALL[:-20]], CUT_OFF),
        ([CALL[:-20], CALL], CUT_OFF),
        ([CALL[:-20], BROKEN, CALL], UNREAD),
        ([BROKEN, CALL[:-20]], UNREAD),
        ([CALL, None], UNREAD),  # a line that is not a turn
        ([None, CALL[:-20]], UNREAD),
    ],
)
def test_a_log_has_the_code_of_its_worst_line(
    texts: list[str | None], code: int, output: list[str], tmp_path: Path
) -> None:
    rows = [json.dumps({"id": place, "content": text} if text else {"id": 1}) for place, text in enumerate(texts)]
    log = str(write(tmp_path / "log.jsonl", rows))
    given = [*output, str(tmp_path / "rows.jsonl")] if output else ["--turns"]
    assert toolglean("parse", log, *given).returncode == code
    if output:  # the same when all rows are there, and are only counted
        assert toolglean("parse", log, *given, "--resume").returncode == code


# By default, tests/cli/test_templates.py has a hostile one.
TEMPLATES = {"good.jinja": (0, 0, 1), "broken.jinja": (2, 2, 2)}
TEMPLATES |= {"hostile.jinja": (1, 1, 1)} if depth.is_full() else {}


@pytest.mark.usefixtures("few_signs", "rendered_here")
@pytest.mark.parametrize(("template", "codes"), TEMPLATES.items())
def test_templates(template: str, codes: tuple[int, int, int], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="the templates are Jinja")
    pytest.importorskip("hypothesis", reason="fuzzing needs it")
    path = str(Path(__file__).parents[2] / "fixtures" / "templates" / template)
    examples = ["--examples", "20" if depth.is_full() else "1"]
    fuzz = ["fuzz", path, *examples, "--seed", "1"]  # the good one writes no reasoning
    found = (main(["inspect", path, *examples]), main([*fuzz, "--allow-loss", "reasoning"]), main(fuzz))
    capsys.readouterr()
    assert found == codes


def test_conformance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deaf.py").write_text("def read(text, tools):\n    return {'content': text, 'calls': []}\n")
    sys.path.insert(0, str(tmp_path))
    try:
        assert main(["conformance", "--only", "written/two"]) == 0
        assert main(["conformance", "--only", "written/two", "--parser", "deaf:read"]) == 1
        assert main(["conformance", "--only", "no such case"]) == 2
    finally:
        sys.path.remove(str(tmp_path))
    capsys.readouterr()


# -- streams that are closed or full -----------------------------------------------------------------------------------

LONG = json.dumps({"id": 1, "content": "word " * 4000}) + "\n"


@pytest.mark.skipif(os.name != "posix", reason="bash closes the streams")
@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("| head -c 1 > /dev/null; exit ${PIPESTATUS[2]}", 141, ""),
        ("> /dev/full", 2, "toolglean: standard output: No space left on device\n"),
        (">&-", 0, ""),
        ("> /dev/null 2>&-", 0, ""),
    ],
)
def test_the_output_is_closed_or_full(end: str, code: int, said: str) -> None:
    command = f'yes "$LINE" | head -n 6 | "$0" -m toolglean parse --turns {end}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable],
        env={**os.environ, "LINE": LONG.strip()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.skipif(os.name != "posix", reason="bash closes the stream")
def test_the_input_is_closed() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$0" -m toolglean parse <&-', COMMAND[0]],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "toolglean: standard input: it is closed; pass the name of a file\n")
