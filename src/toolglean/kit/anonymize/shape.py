# What two readings must have in common for one turn to replace the other in a report. Does not depend on how either
# turn was made.
"""Whether two turns are read alike."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolglean.events import fold
from toolglean.parser import Parser

__all__ = ["Shape", "shape_of"]

_key = re.compile(r"(the end of )\S+( was expected)")
"""The only reason that contains a word of the turn."""


class Shape(NamedTuple):
    """What a turn is read as, without any of its words.

    Attributes:
        format: the name of its format.
        content, reasoning: how many characters are content and reasoning.
        calls: for each call, complete or not: its place in the turn, its status, whether its tool is known, and its
            repairs.
        values: for each complete call, the types of its arguments.
        problems: for each problem, its place and its reason.
    """

    format: str | None
    content: int
    reasoning: int
    calls: tuple[Any, ...]
    values: tuple[Any, ...]
    problems: tuple[Any, ...]


def shape_of(text: str, parser: Parser) -> Shape:
    """The shape of a turn.

    Args:
        text: the turn.
        parser: a parser that has read nothing yet. It is used up.
    """
    output = fold(parser.feed(text) + parser.finish())
    calls = sorted((*output.calls, *output.unfinished), key=lambda each: each.index)
    return Shape(
        None if parser.format is None else parser.format.name,
        len(output.content),
        len(output.reasoning),
        tuple((each.span, each.status, each.known, each.repairs) for each in calls),
        tuple(_types(each.arguments) for each in output.calls),
        tuple((each.start, _key.sub(r"\1…\2", each.reason)) for each in output.problems),
    )


def _types(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(_types(each) for each in value.values())
    if isinstance(value, list):
        return [_types(each) for each in value]
    return value if isinstance(value, bool | None) else type(value).__name__
