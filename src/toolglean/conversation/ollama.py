# What this file knows: how Ollama's chat API writes messages and streams them (docs/api.md of ollama; types of ollama
# 0.6.3). `arguments` is an object, a result names its tool in `tool_name`, and ids are in `tool_calls[].id` and
# `tool_call_id`, which the server reads.
# Does not depend on the ollama package, or on any other client.
#
# The package's own `Message` has no field for an id and drops it. So a converter remembers, in order, the ids of the
# history that it wrote last: when such messages are read back, the n-th call of the conversation gets the id of the
# n-th call that was written, if both name the same tool. Dicts carry their ids themselves.
"""Messages for Ollama's chat API."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from toolglean.conversation.fields import field, id_of, listed, result_text, text_in
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
from toolglean.conversation.wire import Converter, Wrapped, call_of, checked_call, checked_list, readable, result_part
from toolglean.errors import MessageError, shown

__all__ = ["OllamaHistoryConverter", "OllamaResponseChunkWrapper"]

WIRE = "Ollama's chat API"
IMAGE = "image"


Part = TypeVar("Part", ContentPartToolCall, ContentPartToolResult)


class OllamaResponseChunkWrapper(Wrapped):
    """A chunk of Ollama's chat stream, or a whole response, as a dict or as the client's object. Chunks of `generate`
    are read too: their text is in `response`.

    Args:
        raw: the chunk.
    """

    def get_text(self) -> str:
        """Its text; "" if it has none."""
        message = field(self.raw, "message")
        return text_in(self.raw, "response") if message is None else text_in(message, "content")

    def get_reasoning(self) -> str:
        """Its piece of the reasoning; "" if it has none."""
        message = field(self.raw, "message")
        return text_in(self.raw if message is None else message, "thinking")

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """Its calls. Arguments that are not an object are in `unread`."""
        calls = listed(field(self.raw, "message"), "tool_calls")
        return [call_of(field(each, "function"), id_of(each)) for each in calls]


class OllamaHistoryConverter(Converter[OllamaResponseChunkWrapper]):
    """Histories as messages of Ollama's chat API. See `HistoryConverter` for what each method does.

    The normal form for this wire format: the context is the first user message; a leading system message is
    `system_message`; a message with several results becomes several messages; the texts of a message are joined (there
    is only one string for them); the model's reasoning comes before its text, its text before images, and these before
    its calls; arguments that could not be read are text under the key `raw`. Ids are not changed, and none are added.
    """

    _name = WIRE
    _wrapper = OllamaResponseChunkWrapper

    def __init__(self) -> None:
        # Of the history that was written last.
        self._calls: list[ContentPartToolCall] = []
        self._results: list[ContentPartToolResult] = []

    def _written(self, normal: History) -> Iterable[dict[str, Any]]:
        self._calls = [call for message in normal.conversation for call in message.calls]
        self._results = [result for message in normal.conversation for result in message.results]
        return map(_written, normal.conversation)

    def _normal(self, conversation: list[Message]) -> list[Message]:
        return [
            Message(each.role, _gathered_for_ollama(each.content, place))
            for place, message in enumerate(conversation)
            for each in self._gathered(message)
        ]

    def to_history(self, messages: Iterable[Any]) -> History:
        """The history of these messages.

        Raises:
            MessageError: the role of a message is unknown, or its content is not text.
        """
        self._known = iter(self._calls), iter(self._results)
        return super().to_history(messages)

    def _read(self, wire: Any, role: Role, place: int, names: dict[str, str]) -> list[Message]:
        content = field(wire, "content")
        if content is not None and not isinstance(content, str):
            raise MessageError(f"message {place}: content={shown(content)} is not valid: pass text")
        calls, results = self._known
        if role == Role.TOOL:
            return [Message(role, [_with_known_id(result_part(wire, names), wire, next(results, None))])]
        return [Message(role, list(_parts(wire, role, calls, place)))]

    def _joined(self, chunks: list[OllamaResponseChunkWrapper]) -> Message | None:
        return self._message(chunks, (call for chunk in chunks for call in chunk.get_tool_calls()))


# -- writing -----------------------------------------------------------------------------------------------------------


def _gathered_for_ollama(parts: list[ContentPart], place: int) -> list[ContentPart]:
    images = [part for part in parts if isinstance(part, ContentPartOther)]
    for part in images:
        if part.data.keys() != {"type", IMAGE} or part.data["type"] != IMAGE:
            raise MessageError(
                f"message {place}: {shown(part.data)} cannot be written for {WIRE}: other parts must be images, "
                "{'type': 'image', 'image': …}"
            )
    before = [part for part in parts if isinstance(part, ContentPartReasoning | ContentPartToolResult)]
    text = "".join(part.text for part in parts if isinstance(part, ContentPartText))
    calls = [readable(part) for part in parts if isinstance(part, ContentPartToolCall)]
    return [*before, *([ContentPartText(text)] if text else []), *images, *calls]


def _written(message: Message) -> dict[str, Any]:
    if message.role == Role.TOOL:
        return _written_result(message.results[0])
    wire: dict[str, Any] = {"role": "assistant" if message.role == Role.MODEL else message.role.value, "content": ""}
    for part in message.content:
        if isinstance(part, ContentPartText):
            wire["content"] = part.text
        elif isinstance(part, ContentPartReasoning):
            wire["thinking"] = part.text
        elif isinstance(part, ContentPartOther):
            wire.setdefault("images", []).append(part.data[IMAGE])
        elif isinstance(part, ContentPartToolCall):
            wire.setdefault("tool_calls", []).append(_written_call(part))
    return wire


def _written_call(call: ContentPartToolCall) -> dict[str, Any]:
    wire: dict[str, Any] = {"function": {"name": call.name, "arguments": copy.deepcopy(call.arguments)}}
    return {"id": call.id} | wire if call.id else wire


def _written_result(result: ContentPartToolResult) -> dict[str, Any]:
    wire = {"role": "tool", "tool_name": result.name, "content": result_text(result.content, result.name)}
    return wire | {"tool_call_id": result.id} if result.id else wire


# -- reading -----------------------------------------------------------------------------------------------------------


def _parts(wire: Any, role: Role, known: Iterator[ContentPartToolCall], place: int) -> Iterator[ContentPart]:
    thinking, content = field(wire, "thinking"), field(wire, "content")
    if role == Role.MODEL and isinstance(thinking, str) and thinking:
        yield ContentPartReasoning(thinking)
    if content:
        yield ContentPartText(content)
    for image in checked_list(wire, "images", place):
        yield ContentPartOther({"type": IMAGE, IMAGE: field(image, "value") or image})
    if role == Role.MODEL:
        for call in checked_list(wire, "tool_calls", place):
            yield _with_known_id(checked_call(call, place), call, next(known, None))


def _with_known_id(part: Part, wire: Any, known: Part | None) -> Part:
    # The part that was written in this place, if the client's object has dropped its id.
    if part.id is None and not isinstance(wire, Mapping) and known is not None and known.name == part.name:
        return replace(part, id=known.id)
    return part
