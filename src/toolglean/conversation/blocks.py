# What this file knows: messages made of content blocks in MCP's shape (`ToolUseContent`, `ToolResultContent` of mcp
# 2.3), which is also that of Anthropic's API (anthropic.py). Each part is a separate block, so nothing is joined and
# the order never changes.
# Does not depend on any client.
"""Messages made of blocks, in the shape of MCP and Anthropic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolglean.conversation.fields import arguments_of, field, id_of, result_text, text_in
from toolglean.conversation.messages import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
    message_of_output,
)
from toolglean.conversation.wire import Chunk, Converter, Wrapped, readable, result_part
from toolglean.errors import MessageError, shown
from toolglean.events import CallEnd, Content, Reasoning, fold

__all__ = ["BlockConverter", "NeutralHistoryConverter", "plain"]


class EventChunkWrapper(Wrapped):
    """An event of a parser: the neutral form's equivalent of a stream's chunk."""

    def get_text(self) -> str:
        """Its text; "" if it has none."""
        return self.raw.text if isinstance(self.raw, Content) else ""

    def get_reasoning(self) -> str:
        """Its piece of the reasoning; "" if it has none."""
        return self.raw.text if isinstance(self.raw, Reasoning) else ""

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """The call that ends with it, if the call is complete."""
        if isinstance(self.raw, CallEnd) and self.raw.call.status == "ok":
            return [ContentPartToolCall.of(self.raw.call)]
        return []


class BlockConverter(Converter[Chunk]):
    """What the converters of messages made of blocks share."""

    def _written(self, normal: History) -> Iterator[dict[str, Any]]:
        for message in normal.conversation:
            role = {Role.MODEL: "assistant", Role.TOOL: "user"}.get(message.role, message.role.value)
            yield {"role": role, "content": [self._block(part) for part in message.content]}

    def _block(self, part: ContentPart) -> dict[str, Any]:
        if isinstance(part, ContentPartText):
            return {"type": "text", "text": part.text}
        if isinstance(part, ContentPartReasoning):
            signed = {"signature": part.signature} if part.signature else {}
            return {"type": "thinking", "thinking": part.text, **signed}
        if isinstance(part, ContentPartToolCall):
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
        if isinstance(part, ContentPartToolResult):
            text = {"type": "text", "text": result_text(part.content, part.name)}
            failed = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": part.id, "name": part.name, "content": [text], **failed}
        return dict(part.data)

    def _read(self, wire: Any, role: Role, place: int, names: dict[str, str]) -> list[Message]:
        # A user message with results and other parts becomes two messages.
        found = Message(role, list(_parts(field(wire, "content"), place, names)))
        others: list[ContentPart] = [part for part in found.content if not isinstance(part, ContentPartToolResult)]
        results = [Message(Role.TOOL, [*found.results])] if found.results else []
        return [*results, Message(role, others)] if others or not results else results


class NeutralHistoryConverter(BlockConverter[EventChunkWrapper]):
    """Histories as messages of blocks. See `HistoryConverter` for what each method does.

    A result is a block of a user message, as in MCP and Anthropic's API. It also has the `name` of its tool, which
    `tool_use_id` alone does not tell. Content that is only text may be a string.

    The normal form for this wire format: the context is the first user message; a leading system message is
    `system_message`; arguments that could not be read are text under the key `raw`; messages without parts are kept,
    except tool messages.
    """

    _name = "neutral messages"
    _wrapper = EventChunkWrapper

    def _normal(self, conversation: list[Message]) -> list[Message]:
        return [Message(each.role, [plain(part) for part in each.content]) for each in conversation]

    def _joined(self, chunks: list[EventChunkWrapper]) -> Message | None:
        return message_of_output(fold([each.raw for each in chunks]))


def plain(part: ContentPart) -> ContentPart:
    """The part in its normal form."""
    if isinstance(part, ContentPartToolResult):
        return replace(part, id=part.id or None)
    if isinstance(part, ContentPartToolCall):
        return readable(part)
    return next(_parts([part.data], 0, {})) if isinstance(part, ContentPartOther) else part


def _parts(content: Any, place: int, names: dict[str, str]) -> Iterator[ContentPart]:
    if isinstance(content, str):
        yield from (ContentPartText(text) for text in [content] if text)
        return
    if not isinstance(content, list | tuple):
        raise MessageError(f"message {place}: content={shown(content)} is not valid: pass text or a list of blocks")
    for block in content:
        yield _part(block, place, names)


def _part(block: Any, place: int, names: dict[str, str]) -> ContentPart:
    kind, text = field(block, "type"), field(block, "text")
    if kind == "text" and isinstance(text, str):
        return ContentPartText(text)
    if kind == "thinking" and isinstance(field(block, "thinking"), str):
        return ContentPartReasoning(field(block, "thinking"), text_in(block, "signature"))
    if kind == "tool_use" and isinstance(field(block, "name"), str):
        arguments, unread = arguments_of(field(block, "input"))
        id = id_of(block)  # noqa: A001  # the wire's own word
        if id:
            names[id] = field(block, "name")
        return ContentPartToolCall(field(block, "name"), arguments, id, unread)
    if kind == "tool_result":
        own = field(block, "structured_content")
        return result_part(block, names, id_field="tool_use_id", content=own, between="\n")
    if not isinstance(block, Mapping):
        raise MessageError(f"message {place}: {shown(block)} is not a block of content: pass a dict with a type")
    return ContentPartOther(block)
