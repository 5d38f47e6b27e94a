# What this file knows: which failures of an answer a model can mend itself, and how it is told of them.
# What it must not know: how an answer is asked for, and what it should have been.
"""Asking again, with the error told to the model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from toolglean.llm.errors import (
    ConfigurationError,
    LLMError,
    NoToolCallError,
    ObjectError,
    ParseError,
    UnknownToolError,
)
from toolglean.llm.types import ChatResponse, Chunk, Message, ReasoningChunk, Role, ToolResultChunk

__all__ = ["AGAIN", "MENDABLE", "Attempt", "Attempts", "checked_retries", "told"]

log = logging.getLogger("toolglean.llm")

MENDABLE = (ObjectError, NoToolCallError, UnknownToolError, ParseError)
"""What a model has done wrong, and may do right when it is told."""
SHOWN = 2000  # characters of an error that the model is told
AGAIN = "That did not work: {error}\n\nAnswer again, and correct this."


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that did not become what was asked for.

    Attributes:
        number: the first is 1.
        error: why not.
        response: what the model said; None where that is not known.
    """

    number: int
    error: LLMError
    response: ChatResponse | None


class Attempts:
    """The attempts of one call.

    Args:
        max_retries: how often the model is asked again, at most.
        on_attempt: called with each attempt that failed.
    """

    def __init__(self, max_retries: int, on_attempt: Callable[[Attempt], Any] | None = None) -> None:
        self._left = max_retries
        self._on_attempt = on_attempt
        self._failed: list[Attempt] = []

    def failed(self, error: LLMError) -> Attempt:
        """An attempt failed.

        Returns:
            The attempt, if the model is to be asked again.

        Raises:
            The error, with all attempts in `failed_attempts`, if not.
        """
        attempt = Attempt(len(self._failed) + 1, error, error.response)
        self._failed.append(attempt)
        error.failed_attempts = tuple(self._failed)
        if self._on_attempt is not None:
            self._on_attempt(attempt)
        if not self._left:
            raise error
        self._left -= 1
        log.info("attempt %d failed, and the model is told so: %s", attempt.number, error)
        return attempt


def told(messages: Sequence[Message], attempt: Attempt) -> list[Message]:
    """The messages, with what the model said, and what is wrong with it."""
    error = str(attempt.error)[:SHOWN]
    response = attempt.response
    if response is None:
        return [*messages, Message.from_str(AGAIN.format(error=error))]
    said: list[Chunk] = [chunk for chunk in response.message.chunks if not isinstance(chunk, ReasoningChunk)]
    calls = response.tool_calls
    if calls:
        results: list[Chunk] = [
            ToolResultChunk(name=call.name, id=call.id, content={"error": error, "hint": "call it again, corrected"})
            for call in calls
        ]
        return [*messages, Message(role=Role.MODEL, chunks=said), Message(role=Role.TOOL, chunks=results)]
    text = response.message.content or "\n".join(f"{call.name}: {call.unread}" for call in response.unfinished)
    spoken = [Message.from_str(text, Role.MODEL)] if text.strip() else []
    return [*messages, *spoken, Message.from_str(AGAIN.format(error=error))]


def checked_retries(max_retries: Any) -> int:
    """How often to ask again.

    Raises:
        ConfigurationError: it is not a number from 0 up.
    """
    if not isinstance(max_retries, int) or isinstance(max_retries, bool) or max_retries < 0:
        message = f"max_retries={max_retries!r:.80} is not a number of retries: give 0 or more"
        raise ConfigurationError(message, field="max_retries", value=max_retries)
    return max_retries
