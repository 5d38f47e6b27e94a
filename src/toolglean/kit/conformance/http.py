# Requests to a server, whole and streamed, with a time limit. Does not depend on what is requested.
"""Requests to a server under test, with the standard library alone."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolglean.kit.conformance.target import CrashError, LateError

__all__ = ["message_of", "post", "streamed"]

SHOWN: Final = 300
"""Characters of a server's error that are shown."""


def post(url: str, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The JSON object of a server's response.

    Raises:
        CrashError: it cannot be reached, or responds with an error or with something other than a JSON object.
        LateError: it takes longer.
    """
    return _object(b"".join(_lines(url, body, seconds)))


def streamed(url: str, body: Mapping[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """The objects of a server's event stream. Raises as `post` does."""
    ended = False
    for line in _lines(url, body, seconds):
        data = line.removeprefix(b"data:").strip()
        if line.startswith(b"data:") and data and not ended:
            ended = data == b"[DONE]"
            if not ended:
                yield _object(data)


def message_of(body: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The `message` or the `delta` of the first choice; empty if there is none, as in chunks with usage.

    Raises:
        CrashError: the server reports an error, or responds in another form.
    """
    if body.get("error"):
        raise CrashError(f"the server responded with an error: {json.dumps(body['error'])[:SHOWN]}")
    try:
        choices = body.get("choices") or [{}]
        found = choices[0].get(place) or {}
        calls = [
            {"index": call.get("index", number), **{key: function.get(key) for key in ("name", "arguments")}}
            for number, call in enumerate(found.get("tool_calls") or ())
            for function in [call.get("function") or {}]
        ]
        reasoning = found.get("reasoning_content") or found.get("reasoning")
        return {"content": found.get("content"), "reasoning": reasoning, "calls": calls}
    except (AttributeError, KeyError, TypeError) as error:
        raise CrashError(f"the response is not one of OpenAI's chat API: {json.dumps(body)[:SHOWN]}") from error


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise CrashError(f"the server's response is not JSON: {text[:SHOWN]!r}") from error
    if not isinstance(found, dict):
        raise CrashError(f"the server's response is not an object: {text[:SHOWN]!r}")
    return found


def _in_time(line: bytes, end: float) -> bytes:
    # A server that sends a little at a time is late too, even if each single read is in time.
    if time.monotonic() > end:
        raise TimeoutError
    return line


def _lines(url: str, body: Mapping[str, Any], seconds: float) -> Iterator[bytes]:
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310  # its scheme has been checked
    end = time.monotonic() + seconds
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310  # the same
            for line in answer:
                yield _in_time(line, end)
    except urllib.error.HTTPError as error:
        with error:
            shown = error.read(SHOWN).decode(errors="replace")
        raise CrashError(f"the server responded with status {error.code}: {shown}") from error
    except OSError as error:  # also urllib's own, when it cannot connect, which has the error that led to it
        if isinstance(getattr(error, "reason", error), TimeoutError):
            raise LateError(f"longer than {seconds:g} seconds") from error
        raise CrashError(f"{url} cannot be reached: {error}") from error
