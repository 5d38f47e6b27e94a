# The fields of OpenAI's chat API that toolglean reads or writes. Other fields of a server are passed through, but type
# checkers do not know them.
"""Chunks and answers of OpenAI's chat API as plain dicts, for type checkers."""

from __future__ import annotations

from typing import Any, Required, TypedDict

__all__ = ["CallDict", "ChoiceDict", "ChunkChoiceDict", "ChunkDict", "CompletionDict", "DeltaDict", "FunctionDict"]


class FunctionDict(TypedDict, total=False):
    """What is called: in a chunk, a piece of it.

    Attributes:
        name: the tool.
        arguments: JSON text.
    """

    name: str
    arguments: Required[str]


class CallDict(TypedDict, total=False):
    """A call of a message; in a chunk, a fragment of one.

    Attributes:
        index: which call of the turn; only in chunks.
        id: in a chunk, only in the call's first fragment, as is `type`.
        type: "function".
        function: its name and its arguments.
    """

    index: int
    id: str
    type: str
    function: Required[FunctionDict]


class DeltaDict(TypedDict, total=False):
    """A message, or what a chunk adds to it.

    Attributes:
        role: "assistant".
        content: text for the user.
        reasoning_content: reasoning, including reasoning that was in the text.
        refusal: the server's own.
        tool_calls: the calls.
        function_call: the call, for a request that has `functions` instead of tools.
    """

    role: str
    content: str | None
    reasoning_content: str | None
    refusal: str | None
    tool_calls: list[CallDict] | None
    function_call: FunctionDict | None


class _ChoiceDict(TypedDict, total=False):
    """What every choice has, of a chunk or of a whole answer."""

    index: Required[int]
    finish_reason: Required[str | None]
    logprobs: Any


class ChunkChoiceDict(_ChoiceDict, total=False):
    """One choice of a chunk.

    Attributes:
        index: which choice.
        delta: what it adds.
        finish_reason: why it ended; None before that.
        logprobs: the server's own.
    """

    delta: Required[DeltaDict]


class _AnswerDict(TypedDict, total=False):
    """What a chunk and a whole answer have in common."""

    id: str
    object: str
    created: int
    model: str
    usage: dict[str, Any] | None
    system_fingerprint: str | None
    service_tier: str | None


class ChunkDict(_AnswerDict, total=False):
    """A `chat.completion.chunk`.

    Attributes:
        choices: what it adds to each choice.
        usage: the number of tokens, at most in the last chunk.
        id, object, created, model, system_fingerprint, service_tier: the server's own.
    """

    choices: Required[list[ChunkChoiceDict]]


class ChoiceDict(_ChoiceDict, total=False):
    """One choice of a whole answer.

    Attributes:
        index: which choice.
        message: the whole message.
        finish_reason: why it ended.
        logprobs: the server's own.
    """

    message: Required[DeltaDict]


class CompletionDict(_AnswerDict, total=False):
    """A `chat.completion`.

    Attributes:
        choices: the choices, usually one.
        usage: the number of tokens.
        id, object, created, model, system_fingerprint, service_tier: the server's own.
    """

    choices: Required[list[ChoiceDict]]
