# What this file knows: how Ollama's chat API writes messages and streams them (docs/api.md of ollama; types of ollama
# 0.6.3). `arguments` is an object, a result names its tool in `tool_name`; ids stand in `tool_calls[].id` and
# `tool_call_id`, which the server reads.
# What it must not know: the ollama package, or any other way to the server.
#
# The package's own `Message` has no field for an id and drops it. A converter therefore keeps the ids of the history
# that it wrote last beside it, in order: reading such messages back, the n-th call of the conversation gets the id of
# the n-th call that was written, if both name the same tool. Dicts carry their ids themselves.
"""Messages for Ollama's chat API."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolglean.conversation.messages.convert import message_of_chunks, results_message
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
    gathered,
    id_of,
    joined_texts,
    listed,
    opened,
    result_of,
    result_text,
    role_of,
    shown,
)
from toolglean.errors import MessageError

__all__ = ["OllamaHistoryConverter", "OllamaResponseChunkWrapper"]

WIRE = "Ollama's chat API"
IMAGE = "image"
UNREAD_KEY = "raw"
"""Under this key stand arguments that could not be read: the wire has room for an object only."""


class OllamaResponseChunkWrapper:
    """A chunk of Ollama's chat stream, or a whole response; as a dict or as the client's object. Those of `generate`
    are read too: their text is `response`.

    Args:
        raw: the chunk.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def get_text(self) -> str:
        """Its text, "" where it has none."""
        message = field(self.raw, "message")
        text = field(self.raw, "response") if message is None else field(message, "content")
        return text if isinstance(text, str) else ""

    def get_reasoning(self) -> str:
        """Its piece of the reasoning, "" where it has none."""
        message = field(self.raw, "message")
        text = field(self.raw if message is None else message, "thinking")
        return text if isinstance(text, str) else ""

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """Its calls. Arguments that are not an object are in `unread`."""
        found = field(field(self.raw, "message"), "tool_calls")
        return [_call(call) for call in found] if isinstance(found, list | tuple) else []


class OllamaHistoryConverter:
    """Histories as messages of Ollama's chat API. See `HistoryConverter` for what each method promises.

    The normal form for this wire: the context is the first user message; a leading system message is the system's; a
    message with several results is several messages; the texts of a message are joined (the wire has one string); the
    model's reasoning comes before its text before its calls; images come last; arguments that could not be read
    stand as text under the key `raw`. Ids stay as they are, also missing ones.
    """

    def __init__(self) -> None:
        self._call_ids: list[tuple[str, str | None]] = []  # of the history that was written last: name and id
        self._result_ids: list[tuple[str, str | None]] = []

    def from_history(self, history: History) -> list[dict[str, Any]]:
        """The messages, as dicts that go into a request as they are."""
        normal = self.canonical(history)
        parts = [part for message in normal.conversation for part in message.content]
        self._call_ids = [(part.name, part.id) for part in parts if isinstance(part, ContentPartToolCall)]
        self._result_ids = [(part.name, part.id) for part in parts if isinstance(part, ContentPartToolResult)]
        system = [] if normal.system_message is None else [{"role": "system", "content": normal.system_message}]
        return system + [_written(message) for message in normal.conversation]

    def canonical(self, history: History) -> History:
        """The normal form."""
        found = opened(history)
        for place, message in enumerate(found.conversation):
            check(message, place, WIRE)
        conversation = [
            Message(each.role, _gathered_for_ollama(each.content, place))
            for place, message in enumerate(found.conversation)
            for each in gathered(message)
        ]
        return replace(found, conversation=conversation)

    def to_history(self, messages: Iterable[Any]) -> History:
        """The history that these messages hold.

        Raises:
            MessageError: a message has no known role, or its content is not text.
        """
        history = History()
        calls, results = iter(self._call_ids), iter(self._result_ids)
        names: dict[str, str] = {}
        for place, wire in enumerate(messages):
            role, content = role_of(wire, place), field(wire, "content")
            if content is not None and not isinstance(content, str):
                raise MessageError(f"message {place}: content must be text, not {shown(content)}")
            if role == Role.SYSTEM and place == 0:
                history.system_message = content or ""
            elif role == Role.TOOL:
                history.conversation.append(Message(role, [_result(wire, next(results, None), names)]))
            else:
                parts = list(_parts(wire, role, calls, place))
                history.conversation.append(Message(role, parts))
                names |= {part.id: part.name for part in parts if isinstance(part, ContentPartToolCall) and part.id}
        return history

    def to_history_item(self, items: Iterable[Any]) -> Message | None:
        """One message of the chunks of a stream, or of results."""
        found = list(items)
        results = results_message(found)
        if results is not None:
            return results
        own = OllamaResponseChunkWrapper
        wrappers = [item if isinstance(item, own) else own(item) for item in found]
        return message_of_chunks(wrappers, (call for wrapper in wrappers for call in wrapper.get_tool_calls()))

    def create_chunk_wrapper(self, chunk: Any) -> OllamaResponseChunkWrapper:
        """The chunk, wrapped."""
        return OllamaResponseChunkWrapper(chunk)


# -- writing -----------------------------------------------------------------------------------------------------------


def _gathered_for_ollama(parts: list[ContentPart], place: int) -> list[ContentPart]:
    images = [part for part in parts if isinstance(part, ContentPartOther)]
    for part in images:
        if part.data.keys() != {"type", IMAGE} or part.data["type"] != IMAGE:
            raise MessageError(
                f"message {place}: {WIRE} takes only images as other parts, written {{'type': 'image', 'image': …}}: "
                f"{shown(part.data)}"
            )
    rest = joined_texts(part for part in parts if not isinstance(part, ContentPartOther))
    calls = [part for part in rest if isinstance(part, ContentPartToolCall)]
    before = [part for part in rest if not isinstance(part, ContentPartToolCall)]
    return before + images + [_readable(call) for call in calls]


def _readable(call: ContentPartToolCall) -> ContentPartToolCall:
    arguments = {UNREAD_KEY: call.unread} if call.unread else call.arguments
    return ContentPartToolCall(call.name, arguments, call.id)


def _written(message: Message) -> dict[str, Any]:
    if message.role == Role.TOOL:
        return _written_result(message.content[0])
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


def _written_result(part: ContentPart) -> dict[str, Any]:
    assert isinstance(part, ContentPartToolResult)
    wire = {"role": "tool", "tool_name": part.name, "content": result_text(part.content, part.name)}
    return wire | {"tool_call_id": part.id} if part.id else wire


# -- reading -----------------------------------------------------------------------------------------------------------


def _parts(wire: Any, role: Role, ids: Iterator[tuple[str, str | None]], place: int) -> Iterator[ContentPart]:
    thinking, content = field(wire, "thinking"), field(wire, "content")
    if role == Role.MODEL and isinstance(thinking, str) and thinking:
        yield ContentPartReasoning(thinking)
    if content:
        yield ContentPartText(content)
    for image in listed(wire, "images", place):
        yield ContentPartOther({"type": IMAGE, IMAGE: field(image, "value") or image})
    if role == Role.MODEL:
        for call in listed(wire, "tool_calls", place):
            yield _remembered(_call(call), call, next(ids, None))


def _call(wire: Any) -> ContentPartToolCall:
    function = field(wire, "function")
    name = field(function, "name")
    arguments, unread = arguments_of(field(function, "arguments"))
    return ContentPartToolCall(name if isinstance(name, str) else "", arguments, id_of(wire), unread)


def _remembered(call: ContentPartToolCall, wire: Any, kept: tuple[str, str | None] | None) -> ContentPartToolCall:
    if call.id is None and not isinstance(wire, Mapping) and kept is not None and kept[0] == call.name:
        return replace(call, id=kept[1])
    return call


def _result(wire: Any, kept: tuple[str, str | None] | None, names: Mapping[str, str]) -> ContentPartToolResult:
    name = field(wire, "tool_name") or field(wire, "name") or names.get(id_of(wire, "tool_call_id") or "")
    content = result_of(field(wire, "content"))
    part = ContentPartToolResult(name if isinstance(name, str) else "", content, id_of(wire, "tool_call_id"))
    if part.id is None and not isinstance(wire, Mapping) and kept is not None and kept[0] == part.name:
        return replace(part, id=kept[1])
    return part
