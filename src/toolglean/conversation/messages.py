# What this file knows: what a conversation consists of, for every provider.
# Does not depend on any provider's wire format.
"""Messages, their parts, and the history of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from toolglean.conversation.fields import unrunnable
from toolglean.errors import UsageError
from toolglean.events import Output, ToolCall

__all__ = [
    "ContentPart",
    "ContentPartOther",
    "ContentPartReasoning",
    "ContentPartText",
    "ContentPartToolCall",
    "ContentPartToolResult",
    "History",
    "Message",
    "Role",
    "message_of_output",
    "model_message",
]


class Role(StrEnum):
    """The author of a message. `MODEL` is called "assistant" in most wire formats."""

    SYSTEM = "system"
    USER = "user"
    MODEL = "model"
    TOOL = "tool"


@dataclass(slots=True)
class ContentPartText:
    """Text.

    Attributes:
        text: the text, unchanged.
    """

    text: str


@dataclass(slots=True)
class ContentPartReasoning:
    """The model's reasoning before its answer. Some servers want it back while a chain of calls continues.

    Attributes:
        text: the reasoning, without its markers.
        signature: by which the server that wrote it knows it again; "" if it has none. Only Anthropic's API has one.
    """

    text: str
    signature: str = ""


@dataclass(slots=True)
class ContentPartToolCall:
    """A call made by the model.

    Attributes:
        name: the tool's name.
        arguments: the arguments, decoded.
        id: the id to which the result refers; None if neither the model nor the server gave one.
        unread: the text of the arguments, if it is not a JSON object. `arguments` is then empty, and the call must not
            be executed. "" otherwise.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    unread: str = ""

    @classmethod
    def of(cls, call: ToolCall) -> ContentPartToolCall:
        """Make one from a parser's `call`. If the call is not finished, its text is in `unread`."""
        if call.status == "ok":
            return cls(call.name, call.arguments, call.id)
        return cls(call.name, {}, call.id, unrunnable(call.arguments_text, call.status))


@dataclass(slots=True)
class ContentPartToolResult:
    """The result of a call.

    Attributes:
        name: the tool's name.
        content: any JSON value: text, a number, a list, an object, None.
        id: the id of the call; None if it had none.
        is_error: whether the tool failed. Only Anthropic's API and the neutral form have a field for it.
    """

    name: str
    content: Any = None
    id: str | None = None
    is_error: bool = False


@dataclass(slots=True)
class ContentPartOther:
    """A part of another kind (an image, a file), unchanged. It can be written only in the wire format it came from.

    Attributes:
        data: the part, as that wire format writes it.
    """

    data: Mapping[str, Any]


ContentPart: TypeAlias = (
    ContentPartText | ContentPartReasoning | ContentPartToolCall | ContentPartToolResult | ContentPartOther
)
"""A part of a message."""


@dataclass(slots=True)
class Message:
    """One message.

    Attributes:
        role: the author.
        content: the parts, in order.
    """

    role: Role
    content: list[ContentPart] = field(default_factory=list)

    @property
    def calls(self) -> list[ContentPartToolCall]:
        """The calls in it, in order, including those that must not be executed."""
        return [part for part in self.content if isinstance(part, ContentPartToolCall)]

    @property
    def results(self) -> list[ContentPartToolResult]:
        """The results in it, in order."""
        return [part for part in self.content if isinstance(part, ContentPartToolResult)]


@dataclass(slots=True)
class History:
    """A conversation.

    Attributes:
        system_message: the system's first message; None if there is none.
        context: what the model should know about the project; it is sent as a user message before all others. No API
            has a field for it, so a history that is read back from messages has it there.
        conversation: the messages, oldest first.
    """

    system_message: str | None = None
    context: str | None = None
    conversation: list[Message] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        """All messages as they are sent: the system message, the context, then the conversation."""
        heads = ((Role.SYSTEM, self.system_message), (Role.USER, self.context))
        found = [Message(role, [ContentPartText(text)]) for role, text in heads if text is not None]
        return found + self.conversation

    def add_message(self, role: Role | str, content: Iterable[ContentPart] | str) -> Message:
        """Append a message, and return it.

        Args:
            role: the author: a `Role` or its value ("system", "user", "model", "tool").
            content: the parts in order, or the text.

        Raises:
            UsageError: a `ValueError`: the role is unknown; the message lists the roles.
        """
        try:
            found = Role(role)
        except ValueError:
            raise UsageError(
                f"role={role!r} is not valid: pass one of {', '.join(map(repr, map(str, Role)))}"
            ) from None
        message = Message(found, [ContentPartText(content)] if isinstance(content, str) else list(content))
        self.conversation.append(message)
        return message


def message_of_output(output: Output) -> Message | None:
    """The parser's output for a turn as the model's message: reasoning, text, complete calls.

    Args:
        output: the output of a whole turn (`toolglean.fold` makes it from events).

    Returns:
        The message; None if the turn was empty. Unfinished calls are left out, because nobody will answer them.
    """
    return model_message(output.reasoning, output.content, map(ContentPartToolCall.of, output.calls))


def model_message(reasoning: str, text: str, calls: Iterable[ContentPartToolCall]) -> Message | None:
    """The model's message, without empty parts; None if there is no part left."""
    parts: list[ContentPart] = [ContentPartReasoning(reasoning)] if reasoning else []
    parts += [ContentPartText(text)] if text else []
    parts += calls
    return Message(Role.MODEL, parts) if parts else None
