# What this file knows: what a server's errors say, which of our errors is raised for each error of the ollama package,
# of httpx and of the network, and after which of them a request is sent again.
# Does not depend on what was requested.
"""Errors of requests, and retries."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import httpx
from ollama import ResponseError
from pydantic import BaseModel, ConfigDict, Field
from tenacity import AsyncRetrying, Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from toolglean.clients.ollama.client import BUSY
from toolglean.clients.parts import data_of
from toolglean.llm import errors

__all__ = ["RequestInfo", "RetryPolicy", "StatusError", "chunk_of", "converting_errors", "is_retryable", "refusal"]

SHOWN = 500  # characters of a server's error in a message


# -- what a server says ------------------------------------------------------------------------------------------------


class StatusError(Exception):
    """The server answered with an error.

    Attributes:
        error: the error's text.
        status_code: the HTTP status; -1 if the error was inside an answer.
    """

    def __init__(self, error: str, status_code: int = -1) -> None:
        super().__init__(f"{error} (status code: {status_code})")
        self.error = error
        self.status_code = status_code


def refusal(status: int, body: str) -> StatusError:
    """The error for an answer whose status is not 200."""
    try:
        text = _error_text(json.loads(body))
    except (ValueError, RecursionError):
        text = ""
    return StatusError(text or body[:SHOWN] or f"status {status}", status)


def _error_text(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else json.dumps(error)[:SHOWN] if error else ""


def chunk_of(event: bytes) -> Any:
    """The chunk in an event; None if there is none.

    Raises:
        StatusError: the server sent an error.
        ValueError: the chunk is not JSON.
    """
    data = data_of(event).decode(errors="replace").strip()
    if not data or data == "[DONE]":
        return None
    chunk = json.loads(data)
    if text := _error_text(chunk):
        raise StatusError(text)
    return chunk


# -- our errors --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class RequestInfo:
    """A request, as its errors describe it."""

    operation: str
    model: str
    base_url: str
    attempts: int = 1


@contextlib.contextmanager
def converting_errors(info: RequestInfo, reading: Any = None) -> Iterator[RequestInfo]:
    """Convert what is raised inside to one of our errors, with the original as its cause.

    Args:
        info: the request.
        reading: of its stream, in the middle of it: the error is then a `StreamInterruptedError`, and `reading.last` is
            what was received before. None: nothing was received yet.
    """
    try:
        yield info
    except errors.LLMError:
        raise
    except Exception as error:
        found = _ours(error, info)
        if found is None:
            raise
        if reading is not None:
            found = errors.StreamInterruptedError(f"the stream broke: {found}", partial=reading.last, **asdict(info))
        raise found from error


def _ours(error: Exception, info: RequestInfo) -> errors.RequestError | None:
    where = f"{info.operation} with {info.model!r} at {info.base_url}"
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return errors.RequestTimeoutError(f"{where}: no answer in time ({type(error).__name__})", **asdict(info))
    if isinstance(error, ResponseError | StatusError):
        return errors.ServerError(f"{where}: {error.error}", status=error.status_code, body=error.error, **asdict(info))
    if isinstance(error, ConnectionError | httpx.TransportError):
        return errors.RequestConnectionError(f"{where}: {str(error) or type(error).__name__}", **asdict(info))
    # A line that is not JSON raises a ValueError, one that is nested without end a RecursionError.
    if isinstance(error, httpx.HTTPError | ValueError | RecursionError):
        return errors.ServerError(f"{where}: the answer cannot be read: {error}", body=str(error), **asdict(info))
    return None


# -- retries -----------------------------------------------------------------------------------------------------------


def is_retryable(error: BaseException) -> bool:
    """Whether the same request may succeed a little later: no connection, a timeout, a busy or failing server."""
    if isinstance(error, ResponseError | StatusError):
        return error.status_code in BUSY
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
