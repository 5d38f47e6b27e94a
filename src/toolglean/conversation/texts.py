# Requests in text. toolglean's own parser reads them, with the given tools: XML whose tag is the tool's name, every
# other format of the library, and JSON after prose, because the caller says that this text is a request. If it finds no
# call, a tag that is not a tool's name, or has attributes, is read as one, so that the answer can be "unknown tool"
# instead of "not a request".
#
# A value that names a tool (a dict, a client's object) is judged by the same parser, which is given its keys as text:
# what it would not run as text does not run.
# Does not depend on the forms of requests, or on how their fields are read (forms.py).
"""Requests as the parser reads them: in text, and values that name a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolglean.conversation.calls import ToolUseContent
from toolglean.conversation.fields import field, unrunnable, written
from toolglean.errors import UsageError, shown
from toolglean.options import ParserOptions
from toolglean.scan.data import ANOTHERS, DEFINITION, declares, is_anothers, is_definition
from toolglean.scan.names import ARGUMENT_KEYS, HOLDER_KEYS, THOUGHT_KEYS
from toolglean.stream import parse
from toolglean.tools import Tool, ToolSet

__all__ = ["beside", "check_keys", "fault_of", "read_text", "requests_in_text"]

_tag = re.compile(r"<([^\s<>/!?][^\s<>/]*)(\s[^<>]*)?>")
_only_id = re.compile(r"""\s+id\s*=\s*(?:"([^"]*)"|'([^']*)')\s*""").fullmatch
_ONCE = ARGUMENT_KEYS | HOLDER_KEYS | {"name", "type", "role", "content"}
_NO_TOOLS = frozenset({"think", "thinking", "tool_result", "tool_use"})
"""Tags that models and routers write, and that are not names of tools."""
_FIELDS = ("type", "role", "description", *sorted(ARGUMENT_KEYS))
"""The fields of a client's object that show what it is."""
_NEVER = frozenset({"name", "function", "function_call", "tool_calls", "reasoning_content"})


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


# -- values -----------------------------------------------------------------------------------------------------------


def fault_of(
    name: str, given: Mapping[str, Any], around: Mapping[str, Any], tool: Tool | None, *, is_marked: bool
) -> str:
    """Why it is not a call that may run; "" if it is.

    Args:
        name: the tool's name.
        given: the arguments, under their key; empty if there are none.
        around: what else there is: see `beside`.
        tool: the tool of that name; None: it is not known.
        is_marked: whether the value's wire format shows that a call is meant. Otherwise it must be nothing but a call.
    """
    if any(is_anothers(key, value) for key, value in around.items()):
        return ANOTHERS
    schema = tool.parameters if tool is not None else {}
    if any(is_definition(arguments, schema) for arguments in given.values()):
        return DEFINITION
    # Of the arguments, only the keys matter now. Missing ones do not: what runs the tool tells the model of them.
    keys = {key: dict.fromkeys(arguments, 1) for key, arguments in given.items()}
    text = written({"name": name, **keys, **around})
    known = Tool(name, {**schema, "required": []})
    output = parse(f"<tool_call>{text}</tool_call>" if is_marked else text, [known], format="hermes")
    faults = [each.reason for each in output.problems if not output.calls or each.code == "repeated-call-key"]
    return faults[-1] if faults else "" if output.calls else "not a call"


def beside(holders: Iterable[Any], own: Iterable[str], ids: Iterable[str]) -> dict[str, str]:
    """What is around a call, by its keys: they count, and the values of `type` and `role`.

    Args:
        holders: what has the name and the arguments, the call that this is in, and the message with that.
        own: the keys of the arguments in the first holder.
        ids: the keys of the call's id.
    """
    found: dict[str, str] = {}
    for number, holder in enumerate(holders):
        for key in holder if isinstance(holder, Mapping) else _FIELDS:
            value = field(holder, key)
            is_read = key in _NEVER or key in ids or (not number and key in own) or (number > 1 and key in THOUGHT_KEYS)
            is_empty = value is None or (isinstance(value, str | list | dict) and not value)
            if not (is_read or is_empty or (key == "status" and value == "completed")):
                found[str(key)] = value if key in {"type", "role"} and isinstance(value, str) else "…"
    return found
