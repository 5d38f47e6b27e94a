# What this file knows: what a provider's converter does, and the steps that every wire format needs: who is speaking,
# lists, calls, results, and the normal form of a history.
# Does not depend on the fields of any one wire.
"""From histories to a provider's messages and back: the protocols, and what all converters share."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from toolglean.conversation.fields import arguments_of, field, id_of, is_object, result_of, text_in
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
    model_message,
)
from toolglean.errors import MessageError, shown

__all__ = [
    "UNREAD_KEY",
    "Chunk",
    "ChunkWrapper",
    "Converter",
    "HistoryConverter",
    "Wrapped",
    "call_of",
    "checked_call",
    "checked_list",
    "readable",
    "result_part",
    "with_ids",
]

Raw_co = TypeVar("Raw_co", covariant=True)


@runtime_checkable
class ChunkWrapper(Protocol[Raw_co]):
    """A chunk of any provider's stream, read in the same way for all of them."""

    @property
    @abc.abstractmethod
    def raw(self) -> Raw_co:
        """The chunk that the client returned."""

    @abc.abstractmethod
    def get_text(self) -> str:
        """Its text; "" if it has none."""

    @abc.abstractmethod
    def get_reasoning(self) -> str:
        """Its piece of the model's reasoning; "" if it has none."""

    @abc.abstractmethod
    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """Its calls. Arguments that cannot be read, or not yet, are in `unread`. No chunk raises."""


@runtime_checkable
class HistoryConverter(Protocol):
    """Converts histories to a provider's messages, and back."""

    @abc.abstractmethod
    def from_history(self, history: History) -> list[dict[str, Any]]:
        """The messages in the form that the provider's API accepts.

        Args:
            history: the conversation; it is not changed.

        Raises:
            MessageError: a part cannot be written in this wire format; the error names the part and its place.
        """

    @abc.abstractmethod
    def to_history(self, messages: Iterable[Any]) -> History:
        """The history of these messages, which may be dicts or the client's own objects.

        Raises:
            MessageError: the role of a message is unknown, or its content cannot be understood.
        """

    @abc.abstractmethod
    def canonical(self, history: History) -> History:
        """The normal form of a history for this wire format: what `to_history(from_history(history))` returns.

        Raises:
            MessageError: a part cannot be written in this wire format.
        """

    @abc.abstractmethod
    def to_history_item(self, items: Iterable[Any]) -> Message | None:
        """Make one message.

        Args:
            items: the chunks of one stream (wrapped or not), or the results of its calls.

        Returns:
            The model's message with all text and all calls, or the tool message with all results; None if it would be
            empty.
        """

    @abc.abstractmethod
    def create_chunk_wrapper(self, chunk: Any) -> ChunkWrapper[Any]:
        """The chunk, wrapped."""


class Wrapped:
    """What our wrappers have in common: the chunk, as the client returned it.

    Args:
        raw: the chunk.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw


Chunk = TypeVar("Chunk", bound=ChunkWrapper[Any])


class Converter(HistoryConverter, abc.ABC, Generic[Chunk]):
    """What our converters share. See `HistoryConverter` for what each method does."""

    _name: str
    """The name of the wire format, for errors."""
    _wrapper: Callable[[Any], Chunk]
    """The class that wraps a chunk."""

    def canonical(self, history: History) -> History:
        """The normal form."""
        found = _opened(history, self._name)
        return replace(found, conversation=self._normal(found.conversation))

    @abc.abstractmethod
    def _normal(self, conversation: list[Message]) -> list[Message]:
        """The messages in their normal form: the context is one of them, and a leading system message is not."""

    def _gathered(self, message: Message) -> Iterator[Message]:
        """The message as most wire formats can write it.

        A tool message becomes one message for each result. In the others, empty texts are left out, and the model's
        reasoning comes before its text, and the text before the calls.
        """
        if message.role == Role.TOOL:
            for result in message.results:
                yield Message(Role.TOOL, [replace(result, id=result.id or None, is_error=False)])
            return
        reasoning = "".join(part.text for part in message.content if isinstance(part, ContentPartReasoning))
        parts: list[ContentPart] = [ContentPartReasoning(reasoning)] if reasoning else []
        parts += [
            part
            for part in message.content
            if isinstance(part, ContentPartOther) or (isinstance(part, ContentPartText) and part.text)
        ]
        parts += [_plain_call(call) for call in message.calls]
        yield Message(message.role, parts)

    def from_history(self, history: History) -> list[dict[str, Any]]:
        """The messages, as dicts that go into a request as they are."""
        normal = self.canonical(history)
        system = normal.system_message
        return [*([] if system is None else [{"role": "system", "content": system}]), *self._written(normal)]

    @abc.abstractmethod
    def _written(self, normal: History) -> Iterable[dict[str, Any]]:
        """The messages of a normal form, without its system message."""

    def to_history(self, messages: Iterable[Any]) -> History:
        """The history of these messages.

        Raises:
            MessageError: the role of a message is unknown, or its content cannot be understood.
        """
        history = History()
        names: dict[str, str] = {}
        for place, wire in enumerate(messages):
            role, content = _role_of(wire, place), field(wire, "content")
            if role == Role.SYSTEM and place == 0 and isinstance(content, str):
                history.system_message = content
                continue
            found = self._read(wire, role, place, names)
            history.conversation += found
            names |= {call.id: call.name for message in found for call in message.calls if call.id}
        return history

    @abc.abstractmethod
    def _read(self, wire: Any, role: Role, place: int, names: dict[str, str]) -> list[Message]:
        """The messages that a wire message is, most often one; `names`: of the tools that were called before, by id."""

    def to_history_item(self, items: Iterable[Any]) -> Message | None:
        """One message from the chunks of a stream, or from results."""
        found = list(items)
        if found and all(isinstance(each, ContentPartToolResult) for each in found):
            return Message(Role.TOOL, found)
        kind: Any = self._wrapper
        return self._joined([each if isinstance(each, kind) else kind(each) for each in found])

    @abc.abstractmethod
    def _joined(self, chunks: list[Chunk]) -> Message | None:
        """The message of these chunks."""

    def _message(self, chunks: list[Chunk], calls: Iterable[ContentPartToolCall]) -> Message | None:
        """The model's message from a stream's chunks and the calls that were found in them; None if it is empty."""
        reasoning = "".join(chunk.get_reasoning() for chunk in chunks)
        return model_message(reasoning, "".join(chunk.get_text() for chunk in chunks), calls)

    def create_chunk_wrapper(self, chunk: Any) -> Chunk:
        """The chunk, wrapped."""
        return self._wrapper(chunk)


# -- reading -----------------------------------------------------------------------------------------------------------

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.MODEL,
    "model": Role.MODEL,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def _role_of(wire: Any, place: int) -> Role:
    role = field(wire, "role")
    found = _ROLES.get(role) if isinstance(role, str) else None
    if found is None:
        raise MessageError(
            f"message {place}: role={role!r} of {shown(wire)} is not valid: pass one of {', '.join(map(repr, _ROLES))}"
        )
    return found


def checked_list(wire: Any, name: str, place: int) -> list[Any]:
    """The items in that field of a wire message, the one at that place; [] if the field is missing or empty.

    Raises:
        MessageError: the field is not a list.
    """
    found = field(wire, name)
    if not found:
        return []
    if not isinstance(found, Iterable) or isinstance(found, str | bytes | Mapping):
        raise MessageError(f"message {place}: {name}={shown(found)} is not a list: pass a list, or leave it out")
    return list(found)


def call_of(function: Any, id: str | None) -> ContentPartToolCall:  # noqa: A002  # the wire's own word
    """The call whose `name` and `arguments` are fields of `function`."""
    arguments, unread = arguments_of(field(function, "arguments"))
    return ContentPartToolCall(text_in(function, "name"), arguments, id, unread)


def checked_call(wire: Any, place: int) -> ContentPartToolCall:
    """The call in an item of `tool_calls`, of the message at that place.

    Raises:
        MessageError: it is something else, such as a call of a custom tool, whose input is text.
    """
    function = field(wire, "function")
    if not is_object(function):
        raise MessageError(
            f"message {place}: {shown(wire)} is not a call of a function: leave it out, or write it as text"
        )
    return call_of(function, id_of(wire))


def result_part(
    wire: Any, names: Mapping[str, str], *, id_field: str = "tool_call_id", content: Any = None, between: str = ""
) -> ContentPartToolResult:
    """The result in a wire message or block.

    Args:
        wire: the message or block.
        names: of the tools that were called before, by the call's id: used if the result does not name its tool.
        id_field: the field with the id of the call.
        content: the result, if it is not to be read from the field `content`.
        between: as for `result_of`.
    """
    own = id_of(wire, id_field)
    name = field(wire, "tool_name") or field(wire, "name")
    value = result_of(field(wire, "content"), between) if content is None else content
    name = name if isinstance(name, str) else names.get(own or "", "")
    return ContentPartToolResult(name, value, own, is_error=field(wire, "is_error") is True)


UNREAD_KEY = "raw"
"""The key of arguments that could not be read, in wire formats whose arguments must be an object."""


def readable(call: ContentPartToolCall) -> ContentPartToolCall:
    """The call for such a wire format, with its id None if it is empty."""
    return ContentPartToolCall(call.name, {UNREAD_KEY: call.unread} if call.unread else call.arguments, call.id or None)


# -- the normal form ---------------------------------------------------------------------------------------------------

FITTING: Mapping[Role, tuple[type, ...]] = {
    Role.SYSTEM: (ContentPartText,),
    Role.USER: (ContentPartText, ContentPartOther),
    Role.MODEL: (ContentPartReasoning, ContentPartText, ContentPartOther, ContentPartToolCall),
    Role.TOOL: (ContentPartToolResult,),
}
"""Which parts a message may contain, by its role."""


def _opened(history: History, wire: str) -> History:
    """The first step to the normal form: the context is a user message, a leading system message is `system_message`,
    and tool messages without results are left out.

    Args:
        history: the conversation; it is not changed.
        wire: the name of the wire format, for errors.

    Raises:
        MessageError: a part does not fit the role of its message; the error names the part and its place.
    """
    conversation = [message for message in history.conversation if message.content or message.role != Role.TOOL]
    system = history.system_message
    if history.context is not None:
        conversation.insert(0, Message(Role.USER, [ContentPartText(history.context)]))
    if system is None and conversation and conversation[0].role == Role.SYSTEM:
        texts = [part.text for part in conversation[0].content if isinstance(part, ContentPartText)]
        if len(texts) == len(conversation[0].content):
            system = "".join(texts)
            del conversation[0]
    for place, message in enumerate(conversation):
        wrong = next((part for part in message.content if not isinstance(part, FITTING[message.role])), None)
        if wrong is not None:
            raise MessageError(
                f"message {place}: {type(wrong).__name__} cannot be written in a message of role "
                f"{message.role.value!r} for {wire}: {shown(wrong)}"
            )
    return History(system, None, conversation)


def _plain_call(call: ContentPartToolCall) -> ContentPartToolCall:
    arguments, unread = arguments_of(call.unread) if call.unread else (call.arguments, "")
    return ContentPartToolCall(call.name, arguments, call.id or None, unread)


def with_ids(conversation: list[Message]) -> list[Message]:
    """The messages, with an id for each call and each result: a missing id is the next free one of `call_0`, `call_1`,
    …, and a result without an id gets that of the oldest call of the same name that has no result yet.
    """
    answered = {result.id for message in conversation for result in message.results if result.id}
    taken = answered | {call.id for message in conversation for call in message.calls if call.id}
    free = (name for number in itertools.count() if (name := f"call_{number}") not in taken)
    waiting: dict[str, list[str]] = {}  # ids of calls without a result, oldest first, by name
    return [
        Message(each.role, [_identified(part, free, waiting, answered) for part in each.content])
        for each in conversation
    ]


def _identified(
    part: ContentPart, free: Iterator[str], waiting: dict[str, list[str]], answered: set[str]
) -> ContentPart:
    if isinstance(part, ContentPartToolCall):
        part = replace(part, id=part.id or next(free))
        if part.id not in answered:
            waiting.setdefault(part.name, []).append(part.id or "")
    elif isinstance(part, ContentPartToolResult) and not part.id:
        ids = waiting.get(part.name)
        part = replace(part, id=ids.pop(0) if ids else next(free))
    return part
