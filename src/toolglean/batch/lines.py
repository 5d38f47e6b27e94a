# Lines of JSON, in and out: how one is read, with the place of a fault in the message, and how a parsed turn is
# written as one; and the text of a file. Does not depend on what a line contains (turns.py), or on where lines come
# from.
"""JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from toolglean.events import Output
from toolglean.scan.nested import json_text

__all__ = [
    "InputError",
    "LineError",
    "fields_of",
    "json_in",
    "json_line",
    "name_of",
    "not_utf8",
    "read_text",
    "row_of",
    "values_in",
]

not_utf8 = re.compile("[\udc80-\udcff]").search
"""Finds what "surrogateescape" makes of a byte that is not UTF-8; UTF-8 itself has no surrogates."""


class InputError(Exception):
    """The input cannot be read. The message says where: file, line, column."""


class LineError(InputError):
    """The input can be read, but the line that was asked for is not a turn."""


def name_of(path: str) -> str:
    """The name of that input in messages; "-" is standard input."""
    return "standard input" if path == "-" else path


def read_text(path: str) -> str:
    """The text of a UTF-8 file, with its own line breaks.

    Raises:
        InputError: it cannot be read.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        line = before.count(b"\n") + 1
        raise InputError(f"{path}: line {line}, column {column}: not valid UTF-8") from error


def json_in(line: str, where: str, hint: str = "") -> Any:
    """The JSON value of a line.

    Args:
        line: the line.
        where: the input's name and the line's number, for messages.
        hint: what to do if it is not JSON.

    Raises:
        InputError: it is not JSON; the message gives the column.
    """
    wrong = None if line.isascii() else not_utf8(line)
    if wrong is not None:
        raise InputError(f"{where}, column {wrong.start() + 1}: not valid UTF-8")
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}, column {error.colno}: not valid JSON ({error.msg}){hint}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}, column 1: {error}{hint}") from error


def row_of(output: Output, format_name: str | None, **place: Any) -> dict[str, Any]:
    """A folded turn as JSON values, with the name of its format; None if the format is not known.

    Before these comes its place, if it is one of many: its id and its line.
    """
    return {**place, "format": format_name, **fields_of(output)}


def fields_of(value: Any) -> Any:
    """An event or a result, or a part of one, as JSON values: its fields, and those of its parts. A format is its
    declaration.

    Like `asdict`, except that arguments are not copied: they may be nested more deeply than Python recurses.
    """
    if isinstance(value, list | tuple):
        return [fields_of(each) for each in value]
    if not is_dataclass(value):
        return value
    if (declaration := getattr(value, "to_json", None)) is not None:
        return json.loads(declaration())
    return values_in(value, (each.name for each in fields(value)))


def values_in(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """These fields of a result, as JSON values."""
    return {name: fields_of(getattr(value, name)) for name in names}


def json_line(value: dict[str, Any]) -> str:
    """That object as one line of JSON, however deeply it is nested."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return json_text(value)
