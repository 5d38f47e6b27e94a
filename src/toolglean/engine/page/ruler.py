# Keeps what a page says of each part of a text, for those who ask about all of it. Does not depend on how it is found
# out.
"""Which part of a text is in which context."""

from __future__ import annotations

from typing import NamedTuple

from toolglean.engine.page.table import Context

__all__ = ["Ruler", "Stretch"]


class Stretch(NamedTuple):
    """A part of a text.

    Attributes:
        context: what it is in.
        start, end: its place.
        since: the place of what opened the context; 0 in plain text.
    """

    context: Context
    start: int
    end: int
    since: int


class Ruler:
    """Takes what a page says, and says it in order."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, Stretch]] = []

    def mark(self, context: Context, start: int, end: int, since: int, order: int) -> None:
        """See `Marks`."""
        self._marks.append((order, Stretch(context, start, end, since)))

    def drop(self, start: int) -> None:
        """See `Marks`."""
        self._marks = [each for each in self._marks if each[0] <= start]

    def nest(self, document: int, start: int) -> None:
        """See `Marks`."""
        self._marks += [
            (start, stretch)
            for order, stretch in self._marks
            if order == document and stretch.context is Context.JSON_STRING and stretch.start >= start
        ]

    def stretches(self, begin: int, end: int) -> list[Stretch]:
        """All parts of that text, in order; what opened later is on top."""
        found = [Stretch(Context.PLAIN, begin, end, 0)]
        for _, mark in sorted(self._marks, key=lambda each: each[0]):
            if mark.end <= mark.start:
                continue
            after: list[Stretch] = []
            while found and found[-1].end > mark.start:
                stretch = found.pop()
                if stretch.end > mark.end:
                    after.append(stretch._replace(start=max(stretch.start, mark.end)))
                if stretch.start < mark.start:
                    found.append(stretch._replace(end=mark.start))
            found += [mark, *reversed(after)]
        return found
