# Whether a value that names a tool is a call: the parser says so, which is given its keys as text. What it would not
# run as text does not run. Does not depend on the forms of requests (forms.py), or on how their fields are read.
"""What the parser says about a dict or an object that names a tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation.fields import field, written
from toolglean.scan.data import ANOTHERS, DEFINITION, is_anothers, is_definition
from toolglean.scan.names import ARGUMENT_KEYS, THOUGHT_KEYS
from toolglean.stream import parse
from toolglean.tools import Tool

__all__ = ["beside", "fault_of"]

_FIELDS = ("type", "role", "description", *sorted(ARGUMENT_KEYS))
"""The fields of a client's object that show what it is."""
_NEVER = frozenset({"name", "function", "function_call", "tool_calls", "reasoning_content"})


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
