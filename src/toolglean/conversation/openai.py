# What this file knows: how OpenAI's chat API writes messages and streams them.
# Does not depend on the openai package, or on any other client.
"""Messages for OpenAI's chat API, and for compatible servers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from toolglean.conversation.deltas import ToolCallAggregator, call_item, fragments_of
from toolglean.conversation.fields import as_mapping, field, listed, result_text, text_in, text_of, written_arguments
from toolglean.conversation.messages import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    History,
    Message,
    Role,
)
from toolglean.conversation.wire import Converter, Wrapped, call_of, checked_call, checked_list, result_part, with_ids
from toolglean.errors import MessageError, shown

__all__ = [
    "OpenAIChunkWrapper",
    "OpenAIHistoryConverter",
    "OpenAIResponseChunkWrapper",
    "index_of",
    "reasoning_of",
    "result_message",
]

CUT_OFF = frozenset({"length", "content_filter"})
"""Finish reasons of a server that stopped while the model was still writing."""
REASONING_FIELDS: tuple[str, ...] = ("reasoning_content", "reasoning")
"""Where servers put the reasoning that they have taken out of the text."""


class OpenAIChunkWrapper(Wrapped):
    """A `ChatCompletionChunk`, or a whole `ChatCompletion`, as a dict or as the client's object. It shows one choice.

    Args:
        raw: the chunk.
        index: of the choice, which a chunk need not have; None: the first one in it.

    Attributes:
        index: the same, once there is a choice.
        is_whole: whether it is a message that was not streamed.
    """

    def __init__(self, raw: Any, index: int | None = None) -> None:
        super().__init__(raw)
        choices = listed(raw, "choices")
        self._shown = next((each for each in choices if index is None or index_of(each) == index), None)
        self.index = index if self._shown is None else index_of(self._shown)
        self.is_whole = field(self._shown, "delta") is None

    @property
    def delta(self) -> Any:
        """The choice's delta, or its message; None if there is none."""
        return field(self._shown, "message" if self.is_whole else "delta")

    @property
    def finish_reason(self) -> str | None:
        """Why the choice ended; None while it continues."""
        found = field(self._shown, "finish_reason")
        return found if found and isinstance(found, str) else None

    def get_text(self) -> str:
        """Its text; "" if it has none. Choices of the older API of completions have it themselves."""
        return text_of(field(self.delta, "content")) or text_in(self._shown, "text")

    def get_reasoning(self) -> str:
        """Its piece of the reasoning (`reasoning_content`, `reasoning`, or a "thinking" part); "" if it has none."""
        parts = listed(self.delta, "content")
        thoughts = [text_of(field(part, "thinking")) for part in parts if field(part, "type") == "thinking"]
        return "".join([reasoning_of(self.delta)[0], *thoughts])

    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """The calls in this chunk alone: a fragment's piece of the arguments is in `unread`.

        `OpenAIHistoryConverter.to_history_item` and `ToolCallAggregator` join the fragments of a stream.
        """
        joined = ToolCallAggregator()
        joined.add(fragments_of(self.delta), whole=self.is_whole)
        return joined.finish()


OpenAIResponseChunkWrapper = OpenAIChunkWrapper
"""Another name for `OpenAIChunkWrapper`, like that of Ollama's wrapper."""


class OpenAIHistoryConverter(Converter[OpenAIChunkWrapper]):
    """Histories as messages of OpenAI's chat API. See `HistoryConverter` for what each method does.

    The normal form for this wire format: the context is the first user message; a leading system message is
    `system_message`; a message with several results becomes several messages; empty texts are left out; the model's
    reasoning (joined) comes before its text, and its text before its calls; calls and results have ids. A missing id is
    created (the next free one of `call_0`, `call_1`, …), and a result without an id gets the id of the oldest call of
    the same name that has no result yet.
    """

    _name = "OpenAI's chat API"
    _wrapper = OpenAIChunkWrapper

    def _written(self, normal: History) -> Iterable[dict[str, Any]]:
        return map(_written, normal.conversation)

    def _normal(self, conversation: list[Message]) -> list[Message]:
        return with_ids([each for message in conversation for each in self._gathered(_with_texts(message))])

    def _read(self, wire: Any, role: Role, place: int, names: dict[str, str]) -> list[Message]:
        return [Message(role, [result_part(wire, names)] if role == Role.TOOL else list(_parts(wire, role, place)))]

    def _joined(self, chunks: list[OpenAIChunkWrapper]) -> Message | None:
        calls = ToolCallAggregator()
        reason = None
        index = next((each.index for each in chunks if each.index is not None), None)
        chunks = [OpenAIChunkWrapper(each.raw, index) for each in chunks]
        for wrapper in chunks:
            calls.add(fragments_of(wrapper.delta), whole=wrapper.is_whole)
            reason = wrapper.finish_reason or reason
        whole = calls.finish()
        if whole and reason in CUT_OFF and not (whole[-1].arguments or whole[-1].unread):
            whole[-1] = replace(whole[-1], unread=f"<{reason}>")  # its arguments were still to come
        return self._message(chunks, whole)


def _with_texts(message: Message) -> Message:
    # A part that would be read back as text is text.
    parts = [next(_content([part.data], 0)) if isinstance(part, ContentPartOther) else part for part in message.content]
    return Message(message.role, parts)


# -- writing -----------------------------------------------------------------------------------------------------------


def _written(message: Message) -> dict[str, Any]:
    if message.role == Role.TOOL:
        result = message.results[0]
        return result_message(result.id, result.name, result_text(result.content, result.name))
    role = "assistant" if message.role == Role.MODEL else message.role.value
    wire: dict[str, Any] = {"role": role}
    reasoning = [part.text for part in message.content if isinstance(part, ContentPartReasoning)]
    if reasoning:
        wire["reasoning_content"] = reasoning[0]
    wire["content"] = _written_content(message.content, empty=None if message.calls else "")
    if message.calls:
        wire["tool_calls"] = [
            call_item(call.id, call.name, call.unread or written_arguments(call.name, call.arguments))
            for call in message.calls
        ]
    return wire


def _written_content(parts: list[ContentPart], empty: str | None) -> Any:
    found = [part for part in parts if isinstance(part, ContentPartText | ContentPartOther)]
    if not found:
        return empty
    if len(found) == 1 and isinstance(found[0], ContentPartText):
        return found[0].text
    return [
        {"type": "text", "text": part.text} if isinstance(part, ContentPartText) else dict(part.data) for part in found
    ]


def result_message(id: str | None, name: str, text: str) -> dict[str, Any]:  # noqa: A002  # the wire's own word
    """The message with the result of a call."""
    return {"role": "tool", "tool_call_id": id, "name": name, "content": text}


# -- reading -----------------------------------------------------------------------------------------------------------


def _parts(wire: Any, role: Role, place: int) -> Iterator[ContentPart]:
    for name in ("audio", "name"):
        if found := field(wire, name):
            raise MessageError(f"message {place}: {name}={shown(found)} has no place in a history: leave it out")
    if role == Role.MODEL:
        reasoning, _ = reasoning_of(wire)
        if reasoning:
            yield ContentPartReasoning(reasoning)
    yield from _content(field(wire, "content"), place)
    if role == Role.MODEL:
        refusal = field(wire, "refusal")
        if isinstance(refusal, str):
            yield ContentPartOther({"type": "refusal", "refusal": refusal})
        for call in checked_list(wire, "tool_calls", place):
            yield checked_call(call, place)
        legacy = field(wire, "function_call")
        if legacy is not None:
            yield call_of(legacy, None)


def _content(content: Any, place: int) -> Iterator[ContentPart]:
    if content is None or content == "":
        return
    if isinstance(content, str):
        yield ContentPartText(content)
        return
    if not isinstance(content, list | tuple):
        raise MessageError(f"message {place}: content={shown(content)} is not valid: pass text or a list of parts")
    for part in content:
        if isinstance(part, str):
            yield ContentPartText(part)
        elif field(part, "type") == "text" and isinstance(field(part, "text"), str):
            yield ContentPartText(field(part, "text"))
        elif (found := as_mapping(part)) is not None:
            yield ContentPartOther(found)
        else:
            message = f"{shown(part)} is not a part of content: pass text, or a dict with a type"
            raise MessageError(f"message {place}: {message}")


def index_of(choice: Any) -> int:
    """The index of a choice; 0 if it has none."""
    found = field(choice, "index")
    return found if isinstance(found, int) else 0


def reasoning_of(holder: Any) -> tuple[str, tuple[str, ...]]:
    """The reasoning, and the names of the fields in which it is: some servers write it twice. "" if there is none.

    Args:
        holder: a delta, or a message.
    """
    first, second = (field(holder, name) for name in REASONING_FIELDS)
    if not (isinstance(first, str) and first):
        return (second, REASONING_FIELDS[1:]) if isinstance(second, str) and second else ("", ())
    return first, REASONING_FIELDS if first == second else REASONING_FIELDS[:1]
