# What the marks of regions of text do: a region opens, closes, or is open from the start. Does not depend on how calls
# are read (region.py).
#
# Regions of text are read at once, and cannot be malformed.
"""Regions of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toolglean.engine.turn import Payload
from toolglean.scan.text import until
from toolglean.sources.response.patterns import FAIL
from toolglean.sources.response.spec import Role

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.sources.response.fields import Fields
    from toolglean.sources.response.marks import Found

__all__ = ["Ahead", "AtStart", "Mark"]


class _TextPayload(Payload):
    """The part that the marks of text regions share."""

    def __init__(self, plan: Fields, start: int) -> None:
        self.plan, self.start = plan, start

    def copy(self) -> Self:
        """A copy in the same state."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied


class Mark(_TextPayload):
    """A marker that opens or closes a region of text (`number`: the field; None: the sink)."""

    def __init__(self, plan: Fields, found: Found, start: int, number: int | None, *, closes: bool) -> None:
        super().__init__(plan, start)
        self.found, self.number, self.closes = found, number, closes

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Apply the mark; no text is read."""
        self.finish(turn)
        return i

    def finish(self, turn: Turn) -> None:
        """Apply the mark."""
        found = self.found
        shown = self.number is not None and self.plan.fields[self.number].role is Role.OTHER
        end = self.start if found.before else self.start + len(found)
        if not found.before and not shown:
            turn.emit.markup(str(found), self.start)
        if self.closes:
            self.plan.note(found, self.start, self.start, self.start, end)
        else:
            self.plan.note(found, self.start, end)
        self.plan.enter(turn, None if self.closes else self.number)
        if shown and not found.before:  # the markers of an unknown field are content, like its text
            turn.leave(text_follows=True)
            turn.say(str(found), self.start)


class AtStart(_TextPayload):
    """The start of a turn in which a region may be open, unless the turn begins with a marker."""

    tail = ""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read text that may be a marker, character by character."""
        self.tail += text[i]
        status, found = self.plan.between.begins(self.tail)
        if found is not None:
            turn.leave(text_follows=True)
            turn.read_again(self.tail, self.start, always=True)
        elif status == FAIL:
            self.finish(turn)
        return i + 1

    def finish(self, turn: Turn) -> None:
        """The turn does not begin with a marker."""
        if self.plan.at_start is not None:
            self.plan.open_at_start(turn, self.plan.at_start, self.start)
        elif self.plan.far is not None:
            turn.open_region(self.start, 0)
            turn.allow_long_region()
            turn.read_with(Ahead(self.plan, self.start))
        turn.read_again(self.tail, self.start, always=True)


class Ahead(_TextPayload):
    """A region that is open at the start of the turn if a literal follows anywhere. Until it does, all text is kept.

    This applies only to the start: later, a closer without an opener is text, and content is emitted as it arrives.
    """

    length = 0
    held = ""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Keep all text up to the literal."""
        number, literal = self.plan.far or (0, "")
        _, end, self.held, found = until(text, i, self.held, literal)
        turn.region.keep(text[i:end])
        self.length += end - i
        if found:
            self.plan.open_at_start(turn, number, self.start)
            turn.release_region(again=self.length)
        return end

    def finish(self, turn: Turn) -> None:
        """The literal did not follow."""
        turn.leave(text_follows=True)
        turn.release_region(again=self.length)
