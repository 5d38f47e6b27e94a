# The rows of a log become rows of output: one for each turn, and one for each row that is not a turn. Does not depend
# on how the log is stored, or on which process this is.
#
# A row that cannot be read is not left out: its row of output has no turn, but a problem that says why, with the
# beginning of the row. So every line has a row, and the last row shows how far a run came.
"""Rows in, rows out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from toolglean.batch.lines import InputError, json_in, json_line, row_of
from toolglean.batch.logs.source import Chunk
from toolglean.batch.outcome import Counts, read_turn
from toolglean.batch.pool import ParserFactory
from toolglean.batch.turns import Columns, NotATurnError, Written, id_in
from toolglean.events import Output, Problem

__all__ = ["Columns", "Read", "RowReader", "values_of"]

SHOWN = 200


@dataclass(slots=True)
class Read:
    """A chunk that was read.

    Attributes:
        last: the number of its last row.
        read: see `Chunk`.
        output: the rows of output, as lines.
        counts: their counts.
        error: why it was not read to its end; None if it was.
    """

    last: int
    read: float | None
    output: bytes = b""
    counts: Counts = field(default_factory=Counts)
    error: str | None = None


class RowReader:
    """Reads chunks. It can be pickled.

    Args:
        parsers: makes the parser of each turn.
        plain: the same without the prompt, for turns whose reasoning the server has already taken out.
        columns: where the parts of a row are.
        name: the name of the log in messages.
        strict: whether a row that is not a turn ends the run.

    Attributes:
        columns: as given.
    """

    def __init__(
        self, parsers: ParserFactory, plain: ParserFactory, columns: Columns, name: str, *, strict: bool = False
    ) -> None:
        self._parsers = parsers
        self._plain = plain
        self.columns = columns
        self._name = name
        self._strict = strict

    def read(self, chunk: Chunk) -> Read:
        """The rows of output of a chunk."""
        found = Read(chunk.last, chunk.read)
        lines: list[str] = []
        try:
            for number, row in enumerate(values_of(chunk.rows), chunk.first):
                lines += self._of_row(number, row, found.counts)
        except InputError as error:
            found.error = str(error)
        found.output = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        return found

    def _of_row(self, number: int, row: Any, counts: Counts) -> list[str]:
        if isinstance(row, bytes) and not row.strip():
            return []
        value: Any = None
        try:
            value = json_in(_decoded(row, number), f"line {number}") if isinstance(row, bytes) else row
            turns = self.columns.turns_in(value)
        except (InputError, NotATurnError) as error:
            counts.add_bad_line()
            if self._strict:
                said = str(error) if isinstance(error, InputError) else f"line {number}: {error}"
                raise InputError(f"{self._name}: {said}") from error
            shown = row.decode("utf-8", "surrogateescape").strip() if isinstance(row, bytes) else repr(row)
            output = Output(problems=[Problem("not-a-turn", f"not a turn: {error}", shown[:SHOWN], 0)])
            return [json_line(row_of(output, None, id=_as_json(id_in(value)), line=number))]
        return [self.row(number, value, each, counts) for each in turns]

    def row(self, number: int, value: Any, written: Written, counts: Counts) -> str:
        """The row of output of one turn of a row, which is counted."""
        parsers = self._plain if written.thoughts else self._parsers
        output, format_name = read_turn(written, *parsers.parser(*self.columns.of(value)))
        choice = {} if written.choice is None else {"choice": written.choice}
        row = row_of(output, format_name, id=_as_json(id_in(value)), line=number, **choice)
        counts.add(row)
        return json_line(row)


def values_of(rows: Any) -> Iterator[Any]:
    """Lines as they are; the rows of a table as their JSON would be."""
    yield from rows if isinstance(rows, list) else map(_as_json, rows.to_pylist())


def _decoded(row: bytes, number: int) -> str:
    text = row.decode("utf-8", "surrogateescape").rstrip("\r\n")
    return text.removeprefix("\ufeff") if number == 1 else text


def _as_json(value: Any) -> Any:
    # A table may contain what JSON cannot: times, decimals, and bytes, as which some programs write text. A line may
    # contain NaN, which Python reads.
    if isinstance(value, dict):
        return {key: _as_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
