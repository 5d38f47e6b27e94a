# What this file knows: how a function that takes messages becomes one that takes a prompt. Also as a decorator of a
# method: then the object comes before the messages, and before the prompt.
# Does not depend on any language model.
"""From chat to completion: a prompt is one user message, and the answer's text is the completion."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator
from typing import Any

from toolglean.llm.errors import ConfigurationError
from toolglean.llm.steps import AsyncSteps
from toolglean.llm.types import ChatResponse, CompletionResponse, MessageList

__all__ = [
    "achat_to_completion",
    "astream_chat_to_completion",
    "chat_to_completion_decorator",
    "stream_chat_to_completion",
]


def chat_to_completion_decorator(chat: Callable[..., ChatResponse]) -> Callable[..., CompletionResponse]:
    """Make `complete(prompt, **kwargs)` from `chat(messages, **kwargs)`. All of these also decorate methods.

    What is made raises `ConfigurationError` for `stream=True`: a completion in steps is `stream_complete`.
    """

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> CompletionResponse:
        return chat(*_messages(args, _whole(kwargs)), **kwargs).to_completion_response()

    return complete


def stream_chat_to_completion(
    chat: Callable[..., Iterator[ChatResponse]],
) -> Callable[..., Iterator[CompletionResponse]]:
    """Make `stream_complete(prompt, **kwargs)` from `chat`, a `stream_chat(messages, **kwargs)`."""

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> Iterator[CompletionResponse]:
        return (response.to_completion_response() for response in chat(*_messages(args, kwargs), **kwargs))

    return complete


def achat_to_completion(
    chat: Callable[..., Awaitable[ChatResponse]],
) -> Callable[..., Awaitable[CompletionResponse]]:
    """Make `acomplete(prompt, **kwargs)` from `chat`, an `achat(messages, **kwargs)`."""

    @functools.wraps(chat)
    async def complete(*args: Any, **kwargs: Any) -> CompletionResponse:
        return (await chat(*_messages(args, _whole(kwargs)), **kwargs)).to_completion_response()

    return complete


def astream_chat_to_completion(
    chat: Callable[..., AsyncIterable[ChatResponse] | Awaitable[AsyncIterable[ChatResponse]]],
) -> Callable[..., AsyncSteps[CompletionResponse]]:
    """Make `astream_complete(prompt, **kwargs)` from `chat`, an `astream_chat(messages, **kwargs)` that is a generator
    or a coroutine.
    """

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> AsyncSteps[CompletionResponse]:
        return AsyncSteps(chat(*_messages(args, kwargs), **kwargs)).map(ChatResponse.to_completion_response)

    return complete


def _whole(kwargs: dict[str, Any]) -> dict[str, Any]:
    if kwargs.get("stream"):
        raise ConfigurationError(
            f"stream={kwargs['stream']!r:.80} cannot be used for a completion, which is returned whole: call "
            "stream_complete or astream_complete"
        )
    return kwargs


def _messages(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    # The arguments with messages in place of the prompt, which comes last.
    *before, prompt = args if "prompt" not in kwargs else (*args, kwargs.pop("prompt"))
    return *before, MessageList.from_str(prompt)
