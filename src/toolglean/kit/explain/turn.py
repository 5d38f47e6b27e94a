# What this file knows: what a turn was read as, as spans.
# What it must not know: why.
"""What the turn was read as."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from toolglean.events import CallEnd, Content, Event, Markup, Problem, Reasoning, ToolCall, join
from toolglean.kit.explain.shapes import Places, Span, Trouble
from toolglean.options import changed
from toolglean.parser import Parser

__all__ = ["Read", "read_turn"]

_KINDS: dict[type[Event], str] = {Content: "content", Reasoning: "reasoning", Markup: "markup"}


@dataclass(slots=True)
class Read:
    """A turn that was read.

    Attributes:
        text: the turn.
        parser: the parser, which is at its end.
        places: lines and columns.
        spans, problems, calls: what it was read as; `calls` has unfinished ones too.
    """

    text: str
    parser: Parser
    places: Places
    spans: list[Span]
    problems: list[Trouble]
    calls: list[ToolCall]

    @property
    def done(self) -> list[ToolCall]:
        """The complete calls."""
        return [call for call in self.calls if call.status == "ok"]

    def span_at(self, place: int) -> Span | None:
        """The span in which that character stands."""
        found = bisect_right(self.spans, place, key=lambda span: span.start) - 1
        return self.spans[found] if found >= 0 and place < self.spans[found].end else None


def read_turn(text: str, tools: Any, options: dict[str, Any]) -> Read:
    """Read the turn with these arguments of `Parser`, and keep its markup.

    Raises:
        What `Parser` raises for wrong arguments.
    """
    parser = Parser(tools, **{**options, "options": changed(options.get("options"), markup=True)})
    places = Places(text)
    spans: list[Span] = []
    problems: list[Trouble] = []
    calls: list[ToolCall] = []
    for event in join(parser.feed(text) + parser.finish()):
        kind = _KINDS.get(type(event))
        if isinstance(event, Problem):
            problems.append(Trouble(event.code, event.reason, event.text, event.start, *places.of(event.start)))
        elif isinstance(event, CallEnd):
            start, end = event.call.span
            calls.append(event.call)
            spans.append(Span("call", start, end, *places.of(start), text[start:end], event.call))
        elif kind is not None and isinstance(event, Content | Reasoning | Markup):
            end = event.start + len(event.text)
            spans.append(Span(kind, event.start, end, *places.of(event.start), event.text))
    return Read(text, parser, places, _merged(text, spans), problems, calls)


def _merged(text: str, spans: list[Span]) -> list[Span]:
    """The spans in order; neighbours of one kind, which a problem parted, are one."""
    found: list[Span] = []
    for _, group in groupby(sorted(spans, key=lambda span: span.start), key=lambda span: span.call or span.kind):
        first, *rest = group
        end = rest[-1].end if rest else first.end
        found.append(replace(first, end=end, text=text[first.start : end]) if rest else first)
    return found
