# What this file knows: after which failures a request is sent again, and how long to wait.
# Does not depend on what is requested.
"""Retries of requests."""

from __future__ import annotations

from typing import Any

import httpx
from ollama import ResponseError
from pydantic import BaseModel, ConfigDict, Field
from tenacity import AsyncRetrying, Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from toolglean.llm.sse import StatusError

__all__ = ["RetryPolicy", "is_retryable"]

RETRYABLE_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


def is_retryable(error: BaseException) -> bool:
    """Whether the same request may succeed a little later: no connection, a timeout, a busy or failing server."""
    if isinstance(error, ResponseError | StatusError):
        return error.status_code in RETRYABLE_STATUS
    return isinstance(error, ConnectionError | TimeoutError | httpx.TimeoutException | httpx.TransportError)


class RetryPolicy(BaseModel):
    """How often, and when, a failed request is sent again. This never happens after the first chunk of an answer.

    Attributes:
        attempts: how often it is sent in total; 1: no retries.
        wait: seconds before the second attempt; each further wait is twice as long, plus a random time.
        max_wait: the longest wait in seconds.
    """

    model_config = ConfigDict(frozen=True)

    attempts: int = Field(default=3, ge=1)
    wait: float = Field(default=0.5, ge=0)
    max_wait: float = Field(default=8.0, ge=0)

    def retrying(self, *, is_async: bool = False) -> Any:
        """The attempts to iterate over, in a plain function or an asynchronous one.

        Args:
            is_async: whether it waits asynchronously.
        """
        kind: Any = AsyncRetrying if is_async else Retrying
        return kind(
            stop=stop_after_attempt(self.attempts),
            wait=wait_exponential(multiplier=self.wait, max=self.max_wait) + wait_random(0, self.wait),
            retry=retry_if_exception(is_retryable),
            reraise=True,
        )
