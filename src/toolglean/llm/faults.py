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

__all__ = ["RequestInfo", "converting_errors"]


@dataclass(slots=True)
class RequestInfo:
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
def converting_errors(info: RequestInfo, reading: Any = None) -> Iterator[RequestInfo]:
    """Convert what is raised inside to one of our errors, with the original as its cause.

    Args:
        info: the request.
        reading: of its stream, in the middle of it: the error is then a `StreamInterruptedError`, and `reading.last` is
            what was received before. None: nothing was received yet.
    """
    try:
        yield info
    except LLMError:
        raise
    except Exception as error:
        found = _ours(error, info)
        if found is None:
            raise
        if reading is not None:
            found = StreamInterruptedError(f"the stream broke: {found}", partial=reading.last, **info.facts())
        raise found from error


def _ours(error: Exception, info: RequestInfo) -> RequestError | None:
    where = f"{info.operation} with {info.model!r} at {info.base_url}"
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return RequestTimeoutError(f"{where}: no answer in time ({type(error).__name__})", **info.facts())
    if isinstance(error, ResponseError | StatusError):
        return ServerError(f"{where}: {error.error}", status=error.status_code, body=error.error, **info.facts())
    if isinstance(error, ConnectionError | httpx.TransportError):
        return RequestConnectionError(f"{where}: {str(error) or type(error).__name__}", **info.facts())
    if isinstance(error, httpx.HTTPError | ValueError):  # a line that is not JSON raises a ValueError
        return ServerError(f"{where}: the answer cannot be read: {error}", body=str(error), **info.facts())
    return None
