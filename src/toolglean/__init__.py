# The public names, by hand. No logic and no optional package is imported here. Each name is imported when it is first
# used: `toolglean --version` does not load a parser, and a parser for a tag does not load the library of formats.
"""Turns what a language model writes, chunk by chunk, into content, reasoning and tool calls."""

from toolglean._version import __version__

TYPE_CHECKING = False  # for type checkers it is True, as in `typing`, which `toolglean --version` does without
if TYPE_CHECKING:
    from typing import Any

    from toolglean.errors import (
        FormatError,
        MessageError,
        TemplateError,
        ToolError,
        ToolgleanError,
        UnfinishedCallError,
        UsageError,
    )
    from toolglean.events import (
        CallDelta,
        CallEnd,
        CallStart,
        Content,
        Event,
        Markup,
        Output,
        Problem,
        ProblemCode,
        Reasoning,
        ToolCall,
        fold,
        join,
    )
    from toolglean.formats.spec import JSON, Format, JsonOrText, Pairs, PythonDict, Quoted, ScriptObject, Tree
    from toolglean.limits import Limits
    from toolglean.options import ParserOptions
    from toolglean.parser import Parser, ParserArguments, State
    from toolglean.sources.choose.choice import FormatChoice, PassedOver, choose_format
    from toolglean.stream import aiter_events, iter_events, parse, render
    from toolglean.tools import Tool, ToolSet

__all__ = [
    "JSON",
    "CallDelta",
    "CallEnd",
    "CallStart",
    "Content",
    "Event",
    "Format",
    "FormatChoice",
    "FormatError",
    "JsonOrText",
    "Limits",
    "Markup",
    "MessageError",
    "Output",
    "Pairs",
    "Parser",
    "ParserArguments",
    "ParserOptions",
    "PassedOver",
    "Problem",
    "ProblemCode",
    "PythonDict",
    "Quoted",
    "Reasoning",
    "ScriptObject",
    "State",
    "TemplateError",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolSet",
    "ToolgleanError",
    "Tree",
    "UnfinishedCallError",
    "UsageError",
    "__version__",
    "aiter_events",
    "choose_format",
    "fold",
    "iter_events",
    "join",
    "parse",
    "render",
]

_HOMES = {
    "errors": "FormatError MessageError TemplateError ToolError ToolgleanError UnfinishedCallError UsageError",
    "events": "CallDelta CallEnd CallStart Content Event Markup Output Problem ProblemCode Reasoning ToolCall "
    "fold join",
    "formats.spec": "JSON Format JsonOrText Pairs PythonDict Quoted ScriptObject Tree",
    "limits": "Limits",
    "options": "ParserOptions",
    "parser": "Parser ParserArguments State",
    "sources.choose.choice": "FormatChoice PassedOver choose_format",
    "stream": "aiter_events iter_events parse render",
    "tools": "Tool ToolSet",
}
"""The modules, each with the names that come from it: the imports above, for Python."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415  # like everything else, only where it is needed

    if name in _HOME_OF:
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        return found
    if name in _HOMES:  # a module, as in `toolglean.events`
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
