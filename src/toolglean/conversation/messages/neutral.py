# What this file knows: messages made of content blocks, in the shape of MCP's (`ToolUseContent`, `ToolResultContent` of
# mcp 2.3): each part is a block of its own, so that nothing is joined and nothing changes its order.
# What it must not know: who carries such messages.
"""Messages made of blocks: MCP's shape, which is also Anthropic's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolglean.conversation.messages.convert import message_of_output, results_message
from toolglean.conversation.messages.types import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)
from toolglean.conversation.messages.wire import (
    arguments_of,
    check,
    field,
    id_of,
    opened,
    result_of,
    result_text,
    role_of,
    shown,
)
from toolglean.errors import MessageError
from toolglean.events import CallEnd, Content, Event, Reasoning, fold

__all__ = ["NeutralHistoryConverter"]

WIRE = "neutral messages"


class EventChunkWrapper:
    """One of a parser's events: what the neutral form has in the place of a stream's chunks."""

    def __init__(self, raw: Event) -> None:
        self.raw = raw

    def get_text(self) -> str:
        """Its text, "" where it has none."""
        return self.raw.text if isinstance(self.raw, Content) else ""

    def get_reasoning(self) -> str:
        """Its piece of the reasoning, "" where it has none."""
        return self.raw.text if isinstance(self.raw, Reasoning) else ""

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """The call that ends with it, if that is whole."""
        item = message_of_output(fold([self.raw])) if isinstance(self.raw, CallEnd) else None
        return [part for part in item.content if isinstance(part, ContentPartToolCall)] if item else []


class NeutralHistoryConverter:
    """Histories as messages of blocks. See `HistoryConverter` for what each method promises.

    A result is a block of a user's message, as MCP and Anthropic have it; `name` stands beside `tool_use_id`, for no
    result says otherwise which tool it is of. Text alone may stand as a string.

    The normal form for this wire: the context is the first user message; a leading system message is the system's; a
    model's arguments that could not be read stand as text under the key `raw`; messages without parts are kept, but
    for those of tools.
    """

    def from_history(self, history: History) -> list[dict[str, Any]]:
        """The messages, as dicts."""
        normal = self.canonical(history)
        system = [] if normal.system_message is None else [{"role": "system", "content": normal.system_message}]
        return system + [_written(message) for message in normal.conversation]

    def canonical(self, history: History) -> History:
        """The normal form."""
        found = opened(history)
        for place, message in enumerate(found.conversation):
            check(message, place, WIRE)
        conversation = [Message(each.role, [_plain(part) for part in each.content]) for each in found.conversation]
        return History(found.system_message, None, conversation)

    def to_history(self, messages: Iterable[Any]) -> History:
        """The history that these messages hold. A user's message with results and other parts becomes two."""
        history = History()
        names: dict[str, str] = {}
        for place, wire in enumerate(messages):
            role, content = role_of(wire, place), field(wire, "content")
            if role == Role.SYSTEM and place == 0 and isinstance(content, str):
                history.system_message = content
                continue
            parts = list(_parts(content, place, names))
            results = [part for part in parts if isinstance(part, ContentPartToolResult)]
            others: list[ContentPart] = [part for part in parts if not isinstance(part, ContentPartToolResult)]
            if results:
                history.conversation.append(Message(Role.TOOL, [*results]))
            if others or not results:
                history.conversation.append(Message(role, others))
        return history

    def to_history_item(self, items: Iterable[Any]) -> Message | None:
        """One message of a parser's events, or of results."""
        found = list(items)
        events: list[Event] = [each.raw if isinstance(each, EventChunkWrapper) else each for each in found]
        return results_message(found) or message_of_output(fold(events))

    def create_chunk_wrapper(self, chunk: Event) -> EventChunkWrapper:
        """The event, wrapped."""
        return EventChunkWrapper(chunk)


def _plain(part: ContentPart) -> ContentPart:
    if isinstance(part, ContentPartToolResult):
        return ContentPartToolResult(part.name, part.content, part.id or None)
    if isinstance(part, ContentPartToolCall):
        return ContentPartToolCall(part.name, {"raw": part.unread} if part.unread else part.arguments, part.id or None)
    return next(_parts([part.data], 0, {})) if isinstance(part, ContentPartOther) else part


def _written(message: Message) -> dict[str, Any]:
    role = {Role.MODEL: "assistant", Role.TOOL: "user"}.get(message.role, message.role.value)
    return {"role": role, "content": [_block(part) for part in message.content]}


def _block(part: ContentPart) -> dict[str, Any]:
    if isinstance(part, ContentPartText):
        return {"type": "text", "text": part.text}
    if isinstance(part, ContentPartReasoning):
        return {"type": "thinking", "thinking": part.text}
    if isinstance(part, ContentPartToolCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
    if isinstance(part, ContentPartToolResult):
        text = {"type": "text", "text": result_text(part.content, part.name)}
        return {"type": "tool_result", "tool_use_id": part.id, "name": part.name, "content": [text]}
    return dict(part.data)


def _parts(content: Any, place: int, names: dict[str, str]) -> Iterator[ContentPart]:
    if isinstance(content, str):
        yield from (ContentPartText(text) for text in [content] if text)
        return
    if not isinstance(content, list | tuple):
        raise MessageError(f"message {place}: content must be text or a list of blocks, not {shown(content)}")
    for block in content:
        yield _part(block, place, names)


def _part(block: Any, place: int, names: dict[str, str]) -> ContentPart:
    kind, text = field(block, "type"), field(block, "text")
    if kind == "text" and isinstance(text, str):
        return ContentPartText(text)
    if kind == "thinking" and isinstance(field(block, "thinking"), str):
        return ContentPartReasoning(field(block, "thinking"))
    if kind == "tool_use" and isinstance(field(block, "name"), str):
        arguments, unread = arguments_of(field(block, "input"))
        id = id_of(block)  # noqa: A001  # the wire's own word
        if id:
            names[id] = field(block, "name")
        return ContentPartToolCall(field(block, "name"), arguments, id, unread)
    if kind == "tool_result":
        return _result(block, names)
    if not isinstance(block, Mapping):
        raise MessageError(f"message {place}: not a block of content: {shown(block)}")
    return ContentPartOther(block)


def _result(block: Any, names: Mapping[str, str]) -> ContentPartToolResult:
    id, name = id_of(block, "tool_use_id"), field(block, "name")  # noqa: A001  # the wire's own word
    structured = field(block, "structured_content")
    content = result_of(field(block, "content")) if structured is None else structured
    return ContentPartToolResult(name if isinstance(name, str) else names.get(id or "", ""), content, id)
