# What this file knows: what a text shows besides markers: inline code and fences, and names that stand before
# something like arguments.
# What it must not know: what the parser makes of it, and any family.
#
# These are signs for people, not readings: a name before a brace is worth a hint, and nothing runs because of it.
"""Signs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple

__all__ = ["Bare", "Quotes", "bare_names"]

MOST = 20  # names that are looked at

_fence = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_json_name = re.compile(r'"(?:name|tool_name|tool|function|action)"\s{0,16}:\s{0,16}"([\w.\-:/]{1,256})"')
# A name, and then what servers leave of markers when they strip the special tokens: a counter, a word or two.
_before_arguments = re.compile(r"(?<![\w.\-])([A-Za-z_][\w.\-]{0,255})(:\d{1,6}|\[ARGS\]|(?: \w{1,20}){1,2}\n| ?)?[{]")
_before_tag = re.compile(r"(?:invoke|function|tool|parameter) name=\"([\w.\-:/]{1,256})\"")


class Quotes:
    """Where a text is inline code or stands in a code fence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._fences = [found.start() for found in _fence.finditer(text)]

    def hold(self, place: int) -> bool:
        """Whether the character at that place is quoted."""
        if bisect_right(self._fences, place - 1) % 2:
            return True
        begin = max(self._text.rfind("\n", 0, place) + 1, place - 256)
        end = self._text.find("\n", place, place + 1024)
        line = self._text[begin:place]
        rest = self._text[place : end if end >= 0 else place + 1024]
        return line.count("`") % 2 == 1 and "`" in rest

    def own_fence(self, place: int) -> bool:
        """Whether it stands in a fence that opens the text."""
        return bool(self._fences) and not self._text[: self._fences[0]].strip() and self.hold(place)


class Bare(NamedTuple):
    """A name that stands where a call might have been."""

    name: str
    start: int


def bare_names(text: str, begin: int, end: int, tools: Collection[str] | None) -> list[Bare]:
    """Names in that part of the text that stand before something like arguments, or in JSON as a name; at most MOST.

    Args:
        text: the turn.
        begin, end: the part.
        tools: the names of the tools; None if they are not known: then any name counts, but only one of several
            letters.
    """
    found: list[Bare] = []
    for pattern in (_json_name, _before_arguments, _before_tag):
        for each in pattern.finditer(text, begin, end):
            name = each[1].removeprefix("functions.")
            if (name in tools) if tools is not None else (len(name) > 1 and not _is_prose(each)):
                found.append(Bare(name, each.start(1)))
            if len(found) >= MOST:
                break
    return sorted(set(found), key=lambda each: each.start)[:MOST]


def _is_prose(found: re.Match[str]) -> bool:
    # `the set {1, 2}`: only a name that touches what follows, or has what a stripped marker leaves, counts unknown.
    return found.lastindex == 2 and (found[2] or "") == " "
