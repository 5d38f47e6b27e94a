# What this file knows: how what a provider streamed is kept in the history.
# What it must not know: where it came from.
"""From the parts of a turn to the messages of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from toolglean.messages import (
    ContentPart,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    Message,
    Role,
)
from toolglean.routing.neutral import ToolResultContent

__all__ = ["messages_of_turn"]


def messages_of_turn(parts: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages of one turn, to be appended to the history before the next one.

    Args:
        parts: what `BaseProvider.create_message` gave, in order.

    Returns:
        The model's message (text and reasoning joined where they stand together, and its calls), then the tools' with
        all results; without results the first alone; none where nothing came. Problems and usage are left out.
    """
    given = list(parts)
    names = {part["id"]: part["name"] for part in given if part["type"] == "tool_use"}
    said: list[ContentPart] = []
    for kind, run in groupby(given, key=lambda part: part["type"]):
        said += _said(kind, list(run))
    results: list[ContentPart] = [
        ContentPartToolResult(names.get(part["id"], ""), _value(part["content"]), part["id"] or None)
        for part in given
        if part["type"] == "tool_result"
    ]
    found = [Message(Role.MODEL, said)] if said else []
    return [*found, Message(Role.TOOL, results)] if results else found


def _said(kind: str, parts: list[Mapping[str, Any]]) -> list[ContentPart]:
    if kind == "text":
        return [ContentPartText("".join(part["text"] for part in parts))]
    if kind == "reasoning":
        return [ContentPartReasoning("".join(part["text"] for part in parts))]
    if kind == "tool_use":
        return [ContentPartToolCall(part["name"], dict(part["input"]), part["id"] or None) for part in parts]
    return []


def _value(content: Any) -> Any:
    return ToolResultContent.from_dict(content).value if isinstance(content, Mapping) else content
