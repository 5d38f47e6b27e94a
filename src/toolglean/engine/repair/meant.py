# Which calls are accepted as meant: those that fit a tool of the turn, and that cannot be meant in another way. Does
# not depend on how a call was read (repairer.py), or from which text (candidates.py).
"""Calls that are accepted as meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.events import CallEnd, Problem
from toolglean.scan.coerce import properties, within
from toolglean.scan.names import ARGUMENT_KEYS, ID_KEYS, NAME_KEYS
from toolglean.scan.nested import json_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolglean.engine.turn import Turn
    from toolglean.events import ToolCall
    from toolglean.tools import Tool

__all__ = [
    "bracket_is_unambiguous",
    "call_of",
    "closes_tag_of",
    "ends_with_stray_tag",
    "has_other_escapes",
    "key_of",
    "keys_match",
    "matches_schema",
    "may_be_rest_of",
]


def call_of(turn: Turn) -> ToolCall | None:
    """The call that ended, if it is one that may run and nothing about it is doubtful."""
    told = turn.emit.told
    doubts = [each for each in told if isinstance(each, Problem) and each.code != "repaired"]
    call = next((each.call for each in told if isinstance(each, CallEnd)), None)
    return None if call is None or call.status != "ok" or doubts else call


def matches_schema(turn: Turn, call: ToolCall) -> bool:
    """Whether the tool is known, if any is, and its schema has all the keys and requires no others."""
    if call.known is False:
        return False
    return keys_match(turn.names.tool(call.name), call.arguments)


def keys_match(tool: Tool | None, keys: Collection[str]) -> bool:
    """Whether the tool's schema, if one is known, has all these keys and requires no others."""
    if tool is None:
        return True
    extra = tool.parameters.get("additionalProperties", False)
    required = tool.parameters.get("required")
    return (not tool.properties or bool(extra) or all(key in tool.properties for key in keys)) and (
        not isinstance(required, list | tuple) or all(key in keys for key in required)
    )


def closes_tag_of(closer: str, value: str) -> bool:
    """Whether that closing tag, in another spelling than the parameter's, may close one that is in the value."""
    found = _closing_tag(closer)
    return found is not None and f"<{found[1]}" in value


def ends_with_stray_tag(value: str) -> bool:
    """Whether text ends with a closing tag that nothing in it opened: perhaps it was meant to close the text."""
    found = _closing_tag(value)
    return found is not None and f"<{found[1]}" not in value


_closing_tag = re.compile(r"</([\w:.-]{1,64})>\s*\Z").search


def has_other_escapes(arguments: str, inserted: int) -> bool:
    """Whether JSON has other escapes than that many of a backslash, which were inserted: others may be lone ones, too.
    Only those of quotation marks are sure, unless they may end the string. Or whether it has one of Python's, for a
    character by its number or its name.
    """
    found = _escape(arguments)
    own = [each for each in found if each[0] == "\\\\"]
    return len(own) != inserted or any(each[0] not in {"\\\\", '\\"'} or each[1] for each in found)


_escape = re.compile(r'(\\.)((?<=\\\\)(?:U[\da-fA-F]{8}|N\{)|(?<=")\s*[,:}\]])?', re.DOTALL).findall


def may_be_rest_of(marker: str, value: str) -> bool:
    """Whether text may begin with what is left of a marker: `arg_value>5`. A mere sign leaves nothing."""
    word = marker.strip().strip("<>|")
    return word != "" and (marker[-1] in value[: len(marker)] or word in value)


def bracket_is_unambiguous(turn: Turn, call: ToolCall) -> bool:
    """Whether a bracket that was missing can only have been where it was put in.

    What is at the end of an object may have been meant for the object around it, if that one takes such keys.
    """
    tool = turn.names.tool(call.name)
    root: Any = tool.parameters if tool is not None else {}
    if not tool or not tool.properties:
        around = NAME_KEYS | ARGUMENT_KEYS | ID_KEYS
        if any(key in around for key in call.arguments):
            return False
    schema: Any = root
    value: Any = call.arguments
    while value and isinstance(value, dict | list):
        last: Any = value[-1] if isinstance(value, list) else value[next(reversed(value))]
        if isinstance(value, list) and isinstance(last, list) and len(last) > 1:
            return False
        if isinstance(value, dict) and isinstance(last, dict):
            known = properties(schema, root)
            if any(key in known for key in last) or (not known and len(last) > 1):
                return False
        name = "item" if isinstance(value, list) else next(reversed(value))
        schema, value = within(schema, name, root) or {}, last
    return True


def key_of(call: ToolCall) -> str:
    """What distinguishes the call from others."""
    return json_text([call.name, call.arguments])
