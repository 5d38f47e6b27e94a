# What one stored turn comes to, and the counts of many. Does not depend on where a turn comes from (turns.py).
"""The outcome of turns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from toolglean.batch.lines import json_line
from toolglean.batch.turns import Written
from toolglean.events import Output, Problem, Status, ToolCall, fold
from toolglean.parser import Parser
from toolglean.scan.nested import json_text

__all__ = ["CUT_OFF", "READ", "UNREAD", "Counts", "code_of", "read_turn", "worse"]

READ, UNREAD, CUT_OFF = 0, 1, 4
"""Exit codes: everything was read; something could not be read as it was written; something was cut off, and nothing
worse."""
_RANKS = {READ: 0, CUT_OFF: 1, UNREAD: 2}


def worse(one: int, other: int) -> int:
    """The worse of two of these exit codes."""
    return max(one, other, key=_RANKS.__getitem__)


def code_of(row: Mapping[str, Any]) -> int:
    """The exit code of a turn that was read, as `row_of` makes it."""
    code = READ
    texts = (row["content"], row["reasoning"])
    for call in row["unfinished"]:
        code = worse(code, CUT_OFF if call["status"] == "incomplete" else UNREAD)
    for problem in row["problems"]:
        cut = problem["code"] == "cut-off" or (problem["code"] == "unreadable-call" and _is_end(problem["text"], texts))
        code = worse(code, CUT_OFF if cut else UNREAD)
    return code


def _is_end(text: str, texts: tuple[str, str]) -> bool:
    # A text that began like a call, and could not be read to its end because the turn stops there.
    return bool(text) and any(each.endswith(text) for each in texts)


class Counts:
    """The counts of many turns. It can be pickled.

    Attributes:
        code: the exit code so far: the worst one of all turns; UNREAD once a line was not a turn.
    """

    def __init__(self) -> None:
        self.code = READ
        self._numbers = Counter[str]()
        self._formats = Counter[str]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row of output: a turn that was read, or a line that was not a turn."""
        if row["format"] is None and any(each["code"] == "not-a-turn" for each in row["problems"]):
            self.add_bad_line()
            return
        self.code = worse(self.code, code_of(row))
        self._numbers.update(turns=1, **{name: len(row[name]) for name in ("calls", "unfinished", "problems")})
        if row["format"] is not None:
            self._formats[row["format"]] += 1

    def add_bad_line(self) -> None:
        """Count a line that was not a turn."""
        self._numbers["bad_lines"] += 1
        self.code = UNREAD

    @property
    def only_bad_lines(self) -> bool:
        """Whether there were lines, and none of them was a turn."""
        return bool(self._numbers["bad_lines"]) and not self._numbers["turns"]

    def merge(self, other: Counts) -> None:
        """Add the counts of other turns."""
        self._numbers.update(other._numbers)
        self._formats.update(other._formats)
        self.code = worse(self.code, other.code)

    def summary(self) -> str:
        """The counts, as a line of JSON."""
        counts = {name: self._numbers[name] for name in ("turns", "calls", "unfinished", "problems", "bad_lines")}
        return json_line({"summary": {**counts, "formats": dict(self._formats.most_common())}})


def read_turn(written: Written, parser: Parser, problem: Problem | None = None) -> tuple[Output, str | None]:
    """Parse a stored turn, and add what the server had already parsed.

    Args:
        written: the turn.
        parser: a parser for this turn alone, which has read nothing yet.
        problem: what was wrong with what the turn says about itself, as `ParserFactory.parser` returns it.

    Returns:
        The output, and the name of the turn's format; None if it is not known.
    """
    output = fold(parser.feed(written.text) + parser.finish())
    _add_parsed(output, written, parser)
    output.problems += [] if problem is None else [problem]
    return output, None if parser.format is None else parser.format.name


def _add_parsed(output: Output, written: Written, parser: Parser) -> None:
    """Add what the server has parsed: its reasoning before that of the text, its calls after those of the text."""
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
    from toolglean.conversation.reading.duplicates import DuplicateFilter  # noqa: PLC0415  # most turns do not need it

    twins = DuplicateFilter()
    for call in output.calls:
        twins.add_written(call.name, call.arguments)
    for place, given in enumerate(written.calls):
        whole = bool(given.name) and not given.unread and place not in written.unfinished
        if whole and twins.was_written(given.name, given.arguments):  # left in the text, too: one call, as for clients
            continue
        status: Status = "incomplete" if place in written.unfinished else "malformed"
        status = "ok" if whole else status
        index = len(output.calls) + len(output.unfinished)
        known = None if parser.tools is None else given.name in parser.tools
        text = given.unread or json_text(given.arguments)
        id = given.id or _free(f"call_{index}", taken)  # noqa: A001  # the field's own name
        call = ToolCall(id, index, given.name, known, given.arguments, text, (end, end), status)
        (output.calls if status == "ok" else output.unfinished).append(call)


def _free(wanted: str, taken: set[str]) -> str:
    found, number = wanted, 2
    while found in taken:
        found, number = f"{wanted}_{number}", number + 1
    taken.add(found)
    return found
