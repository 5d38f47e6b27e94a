# The public names, by hand. No logic, and no optional package, is imported here.
"""Turns what a language model writes, chunk by chunk, into content, reasoning and tool calls."""

from toolglean._version import __version__
from toolglean.errors import FormatError, TemplateError, ToolError, ToolgleanError, UsageError
from toolglean.events import (
    CallDelta,
    CallEnd,
    CallStart,
    Content,
    Event,
    Markup,
    Output,
    Problem,
    Reasoning,
    ToolCall,
    fold,
    join,
)
from toolglean.limits import Limits
from toolglean.machine import State
from toolglean.parser import Parser
from toolglean.tools import Tool, ToolSet

__all__ = [
    "CallDelta",
    "CallEnd",
    "CallStart",
    "Content",
    "Event",
    "FormatError",
    "Limits",
    "Markup",
    "Output",
    "Parser",
    "Problem",
    "Reasoning",
    "State",
    "TemplateError",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolSet",
    "ToolgleanError",
    "UsageError",
    "__version__",
    "fold",
    "join",
]
