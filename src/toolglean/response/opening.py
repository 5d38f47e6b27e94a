# What this file knows: what the marks of regions of text do: a region opens, closes, or is open from the start.
# What it must not know: how calls are read (region.py).
"""Marks of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toolglean.engine.turn import Payload
from toolglean.response.log import closed, opened
from toolglean.response.marks import Found
from toolglean.response.patterns import FAIL
from toolglean.response.spec import OTHER
from toolglean.scan.text import until

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.response.fields import Fields

__all__ = ["Ahead", "AtStart", "Mark"]


class _Opening(Payload):
    """What marks of text share: they are read at once, and nothing of them can be malformed."""

    def __init__(self, plan: Fields, start: int) -> None:
        self.plan = plan
        self.start = start

    def _twin(self) -> Self:
        twin = object.__new__(type(self))
        twin.plan, twin.start = self.plan, self.start
        return twin

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Never called: a mark is never given up."""
        del turn
        return len(text) if text else i


class Mark(_Opening):
    """A marker that opens or closes a region of text, or is dropped."""

    def __init__(self, plan: Fields, found: Found, start: int, number: int | None, *, closes: bool) -> None:
        super().__init__(plan, start)
        self.text, self.before, self.captures = str(found), found.before, found.captures
        self.number = number
        self.closes = closes

    def copy(self) -> Self:
        """The same place."""
        twin = self._twin()
        twin.text, twin.before, twin.captures = self.text, self.before, self.captures
        twin.number, twin.closes = self.number, self.closes
        return twin

    def read(self, turn: Turn, text: str, i: int) -> int:
        """The mark is done before anything is read."""
        del text
        self._done(turn)
        return i

    def finish(self, turn: Turn) -> None:
        """The turn ends with the mark."""
        self._done(turn)

    def _done(self, turn: Turn) -> None:
        shown = self.number is not None and self.plan.fields[self.number].role == OTHER
        end = self.start + len(self.text)
        if self.before:
            end = self.start
        elif not shown:
            turn.emit.markup(self.text, self.start)
        if self.closes:
            closed(turn, self.start, end, is_sink=self.number is None)
        elif self.number is not None:
            opened(turn, self.number, self.captures, self.start, end)
        self.plan.enter(turn, None if self.closes else self.number)
        if shown and not self.before:  # the markers of a field that we do not know are content, as it is
            turn.leave(text_follows=True)
            turn.say(self.text, self.start)


class AtStart(_Opening):
    """The turn starts, and a region may be open: unless a marker stands there."""

    def __init__(self, plan: Fields, start: int) -> None:
        super().__init__(plan, start)
        self.tail = ""

    def copy(self) -> Self:
        """The same place."""
        twin = self._twin()
        twin.tail = self.tail
        return twin

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read what may be a marker, character by character."""
        self.tail += text[i]
        status, found = self.plan.between.begins(self.tail)
        if found is not None:
            turn.leave(text_follows=True)
            turn.read_again(self.tail, self.start, always=True)
        elif status == FAIL:
            self._open(turn)
        return i + 1

    def finish(self, turn: Turn) -> None:
        """The turn ends with the beginning of a marker."""
        self._open(turn)

    def _open(self, turn: Turn) -> None:
        if self.plan.at_start is not None:
            opened(turn, self.plan.at_start, {}, self.start, self.start)
            self.plan.enter(turn, self.plan.at_start)
        elif self.plan.far is not None:
            turn.open_region(self.start, 0)
            turn.allow_long_region()
            turn.payload = Ahead(self.plan, *self.plan.far, self.start)
        turn.read_again(self.tail, self.start, always=True)


class Ahead(_Opening):
    """A region that is open where the turn starts if a literal stands anywhere behind: till then, all is held.

    Only the start counts: after it, a closer without an opener is text, and content goes out as it comes.
    """

    def __init__(self, plan: Fields, number: int, literal: str, start: int) -> None:
        super().__init__(plan, start)
        self.number = number
        self.literal = literal
        self.length = 0
        self._held = ""

    def copy(self) -> Self:
        """The same place."""
        twin = self._twin()
        twin.number, twin.literal, twin.length, twin._held = self.number, self.literal, self.length, self._held
        return twin

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Keep all up to the literal."""
        _, end, self._held, found = until(text, i, self._held, self.literal)
        turn.region.keep(text[i:end])
        self.length += end - i
        if found:
            opened(turn, self.number, {}, self.start, self.start)
            self._let_go(turn, self.number)
        return end

    def finish(self, turn: Turn) -> None:
        """The literal does not come."""
        self._let_go(turn, None)

    def _let_go(self, turn: Turn, number: int | None) -> None:
        if number is None:
            turn.leave(text_follows=True)
        else:
            self.plan.enter(turn, number)
        turn.release_region(again=self.length)
