# Files with a turn on each line, as clients, servers and logs write them, and how they differ from files with a chunk on
# each line. Does not depend on how any format is read.
"""`toolglean parse` on many turns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import lines, toolglean
from tests.support import depth

CALL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
TEXT = f"Hi. {CALL}"
SERVER_CALL = {"id": "c1", "type": "function", "function": {"name": "g", "arguments": '{"y": 2}'}}


def fed(*values: Any) -> bytes:
    """A file with these lines: JSON values, or text as it is."""
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in values).encode()


def turns(*args: str, stdin: bytes) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows, and the summary."""
    *rows, last = lines(toolglean("parse", *args, stdin=stdin))
    return rows, last["summary"]


ANSWERS: dict[str, Any] = {
    "content": {"id": "a", "content": TEXT},
    "text": {"id": "a", "text": TEXT},
    "the user's id before the server's": {"custom_id": "a", "id": "batch_1", "response": {"body": {"content": TEXT}}},
    "OpenAI, chat": {
        "id": "a",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
    },
    "OpenAI, completions": {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": TEXT}]},
    "OpenAI, Responses": {
        "id": "a",
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]},
        ],
    },
    "OpenAI, batch": {
        "id": "batch_1",
        "custom_id": "a",
        "response": {"status_code": 200, "body": {"id": "x", "choices": [{"message": {"content": TEXT}}]}},
        "error": None,
    },
    "Ollama, chat": {"id": "a", "model": "m", "message": {"role": "assistant", "content": TEXT}, "done": True},
    "Ollama, generate": {"id": "a", "model": "m", "response": TEXT, "done": True, "context": [1, 2]},
    "a log of request and answer": {
        "id": "a",
        "request": {"messages": [{"role": "user", "content": "?"}]},
        "response": {"choices": [{"message": {"role": "assistant", "content": TEXT}}]},
    },
    "request and answer in one": {
        "id": "a",
        "messages": [{"role": "assistant", "content": "before"}, {"role": "user", "content": "?"}],
        "completion": TEXT,
    },
    "messages": {"id": "a", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": TEXT}]},
    "messages that go on": {"id": "a", "messages": [{"role": "assistant", "content": TEXT}, {"role": "tool", "content": "2"}]},
    "a message": {"id": "a", "role": "assistant", "content": TEXT},
    "a message in parts": {"id": "a", "role": "assistant", "content": [{"type": "text", "text": TEXT}]},
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_line_may_hold(name: str) -> None:
    other = {**ANSWERS[name], "id": "b", "custom_id": "b"}
    done = toolglean("parse", stdin=fed(ANSWERS[name], other))
    assert (done.returncode, done.stderr) == (0, b"")
    *rows, last = lines(done)
    assert [(row["id"], row["line"]) for row in rows] == [("a", 1), ("b", 2)]
    for row in rows:
        assert list(row) == ["id", "line", "format", "content", "reasoning", "calls", "unfinished", "problems"]
        assert (row["content"], row["reasoning"], row["format"]) == ("Hi. ", "", "hermes")
        [call] = row["calls"]
        assert (call["id"], call["name"], call["arguments"], call["span"]) == ("call_0", "f", {"x": 1}, [4, 51])
    counts = {"turns": 2, "calls": 2, "unfinished": 0, "problems": 0, "bad_lines": 0, "formats": {"hermes": 2}}
    assert last == {"summary": counts}
    [row], _ = turns("--turns", stdin=fed(ANSWERS[name]))
    assert row == rows[0]


@pytest.mark.parametrize(
    "turn",
    [
        {"role": "assistant", "reasoning_content": "Hm.", "content": TEXT, "tool_calls": [SERVER_CALL]},
        {"message": {"role": "assistant", "thinking": "Hm.", "content": TEXT, "tool_calls": [SERVER_CALL]}},
        {"choices": [{"message": {"reasoning": "Hm.", "content": TEXT, "tool_calls": [SERVER_CALL]}, "finish_reason": "stop"}]},
        {
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
                {"type": "message", "content": [{"type": "output_text", "text": TEXT}]},
                {"type": "function_call", "id": "fc", "call_id": "c1", "name": "g", "arguments": '{"y": 2}'},
            ]
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": TEXT},
                {"type": "tool_use", "id": "c1", "name": "g", "input": {"y": 2}},
            ],
        },
    ],
)  # fmt: skip
def test_what_the_server_has_parsed_is_not_lost(turn: Any) -> None:
    [row], summary = turns("--turns", stdin=fed({"id": 7, **turn}))
    assert (row["id"], row["reasoning"], row["content"]) == (7, "Hm.", "Hi. ")
    first, second = row["calls"]
    assert (first["index"], first["name"], first["id"]) == (0, "f", "call_0")
    assert (second["index"], second["name"], second["id"], second["status"]) == (1, "g", "c1", "ok")
    assert (second["arguments"], second["arguments_text"]) == ({"y": 2}, '{"y": 2}')
    assert summary["calls"] == 2


def test_a_call_that_the_server_has_parsed_and_left_in_the_text_is_one() -> None:
    """As for every client: it was two."""
    twin = {**SERVER_CALL, "function": {"name": "f", "arguments": '{"x": 1}'}}
    for calls, names in (([twin], "f"), ([twin, twin], "ff"), ([SERVER_CALL, twin], "fg")):
        [row], _ = turns("--turns", stdin=fed({"role": "assistant", "content": TEXT, "tool_calls": calls}))
        assert "".join(call["name"] for call in row["calls"]) == names
        assert [call["index"] for call in row["calls"]] == [*range(len(names))]


def test_ids_of_one_turn_differ() -> None:
    """The server's own stay; ours move on."""
    calls = [{**SERVER_CALL, "id": "call_0"}, {"function": {"name": "g", "arguments": {}}}]
    [row], _ = turns(stdin=fed({"role": "assistant", "content": TEXT, "tool_calls": calls}))
    assert [call["id"] for call in row["calls"]] == ["call_0_2", "call_0", "call_2"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"choices": [{"finish_reason": "length", "message": {"tool_calls": [{"function": {"name": "g"}}]}}]}, "incomplete"),
        ({"choices": [{"message": {"tool_calls": [{"function": {"name": "g", "arguments": '{"y": '}}]}}]}, "malformed"),
        ({"choices": [{"message": {"tool_calls": [{"function": {"arguments": "{}"}}]}}]}, "malformed"),
        ({"message": {"tool_calls": [{"function": {"name": "g", "arguments": {"y": float("nan")}}}]}}, "malformed"),
        ({"output": [{"type": "function_call", "name": "g", "arguments": "{}", "status": "incomplete"}]}, "incomplete"),
    ],
)  # fmt: skip
def test_an_unfinished_call_of_the_server_is_not_ok(answer: Any, status: str) -> None:
    done = toolglean("parse", stdin=fed(answer))
    row, last = lines(done)
    code = 4 if status == "incomplete" else 1
    assert (row["calls"], last["summary"]["unfinished"], done.returncode) == ([], 1, code)
    [call] = row["unfinished"]
    assert call["status"] == status
    assert "arguments" not in call


def test_several_choices_are_several_turns() -> None:
    choices = [{"index": each, "message": {"content": text}} for each, text in enumerate((TEXT, "No."))]
    rows, summary = turns(stdin=fed({"id": "a", "choices": choices}))
    assert [(row["id"], row["line"], row["choice"], row["content"]) for row in rows] == [
        ("a", 1, 0, "Hi. "),
        ("a", 1, 1, "No."),
    ]
    assert (summary["turns"], summary["formats"]) == (2, {"hermes": 1})


@pytest.mark.parametrize("empty", [{"message": {"content": None}}, {"finish_reason": "error"}])
def test_a_choice_that_is_empty_takes_no_other_with_it(empty: Any) -> None:
    """Nothing of the line was read."""
    rows, summary = turns("--turns", stdin=fed({"choices": [{"message": {"content": TEXT}}, empty]}))
    assert [(row["choice"], row["content"], len(row["calls"])) for row in rows] == [(0, "Hi. ", 1), (1, "", 0)]
    assert summary["bad_lines"] == 0
    assert turns("--turns", stdin=fed({"choices": [empty, empty]}))[1]["bad_lines"] == 1


def test_pictures_are_told_of() -> None:
    parts = [{"type": "text", "text": "Hi."}, {"type": "image_url", "image_url": {"url": "x"}}]
    [row], summary = turns(stdin=fed({"role": "assistant", "content": parts}))
    assert (row["content"], row["problems"][0]["code"]) == ("Hi.", "not-text")
    assert summary["problems"] == 1


A, B = {"id": 1, "content": "Hi"}, {"id": 2, "content": "Ho"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((A, B), ["Hi", "Ho"]),
        ((A,), ["Hi"]),
        (("", "  ", A, "", B), ["Hi", "Ho"]),
        ((A, "oops"), ["Hi"]),
        ((A, {"id": 2, "choices": [{"message": {"content": "Ho"}}]}), ["Hi", "Ho"]),
        (({"role": "assistant", "content": "Hi"}, {"role": "assistant", "content": "Ho"}), ["Hi", "Ho"]),
        (([{"role": "user", "content": "?"}, {"role": "assistant", "content": "Hi"}],), ["Hi"]),
        (({"id": 1, "error": {"message": "overloaded"}}, A, A), ["Hi", "Hi"]),
    ],
)
def test_turns_are_recognised(given: tuple[Any, ...], found: list[str]) -> None:
    rows, _ = turns(stdin=fed(*given))
    assert [row["content"] for row in rows] == found


@pytest.mark.parametrize(
    "given",
    [
        ({"content": "Hi"},),
        ({"content": "Hi"}, "b"),  # the message says where it is broken
        ({"chunk": "Hi"}, A, B),
        ({"token": "Hi", "id": 1}, {"token": "Hi", "id": 2}),
        ({"content": "Hi"}, '"Ho"'),
        ('"Hi"', A, B),
        ('["Hi", "Ho"]', A),
    ],
)
def test_chunks_stay_chunks(given: tuple[Any, ...]) -> None:
    done = toolglean("parse", stdin=fed(*given))
    assert b"summary" not in done.stdout
    assert done.returncode == 0 or b"line 2, column 1: not valid JSON (Expecting value" in done.stderr


@pytest.mark.parametrize(
    "given",
    [
        ({"content": "Hi"}, {"content": "Ho"}),
        ({"text": "Hi"}, {"text": "Ho"}),
        (A, A),  # chunks of one stream have one id, too
        (A, {"content": "Ho"}),
        (A, '"Ho"'),
        ({"content": "Hi"}, A),
        ({"role": "assistant", "content": "Hi"}, {"content": "Ho"}),
        ({"error": "overloaded"}, A),  # as text, the whole log would be one turn
        ('{"id": 1, "content": "H', A),
        ({"prompt": "?", "completion": "Hi"}, {"prompt": "?", "completion": "Ho"}),
        ({"response": "Hi"}, {"response": "Ho"}),
    ],
)
def test_what_could_be_either_is_asked_for(given: tuple[Any, ...]) -> None:
    done = toolglean("parse", stdin=fed(*given))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"pass --turns (a turn on each line), --stream (one turn in chunks)" in done.stderr
    assert b"summary" in toolglean("parse", "--turns", stdin=fed(*given)).stdout


def test_the_option_decides() -> None:
    given = fed({"content": "<tool_"}, {"content": CALL.removeprefix("<tool_")})
    [turn] = lines(toolglean("parse", "--stream", stdin=given))
    assert [call["name"] for call in turn["calls"]] == ["f"]
    rows, summary = turns("--turns", stdin=given)
    assert [row["content"] for row in rows] == ["<tool_", CALL.removeprefix("<tool_").removesuffix("</tool_call>")]
    assert summary["calls"] == 0
    assert [row["content"] for row in turns("--turns", stdin=fed('"Hi"', '["H", "o"]'))[0]] == ["Hi", "Ho"]
    assert turns("--turns", stdin=b"") == ([], turns("--turns", stdin=b"\n")[1])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("oops", "line 2, column 1: not valid JSON (Expecting value"),
        ('{"id": 1, "content": "H', "line 2, column 22: not valid JSON (Unterminated string"),
        ("[" * 100_000, "line 2, column 1: "),
        ("3", "line 2: this is a number; expected a JSON object with the text of a turn"),
        ("[1]", "line 2: this object has no turn"),
        ({"id": 9}, "line 2: this object has no turn: its keys are 'id'"),
        ({"id": 9, "content": None}, "line 2: this object has no turn"),
        ({"role": "assistant", "content": None}, "line 2: this turn has no text: its content is null"),
        ({"id": 9, "error": {"message": "over\nloaded"}}, "line 2: this is an error object, not a turn: over loaded"),
        ({"error": "overloaded"}, "line 2: this is an error object, not a turn: overloaded"),
        ({"custom_id": 9, "response": {"body": {"error": {"message": "no"}}}}, "line 2: this is an error object, not a"),
        ({"role": "user", "content": "?"}, "line 2: this message has role 'user'; only"),
        ({"messages": [{"role": "user", "content": "?"}]}, "line 2: messages has no message with role 'assistant'"),
        ({"object": "chat.completion.chunk", "choices": [{"delta": {"content": "a"}}]}, "line 2: this is one chunk of"),
        ({"model": "m", "message": {"content": "a"}, "done": False}, "line 2: this is one chunk of a server's stream"),
    ],
)  # fmt: skip
def test_a_bad_line_does_not_end_the_run(line: Any, message: str) -> None:
    given = fed(A, line, B)
    done = toolglean("parse", "--turns", stdin=given)
    *rows, last = lines(done)
    assert done.returncode == 1
    assert [row["line"] for row in rows] == [1, 3]
    assert (last["summary"]["turns"], last["summary"]["bad_lines"]) == (2, 1)
    assert done.stderr.decode().startswith(f"toolglean: standard input: {message}")
    assert done.stderr.count(b"\n") == 1
    strict = toolglean("parse", "--turns", "--fail-fast", stdin=given)
    assert strict.returncode == 2
    assert [row["line"] for row in lines(strict)] == [1]
    assert f"toolglean: standard input: {message}" in strict.stderr.decode()


def test_a_byte_that_is_not_utf8_spoils_its_line_only() -> None:
    done = toolglean("parse", stdin=fed(A, "X", B).replace(b"X", b'{"id": 3, "content": "\xff"}'))
    assert [row["content"] for row in lines(done)[:-1]] == ["Hi", "Ho"]
    assert b"line 2, column 23: not valid UTF-8" in done.stderr


def test_only_the_summary() -> None:
    [last] = lines(toolglean("parse", "--summary", stdin=fed(A, B)))
    assert last["summary"]["turns"] == 2


def test_bench_measures_one_stream() -> None:
    done = toolglean("bench", "-", "--json", stdin=fed({"id": 1, "content": "Hello"}, B))
    assert done.returncode == 0
    assert b"standard input has many turns, and this is the one on line 1" in done.stderr
    assert {each["characters"] for each in json.loads(done.stdout)["figures"]} == {len("Hello")}


def test_options_hold_for_every_turn(tmp_path: Path) -> None:
    prompt, tools = tmp_path / "prompt", tmp_path / "tools.json"
    prompt.write_text("<|im_start|>assistant\n<think>\n", encoding="utf-8")
    tools.write_text('["f"]', encoding="utf-8")
    text = f"Hm.\n</think>\n\n{TEXT}"
    given = fed({"id": 1, "content": text}, {"id": 2, "content": text}, {"id": 3, "content": TEXT, "thinking": "Hm."})
    options = ("--format", "hermes", "--prompt", str(prompt), "--tools", str(tools))
    rows, _ = turns(*options, stdin=given)  # the third: what the server has taken out is not looked for in the text
    assert [(row["reasoning"], row["content"]) for row in rows] == [("Hm.", "Hi. ")] * 3
    assert [row["calls"][0]["known"] for row in rows] == [True] * 3


def test_turns_do_not_touch_each_other() -> None:
    rows, summary = turns(
        stdin=fed({"id": 1, "content": TEXT[:-20]}, {"id": 2, "content": TEXT}, {"id": 3, "content": ""})
    )
    assert [len(row["calls"]) for row in rows] == [0, 1, 0]
    assert [row["format"] for row in rows] == ["hermes", "hermes", None]
    assert (summary["unfinished"], summary["formats"]) == (1, {"hermes": 2})


def test_arguments_deeper_than_python_recurses() -> None:
    deep = '{"a":' * 700 + "1" + "}" * 700
    answer = f'{{"id": 1, "message": {{"tool_calls": [{{"function": {{"name": "g", "arguments": {deep}}}}}]}}}}'
    done = toolglean("parse", stdin=fed(answer))
    assert done.returncode == 0
    assert done.stdout.count(b'{"a": ') == 700


MEMORY = r"""
import pathlib, re, sys
from toolglean.cli import main
for path in sys.argv[1:]:
    main(["parse", "--summary", path])
    print(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_many_turns_take_no_more_memory_than_a_few(tmp_path: Path) -> None:
    counts = (100, 10_000 if depth.is_full() else 400)
    for count in counts:
        rows = ({"id": each, "content": "word " * 1000 + TEXT} for each in range(count))
        (tmp_path / str(count)).write_bytes(fed(*rows))
    command = [sys.executable, "-c", MEMORY, *(str(tmp_path / str(count)) for count in counts)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=True)
    first, few, second, many = map(json.loads, done.stdout.decode().splitlines())
    assert [each["summary"]["calls"] for each in (first, second)] == [*counts]
    assert many < few + 1000  # kB: the longer file takes 50,000, or 2,000
