# Many turns for `parse`: a row for each, and the counts of all. Does not depend on how lines are read (chunks.py),
# where the turn is in one (batch/turns.py), or how it is parsed (batch/logs/rows.py).
#
# Only the counts of a turn are kept, so the memory does not grow with their number.
"""A row for each turn, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from toolglean.batch.lines import InputError, json_in
from toolglean.batch.logs.rows import RowReader
from toolglean.batch.outcome import Counts
from toolglean.batch.turns import NotATurnError, Written
from toolglean.cli.chunks import Line

__all__ = ["Report"]


class Report:
    """Reads the turns of one run.

    Args:
        reader: reads the turns of a line.
        name: the name of the input in messages.

    Attributes:
        counts: the counts of the turns so far.
    """

    def __init__(self, reader: RowReader, name: str) -> None:
        self.counts = Counts()
        self._reader = reader
        self._name = name

    def rows(self, line: Line, *, fail_fast: bool = False) -> Iterator[str]:
        """The rows of a line: one, or one for each choice. A line that is not a turn is reported on standard error.

        Raises:
            InputError: `fail_fast`, and the line is not a turn.
        """
        try:
            value, turns = self._read(line)
        except InputError as error:
            self.counts.add_bad_line()
            if fail_fast:
                raise
            print(f"toolglean: {error}", file=sys.stderr)
            return
        for written in turns:
            yield self._reader.row(line.number, value, written, self.counts)

    def _read(self, line: Line) -> tuple[Any, list[Written]]:
        where = f"{self._name}: line {line.number}"
        value = json_in(line.text, where)
        try:
            return value, self._reader.columns.turns_in(value)
        except NotATurnError as error:
            raise InputError(f"{where}: {error}") from error
