"""What is wrong is said in one or two sentences, with exit code 2: no traceback, no file or line of ours."""

from __future__ import annotations

import errno
import gzip
import os
import re
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import toolglean as package
from tests.cli.test_parse import toolglean
from tests.support import depth
from toolglean.cli import main

BINARY = bytes(range(128, 256)) * 4
LOG = b'{"id": 1, "content": "Hi"}\n{"id": 2, "content": "Ho"}\n'
FILES: dict[str, bytes] = {
    "turn.txt": b'Hi <tool_call>{"name": "f", "arguments": {}}</tool_call>',
    "log.jsonl": LOG,
    "choices.jsonl": b'{"id": 1, "choices": [{"message": {"content": "Hi"}}, {"message": {"content": "Ho"}}]}\n',
    "other.jsonl": b'{"other": 3}\n',
    "asked.jsonl": b'[{"role": "user", "content": "hi"}]\n',
    "open.jsonl": b'{"content": "Hi"}\n{"content": "Ho"}\n',
    "chunks.jsonl": b'"Hi"\n{"two": 2}\n',
    "mine.py": b"class P: pass\n",
    "binary": BINARY,
    "latin.txt": "Zo\u00eb".encode("latin-1"),
    "empty": b"",
    "broken.gz": b"\x1f\x8bbroken",
    "cut.gz": gzip.compress(LOG * 1000)[:-10],
    "damaged.gz": gzip.compress(LOG)[:12] + b"xxxxxxxxxxxx" + gzip.compress(LOG)[24:],
    "tools.json": b'["f"]',
    "broken.json": b'[{"name": "f"',
    "lines.json": b'[\n"f"\n"g"]',
    "number.json": b"[1]",
    "object.json": b'{"name": "f"}',
    "no-name.json": b'[{"type": "function"}]',
    "latin.json": '["Zo\u00eb"]'.encode("latin-1"),
    "deep.json": b"[" * 100_000,
    "open.jinja": b"{% for message in messages %}{{ message.content }}",
    "open.tmpl": b"{{ if .Tools }}x",
    "config.json": b'{"model_max_length": 1}',
    "format.json": b'{"toolglean_format": 1, "name": "x", "call": "<x>{name}{arguments}</x>"}',
}
PARSE = ["parse", "turn.txt"]
ENGINE = ["conformance", "--engine", "http://127.0.0.1:9"]
ONE = ["conformance", "--only", "written/prose/empty"]
GRAMMAR = ["grammar", "hermes", "--tools", "tools.json"]

ROWS: list[tuple[list[str], str]] = [
    # the input, which five commands read in the same way
    (["INPUT", "missing.txt"], "missing.txt: No such file or directory"),
    (["INPUT", "missing/turn"], "missing/turn: No such file or directory"),
    (["INPUT", "missing"], "toolglean: missing: no such file, and no shipped stream has that name (`toolglean demo --list`)"),
    (["INPUT", "missing.jsonl:3"], "toolglean: missing.jsonl:3: no such file, and no shipped stream has that name"),
    (["INPUT", "folder"], "folder: this is a directory; pass a file"),
    (["INPUT", "binary"], "binary: line 1, column 1: not valid UTF-8"),
    (["INPUT", "latin.txt"], "latin.txt: line 1, column 3: not valid UTF-8"),
    (["INPUT", "broken.gz"], "broken.gz: cannot be read: "),
    (["INPUT", "cut.gz", "--text"], "cut.gz: cannot be read: Compressed file ended before"),
    (["INPUT", "damaged.gz"], "damaged.gz: cannot be read: "),
    (["INPUT", "chunks.jsonl"], "chunks.jsonl: line 2, column 1: not a valid chunk"),
    (["INPUT", "turn.txt", "--stream"], "turn.txt: line 1, column 1: not valid JSON (Expecting value) (if this is text, pass --text)"),
    (["INPUT", "open.jsonl"], "open.jsonl: each line could be a whole turn or a chunk of one stream"),
    (["INPUT", "log.jsonl:x"], "log.jsonl:x: 'x' is not the number of a line; expected one such as log.jsonl:7"),
    (["INPUT", "log.jsonl:9"], "toolglean: log.jsonl: there is no turn on line 9"),
    (["INPUT", "log.jsonl:0"], "log.jsonl: there is no turn on line 0"),
    (["INPUT", "log.jsonl:1", "--stream"], "toolglean: log.jsonl:1: a line of a log was asked for, which is not one stream"),
    (["INPUT", "log.jsonl:1", "--text"], "toolglean: log.jsonl:1: a line of a log was asked for, which is not one stream: leave out --text"),
    (["INPUT", "-"], "standard input: line 2, column 2: not valid UTF-8"),
    (["INPUT", "turn.txt", "--text", "--turns"], "argument --turns: not allowed with argument --text"),
    (["INPUT", "turn.txt", "--text", "--stream"], "not allowed with argument --text"),
    (["INPUT", "log.jsonl", "--turns", "--stream"], "not allowed with argument --turns"),
    (["INPUT", "hermes", "--turns"], "hermes: this shipped stream is one turn in chunks, not turns: leave out --turns"),
    # how the model writes, in the same five
    (["INPUT", "turn.txt", "--format", "nobody"], "toolglean: unknown format 'nobody'; `toolglean formats` lists all"),
    (["INPUT", "turn.txt", "--format", "hermez"], "unknown format 'hermez'; did you mean hermes?"),
    (["INPUT", "turn.txt", "--tag", "x", "--format", "hermes"], "not allowed with argument"),
    (["INPUT", "turn.txt", "--format", "llama3-json", "--strict-format", "--start", "reasoning"], "has reasoning"),
    (["INPUT", "turn.txt", "--start", "thinking"], "invalid choice"),
    (
        ["INPUT", "turn.txt", "--model", "nobody"],
        "unknown model 'nobody': pass a format, a template or a tag instead, or nothing, to detect the format",
    ),
    (["INPUT", "turn.txt", "--format", "x", "--model", "y"], "argument --model: not allowed with argument --format"),
    (["INPUT", "turn.txt", "--closer", "x"], "--closer needs --tag"),
    (["INPUT", "turn.txt", "--set", "a=1"], "--set needs --template"),
    (["INPUT", "turn.txt", "--template", "open.jinja", "--tag", "x"], "--template cannot be combined with"),
    (["INPUT", "turn.txt", "--template", "missing"], "missing: No such file or directory"),
    (["INPUT", "turn.txt", "--template", "folder"], "folder: Is a directory"),
    (["INPUT", "turn.txt", "--template", "turn.txt"], "turn.txt: this is not a chat template, because it has nothing between"),
    (["INPUT", "turn.txt", "--template", "empty"], "empty: this is not a chat template"),
    (["INPUT", "turn.txt", "--template", "config.json"], "config.json: the tokenizer_config.json has no chat_template"),
    (["INPUT", "turn.txt", "--template", "open.tmpl"], "open.tmpl: "),
    (["INPUT", "turn.txt", "--prompt", "missing"], "missing: No such file or directory"),
    (["INPUT", "turn.txt", "--tools", "missing"], "missing: No such file or directory"),
    (["INPUT", "turn.txt", "--tools", "folder"], "folder: Is a directory"),
    (["INPUT", "turn.txt", "--tools", "broken.json"], "broken.json: line 1, column 14: not valid JSON (Expecting ',' delimiter"),
    (["INPUT", "turn.txt", "--tools", "lines.json"], "lines.json: line 3, column 1: "),
    (["INPUT", "turn.txt", "--tools", "number.json"], "1 is not a tool: pass a name"),
    (["INPUT", "turn.txt", "--tools", "object.json"], "object.json: line 1, column 1: expected a JSON list of tools"),
    (["INPUT", "turn.txt", "--tools", "no-name.json"], "no-name.json: {'type': 'function'} is not a tool"),
    (["INPUT", "turn.txt", "--tools", "latin.json"], "latin.json: line 1, column 5: not valid UTF-8"),
    (["INPUT", "turn.txt", "--tools", "deep.json"], "deep.json: maximum recursion depth exceeded"),
    (["INPUT", "turn.txt", "--tools", "binary"], "binary: line 1, column 1: not valid UTF-8"),
    (["INPUT", "turn.txt", "--quoted", "yes"], "argument --quoted: invalid choice: 'yes'"),
    # columns, and choices
    (["COLUMNS", "turn.txt", "--text-column", "x", "--text"], "--text-column is for turns: leave out --text"),
    (["CHOICE", "log.jsonl:1", "--choice", "1"], "--choice 1: the choices of log.jsonl: line 1 are 0 to 0"),
    (["CHOICE", "choices.jsonl:1", "--choice", "2"], "toolglean: --choice 2: the choices of choices.jsonl: line 1 are 0 to 1"),
    (["CHOICE", "log.jsonl:1", "--choice", "x"], "argument --choice: invalid int value: 'x'"),
    # parse
    ([*PARSE, "--summary"], "--summary and --fail-fast are for turns"),
    ([*PARSE, "--fail-fast"], "--summary and --fail-fast are for turns"),
    ([*PARSE, "--resume"], "--jobs and --resume need --output FILE"),
    ([*PARSE, "--jobs", "0", "--output", "x"], "expected 1 or more"),
    ([*PARSE, "--output", "x", "--stream"], "--output is for logs of turns"),
    ([*PARSE, "--output", "x", "--events"], "--output is for logs of turns"),
    (["parse", "--output", "."], "--output .: "),  # it has no name
    (["parse", "--output", "/"], "--output /: "),
    ([*PARSE, "--jobs", "2"], "--jobs and --resume need --output FILE"),
    ([*PARSE, "--jobs", "two"], "argument --jobs: invalid value 'two': expected 1 or more"),
    (["parse", "log.jsonl", "--events"], "--events shows one stream, and these are turns"),
    (["parse", "log.jsonl", "--output", "rows.csv"], "--output rows.csv: rows are written as JSON lines"),
    (["parse", "log.jsonl", "--output", "rows.JSON"], "--output rows.JSON: rows are written as JSON lines"),
    (["parse", "log.jsonl", "--output", "rows.xlsx"], "expected a name that ends with .jsonl, .ndjson, .gz, .zst, .zstd"),
    (["parse", "log.jsonl", "--output", "rows.csv.gz"], "--output rows.csv.gz: what is compressed is JSON lines"),
    (["parse", "log.jsonl", "--output", "folder"], "--output folder: Is a directory"),
    (["parse", "log.jsonl", "--output", "missing/rows"], "--output missing/rows: No such file or directory"),
    (["parse", "log.jsonl", "--output", "log.jsonl"], "--output log.jsonl: this file is the log itself"),
    (["parse", "log.jsonl", "--output", "turn.txt"], "--output turn.txt: rows are written as JSON lines"),
    (["parse", "log.jsonl", "--output", "tools"], "--output tools: the file already exists"),
    (["parse", "log.jsonl", "--output", "rows", "--summary"], "--summary prints what --output would write"),
    (["parse", "log.jsonl:2", "--output", "rows"], "log.jsonl:2: --output reads whole logs"),
    (["parse", "hermes", "--output", "rows"], "hermes: --output reads whole logs"),
    (["parse", "missing.jsonl", "--output", "rows"], "missing.jsonl: No such file or directory"),
    (["parse", "cut.gz", "--output", "rows"], "cut.gz: cannot be read after line "),
    # the other commands
    (["replay", "turn.txt"], "the following arguments are required: --html"),
    (["replay", "turn.txt", "--html", "page.pdf"], "--html page.pdf: the page is HTML; expected a name that ends with"),
    (["replay", "hermes", "--html", "page.html", "--chunk", "0"], "argument --chunk: invalid value '0'"),
    (["replay", "turn.txt", "--html", "missing/page.html"], "toolglean: --html missing/page.html: No such file or directory"),
    (["replay", "turn.txt", "--html", "folder"], "--html folder: Is a directory"),
    (["anonymize", "turn.txt", "--tools-output", "own.json"], "--tools-output needs --tools"),
    (["anonymize", "turn.txt", "--tools", "tools.json", "--tools-output", "own.csv"], "tools are written as JSON"),
    (["anonymize", "turn.txt", "--tools", "tools.json", "--tools-output", "x/own.json"], "--tools-output x/own.json: No"),
    (["bench", "empty"], "empty: nothing to measure: the input is empty"),
    (["bench", "--tag", "x"], "options for formats, tools and prompts need a FILE of your own"),
    (["bench", "--format", "hermes"], "options for formats, tools and prompts need a FILE of your own"),
    (["bench", "--start", "reasoning"], "options for formats, tools and prompts need a FILE of your own"),
    (["bench", "--chunk", "0"], "argument --chunk: invalid value '0': expected 1 or more"),
    (["TEMPLATE", "missing"], "missing: No such file or directory"),
    (["TEMPLATE", "folder"], "folder: Is a directory"),
    (["TEMPLATE", "binary"], "binary: line 1, column 1: not valid UTF-8"),
    (["TEMPLATE", "empty"], "empty: this is not a chat template"),
    (["TEMPLATE", "tools.json"], "tools.json: this is not a chat template, because it has nothing between"),
    (["TEMPLATE", "config.json"], "config.json: the tokenizer_config.json has no chat_template"),
    (["TEMPLATE", "format.json"], "format.json: this is a format as data, not a template: read turns with"),
    (["TEMPLATE", "open.tmpl", "--examples", "0"], "argument --examples: invalid value '0': expected 1 or more"),
    (["TEMPLATE", "open.tmpl", "--set", "a"], "--set 'a': expected NAME=VALUE, such as enable_thinking=true"),
    (["TEMPLATE", "open.tmpl", "--set", "=1"], "--set '=1': expected NAME=VALUE"),
    (["fuzz", "open.tmpl", "--format", "nobody"], "unknown format 'nobody'"),
    (["grammar", "hermes"], "the following arguments are required: --tools"),
    (["grammar", "folder", "--tools", "tools.json"], "'folder' is not a template file, a known format or a known model"),
    ([*GRAMMAR, "--notation", "ebnf"], "argument --notation: invalid choice: 'ebnf'"),
    ([*GRAMMAR, "--set", "a=1"], "--set needs a template"),
    (["grammar", "command-r", "--tools", "tools.json", "--reasoning"], "no markers for reasoning"),
    ([*GRAMMAR, "--tool-choice", "g"], "--tool-choice g: this is not one of the tools"),
    ([*GRAMMAR, "--notation", "lark", "--special-tokens", "broken.json"], "broken.json: line 1, column 14: not valid JSON"),
    ([*GRAMMAR, "--notation", "lark", "--special-tokens", "tools.json"], "tools.json: expected a JSON object"),
    ([*GRAMMAR, "--special-tokens", "tools.json"], "--special-tokens needs --notation lark"),
    (["learn", "log.jsonl"], "no line of the log has the model's tools, as a list with the key 'tools': use --tools"),
    (["learn", "missing", "--tools", "tools.json"], "missing: No such file or directory"),
    (["learn", "binary", "--tools", "tools.json"], "binary: line 1, column 1: not valid UTF-8"),
    (["learn", "log.jsonl", "--tools", "object.json"], "object.json: line 1, column 1: expected a JSON list of tools"),
    (["learn", "log.jsonl", "--tools", "tools.json", "--answers", "broken.json"], "broken.json: line 1, column 14: "),
    (["learn", "log.jsonl", "--tools", "tools.json", "--answers", "chunks.jsonl"], "chunks.jsonl: line 1: expected a JSON list of calls"),
    (["learn", "other.jsonl", "--tools", "tools.json"], "other.jsonl: line 1"),
    (["learn", "asked.jsonl", "--tools", "tools.json"], "asked.jsonl: line 1"),
    (["formats", "nobody"], "unknown format 'nobody'; `toolglean formats` lists all"),
    (["formats", "passthrough"], "not supported"),
    (["formats", "--color", "sometimes"], "argument --color: invalid choice: 'sometimes'"),
    (["demo", "nobody"], "toolglean: unknown stream 'nobody'; `toolglean demo --list` lists them\n"),
    (["demo", "hermez"], "toolglean: unknown stream 'hermez'; did you mean hermes?\n"),
    (["demo", "hermes", "--all"], "toolglean: --all shows every stream: leave out hermes\n"),
    *((["demo", f"--delay={each}"], "argument --delay: invalid value") for each in ("-1", "nan", "inf", "61")),
    (["demo", "--delay", "soon"], "argument --delay: invalid value 'soon': expected 0 to 60 seconds"),
    (["conformance", "--only", "nothing"], "no case matches"),
    (["conformance", "--format", "nofmt"], "--format nofmt: no case has this format; `toolglean conformance --list`"),
    (["conformance", "--format", "hermse"], "--format hermse: no case has this format; did you mean hermes?"),
    # an option without the one that it needs would leave its user with the results of toolglean itself
    (["conformance", "--mode", "vllm"], "--mode needs --engine"),
    (["conformance", "--mode", "upstream"], "--mode needs --engine"),
    (["conformance", "--model", "m"], "--model needs --engine"),
    (["conformance", "--host", "127.0.0.1"], "--host needs --engine"),
    (["conformance", "--tool-call-parser", "x", "--port", "99"], "--port needs --engine"),
    (["conformance", "--tool-call-parser", "x"], "--tool-call-parser needs --engine"),
    (["conformance", "--reasoning-parser", "x", "--target", "toolglean"], "--reasoning-parser needs --engine"),
    ([*ENGINE, "--tool-call-parser", "x"], "--tool-call-parser needs --mode sglang"),
    ([*ENGINE, "--mode", "vllm", "--port", "0"], "--port needs --mode upstream"),
    ([*ENGINE, "--mode", "sglang", "--model", "m"], "--model needs --mode upstream or vllm or echo"),
    ([*ENGINE, "--python", "python3"], "--python needs --target or --parser"),
    (["conformance", "r.json", "--page", "p.md", "--target", "toolglean"], "--target is for a run, and RESULTS run"),
    (["conformance", "r.json", "--page", "p.md", "--output", "o.json"], "--output is for a run, and RESULTS run"),
    ([*ENGINE, "--mode", "sglang"], "needs --tool-call-parser"),
    ([*ENGINE, "--port", "70000"], "--port 70000: expected a number from 0 to 65535"),
    (["conformance", "--cuts", "-1"], "--cuts -1"),
    (["conformance", "--timeout", "0"], "--timeout 0"),
    ([*ONE, "--junit", "/"], "cannot be written"),
    ([*ONE, "--kind", "mentoin"], "no case has this kind"),
    ([*ONE, "--output", "r.csv"], "--output r.csv: expected a file that ends with .json"),
    ([*ONE, "--page", "r.pdf"], "--page r.pdf: expected a file that ends with .html or .md"),
    ([*ONE, "--badge", "r.png"], "--badge r.png: expected a file that ends with .svg or .json"),
    ([*ONE, "--output", "no/such/folder/r.json"], "cannot be written"),
    # These two overwrote what was there.
    ([*ONE, "--output", "tools.json"], "--output tools.json: the file already exists: remove it, or choose another name"),
    (["learn", "turn.txt", "--tools", "tools.json", "--output", "format.json"], "--output format.json: the file already"),
    ([*ONE, "--json", "r.json"], "--json takes no file; use --output FILE"),
    ([*ONE, "r.json"], "RESULTS need --page FILE or --badge FILE"),
    ([*ONE, "a.json", "b.json", "--badge", "r.svg"], "a badge is about one file of results, not 2"),
    ([*ONE, "missing.json", "--page", "r.html"], "missing.json: cannot be read"),
    ([*ONE, "--target", "nobody"], "target='nobody' is not one of"),
    (["conformance", "--parser", "nobody"], "is not the name of a parser"),
    (["conformance", "--parser", "no_such_module:f"], "No module named 'no_such_module'"),
    (["conformance", "--parser", "mine.py:Q"], "mine.py has no 'Q'"),
    (["conformance", "--cases", "missing"], "missing"),
    (["conformance", "--cases", "broken.json"], "broken.json, line 1: "),
    # the command line as a whole
    ([], "the following arguments are required: COMMAND"),
    (["--versoin"], "unrecognized arguments: --versoin; did you mean --version?"),
    (["--quiet"], "unrecognized arguments: --quiet; `toolglean --help` lists the commands"),
    (["nothing"], "unknown command 'nothing'; `toolglean --help` lists the commands"),
    (["parse", "a.txt", "b.txt"], "unrecognized arguments: b.txt"),
    (["parse", "--csv"], "unrecognized arguments: --csv"),
    (["parse", "--output"], "argument --output: expected one argument"),
]  # fmt: skip
MANY = {
    "INPUT": [["parse"], ["explain"], ["doctor"], ["replay", "--html", "page.html"], ["anonymize"], ["bench"]],
    "COLUMNS": [["parse"], ["explain"], ["doctor"], ["replay", "--html", "page.html"], ["bench"]],
    "CHOICE": [["explain"], ["doctor"], ["replay", "--html", "page.html"], ["bench"]],
    "TEMPLATE": [["inspect"], ["fuzz"]],
}
# The commands of `MANY` read these arguments in one way: by default, two of them are tried with each row.
CASES = [
    ([*command, *args[1:]], message)
    for args, message in ROWS
    for command in depth.chosen(MANY.get("".join(args[:1]), [args[:1]]), 2, key=lambda each, row=args: f"{each} {row}")  # type: ignore[misc]
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "tools").write_bytes(b"my notes\n")
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(Path(package.__file__).parents[1]))  # a child process reads it in the folder
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(said: str) -> None:
    """One or two sentences, and nothing that only we understand."""
    assert "Traceback" not in said
    assert not re.search(r"\w\.py(:\d|, line \d)|File \"|0x[0-9a-f]{6}|<[\w.]+ object", said)
    lines = [line for line in said.splitlines() if not line.startswith("usage: toolglean")]
    excerpt = lines[1:]  # of a template, at which a mark points
    assert re.match(r"toolglean( \w+)?: ", lines[0])
    assert len(lines[0]) < 330
    marks = ["^"] if excerpt and ", column " in lines[0] else []  # Jinja tells the line alone
    assert [each.strip() for each in excerpt[1:]] == marks


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("part", range(4))
def test_wrong_input(part: int) -> None:
    """A folder of files for some thirty commands: to make one takes longer than most of them."""
    wrong = []
    for args, message in CASES[part::4]:
        if args[:1] == ["fuzz"] and find_spec("hypothesis") is None:
            continue
        done = toolglean(*args, stdin=b"a\nb\xff")
        said = done.stderr.decode()
        checked(said)
        shown = done.stdout if args[:1] != ["doctor"] else b""  # which first says what is installed
        if (done.returncode, shown, message in said) != (2, b"", True):
            wrong.append((args, message, done.returncode, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--upstream", "nowhere"], "upstream='nowhere' is not the URL of a server: pass one such as http://localhost:8000/v1"),
        (["--upstream", "http://[::1"], "upstream='http://[::1' is not the URL of a server"),
        (["--upstream", "http://h", "--host", ""], "--host '': expected an address, such as 127.0.0.1"),
        (["--upstream", "http://h", "--host", "[::2]"], "--host ::2"),  # as in a URL
        (["--upstream", "http://h", "--format", "nothing"], "unknown format 'nothing'"),
        (["--upstream", "http://h", "--model", "nothing"], "unknown model 'nothing'"),
        (["--upstream", "http://h", "--template", "nothing.jinja"], "nothing.jinja: No such file"),
        (["--upstream", "http://h", "--template", "open.jinja"], "open.jinja: "),
        (["--upstream", "http://127.0.0.1", "--port", "99999"], "--port 99999: expected a number from 0 to 65535"),
        (["--upstream", "http://127.0.0.1", "--port", "x"], "argument --port: invalid int value: 'x'"),
        (["--upstream", "http://127.0.0.1", "--host", "256.0.0.1"], "--host 256.0.0.1 --port 8001: "),
        (["--upstream", "http://127.0.0.1", "--port", "TAKEN"], "Address already in use"),
        (["--upstream", "http://127.0.0.1", "--body-limit", "0"], "--body-limit 0: expected 1 MiB or more"),
        (["--upstream", "http://127.0.0.1", "--template", "turn.txt"], "turn.txt: this is not a chat template"),
        (["--upstream", "http://127.0.0.1", "--closer", "x"], "--closer needs --tag"),
        ([], "the following arguments are required: --upstream"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_wrong_input_of_the_proxy(args: list[str], message: str) -> None:
    pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = toolglean("proxy", *(port if each == "TAKEN" else each for each in args))
    said = done.stderr.decode()
    assert (done.returncode, message in said) == (2, True), said
    checked(said)


@pytest.mark.parametrize(
    ("args", "method", "named"),
    [
        (["parse", "turn.txt"], "open", "turn.txt"),
        (["explain", "turn.txt"], "open", "turn.txt"),
        (["parse", "turn.txt", "--tools", "tools.json"], "read_bytes", "tools.json"),
        (["replay", "turn.txt", "--html", "page.html"], "write_bytes", "--html page.html"),
        (["anonymize", "turn.txt", "--tools", "tools.json", "--tools-output", "own.json"], "write_bytes", "own.json"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_no_permission(
    args: list[str], method: str, named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Root may read and write everywhere, so the refusal is played."""

    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, method, refused)
    code = main(args)
    said = capsys.readouterr().err
    assert (code, f"{named}: Permission denied" in said) == (2, True), said
    checked(said)


# -- a parser of the user's own ----------------------------------------------------------------------------------------

BROKEN: dict[str, tuple[str, str]] = {
    "raises when it is imported": ("x = 1\n\nraise RuntimeError('no model')\n", "RuntimeError: no model (own.py, line 3)"),
    "raises deep in Python": ("import json\njson.loads('{')\n", "(own.py, line 2)"),
    "is not Python": ("def read(text, tools:\n", "(own.py, line 1)"),
    "imports what is missing": ("import no_such_package\n", "No module named 'no_such_package' (own.py, line 1)"),
    "has no such name": ("", "module 'own' has no attribute 'read'\n"),
    "is not a function": ("read = 3\n", "own:read is 3; expected a function or a class\n"),
    "is half a class": ("class read:\n    def feed(self, chunk): pass\n", "own:read is a class without feed(chunk)"),
}  # fmt: skip


def importable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of the folder can be imported, here and in a process of its own."""
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_parser_shows_the_line_of_its_user(how: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, message = BROKEN[how]
    (folder / "own.py").write_text(source, encoding="utf-8")
    importable(folder, monkeypatch)
    done = toolglean("conformance", "--parser", "own:read", "--only", "written/two")
    said = done.stderr.decode()
    assert (done.returncode, message in said) == (2, True), said
    assert re.findall(r"[\w/]+\.py", said) in ([], ["own.py"])
    assert "Traceback" not in said


def test_a_parser_that_fails_shows_its_own_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "own.py").write_text("def read(text, tools):\n    return text.nothing\n", encoding="utf-8")
    importable(folder, monkeypatch)
    done = toolglean("conformance", "--parser", "own:read", "--only", "written/two")
    assert done.returncode == 1
    found = done.stdout.decode()
    assert "has no attribute 'nothing' (own.py, line 2)" in found
    assert "child.py" not in found


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_not_a_log() -> None:
    done = toolglean("parse", "turn.txt", "--output", "rows.jsonl")
    assert done.returncode == 1
    assert b"toolglean: turn.txt: no line is a turn; for one turn, leave out --output\n" in done.stderr


@pytest.mark.usefixtures("folder")
def test_a_table_is_named_as_the_user_typed_it() -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs it")
    Path("out.parquet.rows.jsonl").write_bytes(b"a row\n")
    said = toolglean("parse", "log.jsonl", "--output", "out.parquet").stderr.decode()
    assert "--output out.parquet (its rows so far: out.parquet.rows.jsonl): the file already exists" in said
