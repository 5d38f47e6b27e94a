# What this file knows: what a conversation is made of, whoever the provider is.
# What it must not know: any provider's wire.
"""Messages, their parts, and the history of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from toolglean.errors import UsageError

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
]


class Role(StrEnum):
    """Who speaks. `MODEL` is what the wires call "assistant"."""

    SYSTEM = "system"
    USER = "user"
    MODEL = "model"
    TOOL = "tool"


@dataclass(slots=True)
class ContentPartText:
    """Text.

    Attributes:
        text: the text, as it is.
    """

    text: str


@dataclass(slots=True)
class ContentPartReasoning:
    """What the model thought before it answered. Some servers want it back as long as a chain of calls goes on.

    Attributes:
        text: the reasoning, without its markers.
    """

    text: str


@dataclass(slots=True)
class ContentPartToolCall:
    """A call that the model has made.

    Attributes:
        name: the tool's name.
        arguments: the arguments, decoded.
        id: what the result will refer to; None where neither model nor server gave one.
        unread: the text of the arguments, if it is not a JSON object. `arguments` is then empty, and the call must not
            be executed. "" otherwise.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    unread: str = ""


@dataclass(slots=True)
class ContentPartToolResult:
    """The result of a call.

    Attributes:
        name: the tool's name.
        content: any JSON value: text, a number, a list, an object, None.
        id: the id of the call; None if it had none.
    """

    name: str
    content: Any = None
    id: str | None = None


@dataclass(slots=True)
class ContentPartOther:
    """A part of another kind (an image, a file), as it came. It can be written only in the wire format it came from.

    Attributes:
        data: the part, in that wire's form.
    """

    data: Mapping[str, Any]


ContentPart: TypeAlias = (
    ContentPartText | ContentPartReasoning | ContentPartToolCall | ContentPartToolResult | ContentPartOther
)
"""What a message is made of."""


@dataclass(slots=True)
class Message:
    """One message.

    Attributes:
        role: who speaks.
        content: the parts, in order.
    """

    role: Role
    content: list[ContentPart] = field(default_factory=list)


@dataclass(slots=True)
class History:
    """A conversation.

    Attributes:
        system_message: what the system says first; None if it says nothing.
        context: what the model should know about the project; it is sent as a user message before all others.
        conversation: the messages, oldest first.
    """

    system_message: str | None = None
    context: str | None = None
    conversation: list[Message] = field(default_factory=list)

    def add_message(self, role: Role | str, content: Iterable[ContentPart] | str) -> Message:
        """Append a message, and return it.

        Args:
            role: who speaks: a `Role` or its value ("system", "user", "model", "tool").
            content: the parts in order, or the text.

        Raises:
            UsageError: a `ValueError`: the role is unknown; the message lists the roles.
        """
        try:
            found = Role(role)
        except ValueError:
            raise UsageError(f"unknown role {role!r}; the roles are {', '.join(Role)}") from None
        message = Message(found, [ContentPartText(content)] if isinstance(content, str) else list(content))
        self.conversation.append(message)
        return message
