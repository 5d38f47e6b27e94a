# The connections of a proxy to its upstream: their limits, and when a request is sent once more.
# Does not depend on what is sent, or on what becomes of an answer (application.py).
#
# A server closes a connection that is not used, and may do so while a request is on its way. Such a request ends before
# its answer, on a connection that has served others. It is sent once more, on a new connection, if that changes nothing
# should the server have read it (RFC 9110, 9.2.2): a turn of a model changes nothing, but a response is stored, and may
# be added to a conversation.
"""Connections to the server that a proxy sends to."""

from __future__ import annotations

from contextlib import AsyncExitStack
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Self

import httpx

__all__ = ["Connections"]

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection. There is no other time limit: a model may think as long as its caller waits."""
KEPT = 100
"""How many idle connections are kept."""
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
TURNS = frozenset({"chat", "messages", "ollama"})
"""The APIs of whose requests the server keeps nothing."""


class Connections(AsyncExitStack):
    """The connections to one server.

    Args:
        transport: how it is reached; None: httpx's own.
        silence: how many seconds it may be silent; None: as long as it likes.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport | None, silence: float | None) -> None:
        super().__init__()
        self._timeout = httpx.Timeout(None, connect=CONNECT_TIMEOUT, read=silence)
        self._kept, self._new = (self._client(transport, kept) for kept in (KEPT, 0))

    def _client(self, transport: httpx.AsyncBaseTransport | None, kept: int) -> httpx.AsyncClient:
        none: list[str] = []
        return httpx.AsyncClient(
            transport=transport,
            timeout=self._timeout,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=kept),
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=none)),  # one caller's cookies must not reach another
        )

    async def __aenter__(self) -> Self:
        for client in (self._kept, self._new):
            await self.enter_async_context(client)
        return self

    async def send(self, asked: httpx.Request, api: str) -> httpx.Response:
        """The answer to a request, whose body is not read yet.

        Args:
            asked: the request.
            api: as in `Record`.

        Raises:
            What httpx raises.
        """
        steps: set[str] = set()

        async def trace(step: str, _: Any) -> None:
            steps.add(step.partition(".")[0])

        asked.extensions = {"timeout": self._timeout.as_dict(), "trace": trace}
        try:
            return await self._kept.send(asked, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError):
            if steps != {"http11"} or not (asked.method in IDEMPOTENT or api in TURNS):  # or it was a new connection
                raise
        return await self._new.send(asked, stream=True)
