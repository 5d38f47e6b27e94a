# How often what was found in answers, and what is reported about a call that stays content: to a tool that the request
# does not have, or in a spelling that was not read. Does not depend on how it was found, on any wire format, or on who
# asks.
#
# A program that gets a call with an unknown name may fail: the OpenAI Agents SDK raises. So such a call is content for
# it, as the model wrote it.
"""Counts of calls, of their repairs, and of problems; calls to unknown tools."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field

from toolglean.engine.reasons import UNKNOWN_TOOL, UNREAD
from toolglean.events import Problem, ToolCall

__all__ = ["Counts", "unknown_tool"]

log = logging.getLogger("toolglean.clients.turn.unknown")  # the name before 1.0, by which logs are filtered

SHOWN = 80
"""Characters of a name in the log."""


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
        """A problem occurred. That of a call which stays content is logged, with nothing of the text but a name.

        Args:
            problem: that.
        """
        self.problems[problem.code] += 1
        if (problem.code, problem.reason) == UNKNOWN_TOOL:
            log.warning(
                'a call to an unknown tool stays content: %.*r (to get such calls, pass unknown_tools="call", or '
                "--unknown-tools call)",
                SHOWN,
                problem.text,
            )
        elif problem.code == UNREAD.code:
            log.warning("a call was not read, and stays content: %s (`toolglean doctor` tells more)", problem.reason)


def unknown_tool(call: ToolCall) -> Problem:
    """The problem of a call to an unknown tool, which stays content."""
    return Problem(*UNKNOWN_TOOL, call.name, call.span[0])
