# Markers without a call, which wait for what follows: next to a call they are markup. Does not depend on how text is
# searched, on formats, or on how events are put in order.
#
# A model wraps its calls in the markers of another family, opens a section twice, or leaves one empty. What comes next
# decides: a call, another marker or the end of the turn shows that the marker was markup; text shows that it was a
# mention. Between the special token of a section and the call there may be a little text, which is content.
"""Markers that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from toolglean.engine.reasons import Reason
    from toolglean.events import Problem

__all__ = ["PATIENCE", "Mark", "Strays"]

PATIENCE = 128  # characters from the marker to a call that follows other text


class Mark(NamedTuple):
    """A marker that waits.

    Attributes:
        text: the marker.
        start: its place.
        problem: the reason of the `Problem` that is reported if it is text, and the text of that problem; or None.
    """

    text: str
    start: int
    problem: tuple[Reason, str] | None = None


class Strays(Plain):
    """The markers that wait, and the closers of those that turned out to be markup. Never changed.

    Attributes:
        marks: the markers, in order.
        awaited: what closes them.
        patience: how many characters there may be between the first of them and a call.
        around: what closes the markers that were markup, if it has not come yet.
        problems: what was reported behind the first of them.
    """

    __slots__ = ("around", "awaited", "marks", "patience", "problems")

    def __init__(
        self,
        marks: tuple[Mark, ...] = (),
        awaited: tuple[str, ...] = (),
        patience: int = 0,
        around: tuple[str, ...] = (),
        problems: tuple[Problem, ...] = (),
    ) -> None:
        self.marks, self.awaited, self.patience, self.around = marks, awaited, patience, around
        self.problems = problems

    def with_mark(self, mark: Mark, closers: tuple[str, ...], patience: int) -> Strays:
        """The same, with one more marker that waits."""
        awaited = tuple(dict.fromkeys((*self.awaited, *closers)))  # each once: a finder is made for all of them
        return Strays((*self.marks, mark), awaited, max(self.patience, patience), self.around, self.problems)

    def with_problem(self, problem: Problem) -> Strays:
        """The same, with one more problem."""
        return Strays(self.marks, self.awaited, self.patience, self.around, (*self.problems, problem))

    def without(self, closer: str) -> Strays:
        """The same, after that closer has come."""
        awaited = tuple(each for each in self.awaited if each != closer)
        around = tuple(each for each in self.around if each != closer)
        return Strays(self.marks, awaited, self.patience, around, self.problems)

    def as_text(self) -> Strays:
        """The markers were text."""
        return Strays(around=self.around)

    def as_markup(self) -> Strays:
        """The markers were markup: their closers may still come."""
        return Strays(around=tuple(dict.fromkeys((*self.around, *self.awaited))))

    def pieces(self, text: str, start: int) -> list[tuple[Mark | None, str, int]]:
        """Everything that waited, in order: each mark with its text, and what is between them. It begins at `start`."""
        found: list[tuple[Mark | None, str, int]] = []
        place = start
        for mark in self.marks:
            found.append((None, text[place - start : mark.start - start], place))
            found.append((mark, mark.text, mark.start))
            place = mark.start + len(mark.text)
        found.append((None, text[place - start :], place))
        return [each for each in found if each[1]]
