# How results are printed: JSON lines in UTF-8 for programs, and text for people on any terminal. Does not depend on
# which command prints.
"""Output."""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from toolglean.batch.lines import InputError, fields_of, json_line
from toolglean.cli.usage import add_options
from toolglean.events import Event

__all__ = [
    "LABEL_WIDTH",
    "WIDTH",
    "Paint",
    "Row",
    "add_color_option",
    "add_result_options",
    "check_new",
    "check_suffix",
    "end_line",
    "event_line",
    "for_machines",
    "for_people",
    "labelled",
    "line_width",
    "paint_of",
    "print_result",
    "print_rows",
    "shortened",
    "write_file",
]


def for_machines() -> None:
    r"""Make standard output UTF-8, whatever the locale.

    A lone surrogate, which UTF-8 cannot encode, is written as `\ud83d`: inside a JSON string that is its own escape.
    """
    _reconfigure(encoding="utf-8", errors="backslashreplace")


def for_people() -> None:
    """Escape what the terminal cannot show, instead of raising an error."""
    _reconfigure(errors="backslashreplace")


def _reconfigure(**how: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**how)  # type: ignore[arg-type]  # typeshed names each argument


def event_line(event: Event) -> str:
    """One event as a line of JSON: `event` is its name in snake case; its fields follow."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return json_line({"event": name, **fields_of(event)})


def end_line(format_name: str | None) -> str:
    """The line after the last event: the turn is over, and this was its format."""
    return json_line({"event": "end", "format": format_name})


def _is_colourful() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Paint:
    """Colours text if someone can see it.

    Args:
        wanted: False: never. Otherwise on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb.
        always: whether to colour wherever the output goes.
    """

    GREEN, YELLOW, BLUE, BOLD, DIM = "32", "33", "34", "1", "2"

    def __init__(self, *, wanted: bool, always: bool = False) -> None:
        self.on = always or (wanted and _is_colourful())

    def __call__(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.on and text and codes else text


def add_color_option(parser: argparse.ArgumentParser) -> None:
    """Add `--color`, for commands that print for people: see `paint_of`."""
    about = "colour (default: auto, which is on a terminal, unless NO_COLOR is set)"
    add_options(parser, {"--color auto|always|never": about}, color={"default": "auto"})


def paint_of(args: argparse.Namespace) -> Paint:
    """What colours the output, as `--color` says."""
    return Paint(wanted=args.color != "never", always=args.color == "always")


def add_result_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that print one result, for programs or for people: see `print_result`."""
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    add_color_option(parser)


def print_result(args: argparse.Namespace, value: Callable[[], Any], show: Callable[[Paint], None]) -> None:
    """Print a result as `--json` says: its value as one line, or as `show` shows it to people."""
    if args.json:
        for_machines()
        print(json_line(value()))
    else:
        for_people()
        show(paint_of(args))


# -- rows for people ---------------------------------------------------------------------------------------------------

LABEL_WIDTH = 12
WIDTH = 100
"""The longest line of prose, in characters."""


def line_width() -> int:
    """How long a line of prose is printed, in characters: what is no terminal does not make it shorter."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns) if sys.stdout.isatty() else WIDTH


TEXT = 56  # characters of a part of the turn
Row: TypeAlias = tuple[str, ...]
"""A label, a text, and the codes of its colour."""


def labelled(label: str, texts: Iterable[str], *codes: str) -> Iterator[Row]:
    """Rows with these texts, of which the first has the label."""
    for number, text in enumerate(texts):
        yield "" if number else label, text, *codes


def print_rows(rows: Iterable[Row], paint: Paint, width: int | None = None) -> None:
    """Print rows; texts that do not fit `width` are continued below. None: each is one line."""
    for label, text, *codes in rows:
        room = max(20, (width or 0) - LABEL_WIDTH)
        lines = [text] if width is None else textwrap.wrap(text, room, break_on_hyphens=False)
        for shown, line, *_ in labelled(label, lines):
            print(paint(f"{shown:{LABEL_WIDTH}}", paint.DIM) + paint(line, *codes))


def shortened(text: str) -> str:
    """The text, or its beginning and its end."""
    return text if len(text) <= TEXT else f"{text[: TEXT // 2]} … {text[-TEXT // 2 :]}"


# -- files -------------------------------------------------------------------------------------------------------------


def check_suffix(option: str, path: Path, suffixes: Sequence[str], what: str) -> None:
    """Refuse a name whose suffix promises something else than what is written. A name without a suffix is accepted.

    Args:
        option: the option that gives the name.
        path: the name.
        suffixes: those that are right.
        what: what is written, for the message.

    Raises:
        InputError: the name has another suffix.
    """
    if path.suffix and path.suffix.lower() not in suffixes:
        expected = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise InputError(f"{option} {path}: {what}; expected a name that ends with {expected}, not with {path.suffix}")


def check_new(path: str | None) -> None:
    """Refuse the name of a file that is there, unless it is empty: `--output` overwrites nothing that was found out.

    Args:
        path: what `--output` gives; None: nothing.

    Raises:
        InputError: the file exists.
    """
    if path is not None and Path(path).is_file() and Path(path).stat().st_size:
        raise InputError(f"--output {path}: the file already exists: remove it, or choose another name")


def write_file(option: str, path: str, data: bytes) -> None:
    """Write a file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(f"{option} {path}: {error.strerror or error}") from error
