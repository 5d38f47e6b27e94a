# Does not depend on how messages are made and checked (toolglean.kit.testing).
"""`toolglean fuzz`: random tools and calls through a chat template and back."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from toolglean._install import needs
from toolglean.batch.lines import InputError
from toolglean.cli.options import add_template_arguments, named_format, read_template, variables_of
from toolglean.cli.output import LABEL_WIDTH, Paint, Row, add_result_options, print_result, print_rows
from toolglean.cli.progress import clear_line, show_line
from toolglean.cli.usage import add_options, exit_codes
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.formats.registry import get_format

if TYPE_CHECKING:
    from toolglean.kit.testing import Failure, Report, RoundTrip

__all__ = ["add_arguments"]

EXAMPLES = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Says whether what the template writes comes back: random tools and calls, read in random chunks; what the "
        "template does not write at all; and which values it cannot carry in a call, because they look like its own "
        "markers. Each with the smallest example, and what to do about it. Needs toolglean[fuzz]."
    )
    parser.epilog = exit_codes(
        4,
        _0="everything came back, or may be lost",
        _1="something does not come back, or no format can be read from the template",
    )
    add_template_arguments(parser, EXAMPLES)
    about = {
        "--seed SEED": "the seed of the random messages (default: 0)",
        "--format NAME": "the format that the template should write, by name or as a JSON file (default: read from the "
        "template)",
        "--allow-loss NAME": "what may be lost: the name of a loss or of a kind of value, as the report shows it (may "
        "be repeated)",
    }
    add_options(parser, about, seed={"type": int, "default": 0}, allow_loss={"action": "append", "default": []})
    add_result_options(parser)


def run(args: argparse.Namespace) -> int:
    """Fuzz. Returns 1 if something did not come back that may not be lost, else 0."""
    try:
        from toolglean.kit.testing import RoundTrip  # noqa: PLC0415  # it imports Hypothesis
    except ImportError as error:
        raise UsageError(needs("fuzzing needs Hypothesis", "fuzz")) from error
    try:
        trip, report = _tried(args, RoundTrip)
    except TemplateError as error:
        raise InputError(f"{args.template}: {error}") from error
    except FormatError as error:  # without its advice, which is for those who cannot change the template
        print(f"toolglean: {args.template}: {getattr(error, 'reason', error)}", file=sys.stderr)
        return 1
    unknown = {*args.allow_loss} - {each.name for each in report.losses} - {each.kind for each in report.uncarried}
    if unknown:
        print(f"toolglean: --allow-loss {', '.join(sorted(unknown))}: the template has no such loss", file=sys.stderr)
    name = (trip.inference.recognised if trip.inference else trip.format.name) or "inferred"
    faults = report.faults(args.allow_loss)
    value = {"format": name, **report.as_dict(), "faults": list(faults)}
    print_result(args, lambda: value, partial(_report, report, name, args.allow_loss))
    return int(bool(faults))


def _report(report: Report, name: str, allowed: list[str], paint: Paint) -> None:
    def rows(title: str, found: list[tuple[str, str]]) -> None:
        print(paint(f"\n{title}", paint.BOLD))
        width = max(LABEL_WIDTH, *(len(label) + 1 for label, _ in found))
        for label, text in found:
            print_rows([(f"  {label:{width}}", text, *[Paint.YELLOW] * (label not in allowed))], paint)

    if report.failure is None:
        print(paint(f"{report.tried} messages came back ({name})", paint.GREEN))
    else:
        _show(report.failure, paint)
    print(paint(", ".join(f"{kind}: {count}" for kind, count in report.counts.items()), paint.DIM))
    if report.losses:
        rows("The template does not write:", [(each.name, str(each)) for each in report.losses])
    if report.uncarried:
        rows("It cannot carry in a call:", [(each.kind, str(each)) for each in report.uncarried])


def _tried(args: argparse.Namespace, make: type[RoundTrip]) -> tuple[RoundTrip, Report]:
    source = read_template(args.template)
    named = named_format(args.format)
    declared = get_format(named) if isinstance(named, str) else named
    trip = make(source.text, format=declared, untrusted=True, variables={**source.variables, **variables_of(args)})
    try:
        failure = trip.find_failure(
            examples=args.examples,
            seed=args.seed,
            progress=lambda tried: show_line(f"{min(tried, args.examples)} of {args.examples}"),
        )
        return trip, trip.report(failure)
    finally:
        trip.close()
        clear_line()


def _show(failure: Failure, paint: Paint) -> None:
    print_rows(_rows(failure), paint)
    print(paint("turn", paint.DIM))
    print(failure.turn)
    place = next((problem.start for problem in failure.found.problems), None)
    if place is not None:
        _mark(failure.turn, place)


def _rows(failure: Failure) -> Iterator[Row]:
    said, found = failure.said, failure.found
    yield "difference", failure.difference, Paint.BOLD, Paint.YELLOW
    for label, text in (("reasoning", said.reasoning), ("content", said.content)):
        if text:
            yield label, json.dumps(text, ensure_ascii=False)
    for each in said.calls:
        yield "call", f"{each.name} {json.dumps(each.arguments, ensure_ascii=False)}"
    for number, call in enumerate(found.calls):
        same = number < len(said.calls) and call.arguments == said.calls[number].arguments
        yield "came back", f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}", *[Paint.YELLOW] * (not same)
    if found.content != said.content:
        yield "content", json.dumps(found.content, ensure_ascii=False), Paint.YELLOW
    for problem in found.problems:
        yield "problem", f"{problem.reason} (character {problem.start})"
    yield "chunks", f"{len(failure.chunks)}"


def _mark(turn: str, place: int) -> None:
    line = turn[:place].rpartition("\n")[2]
    whole = turn[place - len(line) :].partition("\n")[0]
    print(f"\ncharacter {place}:\n{whole}\n{' ' * len(line)}^")
