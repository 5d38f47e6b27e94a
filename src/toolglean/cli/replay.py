# Where the page goes, and into which chunks the turn is cut. Does not depend on how the page is made (kit/replay), or
# on how input is read (input.py).
"""`toolglean replay`: one turn as a page that plays it, token by token."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from toolglean.cli.input import Turn, add_input_arguments, one_turn
from toolglean.cli.options import add_format_options, at_least_one
from toolglean.cli.output import check_suffix, for_people, write_file
from toolglean.cli.usage import add_options, exit_codes
from toolglean.kit.replay import Recording, cut_turn, html_page, record

__all__ = ["add_arguments"]

LONGEST = 64
"""Characters of a chunk, on average. Longer chunks, or a single one, are cut at their words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Writes one HTML page, which needs no network, that plays a turn token by token: what each "
        "character became, the events of each step, what a program has by then, and what `toolglean explain` says. "
        "Of an input with many turns, it plays the first one."
    )
    codes = exit_codes(_0="the turn was read", _1="it has a malformed call or another problem")
    end = f"The page is written even if the exit code is 1 or 4.\n\n{codes}"
    add_input_arguments(parser, end, one_turn=True)
    about = {
        "--html FILE": "where the page goes; - for standard output",
        "--chunk N": "cut the turn into new chunks of N characters (default: as it arrived; at its words if that is "
        "not known)",
    }
    add_options(parser, about, html={"required": True}, chunk={"type": at_least_one})
    add_format_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the page. Returns the exit code of the turn, as `toolglean parse` does."""
    check_suffix("--html", Path(args.html), (".html", ".htm"), "the page is HTML")
    turn = one_turn(args)
    reading = turn.reading(args)
    chunks, notes = _cut(turn, args.chunk)
    found = record(chunks, reading.tools, title=turn.title, notes=[*reading.notes, *notes], **reading.parsing)
    _write(args.html, found)
    return reading.code


def _cut(turn: Turn, size: int | None) -> tuple[list[str], list[str]]:
    """The chunks that are played, and a note if they are not those that arrived."""
    text = "".join(turn.chunks)
    if size is not None:
        return cut_turn(text, size), []
    if text and (len(turn.chunks) == 1 or len(text) > LONGEST * len(turn.chunks)):
        return cut_turn(text), ["The input does not show in which pieces the turn arrived, so it was cut at its words."]
    return turn.chunks, []


def _write(path: str, found: Recording) -> None:
    page = html_page(found).encode("utf-8")
    if path == "-":
        sys.stdout.buffer.write(page)
        return
    write_file("--html", path, page)
    for_people()
    output = found.output
    calls = len(output.calls) + len(output.unfinished)
    counts = {"token": len(found.steps) - 1, "character": len(found.text), "call": calls}
    told = ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for what, count in counts.items())
    told += f" ({len(output.unfinished):,} unfinished)" if output.unfinished else ""
    print(f"{path}: {told}, {len(page) // 1024 + 1:,} KB")
