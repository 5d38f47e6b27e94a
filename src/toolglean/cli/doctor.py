# One screen for whoever asks for help: what is installed, what a turn was read as, and what to do next. Does not
# depend on how any of it is found (installed.py, kit/explain).
"""`toolglean doctor`: what is installed, and what to do about a turn."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from toolglean.batch.lines import fields_of, values_in
from toolglean.cli.input import Reading, Turn, add_input_arguments, one_turn
from toolglean.cli.options import add_format_options, as_options
from toolglean.cli.output import (
    Paint,
    Row,
    add_result_options,
    for_people,
    labelled,
    line_width,
    paint_of,
    print_result,
    print_rows,
    shortened,
)
from toolglean.cli.usage import exit_codes
from toolglean.events import ToolCall
from toolglean.kit.explain import Explanation, explain
from toolglean.kit.explain.wording import place, troubles

__all__ = ["add_arguments"]

MOST = 3
"""Calls and problems that are shown, so that all fits one screen."""
NO_TURN = "none: pipe what the model wrote into this command, or pass a file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Shows on one screen what is installed, what a turn was read as, its problems, and what to do next. Send this "
        "with a question; parts of the turn are in it, so read it first. It uses no network. Without a turn, it shows "
        "what is installed. Of an input with many turns, it looks at the first one."
    )
    codes = exit_codes(_0="the turn was read, or there is none", _1="it has a malformed call or another problem")
    add_input_arguments(parser, codes, one_turn=True)
    add_result_options(parser)
    add_format_options(parser)


def run(args: argparse.Namespace) -> int:
    """Examine. Returns the exit code of the turn, as `toolglean parse` does; 0 without one."""
    from toolglean.cli.installed import installation  # noqa: PLC0415  # it asks the metadata of packages

    found = installation()
    if not args.json:
        for_people()
        print_rows(_installed_rows(found), paint_of(args), line_width())
        sys.stdout.flush()  # at once: a program may write the turn slowly, or an option may be wrong
    turn = None if args.file == "-" and (sys.stdin is None or sys.stdin.isatty()) else one_turn(args)
    reading = turn.reading(args) if turn is not None and (turn.chunks or turn.written) else None
    if turn is None or reading is None:
        told, rows = None, labelled("turn", [NO_TURN])
    else:
        why = explain("".join(turn.chunks), reading.tools, **reading.parsing)
        parts = values_in(why, ("complete", "causes", "advice"))
        told = {"format": why.format, **fields_of(reading.output), **parts}
        rows = _turn_rows(turn, reading, why)
    print_result(args, lambda: {**found, "turn": told}, lambda paint: print_rows(rows, paint, line_width()))
    return 0 if reading is None else reading.code


# -- for people --------------------------------------------------------------------------------------------------------


def _installed_rows(found: dict[str, Any]) -> Iterator[Row]:
    for label, told in found.items():
        if label == "faults":
            yield from labelled(label, told, Paint.YELLOW)
        elif told or label in {"extras", "engines", "plugins"}:
            yield label, told if isinstance(told, str) else ", ".join(told) or "none"


def _turn_rows(turn: Turn, reading: Reading, why: Explanation) -> Iterator[Row]:
    output = reading.output
    size = len("".join(turn.chunks))
    yield "turn", f"{turn.title}, {size:,} characters, read as {why.format or 'no format'}", Paint.BOLD
    yield from labelled("notes", reading.notes)
    yield from labelled("calls", _first([_call(each) for each in output.calls] or ["none"]), Paint.GREEN)
    yield from labelled(
        "not run", _first([f"{each.status}: {_call(each)}" for each in output.unfinished]), Paint.YELLOW
    )
    for label, text in (("content", output.content), ("reasoning", output.reasoning)):
        if text:
            yield label, f"{len(text):,} characters: {shortened(text)!r}"
    yield from labelled(
        "problems", _first([f"{each.reason} ({each.code}), at {place(each)}" for each in troubles(why)])
    )
    yield from labelled("next step", _steps(why, read_by_server=bool(output.calls and not why.calls)), Paint.BOLD)


def _first(texts: list[str]) -> Iterator[str]:
    yield from texts[:MOST]
    if len(texts) > MOST:
        yield f"… and {len(texts) - MOST:,} more"


def _steps(why: Explanation, *, read_by_server: bool) -> Iterator[str]:
    # The likeliest cause, whose text says what to do, and the first of what was tried.
    if read_by_server and [each.name for each in why.causes] == ["no-opener"]:
        yield "none: the server had already read the calls, and there is no other one in the text"
        return
    if why.calls and not why.causes:
        yield "none: every call was read"
        return
    for cause in why.causes[:1]:
        yield f"{cause.name}, at {place(cause)}: {cause.text}"
    for advice in why.advice[:1]:
        yield f"tried, and reads better: {advice.text} ({as_options(advice.options)}), which gives {advice.effect}"
    yield "`toolglean explain`, with the same input and options, shows each marker and how far it was read"


def _call(call: ToolCall) -> str:
    return f"{call.name}{' (not one of the tools)' if call.known is False else ''} {shortened(call.arguments_text)}"
