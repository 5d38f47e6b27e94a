# What this file knows: what becomes of a line that holds a turn: its row, and what all of them came to.
# What it must not know: how lines are read (chunks.py), where in one the turn stands (turns.py).
#
# Every turn gets a fork of one parser that has read nothing but the prompt: the tools, the format and the prompt are
# looked at once, however many turns there are. Nothing of a turn is kept but counts.
"""Many turns, one row each, and a summary."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from toolglean.cli.chunks import Line, json_in
from toolglean.cli.options import InputError
from toolglean.cli.output import row_line, summary_line
from toolglean.cli.turns import NotATurnError, Written, id_in, turns_in
from toolglean.events import Output, Problem, Status, ToolCall, fold
from toolglean.parser import Parser
from toolglean.scan.nested import json_text

__all__ = ["Counts", "Report", "read_turn"]


class Counts:
    """What turns came to, added up; it can be pickled.

    Attributes:
        code: the exit code so far: 1 once a turn had a problem or an unfinished call, or a line was not a turn.
    """

    def __init__(self) -> None:
        self.code = 0
        self._numbers = Counter[str]()
        self._formats = Counter[str]()

    def add(self, *, calls: int, unfinished: int, problems: int, format_name: str | None) -> None:
        """Count a turn."""
        self._numbers.update(turns=1, calls=calls, unfinished=unfinished, problems=problems)
        if format_name is not None:
            self._formats[format_name] += 1
        if unfinished or problems:
            self.code = 1

    def add_bad_line(self) -> None:
        """Count a line that was not a turn."""
        self._numbers["bad_lines"] += 1
        self.code = 1

    def merge(self, other: Counts) -> None:
        """Add what others came to."""
        self._numbers.update(other._numbers)
        self._formats.update(other._formats)
        self.code = max(self.code, other.code)

    def summary(self) -> str:
        """What all turns came to, as a line of JSON."""
        counts = {name: self._numbers[name] for name in ("turns", "calls", "unfinished", "problems", "bad_lines")}
        return summary_line({**counts, "formats": dict(self._formats.most_common())})


class Report:
    """Reads the turns of one run.

    Args:
        parser: a parser that was given nothing yet; each turn is read by a fork of it.
        plain: makes one that starts in content, for turns whose reasoning the server has already taken out.
        name: what messages call the input.

    Attributes:
        counts: what the turns came to so far.
    """

    def __init__(self, parser: Parser, plain: Callable[[], Parser], name: str) -> None:
        self.counts = Counts()
        self._parser = parser
        self._make_plain = plain
        self._plain: Parser | None = None
        self._name = name

    def rows(self, line: Line, *, strict: bool = False) -> Iterator[str]:
        """The rows of a line: one, or one of each choice. A line that is not a turn is told of on standard error.

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

    def _row(self, line: Line, id: Any, written: Written) -> str:  # noqa: A002  # the line's own word
        parser = (self._parser_without_reasoning() if written.thoughts else self._parser).fork()
        output, format_name = read_turn(written, parser)
        counts = {"calls": len(output.calls), "unfinished": len(output.unfinished), "problems": len(output.problems)}
        self.counts.add(**counts, format_name=format_name)
        place: dict[str, Any] = {"id": id, "line": line.number}
        return row_line(place if written.choice is None else {**place, "choice": written.choice}, output, format_name)

    def _parser_without_reasoning(self) -> Parser:
        if self._plain is None:
            self._plain = self._make_plain()
        return self._plain


def read_turn(written: Written, parser: Parser) -> tuple[Output, str | None]:
    """What a turn comes to, and the name of its format; None where that is not known.

    Args:
        written: the turn.
        parser: a parser of its own, which was given nothing yet.
    """
    output = fold(parser.feed(written.text) + parser.finish())
    _add_parsed(output, written, parser)
    return output, None if parser.format is None else parser.format.name


# -- what the server has parsed ----------------------------------------------------------------------------------------


def _add_parsed(output: Output, written: Written, parser: Parser) -> None:
    """Add what the server has parsed: its reasoning before that of the text, its calls behind those of the text."""
    end = len(written.text)
    output.reasoning = written.reasoning + output.reasoning
    for part in written.others:
        output.problems.append(Problem("not-text", "part of the content that is not text", json.dumps(part)[:200], end))
    if not written.calls:
        return
    own = [*output.calls, *output.unfinished]
    taken = {call.id for call in written.calls if call.id}
    for call in own:
        call.id = _free(call.id, taken)
    for place, given in enumerate(written.calls):
        status: Status = "incomplete" if place in written.unfinished else "malformed"
        status = "ok" if given.name and not given.unread and place not in written.unfinished else status
        index = len(own) + place
        known = None if parser.tools is None else given.name in parser.tools
        text = given.unread or json_text(given.arguments)
        id = given.id or _free(f"call_{index}", taken)  # noqa: A001  # the field's own word
        call = ToolCall(id, index, given.name, known, given.arguments, text, (end, end), status)
        (output.calls if status == "ok" else output.unfinished).append(call)


def _free(wanted: str, taken: set[str]) -> str:
    found, number = wanted, 2
    while found in taken:
        found, number = f"{wanted}_{number}", number + 1
    taken.add(found)
    return found
