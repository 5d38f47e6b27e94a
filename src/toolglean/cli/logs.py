# `toolglean parse --output`: a run over a log with these arguments, which reports on standard error. Does not
# depend on how logs are read and written (batch/logs).
"""`toolglean parse --output`: a log of turns becomes a file of rows."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from toolglean.batch.lines import InputError, name_of
from toolglean.batch.logs import table
from toolglean.batch.logs.pieces import Pieces
from toolglean.batch.logs.run import LogRun, counts_of
from toolglean.batch.logs.source import Source
from toolglean.batch.logs.workers import WorkerError
from toolglean.cli.input import located, row_reader
from toolglean.cli.output import check_new, check_suffix
from toolglean.cli.progress import Progress, clear_line

__all__ = ["BROKE_OFF", "run_log"]

BROKE_OFF = 3
"""The exit code of a run that can be resumed."""

LINES = ("", ".jsonl", ".ndjson")
COMPRESSED = (".gz", ".zst", ".zstd")
SUFFIXES = (*LINES[1:], *COMPRESSED, ".parquet")


def run_log(args: argparse.Namespace) -> int:
    """Write the rows of a log to `args.output`, and print the summary.

    Returns:
        The exit code of the turns; 3 if a process died or the output could not be written: the rows written so far
        stay, and `--resume` continues the run.

    Raises:
        InputError: the log cannot be read to its end, the output is not one of this log or has a suffix that says
            another kind, or `--fail-fast` and a row is not a turn.
    """
    given = Path(args.output)
    name = f"--output {given}"
    _check(args, given, name)
    reader = row_reader(args, args.file)
    with ExitStack() as stack:
        source = stack.enter_context(Source(args.file))
        if table.is_done(given):
            counts = counts_of(table.rows_of(given, name))
        else:
            path = table.journal_of(given, name) if table.is_table(given) else given
            of_rows = name if path is given else f"{name} (its rows so far: {path})"
            is_new = not args.resume or not path.exists()
            pieces = stack.enter_context(Pieces(path, name=of_rows, is_new=is_new))
            run = LogRun(source, reader, pieces, name=of_rows)
            if not is_new:
                run.resume()
            code = _go(run, path, args.jobs)
            if code:
                return code
            counts = run.counts
            if path is not given:
                table.write(path, given, name)
    print(counts.summary())
    if counts.only_bad_lines:
        what = "no line is a turn; for one turn, leave out --output"
        print(f"toolglean: {name_of(args.file)}: {what}", file=sys.stderr)
    return counts.code


def _check(args: argparse.Namespace, given: Path, name: str) -> None:
    _check_suffix(given)
    if args.form not in {None, "turns"} or args.events:
        raise InputError("--output is for logs of turns: leave out --text, --stream and --events")
    if args.summary:
        raise InputError("--summary prints what --output would write: leave out one of them")
    _, line, shipped = located(args.file)
    if line is not None or shipped is not None:
        raise InputError(f"{args.file}: --output reads whole logs: pass the name of a file, or leave out --output")
    log = Path(args.file)
    if args.file != "-" and log.exists() and given.exists() and given.samefile(log):
        raise InputError(f"{name}: this file is the log itself; choose another name")
    if table.is_done(given) and not args.resume:
        check_new(args.output)


def _check_suffix(given: Path) -> None:
    # Calls are nested in a turn, and arguments in a call, so rows do not fit the columns of CSV.
    check_suffix("--output", given, SUFFIXES, "rows are written as JSON lines, which may be compressed, or as Parquet")
    inner = Path(given.stem).suffix
    if given.suffix.lower() in COMPRESSED and inner.lower() not in LINES:
        raise InputError(f"--output {given}: what is compressed is JSON lines; expected .jsonl before {given.suffix}")


def _go(run: LogRun, path: Path, jobs: int) -> int:
    """Read and write the rest: 0, or the exit code if the run broke off."""

    def told(what: object) -> None:
        advice = f"{path} has the rows of {run.done:,} lines: run the same command with --resume to continue"
        clear_line()
        print(f"toolglean: {what}\n{advice}", file=sys.stderr)

    progress = Progress(run.done)
    try:
        for read in run.go(jobs):
            progress.show(read.last, read.read)
    except (WorkerError, OSError) as error:
        told(error)
        return BROKE_OFF
    except KeyboardInterrupt:
        told("interrupted")
        raise
    finally:
        clear_line()
    return 0
