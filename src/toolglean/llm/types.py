# What this file knows: messages and responses as pydantic models, and their conversion to and from
# `toolglean.conversation`.
# Does not depend on any wire format or client, or on how a response was made.
#
# A message is a role and chunks. Each chunk corresponds to one part of `toolglean.conversation`, so that a history can
# be converted there and back without loss; the rules of the wire formats are only there.
"""Messages, chat and completion responses, and what is known of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from toolglean.conversation import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Role,
)
from toolglean.conversation import Message as NeutralMessage
from toolglean.events import Problem, ToolCall

__all__ = [
    "ChatResponse",
    "Chunk",
    "CompletionResponse",
    "Message",
    "MessageList",
    "Metadata",
    "OtherChunk",
    "ReasoningChunk",
    "Role",
    "TextChunk",
    "ToolCallChunk",
    "ToolResultChunk",
    "with_system",
]


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TextChunk(_Chunk):
    """Text.

    Attributes:
        type: "text".
        content: the text.
    """

    type: Literal["text"] = "text"
    content: str


class ReasoningChunk(_Chunk):
    """The model's reasoning before its answer.

    Attributes:
        type: "reasoning".
        content: the text, without its markers.
    """

    type: Literal["reasoning"] = "reasoning"
    content: str


class ToolCallChunk(_Chunk):
    """A call made by the model.

    Attributes:
        type: "tool_call".
        name: the tool's name.
        arguments: the arguments, decoded; empty if `unread` is not.
        id: the id to which the result refers; None if there is none.
        unread: the text of arguments that are cut off or cannot be read. Such a call must not be executed.
    """

    type: Literal["tool_call"] = "tool_call"
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None
    unread: str = ""

    @classmethod
    def of(cls, call: ToolCall) -> ToolCallChunk:
        """Make one from a parser's `call`. If the call is not finished, its text is in `unread`."""
        part = ContentPartToolCall.of(call)
        return cls(name=part.name, arguments=part.arguments, id=part.id, unread=part.unread)


class ToolResultChunk(_Chunk):
    """The result of a call.

    Attributes:
        type: "tool_result".
        name: the tool's name.
        content: any JSON value.
        id: the id of the call; None if it had none.
    """

    type: Literal["tool_result"] = "tool_result"
    name: str
    content: Any = None
    id: str | None = None


class OtherChunk(_Chunk):
    """A part of another kind (an image, a file).

    Attributes:
        type: "other".
        data: the part, as the wire format writes it.
    """

    type: Literal["other"] = "other"
    data: dict[str, Any]


Chunk: TypeAlias = Annotated[
    TextChunk | ReasoningChunk | ToolCallChunk | ToolResultChunk | OtherChunk, Field(discriminator="type")
]
"""A part of a message; in JSON, `type` says which kind."""


class Message(BaseModel):
    """One message.

    Attributes:
        role: the author; "assistant" is read as `Role.MODEL`.
        chunks: the parts, in order; pass `content="…"` instead for a single text.
        additional_kwargs: further fields, which toolglean does not read.
    """

    role: Role = Role.USER
    chunks: list[Chunk] = Field(default_factory=list)
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _with_content(cls, given: Any) -> Any:
        # Most libraries call the text of a message `content`.
        if not isinstance(given, Mapping) or "chunks" in given or not isinstance(given.get("content"), str):
            return given
        rest = {key: value for key, value in given.items() if key != "content"}
        return {**rest, "chunks": [TextChunk(content=given["content"])]}

    @field_validator("role", mode="before")
    @classmethod
    def _as_wires_say(cls, role: Any) -> Any:
        return Role.MODEL if role == "assistant" else role

    @classmethod
    def from_str(cls, content: str, role: Role | str = Role.USER) -> Message:
        """A message with one text, `content`, by `role`."""
        return cls(role=Role.MODEL if role == "assistant" else Role(role), chunks=[TextChunk(content=content)])

    @property
    def content(self) -> str:
        """The text chunks, joined without separators; "" if there are none."""
        return "".join(chunk.content for chunk in self.chunks if isinstance(chunk, TextChunk))

    @property
    def reasoning(self) -> str:
        """The reasoning chunks, joined without separators."""
        return "".join(chunk.content for chunk in self.chunks if isinstance(chunk, ReasoningChunk))

    @property
    def tool_calls(self) -> list[ToolCallChunk]:
        """The calls that can be executed, in order. Identical calls are two calls."""
        return [chunk for chunk in self.chunks if isinstance(chunk, ToolCallChunk) and not chunk.unread]

    def to_neutral(self) -> NeutralMessage:
        """The same message for `toolglean.conversation`, without `additional_kwargs`."""
        return NeutralMessage(self.role, [_part(chunk) for chunk in self.chunks])

    @classmethod
    def from_neutral(cls, message: NeutralMessage) -> Message:
        """Make one from a `message` of `toolglean.conversation`, part for part."""
        return cls(role=message.role, chunks=[_chunk(part) for part in message.content])


class MessageList(list[Message]):
    """A list of messages, oldest first, with conversions."""

    @classmethod
    def from_str(cls, prompt: str, role: Role | str = Role.USER) -> MessageList:
        """One message with the text `prompt`, by `role`."""
        return cls([Message.from_str(prompt, role)])

    @classmethod
    def from_history(cls, history: History) -> MessageList:
        """The messages of a history: its system message first, its context as a user message after it."""
        return cls(Message.from_neutral(each) for each in history.messages)

    def to_history(self) -> History:
        """The same messages as a history. System messages stay where they are, in the conversation."""
        return History(conversation=[each.to_neutral() for each in self])

    @classmethod
    def of(cls, messages: str | Message | Iterable[Message | Mapping[str, Any]]) -> MessageList:
        """Make a list from `messages`: a text, one message, or several; a message may be a dict."""
        if isinstance(messages, str):
            return cls.from_str(messages)
        given = [messages] if isinstance(messages, Message | Mapping) else messages
        return cls(each if isinstance(each, Message) else Message.model_validate(each) for each in given)


def with_system(text: str, messages: Iterable[Message]) -> MessageList:
    """The messages after a system message with that text."""
    return MessageList([Message.from_str(text, Role.SYSTEM), *messages])


class CompletionResponse(BaseModel):
    """The model's answer to a prompt.

    Attributes:
        text: all of it so far.
        delta: what this step of a stream has added; None if nothing is streamed.
        raw: the client's own response.
        additional_kwargs: model, times, token counts.
    """

    text: str
    delta: str | None = None
    raw: Any = None
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


class ChatResponse(BaseModel):
    """The model's answer; in a stream, all of it so far.

    Attributes:
        message: text, reasoning and finished calls.
        delta: the text that this step of a stream has added; None if nothing is streamed.
        raw: the client's own response.
        additional_kwargs: model, times, token counts.
        unfinished: calls that are still being written, were cut off or cannot be read. Never execute them.
        problems: what the parser could not accept as written.
        events: the toolglean events of this step alone, which `StreamingObjectProcessor` reads. Not in `model_dump`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    message: Message
    delta: str | None = None
    raw: Any = None
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    unfinished: list[ToolCallChunk] = Field(default_factory=list)
    problems: list[Problem] = Field(default_factory=list)
    events: list[Any] = Field(default_factory=list, exclude=True, repr=False)

    @property
    def tool_calls(self) -> list[ToolCallChunk]:
        """The calls that can be executed, in order."""
        return self.message.tool_calls

    def to_completion_response(self) -> CompletionResponse:
        """The text of the answer, with the same `delta`, `raw` and `additional_kwargs`."""
        return CompletionResponse(
            text=self.message.content,
            delta=self.delta,
            raw=self.raw,
            additional_kwargs=self.additional_kwargs | self.message.additional_kwargs,
        )

    def __str__(self) -> str:
        return f"{self.message.role}: {self.message.content}"


class Metadata(BaseModel):
    """What is known about a model.

    Attributes:
        model_name: its name.
        context_window: the largest number of tokens in its context.
        num_output: how many tokens it may write; -1 if there is no limit.
        is_chat_model: whether it accepts messages.
        is_function_calling_model: whether it can be given tools.
        system_role: the role of instructions.
    """

    model_config = ConfigDict(frozen=True, protected_namespaces=())

    model_name: str = "unknown"
    context_window: int = Field(default=4096, gt=0)
    num_output: int = -1
    is_chat_model: bool = False
    is_function_calling_model: bool = False
    system_role: Role = Role.SYSTEM


# -- chunks and parts --------------------------------------------------------------------------------------------------


def _part(chunk: Chunk) -> ContentPart:
    match chunk:
        case TextChunk():
            return ContentPartText(chunk.content)
        case ReasoningChunk():
            return ContentPartReasoning(chunk.content)
        case ToolCallChunk():
            return ContentPartToolCall(chunk.name, chunk.arguments, chunk.id, chunk.unread)
        case ToolResultChunk():
            return ContentPartToolResult(chunk.name, chunk.content, chunk.id)
        case OtherChunk():
            return ContentPartOther(chunk.data)


def _chunk(part: ContentPart) -> Chunk:
    match part:
        case ContentPartText():
            return TextChunk(content=part.text)
        case ContentPartReasoning():
            return ReasoningChunk(content=part.text)
        case ContentPartToolCall():
            return ToolCallChunk(name=part.name, arguments=part.arguments, id=part.id, unread=part.unread)
        case ContentPartToolResult():
            return ToolResultChunk(name=part.name, content=part.content, id=part.id)
        case ContentPartOther():
            return OtherChunk(data=dict(part.data))
