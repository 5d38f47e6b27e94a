# Does not depend on how input is read (chunks.py), how events look as JSON (output.py), where a line has its turn
# (batch/turns.py), or how a log becomes a file (logs.py).
"""`toolglean parse`: one turn of a model, or one on each line, from a file or from standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

from toolglean.batch.lines import InputError, fields_of, json_line, row_of
from toolglean.batch.outcome import Counts, code_of
from toolglean.cli.chunks import Line
from toolglean.cli.input import Input, add_input_arguments, open_input, row_reader
from toolglean.cli.options import add_format_options, at_least_one, made_with
from toolglean.cli.output import end_line, event_line, for_machines
from toolglean.cli.usage import add_options, exit_codes
from toolglean.events import Event, fold
from toolglean.parser import Parser

__all__ = ["add_arguments"]

EXIT_CODES = exit_codes(
    _0="every turn was read",
    _1="a line is not a turn, or a turn has a malformed call or another problem",
    _3="a run with --output broke off: continue it with --resume",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Reads one turn of a model, and prints the result as one line of JSON: format, content, "
        "reasoning, calls, unfinished calls, problems. For JSON lines that are turns it prints such a line for each, "
        "with the turn's id and its line, and a summary as the last line. With --output, these lines go to a file."
    )
    add_input_arguments(parser, EXIT_CODES)
    about = "one stream: print every event on a line of its own, as soon as it is known; the last line gives the format"
    add_options(parser, {"--events": about})
    turns = {
        "--summary": "print only the summary, not the turns",
        "--fail-fast": "stop at the first line that is not a turn, with exit code 2",
    }
    add_options(parser.add_argument_group("turns"), turns)
    logs = {
        "--output FILE": "write the rows to this file, and print only the summary. The suffix says how: JSON lines "
        "(.jsonl, .ndjson, or none), compressed (.gz; .zst with Python 3.14 or toolglean[batch]), or Parquet "
        "(.parquet, with toolglean[batch])",
        "--jobs N": "how many processes read turns (default: 1)",
        "--resume": "continue a FILE whose run was interrupted or killed",
    }
    group = parser.add_argument_group("logs (a row of output for each row of the log)")
    add_options(group, logs, jobs={"type": at_least_one, "default": 1})
    add_format_options(parser)


def run(args: argparse.Namespace) -> int:
    """Parse, and print.

    Returns:
        The exit code of the turns (`code_of`); UNREAD if a line was not a turn; 3: see `run_log`.
    """
    for_machines()
    if args.output is not None:
        from toolglean.cli.logs import run_log  # noqa: PLC0415  # it imports what starts processes

        return run_log(args)
    if args.jobs != 1 or args.resume:
        raise InputError("--jobs and --resume need --output FILE")
    parser = made_with(args, Parser)  # wrong options are reported before the input is waited for
    found = open_input(args)
    if found.lines is not None:
        return _as_turns(found, found.lines, args)
    if args.summary or args.fail_fast:
        raise InputError("--summary and --fail-fast are for turns, and this is one stream: pass --turns if it is not")
    if found.shipped is not None:
        from toolglean.kit.demo import load_tools  # noqa: PLC0415  # only such a stream needs it

        parser = made_with(args, Parser, tools=load_tools())
    turns = chain(map(parser.feed, found.chunks or ()), _last(parser))
    return _as_events(turns, parser) if args.events else _as_output(turns, parser)


def _as_turns(found: Input, lines: Iterator[Line], args: argparse.Namespace) -> int:
    if args.events:
        raise InputError(
            "--events shows one stream, and these are turns: leave it out, or pass --stream or --text if this is one"
        )
    reader, counts = row_reader(args, found.name), Counts()  # of a turn, only its counts are kept
    for line in lines:
        try:
            value, turns = reader.columns.read(line.text, f"{found.name}: line {line.number}")
        except InputError as error:
            if args.fail_fast:
                raise
            counts.add_bad_line()
            print(f"toolglean: {error}", file=sys.stderr)
            continue
        for written in turns:
            row = reader.row(line.number, value, written, counts)
            if not args.summary:
                print(row, flush=True)
    print(counts.summary())
    return counts.code


def _last(parser: Parser) -> Iterator[list[Event]]:
    # A generator, so that the turn ends when the chunks are used up, and not before.
    yield parser.finish()


def _format_of(parser: Parser) -> str | None:
    return None if parser.format is None else parser.format.name


def _as_events(found: Iterable[list[Event]], parser: Parser) -> int:
    seen: list[Event] = []
    for events in found:
        for event in events:
            print(event_line(event))
        sys.stdout.flush()
        seen += events
    print(end_line(_format_of(parser)))
    return code_of(fields_of(fold(seen)))


def _as_output(found: Iterable[list[Event]], parser: Parser) -> int:
    output = fold(chain.from_iterable(found))
    row = row_of(output, _format_of(parser))
    print(json_line(row))
    return code_of(row)
