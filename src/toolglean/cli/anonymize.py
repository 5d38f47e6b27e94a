# Does not depend on what is replaced, or by what (kit/anonymize).
#
# All input is read before anything is written, because no word of it may replace another one. Reports are short.
"""`toolglean anonymize`: a turn for a report, without its names and values."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from toolglean.batch.lines import InputError, json_in
from toolglean.batch.turns import NotATurnError, turns_in
from toolglean.cli.input import add_input_arguments, open_input
from toolglean.cli.options import add_format_options, made_with, read_json, read_tools
from toolglean.cli.output import check_suffix, for_machines, write_file
from toolglean.cli.usage import add_options, exit_codes
from toolglean.kit.anonymize import Anonymizer, shape_of
from toolglean.parser import Parser
from toolglean.tools import ToolSet

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Prints a turn with other words: markers, punctuation, white space and the types of values stay, "
        "and it is as long as before. Everything else is replaced: names, values, and prose; the same word always by "
        "the same one. For JSON lines that are turns, it prints such lines; for chunks of one turn, its text."
    )
    codes = exit_codes(4, _0="the result is read like the input", _1="it is read differently: say so in the report")
    add_input_arguments(parser, codes, keys=False)
    about = "write the definitions of --tools to this file, with the same replacements"
    add_options(parser, {"--tools-output FILE": about})
    add_format_options(parser)


class _Given(NamedTuple):
    """The text of a turn, or the rows of a log with their lines; and the tools, None if there are none."""

    parts: list[Any]
    lines: list[int]
    tools: Any

    @property
    def are_rows(self) -> bool:
        return bool(self.lines)


class _Made(NamedTuple):
    """The same with other words, and the numbers of the turns that are read differently now."""

    parts: list[Any]
    tools: Any
    changed: list[int]


def run(args: argparse.Namespace) -> int:
    """Replace, and print. Returns 1 if the result is read differently from the input, else 0."""
    for_machines()
    if args.tools_output is not None:
        if args.tools is None:
            raise InputError("--tools-output needs --tools: without them there are no definitions to write")
        check_suffix("--tools-output", Path(args.tools_output), (".json",), "tools are written as JSON")
    given = _given(args)
    # The words of markers stay everywhere only if a turn would otherwise be read differently, as with broken markers.
    found = _made(given, args, wide=False)
    if found.changed:
        wide = _made(given, args, wide=True)
        found = wide if len(wide.changed) < len(found.changed) else found
    if args.tools_output is not None:
        text = json.dumps(found.tools, ensure_ascii=False, indent=2) + "\n"
        write_file("--tools-output", args.tools_output, text.encode("utf-8", "backslashreplace"))
    for part in found.parts:
        sys.stdout.write(json.dumps(part, ensure_ascii=False) + "\n" if given.are_rows else part)
    if found.changed:
        which = f"line {', '.join(map(str, found.changed[:8]))} is" if given.are_rows else "the turn is"
        print(f"toolglean: {which} read differently now: say so in the report", file=sys.stderr)
    return 1 if found.changed else 0


def _given(args: argparse.Namespace) -> _Given:
    tools = None
    if args.tools is not None:
        read_tools(args.tools)
        tools = read_json(args.tools)
    found = open_input(args)
    if found.lines is None:
        return _Given(["".join(found.chunks or ())], [], tools)
    lines = list(found.lines)
    parts = [json_in(each.text, f"{found.name}: line {each.number}") for each in lines]
    return _Given(parts, [each.number for each in lines], tools)


def _made(given: _Given, args: argparse.Namespace, *, wide: bool) -> _Made:
    own = [each["tools"] for each in given.parts if isinstance(each, dict) and "tools" in each]
    words = Anonymizer(given.parts, [given.tools, *own], wide=wide)
    parts = [words.row(each) if given.are_rows else words.text(each) for each in given.parts]
    tools = None if given.tools is None else words.tools(given.tools)
    before = made_with(args, Parser).fork
    after = made_with(
        args, lambda own, **options: Parser(None if own is None else ToolSet(tools or ()), **options)
    ).fork
    rows = zip(given.lines or [1], given.parts, parts, strict=False)  # no line at all: nothing to compare
    changed = [line for line, one, other in rows if _shapes(one, before) != _shapes(other, after)]
    return _Made(parts, tools, changed)


def _shapes(part: Any, new: Callable[[], Parser]) -> list[Any]:
    """The shapes of the turns in a part of the input; empty if it does not contain a turn."""
    if isinstance(part, str):
        return [shape_of(part, new())]
    try:
        return [shape_of(each.text, new()) for each in turns_in(part)]
    except NotATurnError:
        return []
