# What this file knows: how what a provider streamed is kept in the history.
# What it must not know: where it came from.
"""From the parts of a turn to the messages of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from toolglean.conversation.messages import (
    ContentPart,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    Message,
    Role,
)
from toolglean.conversation.routing.neutral import ToolResultContent

__all__ = ["messages_of_turn"]

_CALLS = frozenset({"tool_use", "problem"})


def messages_of_turn(parts: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages of one turn, to be appended to the history before the next one.

    Args:
        parts: what `BaseProvider.create_message` gave, in order.

    Returns:
        The model's message (text and reasoning joined where they stand together, and its calls), then the tools' with
        all results; without results the first alone; none where nothing came. A call whose arguments could not be read
        has them in `unread`, if it has a result. Other problems, and usage, are left out.
    """
    given = list(parts)
    answered = {part["id"] for part in given if part["type"] == "tool_result"}
    names: dict[str, str] = {}
    said: list[ContentPart] = []
    results: list[ContentPart] = []
    for kind, run in groupby(given, key=lambda part: part["type"]):
        own = [part for part in run if kind != "problem" or part.get("id") in answered]
        names |= {part["id"]: part["name"] for part in own if kind in _CALLS}
        said += _said(kind, own)
        results += [_result(part, names) for part in own if kind == "tool_result"]
    found = [Message(Role.MODEL, said)] if said else []
    return [*found, Message(Role.TOOL, results)] if results else found


def _said(kind: str, parts: list[Mapping[str, Any]]) -> list[ContentPart]:
    if kind == "text":
        return [ContentPartText("".join(part["text"] for part in parts))]
    if kind == "reasoning":
        return [ContentPartReasoning("".join(part["text"] for part in parts))]
    if kind == "tool_use":
        return [ContentPartToolCall(part["name"], dict(part["input"]), part["id"] or None) for part in parts]
    if kind == "problem":
        return [ContentPartToolCall(part["name"], {}, part["id"], part["text"]) for part in parts]
    return []


def _result(part: Mapping[str, Any], names: Mapping[str, str]) -> ContentPart:
    return ContentPartToolResult(names.get(part["id"], ""), _value(part["content"]), part["id"] or None)


def _value(content: Any) -> Any:
    return ToolResultContent.from_dict(content).value if isinstance(content, Mapping) else content
