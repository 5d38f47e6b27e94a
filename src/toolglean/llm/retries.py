# What this file knows: which failures are worth another try, and how long to wait.
# What it must not know: what is tried.
"""When a request is tried again."""

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
    """Whether the same request may succeed a little later: no connection, a time-out, a busy or a broken server."""
    if isinstance(error, ResponseError | StatusError):
        return error.status_code in RETRYABLE_STATUS
    return isinstance(error, ConnectionError | TimeoutError | httpx.TimeoutException | httpx.TransportError)


class RetryPolicy(BaseModel):
    """How often, and when, a request is tried again. Only until the first chunk of an answer has come, never after it.

    Attributes:
        attempts: how often in all; 1: never again.
        wait: seconds before the second try; each further wait is twice as long, with some chance in it.
        max_wait: seconds to wait at most.
    """

    model_config = ConfigDict(frozen=True)

    attempts: int = Field(default=3, ge=1)
    wait: float = Field(default=0.5, ge=0)
    max_wait: float = Field(default=8.0, ge=0)

    def _options(self) -> dict[str, Any]:
        return {
            "stop": stop_after_attempt(self.attempts),
            "wait": wait_exponential(multiplier=self.wait, max=self.max_wait) + wait_random(0, self.wait),
            "retry": retry_if_exception(is_retryable),
            "reraise": True,
        }

    def retrying(self) -> Retrying:
        """For a plain function."""
        return Retrying(**self._options())

    def aretrying(self) -> AsyncRetrying:
        """For an asynchronous one."""
        return AsyncRetrying(**self._options())
