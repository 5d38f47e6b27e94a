# How the body of an answer is sent: all that has come since the last piece was sent, in one piece. Does not depend on
# what it contains.
#
# To send a piece costs far more than to read an event, so a process with much to do sends fewer and larger pieces: it
# slows down by degrees. Nothing waits while nothing else has to be done.
"""The body of an answer, on its way to a caller."""

from __future__ import annotations

from typing import Any

import anyio

__all__ = ["Body"]

MOST = 64 * 1024
"""Bytes that may wait. Whoever has more must wait until they are sent."""


class Body:
    """One body.

    Args:
        send: sends a message of ASGI.
    """

    def __init__(self, send: Any) -> None:
        self._send = send
        self._parts: list[bytes] = []
        self._size = 0
        self._more = anyio.Event()
        self._order = anyio.Lock(fast_acquire=True)

    async def add(self, data: bytes) -> None:
        """Send `data`, soon."""
        self._parts.append(data)
        self._size += len(data)
        self._more.set()
        if self._size > MOST:
            await self._flush()

    async def send_what_waits(self) -> None:
        """Send what was added, until this is cancelled."""
        while True:
            await self._more.wait()
            await self._flush()

    async def end(self, last: bytes, *, is_whole: bool) -> None:
        """Send what waits and `last`, and end the body if it is whole."""
        data = b"".join([*self._parts, last])
        await self._send({"type": "http.response.body", "body": data, "more_body": not is_whole})

    async def _flush(self) -> None:
        async with self._order:
            parts, self._parts, self._size, self._more = self._parts, [], 0, anyio.Event()
            if parts:
                with anyio.CancelScope(shield=True):
                    await self._send({"type": "http.response.body", "body": b"".join(parts), "more_body": True})
