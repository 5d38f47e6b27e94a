# What the laws about meaning ask of the events of a turn. Does not depend on which laws there are, or on any format.
"""Events, as the laws about meaning look at them."""

from __future__ import annotations

from collections.abc import Iterable

from toolglean import CallEnd, Content, Event, Markup, Parser, Problem, Reasoning, ToolCall

__all__ = ["calls_of", "labels", "problems_of", "read"]


def read(parser: Parser, text: str) -> list[Event]:
    """The events of the whole turn."""
    return parser.feed(text) + parser.finish()


def calls_of(events: Iterable[Event]) -> list[ToolCall]:
    """The calls, of every status."""
    return [each.call for each in events if isinstance(each, CallEnd)]


def problems_of(events: Iterable[Event]) -> list[Problem]:
    """The problems."""
    return [each for each in events if isinstance(each, Problem)]


def labels(events: Iterable[Event], size: int) -> str:
    """What each character of a turn became: content, reasoning, markup, or part of a call; `?` if it is not known yet.

    Args:
        events: the events of a parser with `markup=True`.
        size: how many characters the turn has.

    Returns:
        As many characters: `c`, `r`, `m`, `k` or `?`.
    """
    found = ["?"] * size
    for each in events:
        if isinstance(each, CallEnd):
            begin, end = each.call.span
            found[begin:end] = "k" * (end - begin)
        elif isinstance(each, Content | Reasoning | Markup):
            kind = type(each).__name__[0].lower()
            found[each.start : each.start + len(each.text)] = kind * len(each.text)
    return "".join(found)
