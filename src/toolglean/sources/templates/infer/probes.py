# What the template is asked to write: messages with a sentinel in every leaf. Does not depend on how templates are
# rendered, or on what they make of the messages.
#
# Sentinels are words of small letters that no template escapes, quotes or translates, and that occur nowhere else. One
# rendering therefore shows where each leaf went, and everything between the leaves is the template's own text.
"""Sentinels and messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.tools import Tool

__all__ = ["KEYS", "NAMES", "REPLY", "THOUGHT", "TOOLS", "TYPED", "USER", "Call", "Message", "call", "described"]

USER = "zqxuser"
REPLY = "zqxreply"
THOUGHT = "zqxthought"
NAMES = ("zqxtoola", "zqxtoolb", "zqxtoolc")
KEYS = ("zqxkeya", "zqxkeyb")

TYPED: dict[str, tuple[str, Any, Any]] = {
    # JSON type: the parameter's name, its schema, a value
    "string": ("zqxstr", {"type": "string"}, "zqxtext"),
    "integer": ("zqxint", {"type": "integer"}, 70411),
    "number": ("zqxnum", {"type": "number"}, 70411.625),
    "boolean": ("zqxbool", {"type": "boolean"}, True),
    "null": ("zqxnull", {"type": "string", "nullable": True}, None),
    "array": ("zqxlist", {"type": "array", "items": {"type": "string"}}, ["zqxitem", "zqxlast"]),
    "object": (
        "zqxdict",
        {"type": "object", "properties": {"zqxinner": {"type": "string"}}, "additionalProperties": {"type": "string"}},
        {"zqxinner": "zqxdeep"},
    ),
}
"""One parameter for each JSON type."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call in a message."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """An assistant's message.

    Attributes:
        calls: its calls.
        content, reasoning: its texts.
        label: what this message tests, in words.
    """

    calls: tuple[Call, ...] = ()
    content: str = ""
    reasoning: str = ""
    label: str = ""


def call(number: int) -> Call:
    """The call with that number and two arguments; all its leaves are sentinels."""
    return Call(NAMES[number], {KEYS[each]: f"zqxval{'abcdef'[2 * number + each]}" for each in range(2)})


def described(name: str, properties: dict[str, Any]) -> Tool:
    """A tool with these parameters, none of which is required."""
    schema = {"type": "object", "properties": {key: {"description": key, **each} for key, each in properties.items()}}
    return Tool(name, schema | {"required": []}, f"Does {name}")


TOOLS: tuple[Tool, ...] = (
    *(described(name, {key: {"type": "string"} for key in KEYS}) for name in NAMES),
    described("zqxtyped", {key: schema for key, schema, _ in TYPED.values()}),
)
"""The tools of the probes."""
