# What this file knows: what converters and wrappers promise, whoever the provider is.
# What it must not know: any provider's wire.
"""What a provider's converter does: histories to and from its wire, and its stream in one form."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar, runtime_checkable

from toolglean.conversation.messages.types import (
    ContentPart,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)
from toolglean.events import Output

__all__ = ["ChunkWrapper", "HistoryConverter", "message_of_chunks", "message_of_output", "results_message"]

Raw_co = TypeVar("Raw_co", covariant=True)


@runtime_checkable
class ChunkWrapper(Protocol[Raw_co]):
    """A chunk of any provider's stream, read in the same way for all."""

    @property
    @abc.abstractmethod
    def raw(self) -> Raw_co:
        """The chunk, as the client gave it."""

    @abc.abstractmethod
    def get_text(self) -> str:
        """Its text, "" where it has none."""

    @abc.abstractmethod
    def get_reasoning(self) -> str:
        """Its piece of the model's reasoning, "" where it has none."""

    @abc.abstractmethod
    def get_tool_calls(self) -> list[ContentPartToolCall]:
        """Its calls, whole ones; what cannot be read (yet) is in their `unread`. No chunk raises."""


@runtime_checkable
class HistoryConverter(Protocol):
    """Converts histories to a provider's messages, and back."""

    @abc.abstractmethod
    def from_history(self, history: History) -> list[dict[str, Any]]:
        """The messages in the form that the provider's API accepts.

        Args:
            history: the conversation; it is not changed.

        Raises:
            MessageError: a part cannot be written for that wire; the message names it and its place.
        """

    @abc.abstractmethod
    def to_history(self, messages: Iterable[Any]) -> History:
        """The history that the messages hold: dicts, or the client's own objects.

        Raises:
            MessageError: a message has no known role, or its content cannot be understood.
        """

    @abc.abstractmethod
    def canonical(self, history: History) -> History:
        """The normal form of a history for that wire: `to_history(from_history(history))` gives it back.

        Raises:
            MessageError: a part cannot be written for that wire.
        """

    @abc.abstractmethod
    def to_history_item(self, items: Iterable[Any]) -> Message | None:
        """Make one message.

        Args:
            items: the chunks of one stream (wrapped or not), or the results of its calls.

        Returns:
            The model's message with all text and all calls; or the tools' message with all results; None if there is
            nothing to say.
        """

    @abc.abstractmethod
    def create_chunk_wrapper(self, chunk: Any) -> ChunkWrapper[Any]:
        """The chunk, wrapped."""


def message_of_output(output: Output) -> Message | None:
    """The parser's output for a turn, as the model's message: reasoning, text, complete calls.

    Args:
        output: of a whole turn (`toolglean.fold` folds its events).

    Returns:
        The message; None if the turn was empty. Unfinished calls are left out, because nobody will answer them.
    """
    calls = [ContentPartToolCall(call.name, call.arguments, call.id) for call in output.calls]
    return model_message(output.reasoning, output.content, calls)


def message_of_chunks(chunks: Iterable[ChunkWrapper[Any]], calls: Iterable[ContentPartToolCall]) -> Message | None:
    """The model's message of a stream's chunks, and of the calls that were found in them; None where it is empty."""
    found = list(chunks)
    reasoning = "".join(chunk.get_reasoning() for chunk in found)
    return model_message(reasoning, "".join(chunk.get_text() for chunk in found), calls)


def model_message(reasoning: str, text: str, calls: Iterable[ContentPartToolCall]) -> Message | None:
    """The model's message: what is empty is left out; None where all is."""
    parts: list[ContentPart] = [ContentPartReasoning(reasoning)] if reasoning else []
    parts += [ContentPartText(text)] if text else []
    parts += calls
    return Message(Role.MODEL, parts) if parts else None


def results_message(items: list[Any]) -> Message | None:
    """All results in one message of the tools; None where one of the items is not a result."""
    if not items or not all(isinstance(item, ContentPartToolResult) for item in items):
        return None
    return Message(Role.TOOL, list(items))
