# What this file knows: a server's errors, and the chunk in an event of a stream.
# Does not depend on what was requested, or on what the events contain.
"""Answers of a server with OpenAI's API, as JSON."""

from __future__ import annotations

import json
from typing import Any

from toolglean.clients.parts import data_of

__all__ = ["StatusError", "chunk_of", "refusal"]

SHOWN = 500  # characters of a server's error in a message


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
