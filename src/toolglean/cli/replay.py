# Which turn is meant, and where the page goes. Does not depend on how the page is made (kit/replay), or on how input is
# read (chunks.py).
"""`toolglean replay`: one turn as a page that plays it, token by token."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from toolglean.batch.lines import InputError, json_in, name_of
from toolglean.batch.turns import NotATurnError, Written, turns_in
from toolglean.cli.chunks import RULE, Line, read_input
from toolglean.cli.options import add_form_options, add_format_options, at_least_one, made_with, without_prompt
from toolglean.cli.output import for_people
from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.replay import Recording, cut_turn, html_page, record

__all__ = ["add_arguments"]

LONGEST = 64
"""Characters of a chunk, on average. Longer chunks, or a single one, are cut at their words."""

_with_line = re.compile(r"(.+):([0-9]+)", re.DOTALL).fullmatch


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn to replay.

    Attributes:
        title: its title on the page.
        chunks: its text, as it is stored.
        shipped: whether it is one of the shipped streams, whose tools are known.
        written: the turn as the server stored it, if it is one of many.
    """

    title: str
    chunks: list[str]
    shipped: bool = False
    written: Written | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Writes one HTML page, which needs no network, that plays a turn token by token: what each "
        "character became, the events of each step, what a program has by then, and what `toolglean explain` says."
    )
    parser.epilog = RULE
    parser.add_argument(
        "turn",
        nargs="?",
        default="-",
        metavar="STREAM|LOG[:LINE]",
        help="a file with one turn, as text or in chunks; a file of JSON lines with a turn on each, and the line, "
        "such as log.jsonl:7 (default: the first); the name of a shipped stream (`toolglean demo --list`); or -, "
        "standard input, the default",
    )
    parser.add_argument("--html", required=True, metavar="FILE", help="where the page goes; - for standard output")
    parser.add_argument(
        "--chunk",
        type=at_least_one,
        metavar="N",
        help="cut the turn into new chunks of N characters (default: as it arrived; at its words if that is not known)",
    )
    parser.add_argument(
        "--choice", type=int, default=0, metavar="N", help="of a line with several answers, which one (default: 0)"
    )
    form = add_form_options(parser)
    form.add_argument(
        "--turns", dest="form", action="store_const", const="turns", help="the input is JSON lines, a turn on each"
    )
    add_format_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page. Always returns 0: turns with problems are the ones that people want to see."""
    turn = _turn(args)
    text = "".join(turn.chunks)
    chunks, notes = turn.chunks, _notes(turn.written)
    if args.chunk is not None:
        chunks = cut_turn(text, args.chunk)
    elif text and (len(chunks) == 1 or len(text) > LONGEST * len(chunks)):
        chunks = cut_turn(text)
        notes.append("The input does not show in which pieces the turn arrived, so it was cut at its words.")
    if turn.written is not None and turn.written.thoughts:
        args = without_prompt(args)  # the server has taken the reasoning out
    found = made_with(
        args,
        lambda tools, **options: record(
            chunks, load_tools() if tools is None and turn.shipped else tools, title=turn.title, notes=notes, **options
        ),
    )
    _write(args.html, found)
    return 0


def _turn(args: argparse.Namespace) -> Turn:
    path, line = args.turn, None
    if path != "-" and not Path(path).exists():
        stream = next((each for each in load_streams() if each.name == path), None)
        if stream is not None:
            return Turn(f"{stream.name}: {stream.about}", list(stream.tokens), shipped=True)
        split = _with_line(path)
        if split is not None:
            path, line = split[1], int(split[2])
        if path != "-" and not Path(path).exists():
            raise InputError(
                f"{args.turn}: no such file, and no shipped stream has that name (`toolglean demo --list`)"
            )
    if line is not None and args.form not in {None, "turns"}:
        raise InputError(
            f"{args.turn}: a line of a log was asked for, which is not one stream: leave out --{args.form}"
        )
    found = read_input(path, "turns" if line is not None else args.form)
    if line is None:
        first = next(found, None)
        if not isinstance(first, Line):
            chunks: Any = [] if first is None else chain([first], found)  # no lines among them
            return Turn(name_of(path), list(chunks))
        return _turn_of(first, path, args.choice)
    lines: Any = found  # nothing else among them
    return _turn_of(_line(lines, line, path), path, args.choice)


def _line(lines: Iterable[Line], wanted: int, path: str) -> Line:
    for each in lines:
        if each.number == wanted:
            return each
        if each.number > wanted:
            break
    raise InputError(f"{name_of(path)}: there is no turn on line {wanted}")


def _turn_of(line: Line, path: str, choice: int) -> Turn:
    where = f"{name_of(path)}: line {line.number}"
    try:
        found = turns_in(json_in(line.text, where))
    except NotATurnError as error:
        raise InputError(f"{where}: {error}") from error
    if not 0 <= choice < len(found):
        raise InputError(f"--choice {choice}: the choices of {where} are 0 to {len(found) - 1}")
    several = f", choice {choice}" if len(found) > 1 else ""
    return Turn(f"{where}{several}", found[choice].texts, written=found[choice])


def _notes(written: Written | None) -> list[str]:
    if written is None:
        return []
    notes = []
    if written.reasoning:
        notes.append(
            f"The server had already taken {len(written.reasoning):,} characters of reasoning out of this turn."
        )
    if written.calls:
        names = ", ".join(call.name or "one without a name" for call in written.calls)
        notes.append(f"The server had already taken these calls out of this turn: {names}.")
    if written.others:
        notes.append(f"The turn has parts that are not text, which are not shown: {len(written.others):,}.")
    return notes


def _write(path: str, found: Recording) -> None:
    page = html_page(found).encode("utf-8")
    if path == "-":
        sys.stdout.buffer.write(page)
        return
    try:
        Path(path).write_bytes(page)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    for_people()
    output = found.output
    calls = len(output.calls) + len(output.unfinished)
    counts = {"token": len(found.steps) - 1, "character": len(found.text), "call": calls}
    told = ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for what, count in counts.items())
    print(f"{path}: {told}, {len(page) // 1024 + 1:,} KB")
