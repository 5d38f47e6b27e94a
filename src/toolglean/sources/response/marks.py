# Finds the first of several markers, literal or not, in text that arrives in pieces. Does not depend on what a marker
# opens or closes: marks have numbers.
"""Finds marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from toolglean.scan.text import Finder
from toolglean.sources.response.patterns import FAIL, MAX_MARKER, NEED, Lit, Reduced, Sequence, match
from toolglean.sources.response.regexes import compiled, find_all, find_regex

__all__ = ["Found", "Marker", "Marks"]

Hit = tuple[int, int, "dict[str, str]", bool]  # the end, and what `Found` has


@dataclass(frozen=True, slots=True)
class Marker:
    """What opens or closes a field.

    Attributes:
        reduced: its literals; empty if it is a real regular expression.
        source: the regular expression, or "".
        where: the field and the key that declare it, for messages.
    """

    reduced: Reduced
    source: str = ""
    where: str = ""


class Found(str):
    """The text of a mark that was found.

    Attributes:
        number: which mark it is.
        captures: what its groups captured.
        before: whether the text was only looked ahead to, and is not consumed.
    """

    __slots__ = ("before", "captures", "number")

    number: int
    captures: dict[str, str]
    before: bool

    def __new__(cls, text: str, number: int = 0, captures: dict[str, str] | None = None, before: bool = False) -> Self:  # noqa: FBT001,FBT002
        """A mark with that text."""
        self = super().__new__(cls, text)
        self.number, self.captures, self.before = number, captures or {}, before
        return self


class Marks:
    """Finds the first of several marks: like `scan.text.Finder`, for markers that are more than literals.

    Args:
        markers: the markers with their numbers; if two match alike, the first is used.

    Attributes:
        guards, plain, search: as in a `Finder`; if there are real regular expressions, every chunk is read.
        firsts: the characters with which the marks begin, except those of real regular expressions.
        literals: the marks that are only a literal.
    """

    def __init__(self, markers: Iterable[tuple[int, Marker]]) -> None:
        self._sequences: list[tuple[int, Sequence, bool]] = []
        self._regexes: list[tuple[int, Any]] = []
        for number, marker in markers:
            self._sequences += [(number, each, False) for each in marker.reduced.alternatives]
            self._sequences += [(number, (Lit(each),), True) for each in marker.reduced.ahead]
            if marker.source:
                self._regexes.append((number, compiled(marker.source, marker.where)))
        whole = [each for _, each, before in self._sequences if not before]
        heads = [each[0].text for _, each, _ in self._sequences if isinstance(each[0], Lit)]
        self._heads = Finder(heads)
        self.guards = ("", "") if self._regexes else self._heads.guards
        self.search = re.compile("").search if self._regexes else self._heads.search  # "" is found in every chunk
        self.plain: set[str] = set()
        self.firsts = frozenset(each[0] for each in heads)
        self.literals = tuple(dict.fromkeys(each.text for (each, *rest) in whole if isinstance(each, Lit) and not rest))

    def find(self, text: str, pos: int, last: str = "") -> tuple[int, str]:
        """As `Finder.find`: the place of the first mark, and the mark as `Found`; or where one may begin, and ""."""
        place, hit = self._literal(text, pos)
        for number, pattern in self._regexes:
            other, end, captures = find_regex(pattern, text, pos)
            if other < place or (other == place and end < 0 and hit is not None):
                place, hit = other, (end, number, captures, False) if end >= 0 else None
            elif other == place and hit is not None and end > hit[0]:
                hit = (end, number, captures, False)
        return (place, "") if hit is None else (place, Found(text[place : hit[0]], *hit[1:]))

    def begins(self, text: str) -> tuple[int, Found | None]:
        """The length of the mark with which the text begins, and the mark; or NEED or FAIL, and None."""
        place, found = self.find(text, 0)
        if place > 0 or not text:
            return (FAIL if text else NEED), None
        return (len(found), found) if isinstance(found, Found) else (NEED, None)

    def all_of(self, text: str) -> list[tuple[int, int, dict[str, str]]]:
        """All marks in a complete text: place, end, captures."""
        found = [each for _, pattern in self._regexes for each in find_all(pattern, text)]
        pos, closed = 0, text + "\0"  # so that nothing waits for more
        while pos < len(text):
            place, hit = self._literal(closed, pos)
            if hit is None:
                break
            found.append((place, hit[0], hit[2]))
            pos = max(hit[0], place + 1)
        return sorted(found, key=lambda each: each[:2])

    def _literal(self, text: str, pos: int) -> tuple[int, Hit | None]:
        while True:
            place, head = self._heads.find(text, pos)
            if not head:
                return place, None
            hit, waits = self._best(text, place)
            if waits and len(text) - place <= MAX_MARKER:
                return place, None
            if hit is not None and hit[0] - place <= MAX_MARKER:
                return place, hit
            pos = place + 1

    def _best(self, text: str, place: int) -> tuple[Hit | None, bool]:
        best: Hit | None = None
        waits = False
        for number, sequence, before in self._sequences:
            captures: dict[str, str] = {}
            end = match(sequence, text, place, captures)
            waits = waits or end == NEED
            if end > (best[0] if best else 0):
                best = end, number, captures, before
        return best, waits
