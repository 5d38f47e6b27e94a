# Many turns for `parse`: a row for each, and the counts of all. Does not depend on how lines are read (chunks.py) or
# where the turn is in one (batch/turns.py).
#
# Each turn gets a fork of one parser that has read nothing but the prompt: the tools, the format and the prompt are
# looked at once, however many turns there are. Only the counts of a turn are kept.
"""A row for each turn, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from toolglean.batch.lines import InputError, json_in, row_line
from toolglean.batch.outcome import Counts, read_turn
from toolglean.batch.turns import NotATurnError, Written, id_in, turns_in
from toolglean.cli.chunks import Line
from toolglean.parser import Parser

__all__ = ["Report"]


class Report:
    """Reads the turns of one run.

    Args:
        parser: a parser that has read nothing yet; each turn is read by a fork of it.
        plain: makes one that starts in content, for turns whose reasoning the server has already taken out.
        name: the name of the input in messages.

    Attributes:
        counts: the counts of the turns so far.
    """

    def __init__(self, parser: Parser, plain: Callable[[], Parser], name: str) -> None:
        self.counts = Counts()
        self._parser = parser
        self._make_plain = plain
        self._plain: Parser | None = None
        self._name = name

    def rows(self, line: Line, *, strict: bool = False) -> Iterator[str]:
        """The rows of a line: one, or one for each choice. A line that is not a turn is reported on standard error.

        Raises:
            InputError: `strict`, and the line is not a turn.
        """
        try:
            value, turns = self._read(line)
        except InputError as error:
            self.counts.add_bad_line()
            if strict:
                raise
            print(f"toolglean: {error}", file=sys.stderr)
            return
        for written in turns:
            yield self._row(line, id_in(value), written)

    def _read(self, line: Line) -> tuple[Any, list[Written]]:
        where = f"{self._name}: line {line.number}"
        value = json_in(line.text, where)
        try:
            return value, turns_in(value)
        except NotATurnError as error:
            raise InputError(f"{where}: {error}") from error

    def _row(self, line: Line, id: Any, written: Written) -> str:  # noqa: A002  # the line's own name for it
        parser = (self._parser_without_reasoning() if written.thoughts else self._parser).fork()
        output, format_name = read_turn(written, parser)
        self.counts.add_output(output, format_name)
        place: dict[str, Any] = {"id": id, "line": line.number}
        return row_line(place if written.choice is None else {**place, "choice": written.choice}, output, format_name)

    def _parser_without_reasoning(self) -> Parser:
        if self._plain is None:
            self._plain = self._make_plain()
        return self._plain
