# How an explanation is shown to people. Does not depend on how anything in it was found (kit/explain).
"""`toolglean explain`: why a call was not found in a turn."""

from __future__ import annotations

import argparse
import sys
import textwrap
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import groupby

from toolglean.batch.lines import fields_of
from toolglean.cli.input import add_input_arguments, one_turn
from toolglean.cli.options import add_format_options, as_options
from toolglean.cli.output import WIDTH, Paint, add_result_options, line_width, print_result, shortened
from toolglean.cli.usage import exit_codes
from toolglean.kit.explain import Explanation, Opener, Reach, Span, explain
from toolglean.kit.explain.wording import NAMES, fits, outcome, place, summary, troubles
from toolglean.kit.tiles import Places

__all__ = ["add_arguments"]

MOST_SPANS = 30  # that are shown to people, and as many problems
MOST_LINES = 12  # with a ruler under them, and as many of their signs
_SIGNS = "abcdefghijklmnopqrstuvwxyz"
_REACH_CODES: dict[str, tuple[str, ...]] = {"call": (Paint.GREEN,), "marker": ()}
KINDS = {"content": Paint.BOLD, "reasoning": Paint.DIM, "call": Paint.GREEN, "markup": Paint.BLUE}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Shows what a turn was read as; each marker in it, the formats that it fits, how far the reading "
        "of each got, and what was expected there; the likely cause; and what to pass to read the turn differently. "
        "Of an input with many turns, it explains the first one."
    )
    codes = exit_codes(_0="the turn was read", _1="it has a malformed call or another problem")
    add_input_arguments(parser, codes, one_turn=True)
    add_result_options(parser)
    add_format_options(parser)


def run(args: argparse.Namespace) -> int:
    """Explain. Returns the exit code of the turn, as `toolglean parse` does."""
    turn = one_turn(args)
    reading = turn.reading(args)
    for note in reading.notes:
        print(f"toolglean: {turn.title}: {note}", file=sys.stderr)
    found = explain("".join(turn.chunks), reading.tools, **reading.parsing)
    print_result(args, lambda: fields_of(found), partial(_show, found))
    return reading.code


# -- for people --------------------------------------------------------------------------------------------------------


def _show(found: Explanation, paint: Paint) -> None:
    print(paint(summary(found, NAMES), paint.BOLD))
    for span in found.spans[:MOST_SPANS]:
        print(_span_row(span, paint))
    _print_left_out(len(found.spans) - MOST_SPANS, "parts", paint)
    problems = troubles(found)
    for trouble in problems[:MOST_SPANS]:
        print(paint(f"  {place(trouble):>7}  problem    {trouble.reason}", paint.YELLOW))
    _print_left_out(len(problems) - MOST_SPANS, "problems", paint)
    _show_quotations(found, paint)
    if found.openers:
        print(paint("\nMarkers, and how far each format's reading got", paint.BOLD))
    for opener in found.openers:
        for row in _opener_rows(opener, paint):
            print(row)
    _print_left_out(found.openers_left_out, "markers", paint)
    _show_causes(found, paint)
    if found.advice:
        print(paint("\nTried, and reads better", paint.BOLD))
    for advice in found.advice:
        print(f"  {paint(advice.text, paint.GREEN)}  ({as_options(advice.options)})  ->  {advice.effect}")


def _show_quotations(found: Explanation, paint: Paint) -> None:
    # The lines of the content that quote something, with a ruler under each. JSON is full of strings: only those with
    # a marker in them are worth a line.
    seen = sorted([*(each.start for each in found.openers), *(each.start for each in found.problems)])
    strings = (each for each in found.quotations if each.context == "a JSON string")
    plain = {each.start for each in strings if bisect_left(seen, each.start) == bisect_left(seen, each.end)}
    quotations = [each for each in found.quotations if each.start not in plain]
    if not quotations:
        return
    print(paint("\nQuoted: a call there is content", paint.BOLD))
    text, shown = "".join(span.text for span in found.spans), 0
    signs: dict[tuple[str, int], str] = {}
    under = [" "] * len(text)
    for each in quotations:
        sign = signs.setdefault((each.context, each.since), _SIGNS[len(signs) % len(_SIGNS)])
        under[each.start : each.end] = sign * (each.end - each.start)
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        end = start + len(line)
        ruler = "".join(under[start:end])
        if ruler.strip() and shown < MOST_LINES:
            shown += 1
            row = line[:WIDTH].replace("\t", " ").replace("\r", " ")
            print(f"  {number:>7}  {row}\n           {paint(ruler[:WIDTH].rstrip(), paint.BLUE)}")
        start = end + 1
    for (context, since), sign in list(signs.items())[:MOST_LINES]:
        opened = ":".join(map(str, Places(text).of(since)))
        print(f"        {paint(sign, paint.BLUE)}  {context}, opened at {opened}")


def _show_causes(found: Explanation, paint: Paint) -> None:
    if found.complete or (found.calls and not found.causes):
        print(paint("\nEvery call was read.", paint.BOLD))
        return
    if found.causes:
        print(paint("\nLikely cause", paint.BOLD))
    width = line_width()
    for cause in found.causes:
        print(f"  {paint(cause.name, paint.YELLOW)}, at {place(cause)}")
        for line in textwrap.wrap(cause.text, max(20, width - 4), break_on_hyphens=False):
            print(f"    {line}")


def _print_left_out(count: int, what: str, paint: Paint) -> None:
    if count > 0:
        print(paint(f"  … and {count:,} more {what}", paint.DIM))


def _span_row(span: Span, paint: Paint) -> str:
    call = span.call
    status = (
        "" if call is None else f"{call.name} {call.status}{' (not one of the tools)' if call.known is False else ''} "
    )
    code = Paint.YELLOW if call is not None and call.status != "ok" else KINDS[span.kind]
    return f"  {place(span):>7}  {paint(f'{span.kind:9}', code)}  {status}{shortened(span.text)!r}"


def _opener_rows(opener: Opener, paint: Paint) -> Iterator[str]:
    quoted = ", in code" if opener.quoted else ""
    kind = "" if opener.kind == "call" else f" ({opener.kind})"
    read_as = f"read as {opener.read_as}{quoted}"
    marker = paint(repr(shortened(opener.text)), paint.BLUE)
    yield f"  {place(opener):>7}  {marker}{kind}  {read_as}; fits {fits(opener)}"
    for _, group in groupby(opener.reaches, key=lambda each: (each.outcome, each.end, each.expected[:1])):
        yield _reach_row(list(group), paint)
    if opener.reaches and opener.left_out:
        yield paint(f"           … and {opener.left_out} more, which got less far", paint.DIM)


def _reach_row(group: list[Reach], paint: Paint) -> str:
    first, names = group[0], ", ".join(each.format for each in group[:NAMES])
    said, expected = outcome(first)
    row = f"           {names}: {paint(said, *_REACH_CODES.get(first.outcome, (paint.YELLOW,)))}"
    if first.outcome in _REACH_CODES:
        return row
    return f"{row}, after {first.chars:,} characters" + (f"; expected {' or '.join(expected)}" if expected else "")
