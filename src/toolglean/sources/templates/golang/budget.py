# How much one rendering may do, and how much it has done. Does not depend on what is done.
#
# Every node that runs is a step. Text that a function builds is counted too, and reading long text costs steps:
# otherwise a short template could build endless strings, or compare two long ones a million times.
"""Limits of one rendering."""

from __future__ import annotations

from dataclasses import dataclass

from toolglean.sources.templates.golang.values import GoError

__all__ = ["Budget", "Exceeded", "RenderLimits"]


class Exceeded(GoError):  # noqa: N818  it is not an error of Go's
    """A limit has been exceeded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderLimits:
    """How much one rendering of a Go template may do.

    Attributes:
        steps: nodes run, calls made, rounds of loops, values printed. A large real rendering takes a few thousand.
        output: characters written.
        made: characters that functions build, in total.
        templates: the deepest nesting of `{{template}}`.
        parentheses: the deepest nesting of parentheses.
    """

    steps: int = 500_000
    output: int = 4 * 1024 * 1024
    made: int = 32 * 1024 * 1024
    templates: int = 1_000
    parentheses: int = 100


class Budget:
    """How much of the limits is left."""

    __slots__ = ("limits", "made", "output", "steps")

    def __init__(self, limits: RenderLimits) -> None:
        self.limits = limits
        self.steps = limits.steps
        self.made = limits.made
        self.output = limits.output

    def step(self, count: int = 1) -> None:
        """Count steps.

        Raises:
            Exceeded: there were too many.
        """
        self.steps -= count
        if self.steps < 0:
            raise Exceeded(f"it takes more than {self.limits.steps:,} steps")

    def read(self, length: int) -> None:
        """Count text that is read: a step for each 1,024 characters."""
        if length >= 1024:
            self.step(length >> 10)

    def make(self, length: int) -> None:
        """Count text that is about to be built."""
        self.made -= length
        if self.made < 0:
            raise Exceeded(f"its functions build more than {self.limits.made:,} characters")

    def write(self, length: int) -> None:
        """Count text that is written."""
        self.output -= length
        if self.output < 0:
            raise Exceeded(f"it writes more than {self.limits.output:,} characters")
