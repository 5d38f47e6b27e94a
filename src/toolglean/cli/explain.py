# What this file knows: the command `toolglean explain`, and how an explanation is shown to people.
# What it must not know: how anything in it was found (toolglean/explain).
"""`toolglean explain`: why a call was not found in a turn."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from toolglean.cli.chunks import read_chunks
from toolglean.cli.options import add_form_options, add_format_options, made_with
from toolglean.cli.output import BLUE, BOLD, DIM, GREEN, YELLOW, Paint, explanation_line, for_machines, for_people
from toolglean.kit.explain import Explanation, Opener, Reach, Span, explain

__all__ = ["add_to"]

MOST_SPANS = 30  # and problems: of what is shown to people
TEXT = 56  # characters of a part of the turn
WIDTH = 100
KINDS = {"content": BOLD, "reasoning": DIM, "call": GREEN, "markup": BLUE}
NAMES = 5  # formats that are named on a line


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="show why a call was not found in a turn, and what to do about it",
        description="Shows what a turn was read as; each marker in it, the formats that it fits, how far the reading "
        "of each came, and what was expected there; the likely cause; and what to pass to read the turn otherwise.",
        epilog="Input is UTF-8: the text of one turn, or JSON lines of its chunks, as for `toolglean parse`.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="what the model wrote (default: -, standard input)"
    )
    parser.add_argument("--json", action="store_true", help="print the explanation as one line of JSON")
    parser.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="colour (default: auto, which is on a terminal, unless NO_COLOR is set)",
    )
    add_form_options(parser)
    add_format_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Explain. 1 where the turn had a problem or an unfinished call, else 0, as for `toolglean parse`."""
    text = "".join(read_chunks(args.file, args.form))
    found = made_with(args, lambda tools, **options: explain(text, tools, **options))
    if args.json:
        for_machines()
        print(explanation_line(found))
    else:
        for_people()
        _show(found, Paint(wanted=args.color != "never", always=args.color == "always"))
    unfinished = any(span.call is not None and span.call.status != "ok" for span in found.spans)
    return 1 if found.problems or unfinished else 0


# -- for people --------------------------------------------------------------------------------------------------------


def _show(found: Explanation, paint: Paint) -> None:
    calls = ", ".join(found.calls[:NAMES]) + (", …" if len(found.calls) > NAMES else "")
    said = f"{len(found.calls)} complete {'call' if len(found.calls) == 1 else 'calls'}"
    print(paint(f"Read as {found.format or 'no format'}: {said}{f' ({calls})' if calls else ''}", BOLD))
    for span in found.spans[:MOST_SPANS]:
        print(_span_row(span, paint))
    _print_left_out(len(found.spans) - MOST_SPANS, "parts", paint)
    for trouble in found.problems[:MOST_SPANS]:
        print(paint(f"  {_at(trouble):>7}  problem    {trouble.reason}", YELLOW))
    _print_left_out(len(found.problems) - MOST_SPANS, "problems", paint)
    if found.openers:
        print(paint("\nMarkers, and how far each format's reading came", BOLD))
    for opener in found.openers:
        for row in _opener_rows(opener, paint):
            print(row)
    _print_left_out(found.openers_left_out, "markers", paint)
    _show_causes(found, paint)
    if found.advice:
        print(paint("\nTried, and reads more", BOLD))
    for advice in found.advice:
        print(f"  {paint(advice.text, GREEN)}  ->  {advice.effect}")


def _show_causes(found: Explanation, paint: Paint) -> None:
    if found.complete:
        print(paint("\nEvery call was read.", BOLD))
        return
    if found.causes:
        print(paint("\nLikely cause", BOLD))
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    for cause in found.causes:
        print(f"  {paint(cause.name, YELLOW)}, at {_at(cause)}")
        for line in textwrap.wrap(cause.text, max(20, width - 4), break_on_hyphens=False):
            print(f"    {line}")


def _print_left_out(count: int, what: str, paint: Paint) -> None:
    if count > 0:
        print(paint(f"  … and {count:,} more {what}", DIM))


def _span_row(span: Span, paint: Paint) -> str:
    call = span.call
    status = (
        "" if call is None else f"{call.name} {call.status}{' (not one of the tools)' if call.known is False else ''} "
    )
    code = YELLOW if call is not None and call.status != "ok" else KINDS[span.kind]
    return f"  {_at(span):>7}  {paint(f'{span.kind:9}', code)}  {status}{_quote(span.text)}"


def _opener_rows(opener: Opener, paint: Paint) -> Iterator[str]:
    fits = ", ".join(opener.formats[:NAMES]) + (
        f" and {len(opener.formats) - NAMES} more" * (len(opener.formats) > NAMES)
    )
    quoted = ", in code" if opener.quoted else ""
    kind = "" if opener.kind == "call" else f" ({opener.kind})"
    read_as = f"read as {opener.read_as}{quoted}"
    yield f"  {_at(opener):>7}  {paint(_quote(opener.text), BLUE)}{kind}  {read_as}; fits {fits or 'no format'}"
    for _, group in groupby(opener.reaches, key=lambda each: (each.outcome, each.end, each.expected[:1])):
        yield _reach_row(list(group), paint)
    if opener.reaches and opener.left_out:
        yield paint(f"           … and {opener.left_out} more, which came less far", DIM)


def _reach_row(group: list[Reach], paint: Paint) -> str:
    first, names = group[0], ", ".join(each.format for each in group[:NAMES])
    name = f" of {first.name}" if first.name else ""
    if first.outcome == "call":
        return f"           {names}: {paint('a whole call', GREEN)}{name}, to {_at(first)}"
    if first.outcome == "marker":
        return f"           {names}: a marker by itself"
    end = {"unfinished": "the turn ends", "stopped": "looked no further"}.get(first.outcome, "ended")
    expected = f"; expected {' or '.join(first.expected[:3])}" if first.expected else ""
    return f"           {names}: {paint(f'{end} at {_at(first)}', YELLOW)}, after {first.chars:,} characters{expected}"


def _at(part: Any) -> str:
    return f"{part.line}:{part.column}"


def _quote(text: str) -> str:
    if len(text) > TEXT:
        text = text[: TEXT // 2] + " … " + text[-TEXT // 2 :]
    return repr(text)
