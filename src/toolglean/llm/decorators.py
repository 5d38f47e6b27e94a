# What this file knows: how a function of messages becomes one of a prompt.
# What it must not know: any language model.
"""From chat to completion: a prompt is one message of the user's, and the answer's text is the completion."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator
from typing import Any

from toolglean.llm.steps import AsyncSteps
from toolglean.llm.types import ChatResponse, CompletionResponse, MessageList

__all__ = [
    "achat_to_completion",
    "astream_chat_to_completion",
    "chat_to_completion_decorator",
    "stream_chat_to_completion",
]


def chat_to_completion_decorator(chat: Callable[..., ChatResponse]) -> Callable[..., CompletionResponse]:
    """A `complete(prompt, **kwargs)` of a `chat(messages, **kwargs)`."""

    @functools.wraps(chat)
    def complete(prompt: str, **kwargs: Any) -> CompletionResponse:
        return chat(MessageList.from_str(prompt), **kwargs).to_completion_response()

    return complete


def stream_chat_to_completion(
    chat: Callable[..., Iterator[ChatResponse]],
) -> Callable[..., Iterator[CompletionResponse]]:
    """A `stream_complete(prompt, **kwargs)` of `chat`, a `stream_chat(messages, **kwargs)`."""

    @functools.wraps(chat)
    def complete(prompt: str, **kwargs: Any) -> Iterator[CompletionResponse]:
        return (response.to_completion_response() for response in chat(MessageList.from_str(prompt), **kwargs))

    return complete


def achat_to_completion(
    chat: Callable[..., Awaitable[ChatResponse]],
) -> Callable[..., Awaitable[CompletionResponse]]:
    """An `acomplete(prompt, **kwargs)` of `chat`, an `achat(messages, **kwargs)`."""

    @functools.wraps(chat)
    async def complete(prompt: str, **kwargs: Any) -> CompletionResponse:
        return (await chat(MessageList.from_str(prompt), **kwargs)).to_completion_response()

    return complete


def astream_chat_to_completion(
    chat: Callable[..., AsyncIterable[ChatResponse] | Awaitable[AsyncIterable[ChatResponse]]],
) -> Callable[..., AsyncSteps[CompletionResponse]]:
    """An `astream_complete(prompt, **kwargs)` of `chat`, an `astream_chat(messages, **kwargs)` that is a generator or
    a coroutine.
    """

    @functools.wraps(chat)
    def complete(prompt: str, **kwargs: Any) -> AsyncSteps[CompletionResponse]:
        return AsyncSteps(chat(MessageList.from_str(prompt), **kwargs)).map(ChatResponse.to_completion_response)

    return complete
