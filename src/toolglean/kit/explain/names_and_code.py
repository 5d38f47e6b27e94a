# What a text shows besides markers: inline code and fences, and names before something like arguments. Does not depend
# on how the parser reads it, or on any family.
#
# These are hints for people: a name before a brace is worth one, and nothing runs because of it.
"""Names and code in a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from toolglean.kit.explain.explanation import Quotation

if TYPE_CHECKING:
    from toolglean.kit.explain.reading import Read

__all__ = ["Bare", "Quotes", "bare_names", "quotations_in"]

_CODE = "CODE", "FENCE"
_QUOTE_NOTHING = "PLAIN", "JSON"
MOST = 20  # names that are looked at

_json_name = re.compile(r'"(?:name|tool_name|tool|function|action)"\s{0,16}:\s{0,16}"([\w.\-:/]{1,256})"')
# A name, and then what is left of markers when a server strips the special tokens: a counter, a word or two.
_before_arguments = re.compile(r"(?<![\w.\-])([A-Za-z_][\w.\-]{0,255})(:\d{1,6}|\[ARGS\]|(?: \w{1,20}){1,2}\n| ?)?[{]")
_before_bracket = re.compile(r"(?<![\w.\-])([A-Za-z_][\w.\-]{0,255})\((\{)?")
_before_tag = re.compile(r"(?:invoke|function|tool|parameter) name=\"([\w.\-:/]{1,256})\"")


class Quotes:
    """Where a text is code, by the engine's own rules. A fence that opens the text is markup around it."""

    def __init__(self, text: str) -> None:
        from toolglean.engine.page.page import stretches_of  # noqa: PLC0415  # the help of commands need not load it

        code = [each for each in stretches_of([(text, 0, True)], len(text)) if each.context.name in _CODE]
        opens = [each for each in code if each.context.name == _CODE[0] or text[: each.since].strip()]
        self._begins, self._ends = [each.start for each in opens], [each.end for each in opens]
        self._closers = {len(text[: each.end].rstrip("`~")) for each in code}

    def contains(self, place: int) -> bool:
        """Whether the character at that place is code."""
        found = bisect_right(self._begins, place) - 1
        return found >= 0 and place < self._ends[found]

    def closes(self, place: int) -> bool:
        """Whether the backticks at that place end code, also a fence that opens the text."""
        return place in self._closers


class Bare(NamedTuple):
    """A name in a place where a call might have been."""

    name: str
    start: int


def bare_names(text: str, begin: int, end: int, tools: Collection[str] | None) -> list[Bare]:
    """Names before something like arguments, or under a key for names in JSON; at most MOST.

    Args:
        text: the turn.
        begin, end: the part of the turn to search.
        tools: the names of the tools; None if they are not known: then any name of several letters is accepted.
    """
    found: list[Bare] = []
    for pattern in (_json_name, _before_arguments, _before_bracket, _before_tag):
        matches = (each for each in pattern.finditer(text, begin, end) if _is_accepted(pattern, each, tools))
        found += [Bare(each[1].removeprefix("functions."), each.start(1)) for each in islice(matches, MOST)]
    return sorted(set(found), key=lambda each: each.start)[:MOST]


def _is_accepted(pattern: re.Pattern[str], found: re.Match[str], tools: Collection[str] | None) -> bool:
    if tools is not None:
        return found[1].removeprefix("functions.") in tools
    if pattern is _before_arguments:  # `the set {1, 2}`: an unknown name must touch what follows, or a marker's rest
        return len(found[1]) > 1 and found[2] != " "
    return pattern is not _before_bracket or found[2] is not None


def quotations_in(read: Read) -> list[Quotation]:
    """The parts of the content that are quoted, in order."""
    from toolglean.engine.page.page import stretches_of  # noqa: PLC0415  # the help of commands need not load it

    pieces = [(span.text, span.start, span.kind == "content") for span in read.spans]
    quoted = (each for each in stretches_of(pieces, len(read.text)) if each.context.name not in _QUOTE_NOTHING)
    return [
        Quotation(each.context.value, each.start, each.end, each.since, *read.places.of(each.start)) for each in quoted
    ]
