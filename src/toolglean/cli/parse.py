# Does not depend on how input is read (chunks.py), how events look as JSON (output.py), how many turns are reported
# (report.py), or how a log becomes a file (logs.py).
"""`toolglean parse`: one turn of a model, or one on each line, from a file or from standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from toolglean.batch.lines import InputError, name_of, output_line
from toolglean.cli.chunks import RULE, Line, read_input
from toolglean.cli.options import add_form_options, add_format_options, at_least_one, new_parser, without_prompt
from toolglean.cli.output import end_line, event_line, for_machines
from toolglean.cli.report import Report
from toolglean.events import CallEnd, Event, Problem, fold
from toolglean.parser import Parser

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Reads one turn of a model, and prints the result as one line of JSON: format, content, "
        "reasoning, calls, unfinished calls, problems. For JSON lines that are turns it prints such a line for each, "
        "with the turn's id and its line, and a summary as the last line. With --output, these lines go to a file, and "
        "the log may be compressed with gzip or zstd, or be Parquet."
    )
    parser.epilog = RULE
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="what the model wrote (default: -, standard input)"
    )
    parser.add_argument(
        "--events",
        action="store_true",
        help="one stream: print every event on a line of its own, as soon as it is known; the last line gives the "
        "format",
    )
    form = add_form_options(parser)
    form.add_argument(
        "--turns", dest="form", action="store_const", const="turns", help="the input is JSON lines, a turn on each"
    )
    group = parser.add_argument_group("turns")
    group.add_argument("--summary", action="store_true", help="print only the summary, not the turns")
    group.add_argument(
        "--strict", action="store_true", help="stop at the first line that is not a turn, with exit code 2"
    )
    _add_log_options(parser)
    add_format_options(parser)
    parser.set_defaults(run=run)


def _add_log_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("logs (a row of output for each row of the log)")
    group.add_argument(
        "--output",
        metavar="FILE",
        help="write the rows to this file, as JSON lines, or by its suffix: .gz, .zst (Python 3.14 or "
        "toolglean[batch]), .parquet (toolglean[batch]); print only the summary",
    )
    group.add_argument(
        "--jobs", type=at_least_one, metavar="N", default=1, help="how many processes read turns (default: 1)"
    )
    group.add_argument("--resume", action="store_true", help="continue a FILE whose run was interrupted or killed")
    group.add_argument(
        "--text-column", metavar="NAME", help="the key or column with the turn's text (default: as for turns)"
    )
    group.add_argument(
        "--tools-column",
        metavar="NAME",
        default="tools",
        help="the key or column with the tools of a turn, unless --tools gives them for all (default: tools)",
    )
    group.add_argument(
        "--model-column",
        metavar="NAME",
        default="model",
        help="the key or column with the name of a turn's model, unless an option says how the model writes for all "
        "turns (default: model)",
    )


def run(args: argparse.Namespace) -> int:
    """Parse, and print.

    Returns:
        1 if a turn had a problem or an unfinished call, or a line was not a turn; 3: see `run_log`; else 0.
    """
    for_machines()
    if args.output is not None:
        from toolglean.cli.logs import run_log  # noqa: PLC0415  # it imports what starts processes

        return run_log(args)
    if args.jobs != 1 or args.resume or args.text_column is not None:
        raise InputError("--jobs, --resume and --text-column need --output FILE")
    parser = new_parser(args)
    found = read_input(args.file, args.form)
    first = next(found, None)
    if args.form == "turns" or isinstance(first, Line):
        return _as_turns([] if first is None else chain([first], found), parser, args)
    if args.summary or args.strict:
        raise InputError("--summary and --strict are for turns, and this is one stream: pass --turns if it is not")
    chunks: Any = [] if first is None else chain([first], found)  # no lines among them
    turns = chain(map(parser.feed, chunks), _last(parser))
    return _as_events(turns, parser) if args.events else _as_output(turns, parser)


def _as_turns(lines: Iterable[Any], parser: Parser, args: argparse.Namespace) -> int:
    if args.events:
        raise InputError(
            "--events shows one stream, and these are turns: leave it out, or pass --stream or --text if this is one"
        )
    report = Report(parser, lambda: new_parser(without_prompt(args)), name_of(args.file))
    for line in lines:
        for row in report.rows(line, strict=args.strict):
            if not args.summary:
                print(row, flush=True)
    print(report.counts.summary())
    return report.counts.code


def _last(parser: Parser) -> Iterator[list[Event]]:
    # A generator, so that the turn ends when the chunks are used up, and not before.
    yield parser.finish()


def _format_of(parser: Parser) -> str | None:
    return None if parser.format is None else parser.format.name


def _as_events(found: Iterable[list[Event]], parser: Parser) -> int:
    code = 0
    for events in found:
        for event in events:
            print(event_line(event))
            if isinstance(event, Problem) or (isinstance(event, CallEnd) and event.call.status != "ok"):
                code = 1
        sys.stdout.flush()
    print(end_line(_format_of(parser)))
    return code


def _as_output(found: Iterable[list[Event]], parser: Parser) -> int:
    output = fold(chain.from_iterable(found))
    print(output_line(output, _format_of(parser)))
    return 1 if output.problems or output.unfinished else 0
