# How often what was found in answers. Does not depend on how it was found, or on who asks.
"""Counts of calls, of their repairs, and of problems."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from toolglean.events import Problem, ToolCall

__all__ = ["Counts"]


@dataclass(slots=True)
class Counts:
    """What was found in the answers.

    Attributes:
        calls: how many calls were moved from the text to their place.
        repairs: how often each repair was made in those calls (`ToolCall.repairs`).
        problems: how often each `Problem` occurred, by its code.
    """

    calls: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add what was found elsewhere.

        Args:
            other: that.
        """
        self.calls += other.calls
        self.repairs += other.repairs
        self.problems += other.problems

    def call(self, call: ToolCall) -> None:
        """A call was moved.

        Args:
            call: that.
        """
        self.calls += 1
        self.repairs.update(call.repairs)

    def problem(self, problem: Problem) -> None:
        """A problem occurred.

        Args:
            problem: that.
        """
        self.problems[problem.code] += 1
