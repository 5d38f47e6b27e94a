# Random tools and calls. Does not depend on templates and formats.
"""Hypothesis strategies for tools and calls."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toolglean.sources.templates.infer.probes import Call, Message
from toolglean.tools import Tool

__all__ = ["calls", "messages", "text_values", "tools"]

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=3, max_size=12).filter(lambda name: name.strip("_") == name)
LOOK_ALIKES = (
    "</tool_call>",
    "<tool_call>",
    "[TOOL_CALLS]",
    "</parameter>",
    "```",
    '{"name": "f"}',
    "&amp;",
    "\\n",
    "'",
    '"',
)
KINDS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object", "additionalProperties": {"type": "string"}},
}


def tools(min_size: int = 1, max_size: int = 4) -> st.SearchStrategy[list[Tool]]:
    """Lists of tools with different names, each with up to four typed parameters.

    Args:
        min_size, max_size: how many tools a list has.
    """
    return st.lists(_tool(), min_size=min_size, max_size=max_size, unique_by=lambda tool: tool.name)


@st.composite
def _tool(draw: st.DrawFn) -> Tool:
    keys = draw(st.lists(NAMES, max_size=4, unique=True))
    properties = {key: {"description": key, **KINDS[draw(st.sampled_from(sorted(KINDS)))]} for key in keys}
    return Tool(draw(NAMES), {"type": "object", "properties": properties, "required": []}, "A tool")


def text_values() -> st.SearchStrategy[str]:
    """Texts, including some that look like markers.

    Two of these are never adjacent: a format that writes values as text between markers cannot tell
    `</parameter><tool_call>` in a value from its own markers.
    """
    printable = st.characters(max_codepoint=0x3FF, exclude_categories=("Cs", "Cc"), include_characters="\n\t李😀")
    return st.lists(st.one_of(st.text(printable, max_size=12), st.sampled_from(LOOK_ALIKES)), max_size=3).map(
        " and ".join
    )


def _value(schema: Any) -> st.SearchStrategy[Any]:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "integer":
        return st.integers(-(10**12), 10**12)
    if kind == "number":
        return st.integers(-(10**6), 10**6).map(lambda number: number / 8)
    if kind == "boolean":
        return st.booleans()
    if kind == "array":
        return st.lists(text_values(), max_size=3)
    if kind == "object":
        return st.dictionaries(NAMES, text_values(), max_size=3)
    return text_values()


@st.composite
def calls(draw: st.DrawFn, known: list[Tool], max_size: int = 3) -> tuple[Call, ...]:
    """Calls, one or more, each with some of its tool's parameters.

    Args:
        draw: passed by Hypothesis; leave it out, as for every composite strategy.
        known: the tools that are called.
        max_size: the maximum number of calls.
    """
    found = []
    for tool in draw(st.lists(st.sampled_from(known), min_size=1, max_size=max_size)):
        keys = [key for key in tool.properties if draw(st.booleans())]
        found.append(Call(tool.name, {key: draw(_value(tool.properties[key])) for key in keys}))
    return tuple(found)


@st.composite
def messages(draw: st.DrawFn, known: list[Tool], *, content: bool, reasoning: bool, max_calls: int) -> Message:
    """Messages of an assistant: calls and, if wanted, content and reasoning of plain words."""
    words = st.lists(st.text("abcdefghij", min_size=2, max_size=8), min_size=1, max_size=4).map(" ".join)
    return Message(
        draw(calls(known, max_calls)),
        draw(st.one_of(st.just(""), words)) if content else "",
        draw(st.one_of(st.just(""), words)) if reasoning else "",
    )
