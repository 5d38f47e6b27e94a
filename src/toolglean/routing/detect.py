# What this file knows: by what the four forms of a tool's use are told apart.
# What it must not know: how they are read.
#
# JSON is looked at first: `<` and `>` inside its strings make no XML of it.
#
#   what it is                                                             form
#   a dict (or object) with `tool_calls`, `function_call` or `function`,
#   or of type "function_call" (an item of the Responses API)              openai
#   a dict of type "tool_use"                                              neutral
#   any other dict                                                         json
#   text that is JSON: by the dict, or the first dict of the list          as above
#   text that begins with `{` or `[` and holds no tag before it            json: broken, or with text around it
#   any other text                                                         xml
"""Telling the forms of a tool's use apart."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from toolglean.messages.wire import NO_JSON, field, json_of

__all__ = ["ToolUseFormat", "detect_format"]


class ToolUseFormat(enum.StrEnum):
    """The forms in which a tool's use is asked for."""

    XML = "xml"
    JSON = "json"
    OPENAI = "openai"
    NEUTRAL = "neutral"


def detect_format(content: Any) -> ToolUseFormat:
    """The form of a request: text, a dict, or a client's object.

    Args:
        content: what is to be routed.

    Returns:
        The form, by the rules at the head of this file. Text without any sign of a request counts as XML: reading it
        gives a clear error. Nothing raises.
    """
    if isinstance(content, str):
        found = json_of(content.strip())
        if found is NO_JSON:
            return ToolUseFormat.JSON if content.lstrip()[:1] in {"{", "["} else ToolUseFormat.XML
        content = found
    if isinstance(content, list | tuple):
        content = next((each for each in content if not isinstance(each, str | int | float | None)), None)
    if any(field(content, key) is not None for key in ("tool_calls", "function_call", "function")):
        return ToolUseFormat.OPENAI
    kind = field(content, "type")
    if kind == "function_call":
        return ToolUseFormat.OPENAI
    if kind == "tool_use":
        return ToolUseFormat.NEUTRAL
    return ToolUseFormat.JSON if isinstance(content, Mapping) or content is not None else ToolUseFormat.XML
