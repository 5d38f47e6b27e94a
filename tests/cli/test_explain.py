"""`toolglean explain`, as a user calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.test_parse import toolglean

GEMMA = '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'
QUOTE = '<|"|>'
LOOK = {"name": "look", "parameters": {"type": "object", "properties": {"city": {}}, "required": ["city"]}}
BROKEN = 'Hi.\n<tool_call>{"name": "say", "arguments": {"text": "a "b" c"}}</tool_call>'


def shown(*args: str, text: str, **env: str) -> str:
    done = toolglean("explain", *args, stdin=text.encode(), **env)
    assert done.stderr == b""
    return done.stdout.decode()


def test_it_shows_the_turn_the_markers_and_the_cause() -> None:
    done = toolglean("explain", stdin=BROKEN.encode())
    assert (done.returncode, done.stderr) == (1, b"")
    rows = done.stdout.decode().splitlines()
    assert rows[0] == "Read as hermes: 0 complete calls"
    assert rows[1].split() == ["1:1", "content", "'Hi.\\n'"]
    assert rows[2].split()[:4] == ["2:1", "call", "say", "malformed"]
    text = "\n".join(rows)
    assert "2:1  '<tool_call>'  read as call; fits hermes, " in text
    assert "ended at 2:54, after 53 characters; expected a comma or the end of the object" in text
    assert "  json-broken, at 2:54\n" in text


def test_it_shows_what_reads_more() -> None:
    text = shown("--format", "hermes", text=GEMMA)
    assert "gemma-4: a whole call of get_weather, to 1:62" in text
    assert '\n  format="gemma-4"  (--format gemma-4)  ->  1 call: get_weather\n' in text


def test_a_good_turn() -> None:
    done = toolglean("explain", stdin=GEMMA.encode())
    assert done.returncode == 0
    assert done.stdout.decode().endswith("\nEvery call was read.\n")


def test_a_repaired_turn_ends_with_a_verdict() -> None:
    # It ended with the markers, and left open whether anything was lost.
    text = '<tool_call>{"name": "f", "arguments": {"a": 1}</tool_call>'
    assert "problem    repaired" in shown(text=text)
    assert shown(text=text).endswith("\nEvery call was read.\n")


def test_problems_stand_with_the_parts_and_quotations_have_their_lines() -> None:
    # The problems came after the quotations, as if they were of these; where a quotation opened was a bare offset.
    rows = shown(text='So:\n\n```\n<tool_call>{"name": "f"}</tool_call>\n```\n').splitlines()
    assert [each.split()[1] for each in rows[1 : rows.index("")]] == ["content", "problem"]
    assert "        a  a code fence, opened at 3:1" in rows


def test_options_are_those_of_parse(tmp_path: Path) -> None:
    tools, prompt = tmp_path / "tools.json", tmp_path / "prompt.txt"
    tools.write_text('["other"]', encoding="utf-8")
    prompt.write_text("<think>\n", encoding="utf-8")
    assert "not one of the tools" in shown("--tools", str(tools), text=f"So: {GEMMA}")
    assert "reasoning  'Hm.'" in shown("--start", "reasoning", text="Hm.</think>Hello.")
    assert "reasoning  'Hm.'" in shown("--prompt", str(prompt), text="Hm.</think>Hello.")
    assert "other-dialect" in shown("--model", "Qwen/Qwen3-8B", text=GEMMA)
    assert "other-dialect" in shown("--tag", "<tool_call>", text=GEMMA)


def test_a_file_and_chunks(tmp_path: Path) -> None:
    file = tmp_path / "turn.txt"
    file.write_text(BROKEN, encoding="utf-8")
    assert toolglean("explain", str(file)).stdout == toolglean("explain", "-", stdin=BROKEN.encode()).stdout
    lines = "".join(json.dumps(piece) + "\n" for piece in (BROKEN[:20], BROKEN[20:]))
    assert shown("--stream", text=lines) == shown(text=lines) == shown(text=BROKEN)
    assert "content    '\"a\"\\n'" in shown("--text", text='"a"\n')


def test_json() -> None:
    found = json.loads(shown("--json", "--format", "hermes", text=f"Hi.\n{GEMMA} {BROKEN}"))
    assert set(found) == {
        "format", "complete", "calls", "spans", "quotations", "problems", "openers", "openers_left_out", "causes",
        "advice",
    }  # fmt: skip
    assert (found["format"], found["complete"], found["calls"], found["openers_left_out"]) == ("hermes", False, [], 0)
    place = {"start", "line", "column"}
    assert {key for span in found["spans"] for key in span} == {*place, "kind", "end", "text", "call"}
    call = next(span["call"] for span in found["spans"] if span["call"])
    assert (call["name"], call["status"], call["arguments_text"]) == ("say", "malformed", '{"text": "a "')
    assert {key for each in found["problems"] for key in each} == {*place, "code", "reason", "text"}
    opener = found["openers"][0]
    assert set(opener) == {*place, "text", "kind", "read_as", "quoted", "formats", "reaches", "left_out"}
    assert {key: opener["reaches"][0][key] for key in ("format", "outcome", "chars", "expected", "name", "within")} == {
        "format": "gemma-4",
        "outcome": "call",
        "chars": 61,
        "expected": [],
        "name": "get_weather",
        "within": "",
    }
    assert {key for each in found["causes"] for key in each} == {*place, "name", "text"}
    assert {"options": {"format": "auto"}, "text": 'format="auto"', "effect": "1 call: get_weather"}.items() <= {
        **found["advice"][0]
    }.items()


def test_json_is_utf_8_whatever_the_locale() -> None:
    done = toolglean("explain", "--json", stdin="Zoë 日本".encode(), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert json.loads(done.stdout)["spans"][0]["text"] == "Zoë 日本"


def test_a_terminal_that_cannot_show_it_gets_it_escaped() -> None:
    done = toolglean("explain", stdin="<｜DSML｜invoke".encode(), PYTHONIOENCODING="ascii")
    assert done.stderr == b""
    assert b"<\\uff5cDSML" in done.stdout


COLOUR = re.compile(r"\x1b\[[\d;]*m")


def test_colour() -> None:
    plain = shown(text=BROKEN)
    assert not COLOUR.search(plain)
    assert shown("--color", "never", text=BROKEN) == shown("--color", "auto", text=BROKEN) == plain
    coloured = shown("--color", "always", text=BROKEN)
    assert COLOUR.search(coloured)
    assert COLOUR.sub("", coloured) == plain
    assert shown("--color", "always", text=BROKEN, NO_COLOR="1") == coloured  # asked for outright


def test_much_is_left_out_and_counted() -> None:
    text = shown(text="<tool_call> " * 500)
    assert "… and 488 more markers" in text
    many = '<tool_call>{"name": "f", "arguments": {}}</tool_call>\n' * 50
    assert "more parts" in shown(text=many)
    assert len(text.splitlines()) < 120


def test_json_strings_are_shown_as_quotations_only_with_a_marker_in_them() -> None:
    # Of a call with a misspelt marker, each string had its own line and letter.
    plain = '<tool_cal>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    assert "Quoted" not in shown(text=plain)
    rows = shown(text=f'So: {{"a": "{GEMMA.replace(QUOTE, "")}", "b": "x"}}').splitlines()
    assert [each for each in rows if "  a JSON string" in each] == ["        a  a JSON string, opened at 1:11"]


def test_a_call_that_was_read_is_not_unreadable_too(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text(json.dumps([LOOK]), encoding="utf-8")
    text = '<tool_call>{"function": "look", "city": "Oslo"}</tool_call>'
    done = toolglean("explain", "--tools", str(tmp_path / "tools"), stdin=text.encode())
    rows = [each for each in done.stdout.decode().splitlines() if "problem" in each]
    assert [each.split()[2:7] for each in rows] == [["call", "in", "a", "spelling", "that"]]


def test_two_options_at_once_are_advice(tmp_path: Path) -> None:
    # Of a fence after other text, nothing was tried if the model's name was given.
    (tmp_path / "tools").write_text(json.dumps([LOOK]), encoding="utf-8")
    text = 'So.\n\n```json\n{"name": "look", "arguments": {"city": "Oslo"}}\n```'
    given = ("--tools", str(tmp_path / "tools"), "--text")
    [advice] = re.findall(r"\((--.*)\)  ->", shown("--model", "qwen3:8b", *given, text=text))
    assert advice == "--format auto --quoted call"
    assert "1 complete call (look)" in shown(*advice.split(), *given, text=text)


def test_a_quoted_line_has_advice(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text('["say"]', encoding="utf-8")
    call = '> <tool_call>{"name": "say", "arguments": {}}</tool_call>'
    found = toolglean("explain", "--text", "--tools", str(tmp_path / "tools"), stdin=f"Like this:\n{call}\n".encode())
    assert 'options=ParserOptions(quoted="call")  (--quoted call)  ->  1 call: say\n' in found.stdout.decode()


def test_advice_shows_what_is_gained_if_the_call_was_complete_before(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text('["say"]', encoding="utf-8")
    call = b'<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    found = toolglean("explain", "--text", "--tools", str(tmp_path / "tools"), stdin=call).stdout.decode()
    assert (
        'Tried, and reads better\n  tools=[…, "look"]  (--tools FILE)  ->  1 call: look, now with known=True\n' in found
    )
