# Does not depend on how a format is learnt (sources/traces), or on where a line of JSON contains a turn
# (batch/turns.py).
"""`toolglean learn`: the format of turns that a model wrote, as a declaration."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from toolglean.batch.lines import InputError, fields_of, json_in, name_of
from toolglean.batch.turns import Columns
from toolglean.cli.chunks import read_input
from toolglean.cli.formats import to_paste
from toolglean.cli.options import read_text, read_tools
from toolglean.cli.output import Paint, add_result_options, check_new, labelled, print_result, print_rows, write_file
from toolglean.cli.usage import add_options, exit_codes
from toolglean.conversation.fields import json_of
from toolglean.errors import FormatError, ToolError
from toolglean.formats.origin import NO_ORIGIN
from toolglean.sources.traces import Learnt, learn
from toolglean.tools import ToolSet

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Learns from 3 to 100 turns how their model writes tool calls, and prints the declaration to paste. If a known "
        "format reads them, that is the answer. Turns that do not agree with most others are left out, and named with "
        "what does not fit. The declaration is proven first: it reads the others, whole and character by character, "
        "with valid arguments."
    )
    parser.epilog = exit_codes(4, _0="a format was learnt", _1="no format can be learnt from the turns")
    parser.add_argument(
        "logs",
        nargs="+",
        metavar="LOG",
        help="JSON lines, a turn on each (as for `toolglean parse --turns`, or as a JSON string); or text, which is "
        "one turn. '-' is standard input",
    )
    about = {
        "--tools FILE": "a file with a JSON list of the model's tools (default: those of the log's lines)",
        "--name NOVA": "the name of the format (default: learnt)",
        "--answers FILE": "JSON lines with the calls of each turn, if you know them: a list of "
        '{"name": …, "arguments": {…}}',
        "--output FILE": "also write the format to a new file, as JSON: every command reads it with `--format FILE`, "
        "if its name ends in .json, and a program with `Format.from_json`",
    }
    add_options(parser, about, name={"default": "learnt"})
    add_result_options(parser)


def run(args: argparse.Namespace) -> int:
    """Learn, and print. Returns 1 if no format can be learnt, else 0."""
    check_new(args.output)
    tools = None if args.tools is None else read_tools(args.tools)
    rows = [row for log in args.logs for row in _rows(log)]
    turns = [text for _, texts in rows for text in texts]
    tools = _tools_of(value for value, _ in rows) if tools is None else tools
    answers = None if args.answers is None else list(_answers(args.answers))
    try:
        found = learn(turns, tools, name=args.name, answers=answers)
    except FormatError as error:
        values = {"format": None, "reason": str(error)}
        said = f"toolglean: {error}"
        print_result(args, lambda: values, lambda _: print(said, file=sys.stderr))
        return 1
    if args.output is not None:
        write_file("--output", args.output, f"{found.format.to_json()}\n".encode())
    print_result(args, lambda: _fields(found), partial(_show, found))
    return 0


def _rows(log: str) -> Iterator[tuple[Any, list[str]]]:
    # The value of each line, and the texts of its turns.
    text = "".join(map(str, read_input(log, "text")))
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    # If most lines are JSON, it is a log, and another line is an error.
    if 2 * sum(isinstance(json_of(line), str | dict | list) for _, line in lines) <= len(lines):
        yield None, [text]
        return
    for number, line in lines:
        value, turns = Columns().read(line, f"{name_of(log)}: line {number}")
        yield value, [each.text for each in turns]


def _tools_of(values: Iterable[Any]) -> ToolSet:
    # The tools that the lines of a log have, each once.
    lists = (Columns().of(value)[0] for value in values)
    tools = {json.dumps(tool): tool for each in lists if isinstance(each, list) for tool in each}
    if not tools:
        raise InputError("no line of the log has the model's tools, as a list with the key 'tools': use --tools")
    try:
        return ToolSet(list(tools.values()))
    except ToolError as error:
        raise InputError(f"the tools of the log: {error}; use --tools") from error


def _answers(path: str) -> Iterator[Any]:
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            value = json_in(line, f"{path}: line {number}")
            calls = value.get("calls") if isinstance(value, dict) else value
            if not isinstance(calls, list):
                raise InputError(f"{path}: line {number}: expected a JSON list of calls, [] for a turn without any")
            yield calls


def _fields(found: Learnt) -> dict[str, Any]:
    left_out = [{"turn": number + 1, "reason": why} for number, why in found.left_out]
    return {**fields_of(found), "left_out": left_out}


def _show(found: Learnt, paint: Paint) -> None:
    said = f"{found.recognised} (known)" if found.recognised else "learnt"
    losses = labelled("losses", found.losses, Paint.YELLOW)
    print_rows([("format", said, Paint.BOLD), *labelled("evidence", found.evidence), *losses], paint)
    print()
    print(to_paste(replace(found.format, origin=NO_ORIGIN), found.recognised))
