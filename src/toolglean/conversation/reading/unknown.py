# What is reported about a call to a tool that the request does not have, and that stays content. Does not depend on any
# wire format, or on how calls are found.
#
# A program that gets a call with an unknown name may fail: the OpenAI Agents SDK raises. So such a call is content for
# it, as the model wrote it.
"""Calls to unknown tools."""

from __future__ import annotations

import logging

from toolglean.engine.reasons import UNKNOWN_TOOL
from toolglean.events import Problem, ToolCall

__all__ = ["log_unknown", "unknown_tool"]

log = logging.getLogger("toolglean.clients.turn.unknown")  # the name before 1.0, by which logs are filtered

SHOWN = 80
"""Characters of a name in the log."""


def unknown_tool(call: ToolCall) -> Problem:
    """The problem of a call to an unknown tool, which stays content. It is logged, too."""
    problem = Problem(*UNKNOWN_TOOL, call.name, call.span[0])
    log_unknown(problem)
    return problem


def log_unknown(problem: Problem) -> None:
    """Log the problem, if it is that of a call to an unknown tool which stays content."""
    if (problem.code, problem.reason) == UNKNOWN_TOOL:
        log.warning(
            'a call to an unknown tool stays content: %.*r (to get such calls, pass unknown_tools="call", or '
            "--unknown-tools call)",
            SHOWN,
            problem.text,
        )
