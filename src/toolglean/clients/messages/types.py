# The fields of the Messages API that toolglean reads or writes. Other fields of a server are passed through, but type
# checkers do not know them.
"""Events and answers of the Messages API as plain dicts, for type checkers."""

from __future__ import annotations

from typing import Any, Required, TypedDict

__all__ = ["BlockDeltaDict", "BlockDict", "MessageDict", "MessageEventDict"]


class BlockDict(TypedDict, total=False):
    """A block of a message.

    Attributes:
        type: "text", "thinking", "tool_use", …
        text: of a text.
        thinking: of the reasoning.
        signature: of the reasoning, by the server; "" for reasoning that was in the text.
        id: of a call, which its result repeats.
        name: of the tool that is called.
        input: the arguments of the call; `{}` where a stream begins the block.
        citations: the server's own.
    """

    type: Required[str]
    text: str
    thinking: str
    signature: str
    id: str
    name: str
    input: dict[str, Any]
    citations: list[Any] | None


class BlockDeltaDict(TypedDict, total=False):
    """What an event adds: to a block, or to the message.

    Attributes:
        type: "text_delta", "thinking_delta", "input_json_delta", "signature_delta", …; missing for the message.
        text, thinking, signature: a piece of these.
        partial_json: a piece of the arguments of a call.
        stop_reason: why the message ended.
        stop_sequence: the sequence at which it ended.
    """

    type: str
    text: str
    thinking: str
    signature: str
    partial_json: str
    stop_reason: str | None
    stop_sequence: str | None


class MessageDict(TypedDict, total=False):
    """A whole answer.

    Attributes:
        content: its blocks.
        stop_reason: why it ended: "end_turn", "tool_use", "max_tokens", "stop_sequence", …
        stop_sequence: the sequence at which it ended.
        usage: the number of tokens.
        id, type, role, model: the server's own.
    """

    id: str
    type: str
    role: str
    model: str
    content: Required[list[BlockDict]]
    stop_reason: str | None
    stop_sequence: str | None
    usage: dict[str, Any]


class MessageEventDict(TypedDict, total=False):
    """An event of a streamed answer.

    Attributes:
        type: "content_block_delta", "message_stop", …: which other fields there are.
        index: of its block.
        content_block: a block, as it begins.
        delta: what is added.
        message: the message, as it begins.
        usage: the number of tokens.
        error: what went wrong.
    """

    type: Required[str]
    index: int
    content_block: BlockDict
    delta: BlockDeltaDict
    message: MessageDict
    usage: dict[str, Any]
    error: dict[str, Any]
