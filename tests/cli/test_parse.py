"""`toolglean parse`, as a user calls it: with real pipes in its own process, or, by default, mostly in this one.

A process costs a hundred times what it does: at full depth each test starts one, by default those that are about it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.support import depth
from toolglean.cli import main

COMMAND = [sys.executable, "-W", "error", "-m", "toolglean"]
TAG = ["--tag", "<tool_call>"]
CALL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'


def toolglean(*args: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *args]
    if depth.is_full() or "PYTHONUTF8" in env:
        return subprocess.run(
            command, input=stdin, capture_output=True, timeout=60, check=False, env={**os.environ, **env}
        )
    with pytest.MonkeyPatch.context() as patch:
        out, err = io.BytesIO(), io.BytesIO()
        for name, value in env.items():
            patch.setenv(name, value)
        encoding = env.get("PYTHONIOENCODING", "utf-8")
        for name, stream in (("stdin", io.BytesIO(stdin)), ("stdout", out), ("stderr", err)):
            errors = "backslashreplace" if name == "stderr" or encoding == "utf-8" else "strict"
            patch.setattr(sys, name, io.TextIOWrapper(stream, encoding=encoding, errors=errors))
        try:
            code = main(args)
        except SystemExit as ended:  # argparse ends what it cannot read
            code = int(ended.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def lines(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line]


def test_it_is_the_same_in_a_process_of_its_own() -> None:
    given = f"Hi. {CALL} Zoë".encode()
    done = subprocess.run([*COMMAND, "parse", *TAG], input=given, capture_output=True, timeout=60, check=False)
    here = toolglean("parse", *TAG, stdin=given)
    assert (done.returncode, done.stdout, done.stderr) == (here.returncode, here.stdout, here.stderr) != (0, b"", b"")


def test_a_turn_is_one_line() -> None:
    done = toolglean("parse", *TAG, stdin=f"Hi. {CALL}".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    [turn] = lines(done)
    assert list(turn) == ["format", "content", "reasoning", "calls", "unfinished", "problems"]
    assert turn["format"] is None  # only its tag is known
    assert turn["content"] == "Hi. "
    [call] = turn["calls"]
    assert call["name"] == "f"
    assert call["arguments"] == {"x": 1}
    assert call["span"] == [4, 4 + CALL.index("</")]
    assert (call["status"], call["known"]) == ("ok", None)


def test_events_are_named() -> None:
    done = toolglean("parse", "--events", *TAG, stdin=f"Hi. {CALL}".encode())
    assert done.returncode == 0
    found = lines(done)
    names = [name for name, _ in groupby(line["event"] for line in found)]
    assert names == ["content", "call_start", "call_delta", "call_end", "end"]
    assert "".join(line["text"] for line in found if line["event"] == "call_delta") == '{"x": 1}'
    assert found[-2]["call"]["arguments"] == {"x": 1}
    assert found[-1] == {"event": "end", "format": None}
    assert found[0] == {"event": "content", "text": "Hi. ", "start": 0}


@pytest.mark.parametrize(
    "stream",
    [
        '"Hi. "\n"<tool_"\n"call>"\n',
        '"Hi. "\n\n  "<tool_"\r\n"call>"',  # blank lines, spaces and other line ends do not count
        '["Hi. ", "<tool_", "call>"]',
        '\ufeff["Hi. "]\n["<tool_", "call>"]\n',
        '{"chunk": "Hi. "}\n{"token": "<tool_"}\n{"content": "call>", "n": 1}\n',
        '{"text": "Hi. <tool_call>"}\n',
    ],
)
def test_json_lines_are_recognised(stream: str) -> None:
    body = json.dumps('{"name": "f", "arguments": {"x": 1}}')
    done = toolglean("parse", *TAG, stdin=f"{stream}\n{body}\n".encode())
    assert done.stderr == b""
    [turn] = lines(done)
    assert turn["content"] == "Hi. "
    assert turn["calls"][0]["arguments"] == {"x": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "plain\n",
        '"Yes," she said.\n',  # begins like a JSON string
        '{"name": "f"}\n{"x": 1}',  # objects, and no chunks
        '{"text": 1}',
        "[1, 2]",
        '["a", 1]',
        '"unfinished',
        "[" * 100_000,
        '{"chunk": ' + "1" * 5000 + "}",
        "a\r\nb\rc\u2028d\n",  # line breaks stay as they are
        "Zoë 李 😀",
    ],
)
def test_text_is_recognised(text: str) -> None:
    done = toolglean("parse", *TAG, stdin=text.encode())
    assert done.stderr == b""
    assert lines(done)[0]["content"] == text


def test_the_form_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "turn"
    path.write_bytes(b'"Hi"\n')
    assert lines(toolglean("parse", *TAG, str(path)))[0]["content"] == "Hi"
    assert lines(toolglean("parse", *TAG, "--stream", str(path)))[0]["content"] == "Hi"
    assert lines(toolglean("parse", *TAG, "--text", str(path)))[0]["content"] == '"Hi"\n'


@pytest.mark.parametrize(
    ("stdin", "place"),
    [
        (b'"a"\n\n"b', "line 3, column 1: not valid JSON (Unterminated string"),
        (b'"a"\n  {"n": 1}\n', "line 2, column 3: not a valid chunk"),
        (b'"a"\n["b", 2]\n', "line 2, column 1: not a valid chunk"),
        (b'"a"\n{"x": }', "line 2, column 7: not valid JSON (Expecting value"),
        (b'"a"\n' + b"[" * 100_000, "line 2, column 1: "),
        (b"one\ntwo \xff", "line 2, column 5: not valid UTF-8"),
        ("one\nzoë".encode()[:-1], "line 2, column 3: not valid UTF-8"),  # the end is cut inside a character
    ],
)
def test_broken_input_is_shown_with_its_place(stdin: bytes, place: str) -> None:
    done = toolglean("parse", *TAG, stdin=stdin)
    assert done.returncode == 2
    assert f"toolglean: standard input: {place}" in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_place_of_a_broken_byte_is_counted_over_blocks(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * 70_000 + b"\n" + "ë".encode() * 70_000 + b"\xff")
    done = toolglean("parse", *TAG, str(path))
    assert f"{path}: line 2, column 70001: not valid UTF-8" in done.stderr.decode()


@pytest.mark.parametrize("tools", [["f"], [{"type": "function", "function": {"name": "f"}}]])
def test_tools_decide_what_is_known(tools: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text("\ufeff" + json.dumps(tools), encoding="utf-8")
    other = CALL.replace('"f"', '"g"')
    [turn] = lines(toolglean("parse", *TAG, "--tools", str(path), stdin=(CALL + other).encode()))
    assert [(call["name"], call["known"]) for call in turn["calls"]] == [("f", True), ("g", False)]


CODER = "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ([], "qwen3-coder"),
        (["--format", "auto"], "qwen3-coder"),
        (["--format", "Qwen3_XML"], "qwen3-coder"),
        (["--model", "Qwen/Qwen3-Coder-30B-A3B-Instruct"], "qwen3-coder"),
        (["--model", "qwen3.5:4b"], "qwen3-coder"),
        (["--format", "step-3.5"], "step-3.5"),
    ],
)
def test_the_format_is_named_or_found_out(args: list[str], found: str) -> None:
    done = toolglean("parse", *args, stdin=f"Hi. {CODER}".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    [turn] = lines(done)
    assert (turn["format"], turn["content"]) == (found, "Hi. ")
    assert [(call["name"], call["arguments"]) for call in turn["calls"]] == [("f", {"x": "1"})]
    assert lines(toolglean("parse", *args, "--events", stdin=CODER.encode()))[-1] == {"event": "end", "format": found}


def test_a_turn_that_shows_no_format() -> None:
    assert lines(toolglean("parse", stdin=b"Hello."))[0]["format"] is None
    assert lines(toolglean("parse", "--format", "hermes", stdin=b"Hello."))[0]["format"] == "hermes"


def test_reasoning_that_the_prompt_has_opened(tmp_path: Path) -> None:
    path = tmp_path / "prompt"
    path.write_text("<|im_start|>assistant\n<think>\n", encoding="utf-8")
    turn = f"Hm.\n</think>\n\nHi. {CALL}".encode()
    for options in (["--start", "reasoning"], ["--prompt", str(path)]):
        [found] = lines(toolglean("parse", "--format", "hermes", *options, stdin=turn))
        assert (found["reasoning"], found["content"]) == ("Hm.", "Hi. ")
        assert found["calls"][0]["span"][0] == turn.index(b"<tool_call>")  # counted from the prompt's end
    assert lines(toolglean("parse", "--format", "hermes", stdin=turn))[0]["reasoning"] == ""


def test_closer() -> None:
    text = CALL.replace("</tool_call>", "<end>")
    assert lines(toolglean("parse", *TAG, stdin=text.encode()))[0]["content"] == "<end>"
    assert lines(toolglean("parse", *TAG, "--closer", "<end>", stdin=text.encode()))[0]["content"] == ""


def test_template(tmp_path: Path) -> None:
    path = tmp_path / "chat.template"
    path.write_text('{{ if .ToolCalls }}<tool_call>{"name": "x"}</tool_call>{{ end }}', encoding="utf-8")
    [turn] = lines(toolglean("parse", "--template", str(path), stdin=CALL.encode()))
    assert turn["calls"][0]["name"] == "f"


def test_broken_template_is_shown_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "chat.template"
    path.write_text("one\n{{ if }}two", encoding="utf-8")
    done = toolglean("parse", "--template", str(path), stdin=CALL.encode())
    assert done.returncode == 2
    message = done.stderr.decode()
    assert message.startswith(f"toolglean: {path}: ")
    assert "line 2, column " in message
    assert "{{ if }}two" in message


def test_output_is_utf8_on_every_locale() -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = toolglean("parse", *TAG, stdin="Zoë 😀".encode(), **env)
    assert "Zoë 😀" in done.stdout.decode("utf-8")


def test_surrogates_come_out_as_they_went_in() -> None:
    # Servers cut an emoji into its surrogates: apart they are not UTF-8, together they are the emoji again.
    done = toolglean("parse", *TAG, "--events", stdin=b'"\\ud83d"\n"\\ude00"\n')
    assert [line["text"] for line in lines(done)[:-1]] == ["\ud83d", "\ude00"]
    assert lines(toolglean("parse", *TAG, stdin=b'"\\ud83d"\n"\\ude00"\n'))[0]["content"] == "😀"


@pytest.mark.parametrize(
    ("first", "args", "key"),
    [
        ('"Hi"\n', [*TAG, "--events"], "text"),
        ("Hi", [*TAG, "--events"], "text"),
        ('{"id": 1, "content": "Hi"}\n', ["--turns"], "content"),
    ],
)
def test_input_is_read_as_it_arrives(first: str, args: list[str], key: str) -> None:
    with subprocess.Popen(
        [*COMMAND, "parse", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(first.encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())[key] == "Hi"  # while standard input is still open
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [*COMMAND, "parse", *TAG, "--events", "--stream"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'"x"\n')
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        try:
            process.stdin.write(b'"x"\n' * 1000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""
