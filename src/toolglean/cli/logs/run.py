# What this file knows: how a run begins, goes on where one broke off, and ends.
# What it must not know: how logs and output are stored, and what a row holds.
"""A log of turns becomes a file of rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from toolglean.batch.pool import FreshParsers
from toolglean.cli.logs import table
from toolglean.cli.logs.pieces import Pieces
from toolglean.cli.logs.progress import Progress
from toolglean.cli.logs.rows import Columns, Read, RowReader
from toolglean.cli.logs.source import Chunk, Source
from toolglean.cli.logs.workers import WorkerError, read_all
from toolglean.cli.options import InputError, made_with
from toolglean.cli.report import Counts
from toolglean.scan.nested import decoded

__all__ = ["BROKE_OFF", "run_log"]

BROKE_OFF = 3
"""The exit code of a run that can be resumed."""


def run_log(args: argparse.Namespace) -> int:
    """Write the rows of a log to `args.output`, and print the summary.

    Returns:
        0; 1 where a turn had a problem or an unfinished call, or a row was not a turn; 3 where a process died or the
        output could not be written: what is written stays, and `--resume` goes on.

    Raises:
        InputError: the log cannot be read to its end, the output is not one of this log, or `--strict` and a row is
            not a turn.
    """
    given = Path(args.output)
    _check(args, given)
    reader = _reader(args)
    with ExitStack() as stack:
        source = stack.enter_context(Source(args.file))
        if table.is_done(given):
            counts = _recounted(table.rows_of(given))[1]
        else:
            path = table.journal_of(given) if table.is_table(given) else given
            fresh = not args.resume or not path.exists()
            run = _Run(source, reader, stack.enter_context(Pieces(path, fresh=fresh)), path)
            if not fresh:
                run.resume()
            code = run.go(args.jobs)
            if code:
                return code
            counts = run.counts
            if path is not given:
                table.write(path, given)
    print(counts.summary())
    return counts.code


def _check(args: argparse.Namespace, given: Path) -> None:
    if args.form not in {None, "turns"} or args.events:
        raise InputError("--output is for logs of turns: leave out --text, --stream and --events")
    if args.summary:
        raise InputError("--summary prints what --output would write: leave out one of them")
    log = Path(args.file)
    if args.file != "-" and log.exists() and given.exists() and given.samefile(log):
        raise InputError(f"--output {given} is the log itself: give another name")
    if table.is_done(given) and not args.resume:
        raise InputError(f"--output {given}: there is such a file already: give another name, or remove it")


def _reader(args: argparse.Namespace) -> RowReader:
    plain = argparse.Namespace(**{**vars(args), "start": "content", "prompt": None})
    columns = Columns(args.text_column, args.tools_column, args.model_column)
    parsers = made_with(args, FreshParsers)
    starts_in_content = args.start == "content" and args.prompt is None
    return RowReader(
        parsers,
        parsers if starts_in_content else made_with(plain, FreshParsers),
        columns,
        args.file,
        strict=args.strict,
    )


class _Run:
    """A run: how far it is, and what came of it so far.

    Attributes:
        counts: what the rows that are written came to.
    """

    def __init__(self, source: Source, reader: RowReader, pieces: Pieces, path: Path) -> None:
        self.counts = Counts()
        self._source = source
        self._reader = reader
        self._pieces = pieces
        self._path = path
        self._done = 0
        self._chunks: Iterator[Chunk] = iter(())

    def resume(self) -> None:
        """Find where a run broke off, and see that its last row is what this run would write.

        Raises:
            InputError: the output is not one of this log with these options.
        """
        last, self.counts, rows = _recounted(self._pieces.lines(), f"--output {self._path}")
        if not last:
            return
        self._chunks = self._source.chunks(last - 1)
        again = next(self._chunks, None)
        wrong = f"--output {self._path}: its last row, of line {last}, is not what the log and the options give"
        if again is None:
            raise self._source.error or InputError(f"{wrong}: the log has fewer lines; give the log that it is of")
        found = self._reader.read(again.part(0, 1)).output.splitlines(keepends=True)
        if found[: len(rows)] != rows:
            raise InputError(f"{wrong}: resume with the log and the options of the run that broke off")
        for row in found[len(rows) :]:  # the kill may have come between two answers to one request
            self._pieces.add(row)
            _count(decoded(row.decode(), dict), self.counts)
        self._chunks = chain([again.part(1)], self._chunks)
        self._done = last

    def go(self, jobs: int) -> int:
        """Read and write the rest: 0, or the exit code if it broke off."""
        progress = Progress(self._done)
        chunks = self._chunks if self._done else self._source.chunks()
        try:
            self._read_rest(read_all(chunks, self._reader, jobs), progress)
            self._pieces.sync()
        except (WorkerError, OSError) as error:
            progress.clear()
            print(f"toolglean: {error}\n{self._advice()}", file=sys.stderr)
            return BROKE_OFF
        except KeyboardInterrupt:
            progress.clear()
            print(f"toolglean: interrupted\n{self._advice()}", file=sys.stderr)
            raise
        progress.clear()
        if self._source.error is not None:
            raise self._source.error
        return 0

    def _read_rest(self, reads: Iterator[Read], progress: Progress) -> None:
        for read in reads:
            self._pieces.add(read.output)
            self.counts.merge(read.counts)
            self._done = read.last
            if read.error is not None:
                raise InputError(read.error)
            progress.show(read.last, read.read)

    def _advice(self) -> str:
        return f"{self._path} holds the rows of {self._done:,} lines: run the same command with --resume to go on"


def _recounted(lines: Iterator[bytes], name: str = "") -> tuple[int, Counts, list[bytes]]:
    """Of rows that are written: the number of the last line, what they came to, and the rows of that line."""
    counts, last = Counts(), 0
    rows: list[bytes] = []
    for place, row in enumerate(lines, 1):
        try:
            number = _count(decoded(row.decode(), dict), counts)
        except (ValueError, TypeError, KeyError) as error:
            said = f"{name}: its line {place} is not a row of `toolglean parse`: give another name"
            raise InputError(said) from error
        if number < last:
            raise InputError(f"{name}: the row of line {number} comes behind that of line {last}: give another name")
        rows = [*rows, row] if number == last else [row]
        last = number
    return last, counts, rows


def _count(row: Any, counts: Counts) -> int:
    """Count a row; returns the number of its line."""
    number: int = row["line"]
    problems = row["problems"]
    if problems and row["format"] is None and problems[0]["code"] == "not-a-turn":
        counts.add_bad_line()
        return number
    sizes = {"calls": len(row["calls"]), "unfinished": len(row["unfinished"]), "problems": len(problems)}
    counts.add(**sizes, format_name=row["format"])
    return number
