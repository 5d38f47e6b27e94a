# What this file knows: what the marks of regions of text do: a region opens, closes, or is open from the start.
# What it must not know: how calls are read (region.py).
"""Marks of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toolglean.scan.until import until
from toolglean.templates.response.log import closed, opened
from toolglean.templates.response.marks import Found
from toolglean.templates.response.patterns import FAIL
from toolglean.templates.response.spec import OTHER

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.templates.response.plan import ResponsePlan

__all__ = ["Ahead", "AtStart", "Mark"]


class _Opening:
    """What marks of text share: they are read at once, and nothing of them can be malformed."""

    def __init__(self, plan: ResponsePlan, start: int) -> None:
        self.plan = plan
        self.start = start

    def skip(self, machine: Machine, text: str, i: int) -> int:
        """Never called: a mark is never given up."""
        del machine
        return len(text) if text else i

    def stops(self) -> str:
        """See `plan.Payload`."""
        return ""

    def copy(self) -> Self:
        """The same place."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin


class Mark(_Opening):
    """A marker that opens or closes a region of text, or is dropped."""

    def __init__(self, plan: ResponsePlan, found: Found, start: int, number: int | None, *, closes: bool) -> None:
        super().__init__(plan, start)
        self.text, self.before, self.captures = str(found), found.before, found.captures
        self.number = number
        self.closes = closes

    def read(self, machine: Machine, text: str, i: int) -> int:
        """The mark is done before anything is read."""
        del text
        self._done(machine)
        return i

    def finish(self, machine: Machine) -> None:
        """The turn ends with the mark."""
        self._done(machine)

    def _done(self, machine: Machine) -> None:
        shown = self.number is not None and self.plan.fields[self.number].role == OTHER
        end = self.start + len(self.text)
        if self.before:
            end = self.start
        elif not shown:
            machine.emit.markup(self.text, self.start)
        if self.closes:
            closed(machine, self.start, end, is_sink=self.number is None)
        elif self.number is not None:
            opened(machine, self.number, self.captures, self.start, end)
        self.plan.enter(machine, None if self.closes else self.number)
        if shown and not self.before:  # the markers of a field that we do not know are content, as it is
            machine.leave(text_follows=True)
            machine.say(self.text, self.start)


class AtStart(_Opening):
    """The turn starts, and a region may be open: unless a marker stands there."""

    def __init__(self, plan: ResponsePlan, start: int) -> None:
        super().__init__(plan, start)
        self.tail = ""

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Read what may be a marker, character by character."""
        self.tail += text[i]
        status, found = self.plan.between.begins(self.tail)
        if found is not None:
            machine.leave(text_follows=True)
            machine.read_again(self.tail, self.start, always=True)
        elif status == FAIL:
            self._open(machine)
        return i + 1

    def finish(self, machine: Machine) -> None:
        """The turn ends with the beginning of a marker."""
        self._open(machine)

    def _open(self, machine: Machine) -> None:
        if self.plan.at_start is not None:
            opened(machine, self.plan.at_start, {}, self.start, self.start)
            self.plan.enter(machine, self.plan.at_start)
        elif self.plan.far is not None:
            machine.open_region(self.start, 0)
            machine.allow_long_region()
            machine.payload = Ahead(self.plan, *self.plan.far, self.start)
        machine.read_again(self.tail, self.start, always=True)


class Ahead(_Opening):
    """A region that is open where the turn starts if a literal stands anywhere behind: till then, all is held.

    Only the start counts: after it, a closer without an opener is text, and content goes out as it comes.
    """

    def __init__(self, plan: ResponsePlan, number: int, literal: str, start: int) -> None:
        super().__init__(plan, start)
        self.number = number
        self.literal = literal
        self.length = 0
        self._held = ""

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Keep all up to the literal."""
        _, end, self._held, found = until(text, i, self._held, self.literal)
        machine.keep(text[i:end])
        self.length += end - i
        if found:
            opened(machine, self.number, {}, self.start, self.start)
            self._let_go(machine, self.number)
        return end

    def finish(self, machine: Machine) -> None:
        """The literal does not come."""
        self._let_go(machine, None)

    def _let_go(self, machine: Machine, number: int | None) -> None:
        if number is None:
            machine.leave(text_follows=True)
        else:
            self.plan.enter(machine, number)
        machine.release_region(again=self.length)
