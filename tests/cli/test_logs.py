# A log becomes a file of rows, in order, each row once, whatever ended the run before. Does not depend on how a turn is
# read (test_turns.py).
"""`toolglean parse LOG --output FILE`."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import COMMAND, lines, toolglean
from tests.cli.test_turns import ANSWERS, TEXT
from tests.support import depth
from toolglean.batch.logs import source
from toolglean.batch.logs.rows import Columns, Read, RowReader
from toolglean.batch.logs.source import Chunk
from toolglean.batch.logs.workers import WorkerError, read_all
from toolglean.batch.pool import ParserFactory
from toolglean.cli import main, progress
from toolglean.kit.demo import load_streams, load_tools

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # nor what it is in
        return False


needs_zstd = pytest.mark.skipif(not is_there(ZSTD), reason="needs toolglean[batch] (backports.zstd) or Python 3.14")
needs_pyarrow = pytest.mark.skipif(not is_there("pyarrow"), reason="needs toolglean[batch]")

# A process takes as long to start as a thousand turns to read. These wait for full depth.
slow = pytest.mark.skipif(not depth.is_full(), reason="starts processes: only with --depth full")

TURNS = [json.dumps({"id": stream.name, "content": "".join(stream.tokens)}) for stream in load_streams()]
CHOICES = json.dumps({"id": "c", "choices": [{"message": {"content": text}} for text in (TEXT, "No.", "Yes.")]})
BROKEN = [
    "",
    "oops",
    '{"id": 1, "content": "H',
    json.dumps({"id": 2, "content": None}),
    json.dumps({"id": 3, "content": 5}),
    json.dumps({"id": 4}),
    json.dumps([1]),
    '{"id": 5, "content": "\\ud83d"}',
    '{"id": NaN, "content": "Hi"}',
]
LOG = [*TURNS, CHOICES, *BROKEN, CHOICES]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ROWS", 4)


def write(path: Path, rows: list[str]) -> Path:
    path.write_bytes("".join(f"{row}\n" for row in rows).encode())
    return path


def run(log: Path, output: Path, *args: str, code: int | None = None) -> dict[str, Any]:
    """The summary of a run."""
    done = toolglean("parse", str(log), "--output", str(output), *args)
    assert done.returncode in ({0, 1} if code is None else {code}), done.stderr.decode()
    [last] = lines(done) or [{"summary": {}}]
    found: dict[str, Any] = last["summary"]
    return found


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# -- rows --------------------------------------------------------------------------------------------------------------


def test_rows_are_those_that_are_printed(tmp_path: Path) -> None:
    log = write(tmp_path / "log", [json.dumps({**each, "id": place}) for place, each in enumerate(ANSWERS.values())])
    printed = lines(toolglean("parse", str(log)))
    summary = run(log, tmp_path / "rows", code=0)
    assert [*rows_of(tmp_path / "rows"), {"summary": summary}] == printed


def test_no_row_is_left_out(tmp_path: Path) -> None:
    """What is not a turn becomes a row too, with a problem, and is counted."""
    summary = run(write(tmp_path / "log", LOG), tmp_path / "rows", code=1)
    rows = rows_of(tmp_path / "rows")
    first = len(TURNS) + 2  # after the choices
    assert [row["line"] for row in rows] == sorted(row["line"] for row in rows)
    assert {row["line"] for row in rows} == {*range(1, len(LOG) + 1)} - {first}  # the blank line
    bad = {row["line"]: row for row in rows if any(each["code"] == "not-a-turn" for each in row["problems"])}
    assert list(bad) == [first + 1, first + 2, first + 3, first + 4, first + 5, first + 6]
    assert bad[first + 1]["problems"] == [
        {
            "code": "not-a-turn",
            "reason": f"not a turn: line {first + 1}, column 1: not valid JSON (Expecting value)",
            "text": "oops",
            "start": 0,
        }
    ]
    assert bad[first + 3]["id"] == 2
    assert (bad[first + 1]["content"], bad[first + 1]["calls"], bad[first + 1]["format"]) == ("", [], None)
    assert (summary["turns"], summary["bad_lines"]) == (len(rows) - len(bad), len(bad))
    assert "NaN" not in (tmp_path / "rows").read_text("utf-8")


def test_strict_stops_after_the_last_good_row(tmp_path: Path) -> None:
    log = write(tmp_path / "log", [*TURNS[:6], "oops", *TURNS])
    done = toolglean("parse", str(log), "--output", str(tmp_path / "rows"), "--fail-fast")
    assert done.returncode == 2
    assert b"line 7, column 1: not valid JSON (Expecting value" in done.stderr
    assert [row["line"] for row in rows_of(tmp_path / "rows")] == [1, 2, 3, 4, 5, 6]


TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}}]
XML = "<tool_call>\n<function=f>\n<parameter=x>\n5\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize("tools", ["oops", "{}", [3], 7, [{}]])
def test_tools_that_cannot_be_read_are_a_problem_of_their_row(tools: Any, tmp_path: Path) -> None:
    log = write(tmp_path / "log", [json.dumps({"id": 1, "content": XML, "tools": tools})])
    assert run(log, tmp_path / "rows", code=1)["calls"] == 1
    [problem] = rows_of(tmp_path / "rows")[0]["problems"]
    assert problem["code"] == "invalid-tools"
    assert problem["reason"].startswith("tools ignored: ")


def test_what_holds_for_all_counts_before_what_a_row_says(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text('["h"]', encoding="utf-8")
    row = {"id": 1, "content": XML, "tools": TOOLS, "model": "qwen3-coder:30b"}
    log = write(tmp_path / "log", [json.dumps(row)])
    run(log, tmp_path / "rows", "--tools", str(tmp_path / "tools"), "--format", "hermes", "--strict-format")
    [found] = rows_of(tmp_path / "rows")
    assert (found["format"], found["calls"]) == ("hermes", [])


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    row = {"id": 1, "content": "no", "said": XML, "may": TOOLS, "who": "qwen3-coder:30b"}
    log = write(tmp_path / "log", [json.dumps(row), json.dumps({"id": 2}), json.dumps({"said": 3}), "[]"])
    names = ("--text-column", "said", "--tools-column", "may", "--model-column", "who")
    assert run(log, tmp_path / "rows", *names, code=1)["bad_lines"] == 3
    first, *rest = rows_of(tmp_path / "rows")
    assert first["calls"][0]["arguments"] == {"x": 5}
    assert [row["problems"][0]["reason"] for row in rest] == [
        "not a turn: this row has no 'said': its keys are 'id'",
        "not a turn: 'said' of this row is 3, not text",
        "not a turn: this is null; expected a JSON object with the text of a turn",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_a_terminal_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0)
    log = write(tmp_path / "log", TURNS)
    for number, screen in enumerate((Terminal(), io.StringIO())):
        monkeypatch.setattr(sys, "stderr", screen)
        assert main(["parse", str(log), "--output", str(tmp_path / f"rows{number}")]) == 0
        shown = screen.getvalue()
        assert ("100% 11 lines, " in shown, shown.endswith("\r\x1b[K")) == (number == 0, number == 0)
        assert bool(shown) == (number == 0)


# -- files -------------------------------------------------------------------------------------------------------------


def zstd() -> Any:
    return importlib.import_module(ZSTD)


KINDS = ["", ".gz", pytest.param(".zst", marks=needs_zstd)]


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else zstd().decompress(data) if path.suffix else data


@pytest.mark.parametrize("kind", KINDS)
def test_compressed_logs(kind: str, tmp_path: Path) -> None:
    data = write(tmp_path / "log", LOG).read_bytes()
    packed = gzip.compress(data) if kind == ".gz" else zstd().compress(data) if kind else data
    (tmp_path / "any name").write_bytes(packed)
    assert run(tmp_path / "any name", tmp_path / f"rows{kind}") == run(tmp_path / "log", tmp_path / "plain")
    assert unpacked(tmp_path / f"rows{kind}") == (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize("kind", [".gz", pytest.param(".zst", marks=needs_zstd)])
def test_a_log_that_is_cut_off_gives_what_it_holds(kind: str, tmp_path: Path) -> None:
    data = write(tmp_path / "log", TURNS * 3).read_bytes()
    packed = gzip.compress(data) if kind == ".gz" else zstd().compress(data)
    (tmp_path / "cut").write_bytes(packed[:-5])
    done = toolglean("parse", str(tmp_path / "cut"), "--output", str(tmp_path / "rows"))
    assert done.returncode == 2
    assert b"cannot be read after line " in done.stderr
    (tmp_path / "whole").write_bytes(packed)
    summary = run(tmp_path / "whole", tmp_path / "rows", "--resume")
    assert summary == run(tmp_path / "log", tmp_path / "plain")
    assert (tmp_path / "rows").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_without_an_end_is_not_held(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """50 KB of gzip were a line of 49 MiB, and took twice as much; now a line has a longest length."""
    monkeypatch.setattr(source, "LONGEST", 100_000)
    data = b'{"text": "Hi."}\n' * 3 + b"x" * 20_000_000
    packed = gzip.compress(data) if kind == ".gz" else zstd().compress(data) if kind else data
    (tmp_path / "log").write_bytes(packed)
    tracemalloc.start()
    try:
        with source.Source(str(tmp_path / "log")) as log:
            assert [len(chunk.rows) for chunk in log.chunks()] == [3]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
    assert "cannot be read after line 3: a line has more than" in str(log.error)


def test_standard_input(tmp_path: Path) -> None:
    log = write(tmp_path / "log", LOG)
    run(log, tmp_path / "rows")
    toolglean("parse", "--output", str(tmp_path / "piped"), stdin=log.read_bytes())
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "rows").read_bytes()


def tables(log: list[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  # an extra

    rows = [json.loads(row) for row in log]
    return pa.table({"id": [row["id"] for row in rows], "content": [row["content"] for row in rows]})


@needs_pyarrow
@pytest.mark.parametrize("group", [3, 1000])
def test_parquet(group: int, tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415  # the same

    parquet.write_table(tables(TURNS * 2), tmp_path / "log.parquet", row_group_size=group)
    log = write(tmp_path / "log", TURNS * 2)
    assert run(tmp_path / "log.parquet", tmp_path / "rows") == run(log, tmp_path / "out.parquet")
    run(log, tmp_path / "plain")
    assert (tmp_path / "rows").read_bytes() == (tmp_path / "plain").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.parquet", "out.parquet", "plain", "rows"]
    for row, wanted in zip(
        parquet.read_table(tmp_path / "out.parquet").to_pylist(), rows_of(tmp_path / "plain"), strict=True
    ):
        assert row.pop("choice") is None
        for call in row["calls"]:
            call["arguments"] = json.loads(call["arguments"])
        assert row == wanted


@needs_pyarrow
def test_text_that_is_stored_as_bytes(tmp_path: Path) -> None:
    """The turn was `b'…'`, as Python shows them."""
    import pyarrow as pa  # noqa: PLC0415  # the same
    from pyarrow import parquet  # noqa: PLC0415  # the same

    text = f"Ørsted. {TEXT}"
    columns = {"id": [b"a", b"\xff"], "content": [text.encode()] * 2}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    run(tmp_path / "log.parquet", tmp_path / "rows", code=0)
    found = [(row["id"], row["content"], len(row["calls"])) for row in rows_of(tmp_path / "rows")]
    assert found == [("a", "Ørsted. Hi. ", 1), ("b'\\xff'", "Ørsted. Hi. ", 1)]


@needs_pyarrow
def test_a_table_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    log, output = write(tmp_path / "log", LOG), tmp_path / "out.parquet"
    summary = run(log, output)
    whole = output.read_bytes()
    assert run(log, output, "--resume") == summary
    assert b"the file already exists" in toolglean("parse", str(log), "--output", str(output)).stderr
    output.unlink()
    run(log, tmp_path / "plain")
    journal = tmp_path / "out.parquet.rows.jsonl"  # a kill while rows are written, and one while the table is
    for size in (0, 1000, (tmp_path / "plain").stat().st_size):
        journal.write_bytes((tmp_path / "plain").read_bytes()[:size])
        assert run(log, output, "--resume") == summary
        assert output.read_bytes() == whole
        assert not journal.exists()
        output.unlink()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", [0, 1, 5000, 20_000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_anywhere_is_repaired(kind: str, size: int, tmp_path: Path) -> None:
    """A torn last line, a torn member, between two choices of one line: nothing is lost, nothing comes twice."""
    log, output = write(tmp_path / "log", LOG), tmp_path / f"rows{kind}"
    summary = run(log, output)
    whole = unpacked(output)
    data = output.read_bytes()
    dice = random.Random(size)
    for cut in [size % (len(data) + 1), *(dice.randrange(len(data) + 1) for _ in range(2))]:
        output.write_bytes(data[:cut])
        assert run(log, output, "--resume") == summary
        assert unpacked(output) == whole


def test_it_can_be_said_before_there_is_anything(tmp_path: Path) -> None:
    log = write(tmp_path / "log", TURNS)
    run(log, tmp_path / "rows", "--resume")
    once = (tmp_path / "rows").read_bytes()
    run(log, tmp_path / "rows", "--resume")
    assert (tmp_path / "rows").read_bytes() == once
    write(log, TURNS * 2)  # a log that has grown
    run(log, tmp_path / "rows", "--resume")
    assert [row["line"] for row in rows_of(tmp_path / "rows")] == [*range(1, 2 * len(TURNS) + 1)]


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_output_of_another_log_is_left_alone(tmp_path: Path) -> None:
    log, output = write(tmp_path / "log", TURNS), tmp_path / "rows"
    run(log, output)
    before = output.read_bytes()

    def refused(*args: str, log: Path = log) -> str:
        done = toolglean("parse", str(log), "--output", str(output), *args)
        assert (done.returncode, output.read_bytes()) == (2, before)
        return done.stderr.decode()

    assert "the file already exists: continue it with --resume" in refused()
    assert "resume with the log and the options" in refused("--resume", log=write(tmp_path / "other", TURNS[::-1]))
    assert "resume with the log and the options" in refused("--resume", "--format", "hermes", "--strict-format")
    assert "the log has fewer lines" in refused("--resume", log=write(tmp_path / "short", TURNS[:3]))
    assert "this file is the log itself" in toolglean("parse", str(log), "--output", str(log)).stderr.decode()
    for foreign in (b"my own notes\n" * 2, b'{"line": 2}\n', b'{"id": 1, "content": "Hi"}\n'):
        output.write_bytes(foreign + before)
        before = foreign + before
        assert "choose another name" in refused("--resume")


@pytest.mark.parametrize(
    ("name", "data", "missing", "needs"),
    [
        ("log", b"PAR1....", "pyarrow", "log: Parquet needs pyarrow: in a checkout, install it with python -m pip install '.[batch]'"),
        (
            "log",
            b"\x28\xb5\x2f\xfd",
            "backports.zstd",
            "log: zstd needs Python 3.14 or backports.zstd: in a checkout, install it with python -m pip install",
        ),
        ("out.parquet", b"", "pyarrow", "Parquet needs pyarrow: in a checkout, install it with python -m pip install '.[batch]'"),
        ("out.zst", b"", "backports.zstd", "zstd needs Python 3.14 or backports.zstd"),
    ],
)  # fmt: skip
def test_a_missing_package_names_its_extra(
    name: str,
    data: bytes,
    missing: str,
    needs: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for each in (missing, f"{missing}.parquet", "compression.zstd"):
        monkeypatch.setitem(sys.modules, each, None)
    (tmp_path / "log").write_bytes(data)
    output = tmp_path / ("rows" if name == "log" else name)
    assert main(["parse", str(tmp_path / "log"), "--output", str(output)]) == 2
    assert needs in capsys.readouterr().err


# -- processes ---------------------------------------------------------------------------------------------------------


LONG = 3000 if depth.is_full() else 1200


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short turns, so that a run takes a second or two."""
    path = tmp_path_factory.mktemp("logs") / "log"
    return write(path, [json.dumps({"id": place, "content": f"turn {place}"}) for place in range(LONG)])


def test_a_kill_at_any_moment(long_log: Path, tmp_path: Path) -> None:
    """Killed with SIGKILL, by two processes and resumed: the rows are those of a run that nothing ended."""
    run(long_log, tmp_path / "whole")
    output = tmp_path / "rows"
    command = [*COMMAND, "parse", str(long_log), "--output", str(output), "--jobs", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None and not (output.exists() and output.stat().st_size):
            time.sleep(0.002)
    finally:
        process.kill()
        process.wait()
    done = subprocess.run([*command, "--resume"], capture_output=True, check=True, timeout=120)
    assert output.read_bytes() == (tmp_path / "whole").read_bytes()
    assert json.loads(done.stdout)["summary"]["turns"] == LONG
    assert done.stderr == b""  # no bar where nobody sees it


@slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such signal for one process")
def test_an_interrupt_leaves_what_is_done(long_log: Path, tmp_path: Path) -> None:
    log = write(tmp_path / "log", long_log.read_text().splitlines() * 10)
    command = [*COMMAND, "parse", str(log), "--output", str(tmp_path / "rows"), "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    while process.poll() is None and not ((tmp_path / "rows").exists() and (tmp_path / "rows").stat().st_size):
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of its processes
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    said = error.decode().splitlines()
    assert said[0] == "toolglean: interrupted"
    assert "run the same command with --resume to continue" in said[1]
    assert len(said) == 2
    assert (tmp_path / "rows").read_bytes().endswith(b"\n")


class Deadly(RowReader):
    """Dies over one row, or raises."""

    def __init__(self, line: int, act: Callable[[], Any]) -> None:
        parsers = ParserFactory(load_tools())
        super().__init__(parsers, parsers, Columns(), "log")
        self.line = line
        self.act = act

    def read(self, chunk: Chunk) -> Read:
        if chunk.first <= self.line <= chunk.last:
            self.act()
        return super().read(chunk)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)


def fail() -> None:
    raise RuntimeError("a bug")


def chunks(count: int) -> Iterator[Chunk]:
    for first in range(1, count + 1, 4):
        yield Chunk(first, [b'{"id": 1, "content": "Hi"}\n'] * 4, None)


@pytest.mark.parametrize(
    ("act", "said"), [(die, "was killed by signal 9"), pytest.param(fail, "RuntimeError: a bug", marks=slow)]
)
def test_a_process_that_dies_is_told_of(act: Callable[[], None], said: str) -> None:
    found: list[Read] = []
    with pytest.raises(WorkerError, match=r"which read lines 21 to 24,") as caught:
        found.extend(read_all(chunks(4000), Deadly(22, act), 2))
    assert said in str(caught.value)
    assert [each.last for each in found] == [*range(4, 4 * len(found) + 1, 4)]
    assert len(found) <= 5


def test_a_broken_run_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log, output = write(tmp_path / "log", TURNS), tmp_path / "rows"
    with monkeypatch.context() as patch:
        patch.setattr("toolglean.batch.logs.run.read_all", _broken)
        assert main(["parse", str(log), "--output", str(output)]) == 3
    error = capsys.readouterr().err
    assert error.startswith("toolglean: gone\n")
    assert "rows has the rows of 4 lines: run the same command with --resume to continue" in error
    run(log, output, "--resume", code=0)
    assert [row["line"] for row in rows_of(output)] == [*range(1, len(TURNS) + 1)]


def _broken(chunks: Iterator[Chunk], reader: RowReader, jobs: int) -> Iterator[Read]:
    assert jobs == 1
    yield reader.read(next(chunks))
    raise WorkerError("gone")


@slow
def test_no_more_than_a_few_chunks_are_in_memory() -> None:
    """However long the log is: chunks are asked for as they are written, a few for each process ahead."""
    asked = 0

    def endless() -> Iterator[Chunk]:
        nonlocal asked
        for chunk in chunks(100_000):
            asked += 1
            yield chunk

    parsers = ParserFactory()
    reads = read_all(endless(), RowReader(parsers, parsers, Columns(), "log"), 2)
    for done, _ in zip(range(1, 41), reads, strict=False):
        assert asked - done <= 8
    reads.close()  # type: ignore[attr-defined]  # a generator


def test_a_file_that_is_none_of_these(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(bz2.compress(b"no"))
    assert run(tmp_path / "log", tmp_path / "rows", code=1)["bad_lines"] >= 1
    (tmp_path / "damaged").write_bytes(b"\x1f\x8bno gzip")
    assert (
        b"cannot be read after line 0"
        in toolglean("parse", str(tmp_path / "damaged"), "--output", str(tmp_path / "none")).stderr
    )
