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
#   a list: by the first of its members that is openai or neutral, else    as above
#   text that is JSON: by its value                                        as above
#   text that begins with `{` or `[`, or with a `{` before the first tag   json: broken, in a fence, or behind prose
#   any other text                                                         xml
"""Telling the forms of a tool's use apart."""

from __future__ import annotations

import enum
import re
from typing import Any

from toolglean.conversation.messages.wire import NO_JSON, field, json_of

__all__ = ["ToolUseFormat", "detect_format"]

_tag = re.compile(r"<[^\s<>/!?=]").search


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
        return _form_of_text(content) if found is NO_JSON else _form_of_value(found)
    try:
        return _form_of_value(content)
    except Exception:  # noqa: BLE001  # an object that cannot even be looked at
        return ToolUseFormat.JSON


def _form_of_text(text: str) -> ToolUseFormat:
    if text.lstrip()[:1] in {"{", "["}:
        return ToolUseFormat.JSON
    tag, brace = _tag(text), text.find("{")
    return ToolUseFormat.JSON if brace >= 0 and (tag is None or brace < tag.start()) else ToolUseFormat.XML


def _form_of_value(content: Any) -> ToolUseFormat:
    if isinstance(content, list | tuple):
        forms = [_form_of_one(each) for each in content]
        return next((form for form in forms if form != ToolUseFormat.JSON), ToolUseFormat.JSON)
    return _form_of_one(content)


def _form_of_one(content: Any) -> ToolUseFormat:
    if any(field(content, key) is not None for key in ("tool_calls", "function_call", "function")):
        return ToolUseFormat.OPENAI
    kind = field(content, "type")
    if kind == "function_call":
        return ToolUseFormat.OPENAI
    return ToolUseFormat.NEUTRAL if kind == "tool_use" else ToolUseFormat.JSON
