# What a command reads: which file, line or shipped stream, in which form, and where a line says how it was written.
# Does not depend on how chunks and lines are stored (chunks.py), or on what the command does with them.
#
# All commands that read turns declare these arguments here, and read them here. What reads is imported when it is
# needed: the help of a command does without it.
"""The input of a command."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.batch.lines import InputError, LineError, fields_of, name_of
from toolglean.batch.turns import Columns, Written
from toolglean.cli.chunks import RULE, Line, read_input
from toolglean.cli.options import made_with, without_prompt
from toolglean.cli.usage import add_options, did_you_mean

if TYPE_CHECKING:
    from toolglean.batch.logs.rows import RowReader
    from toolglean.events import Output
    from toolglean.kit.demo import Stream
    from toolglean.parser import ParserArguments
    from toolglean.tools import ToolSet

__all__ = [
    "Input",
    "Reading",
    "Turn",
    "add_input_arguments",
    "located",
    "one_turn",
    "open_input",
    "row_reader",
]

_with_line = re.compile(r"(.+):([0-9]+)", re.DOTALL).fullmatch


def add_input_arguments(
    parser: argparse.ArgumentParser, end: str, *, default: str | None = "-", keys: bool = True, one_turn: bool = False
) -> None:
    """Add the arguments that say what is read, and what it is; and the rule of that to the end of the help.

    Args:
        parser: the parser of the command.
        end: what follows that rule.
        default: the input if none is given; None: the shipped streams.
        keys: whether the keys of a line can be named.
        one_turn: whether the command reads one turn, so that one of several answers may have to be chosen.
    """
    parser.epilog = f"{RULE}\n\n{end}"
    last = "or -, standard input (the default)" if default else "or -, standard input (default: the shipped streams)"
    parser.add_argument(
        "file",
        nargs="?",
        default=default,
        metavar="FILE",
        help="what the model wrote: a file with one turn, as text or in chunks, or with a turn on each line; one line "
        "of such a file, as in log.jsonl:7; the name of a shipped stream, as in `toolglean demo --list`; "
        f"{last}. A file may be compressed with gzip or zstd, or be Parquet",
    )
    form = parser.add_mutually_exclusive_group()
    for name, about in (
        ("text", "the input is the text of one turn"),
        ("stream", "the input is one turn as JSON lines of chunks"),
        ("turns", "the input is JSON lines with a turn on each"),
    ):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=about)
    if keys:
        _add_columns(parser)
    if one_turn:
        about = "of a line with several answers, which one (default: 0)"
        add_options(parser, {"--choice N": about}, choice={"type": int, "default": 0})


def _add_columns(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("keys of a line, or columns of a table")
    add_options(group, {"--text-column NAME": "where the turn's text is (default: as for turns, see below)"})
    for name, where, unless in (
        ("tools", "where the turn's tools are", "--tools"),
        ("model", "where the name of the turn's model is", "an option that says how the model writes"),
        ("format", "where the name of the turn's format is", "such an option"),
    ):
        about = f"{where} (default: {name}); not used with {unless}"
        add_options(group, {f"--{name}-column NAME": about}, **{f"{name}_column": {"default": name}})


def columns_of(args: argparse.Namespace) -> Columns:
    """The keys that the arguments name; the usual ones if the command has no arguments for them."""
    given = vars(args)
    names = {name: given.get(f"{name}_column") for name in ("text", "tools", "model", "format")}
    return Columns(**{name: value for name, value in names.items() if value is not None})


def row_reader(args: argparse.Namespace, name: str) -> RowReader:
    """What reads the turns of lines with these arguments; `name` is that of the input in messages."""
    from toolglean.batch.logs.rows import RowReader  # noqa: PLC0415
    from toolglean.batch.pool import ParserFactory  # noqa: PLC0415

    parsers = made_with(args, ParserFactory)
    starts_in_content = args.start == "content" and args.prompt is None
    plain = parsers if starts_in_content else made_with(without_prompt(args), ParserFactory)
    return RowReader(parsers, plain, columns_of(args), name, strict=args.fail_fast)


# -- many turns, or one ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """What a command reads.

    Attributes:
        name: its name in messages.
        path: the file; "-" for standard input; the name of a shipped stream.
        chunks: the chunks of one stream, as they arrive; None if it has turns.
        lines: the lines with turns; None if it is one stream.
        shipped: the shipped stream that it is.
    """

    name: str
    path: str
    chunks: Iterator[str] | None
    lines: Iterator[Line] | None
    shipped: Stream | None = None


def open_input(args: argparse.Namespace) -> Input:
    """The input that the arguments name: its beginning is read, and decides what it is.

    Raises:
        InputError: there is no such file, line or stream; or it cannot be read, or could be more than one thing.
    """
    form = args.form
    if columns_of(args).text is not None:
        if form in {"text", "stream"}:
            raise InputError(f"--text-column is for turns: leave out --{form}")
        form = "turns"
    path, line, shipped = located(args.file)
    if shipped is not None:
        if form in {"text", "turns"}:
            raise InputError(f"{path}: this shipped stream is one turn in chunks, not {form}: leave out --{form}")
        return Input(shipped.name, path, iter(shipped.tokens), None, shipped)
    if line is not None and form in {"text", "stream"}:
        raise InputError(f"{args.file}: a line of a log was asked for, which is not one stream: leave out --{form}")
    found = read_input(path, form if line is None else "turns")
    if line is not None:
        return Input(name_of(path), path, None, iter([_line(found, line, path)]))
    first = next(found, None)
    pieces: Any = iter(()) if first is None else chain([first], found)  # all of one kind
    if form == "turns" or isinstance(first, Line):
        return Input(name_of(path), path, None, pieces)
    return Input(name_of(path), path, pieces, None)


def located(given: str) -> tuple[str, int | None, Stream | None]:
    """The file, the line and the shipped stream of that name; a file before a stream.

    Raises:
        InputError: there is no such file or stream.
    """
    if given == "-" or Path(given).exists():
        return given, None, None
    from toolglean.kit.demo import load_streams  # noqa: PLC0415

    streams = load_streams()
    shipped = next((each for each in streams if each.name == given), None)
    if shipped is not None:
        return given, None, shipped
    split = _with_line(given)
    if split is not None and Path(split[1]).exists():
        return split[1], int(split[2]), None
    place, _, line = given.rpartition(":")
    if split is None and Path(place).is_file():
        raise InputError(f"{given}: {line!r} is not the number of a line; expected one such as {place}:7")
    if split is None and (Path(given).suffix or Path(given).name != given):
        raise InputError(f"{given}: No such file or directory")
    near = did_you_mean(given, [each.name for each in streams]) or " (`toolglean demo --list`)"
    raise InputError(f"{given}: no such file, and no shipped stream has that name{near}")


def _line(lines: Iterator[Any], wanted: int, path: str) -> Line:
    for each in lines:
        if each.number == wanted:
            found: Line = each
            return found
        if each.number > wanted:
            break
    raise InputError(f"{name_of(path)}: there is no turn on line {wanted}")


class Reading(NamedTuple):
    """How a turn is read.

    Attributes:
        tools, parsing: the arguments of its parser.
        output: what it is read as.
        code: the exit code that `toolglean parse` returns for it.
        notes: what a reader should know about it.
    """

    tools: ToolSet | None
    parsing: ParserArguments
    output: Output
    code: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        title: what it is, for people.
        chunks: its text, as it is stored.
        value: the line that it is from; None if it is not from a line.
        written: the turn as the server stored it, if it is from a line.
        shipped: whether it is one of the shipped streams, whose tools are known.
        notes: what a reader should know about it.
    """

    title: str
    chunks: list[str]
    value: Any = None
    written: Written | None = None
    shipped: bool = False
    notes: tuple[str, ...] = ()

    def reading(self, args: argparse.Namespace) -> Reading:
        """How it is read: by the arguments of the command, and, where they leave it open, by what the line says."""
        from toolglean.batch.outcome import code_of, read_turn  # noqa: PLC0415
        from toolglean.batch.pool import ParserFactory  # noqa: PLC0415
        from toolglean.kit.demo import load_tools  # noqa: PLC0415

        if self.written is not None and self.written.thoughts:
            args = without_prompt(args)  # the server has taken the reasoning out
        factory = made_with(args, ParserFactory, tools=load_tools() if self.shipped else None)
        own = columns_of(args).of(self.value)
        parser, problem = factory.parser(*own)
        output, _ = read_turn(self.written or Written(self.chunks), parser, problem)
        notes = self.notes if problem is None else (*self.notes, f"{problem.reason[:1].upper()}{problem.reason[1:]}.")
        return Reading(*factory.arguments(*own), output, code_of(fields_of(output)), notes)


def one_turn(args: argparse.Namespace) -> Turn:
    """The turn that the arguments name: the first one, if the input has many. Standard error then says so.

    Raises:
        InputError: as for `open_input`; or the line does not have that choice.
        LineError: the line is not a turn.
    """
    found = open_input(args)
    if found.shipped is not None:
        return Turn(f"{found.shipped.name}: {found.shipped.about}", list(found.shipped.tokens), shipped=True)
    if found.chunks is not None:
        return Turn(found.name, list(found.chunks))
    assert found.lines is not None
    line = next(found.lines, None)
    if line is None:
        return Turn(found.name, [])
    turn = _turn_of(line, found.name, args)
    if next(found.lines, None) is not None:
        said = f"{found.name} has many turns, and this is the one on line {line.number}"
        other = "" if found.path == "-" else f"; for another one, pass {found.path}:LINE"
        print(f"toolglean: {said}{other}", file=sys.stderr)
    return turn


def _turn_of(line: Line, name: str, args: argparse.Namespace) -> Turn:
    where = f"{name}: line {line.number}"
    choice: int = getattr(args, "choice", 0)
    try:
        value, found = columns_of(args).read(line.text, where)
    except InputError as error:
        raise LineError(str(error)) from error
    if not 0 <= choice < len(found):
        raise InputError(f"--choice {choice}: the choices of {where} are 0 to {len(found) - 1}")
    several = f", choice {choice}" if len(found) > 1 else ""
    written = found[choice]
    notes = filter(None, (line.note, *_notes(written)))
    return Turn(f"{where}{several}", written.texts, value, written, notes=tuple(notes))


def _notes(written: Written) -> Iterator[str]:
    if written.reasoning:
        yield f"The server had already taken {len(written.reasoning):,} characters of reasoning out of this turn."
    if written.calls:
        names = ", ".join(call.name or "one without a name" for call in written.calls)
        yield f"The server had already taken these calls out of this turn: {names}."
    if written.others:
        yield f"The turn has parts that are not text, which are not shown: {len(written.others):,}."
