# What this file knows: the command `toolglean parse`.
# What it must not know: how input is read (chunks.py) and how events look as JSON (output.py).
"""`toolglean parse`: one turn of a model, from a file or from standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from toolglean.cli.chunks import RULE, read_chunks
from toolglean.cli.options import add_format_options, new_parser
from toolglean.cli.output import end_line, event_line, for_machines, output_line
from toolglean.events import CallEnd, Event, Problem, fold
from toolglean.parser import Parser

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "parse",
        help="read one turn of a model, and print its content and calls as JSON",
        description="Reads one turn of a model, and prints the result as one line of JSON: format, content, reasoning, "
        "calls, unfinished calls, problems.",
        epilog=RULE,
        allow_abbrev=False,
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="what the model wrote (default: -, standard input)"
    )
    parser.add_argument(
        "--events",
        action="store_true",
        help="print each event on a separate line, as soon as it is known, and the format on the last line",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", dest="form", action="store_const", const="text", help="the input is text")
    form.add_argument(
        "--jsonl", dest="form", action="store_const", const="jsonl", help="the input is JSON lines of chunks"
    )
    add_format_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Parse. 1 where the turn had a problem or an unfinished call, else 0."""
    for_machines()
    parser = new_parser(args)
    turns = chain(map(parser.feed, read_chunks(args.file, args.form)), _last(parser))
    return _as_events(turns, parser) if args.events else _as_output(turns, parser)


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
