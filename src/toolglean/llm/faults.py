# What this file knows: which of our errors is raised for each error of the ollama package, of httpx and of the network.
# Does not depend on what was requested.
"""Errors of requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from ollama import ResponseError

from toolglean.llm.errors import (
    LLMError,
    RequestConnectionError,
    RequestError,
    RequestTimeoutError,
    ServerError,
    StreamInterruptedError,
)
from toolglean.llm.sse import StatusError

__all__ = ["Asked", "interrupted", "wrapped"]


@dataclass(slots=True)
class Asked:
    """A request, as its errors describe it."""

    operation: str
    model: str
    base_url: str
    attempts: int = 1

    def facts(self) -> dict[str, Any]:
        """The arguments of a `RequestError`."""
        return {
            "operation": self.operation,
            "model": self.model,
            "base_url": self.base_url,
            "attempts": self.attempts,
        }


@contextlib.contextmanager
def wrapped(asked: Asked) -> Iterator[Asked]:
    """Convert what is raised inside to one of our errors, with the original as its cause."""
    try:
        yield asked
    except LLMError:
        raise
    except Exception as error:
        found = _ours(error, asked)
        if found is None:
            raise
        raise found from error


def _ours(error: Exception, asked: Asked) -> RequestError | None:
    where = f"{asked.operation} with {asked.model!r} at {asked.base_url}"
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return RequestTimeoutError(f"{where}: no answer in time ({type(error).__name__})", **asked.facts())
    if isinstance(error, ResponseError | StatusError):
        return ServerError(f"{where}: {error.error}", status=error.status_code, body=error.error, **asked.facts())
    if isinstance(error, ConnectionError | httpx.TransportError):
        return RequestConnectionError(f"{where}: {str(error) or type(error).__name__}", **asked.facts())
    if isinstance(error, httpx.HTTPError | ValueError):  # a line that is not JSON raises a ValueError
        return ServerError(f"{where}: the answer cannot be read: {error}", body=str(error), **asked.facts())
    return None


@contextlib.contextmanager
def interrupted(asked: Asked, reading: Any) -> Iterator[None]:
    """Convert what is raised inside to a `StreamInterruptedError`: `reading.last` is what was received before."""
    try:
        yield
    except LLMError:
        raise
    except Exception as error:
        found = _ours(error, asked)
        if found is None:
            raise
        raise StreamInterruptedError(f"the stream broke: {found}", partial=reading.last, **asked.facts()) from error
