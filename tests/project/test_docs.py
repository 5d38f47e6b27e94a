"""Every snippet and every command of README.md and docs/ is run, and prints what the page says.

A ```python block is executed; the blocks of a page share their names. A ```text block after it is what it prints.
A ```py block is Python too, and is shown but not run, because it needs a server, a model or another package. ```sh, ```toml,
```xml and a block without a language (what a model writes, a drawing) are shown but not run either. A block that has
``` in it is between ~~~.
In a ```console block, lines that begin with "$ " are commands, run by bash at the root of the repository; what follows
is what they print, on both channels. "..." in it stands for anything.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import depth
from toolglean.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OTHER_PAGES = [
    ROOT / name
    for name in (
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "CODE_OF_CONDUCT.md",
        "SECURITY.md",
        "SUPPORT.md",
        "fixtures/README.md",
    )
]

# The set-up commands: they change the environment in which the tests run. .ci/run runs them as they are written here.
TRY = "python -m pip install . && toolglean demo"
TEST = "python -m pip install -e '.[dev]' && python -m pytest"
SET_UP = {TRY, TEST}

BLOCK = re.compile(r"^(```|~~~)(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
SERVERS = re.compile(r"http://localhost:(11434|8000)")
"""Where the pages have their servers. The stand-in below takes their places."""
NEEDS = re.compile(r"<!-- Needs ([\w, ]+)\. -->")
"""How a page says which packages of others its snippets show: `nox -s coming_from` has them."""


class Block(NamedTuple):
    """One fenced block."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(found[2], found[3], text.count("\n", 0, found.start()) + 1) for found in BLOCK.finditer(text)]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# -- a stand-in for the servers of the how-to ------------------------------------------------------------------------

PIECES = [
    "I will",
    " check.\n",
    "<tool_call>",
    '{"name": "get_weather", "arguments": {"city"',
    ': "Oslo"}}</tool_call>',
]


class StandIn(BaseHTTPRequestHandler):
    """Answers as Ollama and as a server with OpenAI's API do, if they do not know how their model writes calls."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = ANSWERS[self.path](asked)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if "data: " in answer else "application/json")
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
        """Say nothing."""


def generated(asked: dict[str, Any]) -> str:
    assert asked["stream"] is True
    assert asked["raw"] is True
    assert asked["prompt"]
    lines = [{"model": asked["model"], "response": piece, "done": False} for piece in PIECES]
    return "".join(f"{json.dumps(line)}\n" for line in [*lines, {"response": "", "done": True}])


def chatted(asked: dict[str, Any]) -> str:
    assert asked["stream"] is True
    assert asked["tools"]
    lines = [{"message": {"role": "assistant", "content": piece}, "done": False} for piece in PIECES]
    last = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    return "".join(f"{json.dumps({'model': asked['model'], **line})}\n" for line in [*lines, last])


def completed(asked: dict[str, Any]) -> str:
    assert asked["stream"] is True
    assert asked["prompt"]
    lines = [json.dumps({"choices": [{"index": 0, "text": piece}]}) for piece in PIECES]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])


def chat_completed(asked: dict[str, Any]) -> str:
    assert asked["tools"]
    answer = {"id": "c", "created": 1, "model": asked["model"], "object": "chat.completion"}
    message = {"role": "assistant", "content": "".join(PIECES)}
    return json.dumps({**answer, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


ANSWERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "/api/generate": generated,
    "/api/chat": chatted,
    "/api/show": lambda _: "{}",
    "/v1/completions": completed,
    "/v1/chat/completions": chat_completed,
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), StandIn) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


# -- the pages -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_formats", "few_signs")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_snippets_print_what_the_page_says(page: Path, server: str) -> None:
    for package in ", ".join(NEEDS.findall(page.read_text(encoding="utf-8"))).split(", "):
        if package:
            pytest.importorskip(package, reason=f"{package} is not installed: nox -s coming_from")
    names: dict[str, Any] = {"__name__": page.stem}
    found = blocks(page)
    for block, following in zip_longest(found, found[1:]):
        if block.language != "python":
            continue
        source = "\n" * block.line + SERVERS.sub(server, block.text)
        code = compile(source, str(page), "exec", dont_inherit=True)  # as a user's file, not as this one
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)  # noqa: S102  # that is what the test is for
        if following is not None and following.language == "text":
            assert stripped(printed.getvalue()) == stripped(following.text), f"{name_of(page)}, line {following.line}"
        else:
            assert not printed.getvalue(), f"{name_of(page)}, line {block.line}: the page does not say what it prints"


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


class Command(NamedTuple):
    """One command of a page, and what it prints."""

    page: Path
    line: int
    command: str
    output: str


def commands(page: Path) -> Iterator[Command]:
    for block in blocks(page):
        if block.language == "console":
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Command(page, block.line, command, output)


def is_run(each: Command) -> bool:
    """Whether the command is run: at full depth, all are; by default, test_benchmarks.py and test_floods.py measure."""
    return depth.is_full() or not each.command.startswith(("python -m benchmarks", "python -m pytest benchmarks"))


WITH_COMMANDS = {
    page: [each for each in commands(page) if each.command not in SET_UP and is_run(each)] for page in PAGES
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all that the root has, for what the commands of a page write."""
    for each in ROOT.iterdir():
        (tmp_path / each.name).symlink_to(each, target_is_directory=each.is_dir())
    return tmp_path


@pytest.mark.sampled(2)  # `nox -s docs` runs them all
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this system")
@pytest.mark.parametrize("page", [page for page in PAGES if WITH_COMMANDS[page]], ids=name_of)
def test_commands_print_what_the_page_says(page: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for each in WITH_COMMANDS[page]:
        if depth.is_full() or "toolglean " not in each.command or OWN_PROCESSES.search(each.command):
            printed = shown_by_bash(each.command, folder)
        elif SHELL & {*each.command}:
            printed = shown_by_bash_and_here(each.command, folder, tmp_path_factory.mktemp("here"))
        else:
            printed = shown_here(each.command, folder)
        pattern = ".*".join(re.escape(part) for part in each.output.split("..."))
        assert re.fullmatch(pattern, printed, re.DOTALL), f"{name_of(page)}, line {each.line}:\n{printed}"


SHELL = set("|;<>&$`*")
"""What only a shell understands."""


def shown_by_bash(command: str, folder: Path) -> str:
    bin_folder = Path(sys.executable).parent  # where `python` and `toolglean` of this environment are
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.stdout


def shown_here(command: str, folder: Path) -> str:
    """What it shows, in this process: by default, because starting one takes longer than what most commands do."""
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        main(shlex.split(command)[1:])
    return printed.getvalue()


OWN_PROCESSES = re.compile(r"--jobs|toolglean conformance")
"""Commands that start processes, which must not be copies of this one."""

ASKING = """
toolglean() {
    local given code arguments=()
    for given in "$@"; do
        case "$given" in /dev/fd/*) cat "$given" > "$HERE/given"; given="$HERE/given" ;; esac
        arguments+=("$given")
    done
    printf '%s\\0' "${arguments[@]}" > "$HERE/arguments"
    cat > "$HERE/stdin"
    if [ /dev/fd/1 -ef /dev/fd/2 ]; then printf 1 > "$HERE/asked"; else printf 2 > "$HERE/asked"; fi
    read -r code < "$HERE/answered"
    cat "$HERE/stderr" >&2
    cat "$HERE/stdout"
    return "$code"
}
"""
"""In bash, `toolglean` as a function that leaves its work to the process of the tests."""


def shown_by_bash_and_here(command: str, folder: Path, here: Path) -> str:
    """What a command of the shell shows, with `toolglean` run in this process, as in `shown_here`."""
    for name in ("asked", "answered"):
        os.mkfifo(here / name)
    (asked, answered) = (os.open(here / name, os.O_RDWR) for name in ("asked", "answered"))  # neither end waits
    with subprocess.Popen(
        ["bash", "-c", ASKING + command],
        cwd=folder,
        env={**os.environ, "HERE": str(here)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ) as bash:
        while bash.poll() is None:
            if select.select([asked], [], [], 0.01)[0]:
                os.write(answered, f"{answer(folder, here, int(os.read(asked, 1)))}\n".encode())
        os.close(asked)
        os.close(answered)
        assert bash.stdout is not None
        return bash.stdout.read()


def answer(folder: Path, here: Path, channels: int) -> int:
    """Run `toolglean` with the arguments and the input that bash left in `here`; returns the exit code.

    Where errors go to the same channel as the output, they appear between its lines.
    """
    arguments = (here / "arguments").read_text(encoding="utf-8").split("\0")[:-1]
    shown, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    errors = shown if channels == 1 else said
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setattr(sys, "stdin", (here / "stdin").open(encoding="utf-8"))
        with sys.stdin, contextlib.redirect_stdout(shown), contextlib.redirect_stderr(errors):
            try:
                code = main(arguments)
            except SystemExit as end:
                code = int(end.code or 0)
    for stream, name in ((shown, "stdout"), (said, "stderr")):
        stream.flush()
        (here / name).write_bytes(stream.buffer.getvalue())
    return code


def test_set_up_commands_are_those_of_ci() -> None:
    readme = {each.command for each in commands(ROOT / "README.md")}
    assert readme == SET_UP
    script = [*map(str.strip, (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().split("\n"))]
    assert TRY in script
    assert script[-1] == TEST
    assert "python -m pip install -e '.[dev]'" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_say_what_they_are(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = {"python", "text", "console", "py", "sh", "toml", "xml", ""}
    found = blocks(page)
    assert {block.language for block in found} <= known
    assert len(re.findall(r"^```", re.sub(BLOCK, "", text), re.MULTILINE)) == 0, "a block that is not closed"
    before = [None, *found]
    for block, previous in zip(found, before, strict=False):
        if block.language == "text":
            assert previous is not None
            assert previous.language == "python", f"line {block.line}: what prints this?"


FENCED = re.compile(r"^( *)(```|~~~).*?^\1\2$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [*PAGES, *OTHER_PAGES], ids=name_of)
def test_no_block_is_indented(page: Path) -> None:
    # Four spaces make a block too, but one without colours: a fence says what is in it.
    text = re.sub(FENCED, "", page.read_text(encoding="utf-8"))
    assert re.findall(r"(?:\A|\n[ \t]*\n) {4,}\S.*", text) == [], "use a fence"


@pytest.mark.parametrize("page", [*PAGES, *OTHER_PAGES], ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", re.sub(BLOCK, "", page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        if "://" in path:
            continue
        file = (page.parent / path) if path else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}, target


def test_every_page_is_reached_from_the_readme() -> None:
    pages = ROOT / "docs" / "README.md"
    assert f"({name_of(pages)})" in (ROOT / "README.md").read_text(encoding="utf-8")
    text = pages.read_text(encoding="utf-8")
    families = ROOT / "docs" / "reference" / "formats.md"
    for page in {*PAGES[1:]} - {pages}:
        if page.parent == families.with_suffix(""):  # the page that lists them has the links
            assert f"(formats/{page.name})" in families.read_text(encoding="utf-8")
        else:
            assert f"({page.relative_to(pages.parent).as_posix()})" in text


def test_the_readme_is_read_in_ninety_seconds() -> None:
    # It had become a page of reference. 250 words a minute; code is looked at, not read.
    text = re.sub(BLOCK, "", (ROOT / "README.md").read_text(encoding="utf-8"))
    words = re.findall(r"[^\W_][\w'.-]*", re.sub(r"\]\([^)]*\)", "]", text))
    assert len(words) <= 375
