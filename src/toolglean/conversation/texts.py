# Requests in text. toolglean's own parser reads them, with the given tools: XML whose tag is the tool's name, every
# other format of the library, and JSON after prose, because the caller says that this text is a request. If it finds no
# call, a tag that is not a tool's name, or has attributes, is read as one, so that the answer can be "unknown tool"
# instead of "not a request".
# Does not depend on how values are read (forms.py).
"""Requests in text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from toolglean.conversation.calls import ToolUseContent
from toolglean.conversation.fields import unrunnable
from toolglean.errors import UsageError, shown
from toolglean.options import ParserOptions
from toolglean.scan.data import declares
from toolglean.scan.names import ARGUMENT_KEYS, HOLDER_KEYS
from toolglean.stream import parse
from toolglean.tools import Tool, ToolSet

__all__ = ["check_keys", "read_text", "requests_in_text"]

_tag = re.compile(r"<([^\s<>/!?][^\s<>/]*)(\s[^<>]*)?>")
_only_id = re.compile(r"""\s+id\s*=\s*(?:"([^"]*)"|'([^']*)')\s*""").fullmatch
_ONCE = ARGUMENT_KEYS | HOLDER_KEYS | {"name", "type", "role", "content"}
_NO_TOOLS = frozenset({"think", "thinking", "tool_result", "tool_use"})
"""Tags that models and routers write, and that are not names of tools."""


def requests_in_text(text: str, tools: ToolSet) -> list[ToolUseContent]:
    """The requests in text; none if there is no call in it. `tools`: those that may be called."""
    found = read_text(text, tools)
    tag = next((each for each in _tag.finditer(text) if each[1] not in _NO_TOOLS), None)
    if found or tag is None:
        return found
    plain = f"{text[: tag.start()]}<{tag[1]}>{text[tag.end() :]}"
    tool = tools.get(tag[1]) or Tool(tag[1])
    found = read_text(plain, ToolSet([*tools, *([] if tag[1] in tools else [tool])]))
    if not (tag[2] or "").strip():
        return found
    own = None if declares(tool.parameters, "id") else _only_id(tag[2])
    if own is not None:
        return [replace(each, id=own[1] or own[2] or "") for each in found]
    # Other attributes may be arguments, and are never dropped.
    return [ToolUseContent(each.name, "", {}, unrunnable(text, "malformed")) for each in found]


def check_keys(text: str) -> None:
    """Refuse JSON in which a call has its name, its arguments or what it is twice: only one of the two would count.

    Raises:
        UsageError: it is so; the message shows the text.
    """

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs if key in _ONCE]
        if len(keys) > len(set(keys)):
            raise UsageError(f"not a request for a tool (a key is written twice): {shown(text)}")
        return dict(pairs)

    json.loads(text, object_pairs_hook=check)


def read_text(text: str, tools: ToolSet) -> list[ToolUseContent]:
    """The calls that the parser finds in the text. Without `tools`, any name may be a tool's."""
    output = parse(text, tools or None, options=ParserOptions(trailing_json="call"))
    calls = sorted(output.calls + output.unfinished, key=lambda call: call.index)
    return [
        ToolUseContent(call.name, "" if call.id == f"call_{call.index}" else call.id, call.arguments)
        if call.status == "ok"
        else ToolUseContent(call.name, "", {}, unrunnable(text[slice(*call.span)], call.status))
        for call in calls
    ]
