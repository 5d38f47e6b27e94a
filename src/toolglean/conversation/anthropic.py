# What this file knows: how Anthropic's Messages API writes messages and streams them. They are made of the blocks of
# the neutral form (blocks.py), with three differences: a result does not name its tool, calls and results need ids, and
# no text may be empty.
# Does not depend on the anthropic package, or on any other client.
"""Messages for Anthropic's Messages API, and for compatible servers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from toolglean.conversation.blocks import BlockConverter, plain
from toolglean.conversation.fields import arguments_of, as_mapping, id_of, text_in, unrunnable
from toolglean.conversation.fields import field as field_of
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
)
from toolglean.conversation.wire import Wrapped, checked_list, with_ids
from toolglean.errors import MessageError, shown

__all__ = ["AnthropicChunkWrapper", "AnthropicHistoryConverter", "JoinedBlocks"]

TEXTS = ("text", "thinking")
"""The types of blocks that have a text, which is in the field of that name."""


class AnthropicChunkWrapper(Wrapped):
    """An event of a stream, or a whole message, as a dict or as the client's object.

    Args:
        raw: the event, or the message.
    """

    @property
    def blocks(self) -> list[Any]:
        """The blocks of a whole message; of an event, the block that it begins, or its delta."""
        content = field_of(self.raw, "content")
        if isinstance(content, list | tuple):
            return [*content]
        found = (field_of(self.raw, name) for name in ("content_block", "delta"))
        return [each for each in found if each is not None]

    def get_text(self) -> str:
        """Its text; "" if it has none."""
        return self._joined("text")

    def get_reasoning(self) -> str:
        """Its piece of the reasoning; "" if it has none."""
        return self._joined("thinking")

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """Its calls. An event has only the beginning of one, or a piece of its arguments: these calls are `unread`."""
        is_event = field_of(self.raw, "content") is None
        found: list[ContentPartToolCall] = []
        for block in self.blocks:
            piece = field_of(block, "partial_json")
            if field_of(block, "type") == "tool_use":
                found.append(_call(block, "", "in_progress" if is_event else ""))
            elif isinstance(piece, str):
                found.append(ContentPartToolCall("", {}, None, unrunnable(piece, "in_progress")))
        return found

    def _joined(self, name: str) -> str:
        return "".join(text_in(block, name) for block in self.blocks)


class AnthropicHistoryConverter(BlockConverter[AnthropicChunkWrapper]):
    """Histories as messages of Anthropic's Messages API. See `HistoryConverter` for what each method does.

    The API has a parameter of its own for the system message: `to_request` and `of_request` read and write both.
    `from_history` writes it as the first message, which newer servers accept, too.

    The normal form for this wire format: the context is the first user message; a leading system message is
    `system_message`; empty texts are left out; calls and results have ids, as for OpenAI; a result has the name of the
    call with its id, because the format has no field for it; arguments that could not be read are text under the key
    `raw`; tool messages that follow each other are one; messages without parts are kept, except tool messages.
    """

    _name = "Anthropic's Messages API"
    _wrapper = AnthropicChunkWrapper

    def _block(self, part: ContentPart) -> dict[str, Any]:
        found = super()._block(part)
        if isinstance(part, ContentPartToolResult):
            del found["name"]
        return found | {"signature": part.signature} if isinstance(part, ContentPartReasoning) else found

    def to_request(self, history: History) -> dict[str, Any]:
        """The parameters of a request: `messages`, and `system` if there is a system message.

        Args:
            history: the conversation; it is not changed.

        Raises:
            MessageError: as for `from_history`.
        """
        normal = self.canonical(history)
        system = {} if normal.system_message is None else {"system": normal.system_message}
        return {**system, "messages": self.from_history(replace(normal, system_message=None))}

    def _normal(self, conversation: list[Message]) -> list[Message]:
        whole: list[Message] = []
        for each in conversation:
            parts = [*filter(_says, map(plain, each.content))]
            if whole and whole[-1].role == each.role == Role.TOOL:
                whole[-1].content += parts
            else:
                whole.append(Message(each.role, parts))
        names: dict[str | None, str] = {}
        return [Message(each.role, [_named(part, names) for part in each.content]) for each in with_ids(whole)]

    def of_request(self, request: Any) -> History:
        """The history of a request: its `messages`, and its `system`, which may be text or a list of text blocks.

        Raises:
            MessageError: as for `to_history`; or `system` is neither.
        """
        history = self.to_history(checked_list(request, "messages", 0))
        system = field_of(request, "system")
        if not isinstance(system, str | list | tuple | None):
            raise MessageError(f"system={shown(system)} is not valid: pass text or a list of text blocks")
        texts = [system] if isinstance(system, str) else [field_of(each, "text") for each in system or ()]
        if texts:
            if history.system_message is not None:  # that of the first message, which comes after it
                history.conversation.insert(0, Message(Role.SYSTEM, [ContentPartText(history.system_message)]))
            history.system_message = "\n".join(text for text in texts if isinstance(text, str))
        return history

    def _joined(self, chunks: list[AnthropicChunkWrapper]) -> Message | None:
        parts = JoinedBlocks(each.raw for each in chunks).parts()
        return Message(Role.MODEL, parts) if parts else None


def _says(part: ContentPart) -> bool:
    return not isinstance(part, ContentPartText) or bool(part.text)


def _named(part: ContentPart, names: dict[str | None, str]) -> ContentPart:
    if isinstance(part, ContentPartToolCall):
        names[part.id] = part.name
    return replace(part, name=names.get(part.id, "")) if isinstance(part, ContentPartToolResult) else part


# -- a stream ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Begun:
    """A block, as far as it has arrived."""

    block: Any
    pieces: list[str] = field(default_factory=list)
    signature: str = ""
    ended: bool = False


class JoinedBlocks:
    """The blocks of one message. Clients find a block by counting those that began.

    Args:
        events: those of its stream; or the message itself.
    """

    def __init__(self, events: Iterable[Any]) -> None:
        self._blocks: list[_Begun] = []
        for event in events:
            self._add(event)

    def texts(self) -> list[tuple[Any, str]]:
        """Each block, as it began, and the text that was added to it."""
        return [(each.block, "".join(each.pieces)) for each in self._blocks]

    def _add(self, event: Any) -> None:
        kind, content = field_of(event, "type"), field_of(event, "content")
        if isinstance(content, list | tuple):
            self._blocks += [_Begun(block, ended=True) for block in content]
        elif kind == "content_block_start":
            self._blocks.append(_Begun(field_of(event, "content_block")))
        elif kind == "content_block_delta":
            self._add_delta(event, field_of(event, "delta"))
        elif kind == "content_block_stop" and (found := self._of(event)):
            found.ended = True

    def parts(self) -> list[ContentPart]:
        """The parts of the message."""
        return [part for part in map(_part, self._blocks) if part is not None and _says(part)]

    def _of(self, event: Any) -> _Begun | None:
        index = field_of(event, "index")
        return self._blocks[index] if isinstance(index, int) and 0 <= index < len(self._blocks) else None

    def _add_delta(self, event: Any, delta: Any) -> None:
        found = self._of(event)
        if found is None:
            return
        found.pieces += [text_in(delta, name) for name in (*TEXTS, "partial_json")]
        found.signature += text_in(delta, "signature")


def _part(begun: _Begun) -> ContentPart | None:
    block, kind = begun.block, field_of(begun.block, "type")
    text = "".join(begun.pieces)
    if kind == "tool_use":
        return _call(block, text, "" if begun.ended else "incomplete")
    text = (text_in(block, kind) if kind in TEXTS else "") + text
    if kind == "thinking":
        return ContentPartReasoning(text, begun.signature or text_in(block, "signature"))
    if kind == "text":
        return ContentPartText(text)
    found = as_mapping(block)
    return None if found is None else ContentPartOther(found)


def _call(block: Any, text: str, status: str) -> ContentPartToolCall:
    arguments, unread = arguments_of(text or field_of(block, "input"))
    if status:
        arguments, unread = {}, unrunnable(text, status)
    return ContentPartToolCall(text_in(block, "name"), arguments, id_of(block), unread)
