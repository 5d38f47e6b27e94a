# What this file knows: which failures a model can correct, and how it is told about them.
# Does not depend on how an answer is requested, or on what it should be.
"""Asking the model again, with the error in the prompt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from toolglean.llm import errors
from toolglean.llm.types import ChatResponse, Chunk, Message, ReasoningChunk, Role, ToolResultChunk

__all__ = ["AGAIN", "CORRECTABLE", "Attempt", "Attempts", "LastResponse", "checked_retries", "with_error"]

log = logging.getLogger("toolglean.llm")

CORRECTABLE = (errors.ObjectError, errors.NoToolCallError, errors.UnknownToolError, errors.ParseError)
"""Errors of the model, which it may correct when it is told about them."""
SHOWN = 2000  # characters of an error that are sent to the model
AGAIN = "That did not work: {error}\n\nAnswer again, and correct this."


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that could not be used.

    Attributes:
        number: the first attempt is 1.
        error: the reason.
        response: the model's answer; None if it is not known.
    """

    number: int
    error: errors.LLMError
    response: ChatResponse | None


class Attempts:
    """The attempts of one call.

    Args:
        max_retries: how often the model is asked again at most.
        on_attempt: called with each failed attempt.
    """

    def __init__(self, max_retries: int, on_attempt: Callable[[Attempt], Any] | None = None) -> None:
        self._left = max_retries
        self._on_attempt = on_attempt
        self._failed: list[Attempt] = []

    def failed(self, error: errors.LLMError) -> Attempt:
        """Record a failed attempt.

        Returns:
            The attempt, if the model is to be asked again.

        Raises:
            The error, with all attempts in `failed_attempts`, if no retries are left.
        """
        attempt = Attempt(len(self._failed) + 1, error, error.response)
        self._failed.append(attempt)
        error.failed_attempts = tuple(self._failed)
        if self._on_attempt is not None:
            self._on_attempt(attempt)
        if not self._left:
            raise error
        self._left -= 1
        log.info("attempt %d failed, asking the model again: %s", attempt.number, error)
        return attempt


class LastResponse:
    """A context that adds the model's answer to an error inside it, which asking again needs.

    Args:
        response: the answer; None: none came yet.
    """

    def __init__(self, response: Any = None) -> None:
        self.response = response

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, errors.LLMError) and error.response is None:
            error.response = self.response


def with_error(messages: Sequence[Message], attempt: Attempt) -> list[Message]:
    """The messages, followed by the model's answer and by what is wrong with it."""
    error = str(attempt.error)[:SHOWN]
    response = attempt.response
    if response is None:
        return [*messages, Message.from_str(AGAIN.format(error=error))]
    chunks: list[Chunk] = [chunk for chunk in response.message.chunks if not isinstance(chunk, ReasoningChunk)]
    calls = response.tool_calls
    if calls:
        results: list[Chunk] = [
            ToolResultChunk(name=call.name, id=call.id, content={"error": error, "hint": "call it again, corrected"})
            for call in calls
        ]
        return [*messages, Message(role=Role.MODEL, chunks=chunks), Message(role=Role.TOOL, chunks=results)]
    text = response.message.content or "\n".join(f"{call.name}: {call.unread}" for call in response.unfinished)
    spoken = [Message.from_str(text, Role.MODEL)] if text.strip() else []
    return [*messages, *spoken, Message.from_str(AGAIN.format(error=error))]


def checked_retries(max_retries: Any) -> int:
    """The number of retries.

    Raises:
        ConfigurationError: it is not an integer, or below 0.
    """
    if not isinstance(max_retries, int) or isinstance(max_retries, bool) or max_retries < 0:
        message = f"max_retries={max_retries!r:.80} is not valid: pass an integer of 0 or more"
        raise errors.ConfigurationError(message, field="max_retries", value=max_retries)
    return max_retries
