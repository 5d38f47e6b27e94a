# A turn that was read, as spans with lines and columns. Does not depend on why it was read so.
"""The reading of a turn."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from toolglean.events import Problem, ToolCall, join
from toolglean.kit.explain.explanation import Span, Trouble
from toolglean.kit.tiles import Places, tile_of
from toolglean.options import changed
from toolglean.parser import Parser

__all__ = ["Read", "another_message", "detail_of", "read_turn"]


@dataclass(slots=True)
class Read:
    """A turn that was read.

    Attributes:
        text: the turn.
        parser: the parser, which is at its end.
        places: lines and columns.
        spans, problems, calls: what it was read as; `calls` includes unfinished ones.
    """

    text: str
    parser: Parser
    places: Places
    spans: list[Span]
    problems: list[Trouble]
    calls: list[ToolCall]

    @property
    def format(self) -> str | None:
        """The name of the format; None if the turn shows none."""
        return None if self.parser.format is None else self.parser.format.name

    @property
    def done(self) -> list[ToolCall]:
        """The complete calls."""
        return [call for call in self.calls if call.status == "ok"]

    def span_at(self, place: int) -> Span | None:
        """The span that contains that character."""
        found = bisect_right(self.spans, place, key=lambda span: span.start) - 1
        return self.spans[found] if found >= 0 and place < self.spans[found].end else None


def read_turn(text: str, tools: Any, options: dict[str, Any]) -> Read:
    """Read the turn with these arguments of `Parser`, and keep its markup.

    Raises:
        ToolgleanError: whatever `Parser` raises for wrong arguments.
    """
    parser = Parser(tools, **{**options, "options": changed(options.get("options"), markup=True)})
    places = Places(text)
    spans: list[Span] = []
    problems: list[Trouble] = []
    calls: list[ToolCall] = []
    for event in join(parser.feed(text) + parser.finish()):
        tile = tile_of(event)
        if isinstance(event, Problem):
            problems.append(Trouble(event.code, event.reason, event.text, event.start, *places.of(event.start)))
        elif tile is not None:
            kind, start, end, call = tile
            spans.append(Span(kind, start, end, *places.of(start), text[start:end], call))
            calls += [] if call is None else [call]
    return Read(text, parser, places, _merged(text, spans), problems, calls)


def another_message(read: Read) -> Trouble | None:
    """The header of another message, if one ended the turn."""
    return next((each for each in read.problems if each.code == "another-message"), None)


def detail_of(reason: str) -> str:
    """What a reason says after its colon; all of it if it has none."""
    return reason.partition(": ")[2] or reason


def _merged(text: str, spans: list[Span]) -> list[Span]:
    """The spans in order; neighbours of one kind, which a problem had separated, are joined."""
    found: list[Span] = []
    for _, group in groupby(sorted(spans, key=lambda span: span.start), key=lambda span: span.call or span.kind):
        first, *rest = group
        end = rest[-1].end if rest else first.end
        found.append(replace(first, end=end, text=text[first.start : end]) if rest else first)
    return found
