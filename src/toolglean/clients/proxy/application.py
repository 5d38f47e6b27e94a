# HTTP between a caller and an upstream server: headers, limits, errors, and disconnecting.
# Does not depend on what an answer becomes (../repair), on how a history is rewritten (history.py), or on how counters
# are written (metrics.py).
#
#   the caller                          the upstream                         what happens
#   sends a request                                                          the same request, without Accept-Encoding
#   waits                               cannot be reached, or disconnects    502, with an error object
#                                       before its first byte
#   reads                               disconnects later                    what was held back; an error event in a
#                                                                            stream; then the connection breaks
#   disconnects                         is still writing                     its connection is closed
#
# An error object is OpenAI's, with the `type` of Anthropic's.
#
# No key is stored and no body is logged: both belong to the caller.
"""A proxy that repairs the answers of a server: a Starlette application on httpx."""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Literal
from urllib.parse import quote

from toolglean._install import needs

try:
    import anyio
    import anyio.to_thread
    import httpx
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route
except ImportError as error:
    said = needs(f"toolglean.clients.proxy needs {error.name}", "proxy")
    raise ImportError(said, name=error.name) from error

from toolglean.clients.across import Crossing, CrossingError
from toolglean.clients.proxy.history import as_text
from toolglean.clients.proxy.metrics import Metrics
from toolglean.clients.proxy.upstream import PathError, Upstream
from toolglean.clients.repair import AnswerReader, Exchange, Kind, Repair, kind_of
from toolglean.clients.repair.answers import ServerSentEvents
from toolglean.clients.repair.bodies import BodyError, aunpacked, can_unpack
from toolglean.errors import UsageError

__all__ = ["BODY_LIMIT", "Upstream", "application", "serve"]

log = logging.getLogger("toolglean.proxy")

BODY_LIMIT = 64 * 1024 * 1024
"""How many bytes the body of a request may have, by default."""
CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection. There is no other time limit: a model may think as long as its caller waits."""
PATIENCE = 5
"""Seconds that open streams have to end when the server is stopped."""
CLOSING = 2.0
"""Seconds that a connection may take to close."""
SMALL = 64 * 1024
"""Bytes of a request, or of a whole answer, that are parsed in the event loop. Larger ones are parsed in a thread."""
THREADS = 4
"""How many of them are parsed at the same time."""

HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te"}
    | {b"trailer", b"transfer-encoding", b"upgrade"}
)
"""Headers about one connection, which do not apply to the other one (RFC 9110, 7.6.1)."""
OURS = frozenset({b"host", b"content-length", b"accept-encoding"})
"""Headers of a request that the proxy sets itself."""
CHAT = b"/v1/chat/completions"
"""The path of the chat API, for requests of the Messages API that cross to it."""
PLAIN_IN_PATHS = "/:@!$&'()*+,;=~"
"""Characters of a path that need no quoting, for a server that passes only the unquoted path."""


def application(
    upstream: str,
    repair: Repair | None = None,
    *,
    history: Literal["messages", "text"] = "messages",
    serve_messages: bool = False,
    body_limit: int = BODY_LIMIT,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """The proxy as an ASGI application.

    Args:
        upstream: the URL of the server, such as http://localhost:8000/v1.
        repair: how answers are repaired; None: `Repair()`.
        history: "messages": requests are passed through. "text": calls, results and the list of tools become text, for
            servers whose template does not support them.
        serve_messages: whether requests of Anthropic's Messages API become requests of OpenAI's chat API, for a server
            that has only the latter.
        body_limit: how many bytes the body of a request may have.
        transport: how the upstream is reached; None: httpx's own.

    Raises:
        UsageError: an argument is wrong.
    """
    if history not in {"messages", "text"}:
        raise UsageError(f"history={history!r:.80} is not valid: pass 'messages' or 'text'")
    repair = Repair() if repair is None else repair
    proxy = _Proxy(
        Upstream.of(upstream), repair, as_text=history == "text", crosses=serve_messages, body_limit=body_limit
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        proxy.threads = anyio.CapacityLimiter(THREADS)
        async with _client(transport) as proxy.client:
            yield

    async def healthy(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def metrics(_: Request) -> Response:
        return Response(proxy.metrics.text(proxy.repair.counts), media_type="text/plain; version=0.0.4; charset=utf-8")

    routes = [Route("/healthz", healthy), Route("/metrics", metrics), Mount("/", proxy)]
    return Starlette(routes=routes, lifespan=lifespan)


def serve(served: Starlette, listening: socket.socket) -> None:
    """Serve the application until the process is interrupted.

    Args:
        served: the application.
        listening: a listening socket.
    """
    config = uvicorn.Config(
        served,
        log_level="warning",
        access_log=False,
        server_header=False,  # the upstream's own are passed on
        date_header=False,
        ws="none",
        timeout_graceful_shutdown=PATIENCE,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _client(transport: httpx.AsyncBaseTransport | None) -> httpx.AsyncClient:
    none: list[str] = []
    return httpx.AsyncClient(
        transport=transport,
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=none)),  # one caller's cookies must not reach another
    )


class _TooLong(Exception):  # noqa: N818  # users never see it
    """The body of a request is larger than allowed."""


class _Proxy:
    """The application for all paths but our own two."""

    client: httpx.AsyncClient
    threads: anyio.CapacityLimiter

    def __init__(self, upstream: Upstream, repair: Repair, *, as_text: bool, crosses: bool, body_limit: int) -> None:
        self.repair = repair
        self.metrics = Metrics()
        self._upstream = upstream
        self._as_text = as_text
        self._crosses = crosses
        self._body_limit = body_limit

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1003})
            return
        request = Request(scope, receive)
        kind = kind_of(request.method, scope["path"])
        self.metrics.begin(kind or "other")
        try:
            target = self._target(scope, kind)
            await self._served(request, target, await self._body(request), send)
        except ClientDisconnect:
            self.metrics.left += 1
        except PathError as error:
            message = f"the path of the request {error}: it must stay inside the upstream's path"
            await _refusal(400, message, "invalid_request_error", "path_refused")(scope, receive, send)
        except _TooLong:
            message = f"the body of the request has more than {self._body_limit} bytes, the limit of this proxy"
            await _refusal(413, message, "invalid_request_error", "body_too_large")(scope, receive, send)
        finally:
            self.metrics.end()

    def _target(self, scope: Any, kind: Kind | None) -> bytes:
        if self._crosses and kind == "messages":
            return self._upstream.target_of(CHAT, b"")
        path: bytes = scope.get("raw_path") or quote(scope["path"], safe=PLAIN_IN_PATHS).encode()
        return self._upstream.target_of(path, scope["query_string"])

    async def _body(self, request: Request) -> bytes:
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self._body_limit:
            raise _TooLong
        parts: list[bytes] = []
        length = 0
        async for data in request.stream():
            length += len(data)
            if length > self._body_limit:
                raise _TooLong
            parts.append(data)
        return b"".join(parts)

    async def _served(self, request: Request, target: bytes, body: bytes, send: Any) -> None:
        over = False

        async def sent(message: Any) -> None:
            nonlocal over  # after the end of an answer, the server reports that the caller has disconnected
            over = over or (message["type"] == "http.response.body" and not message.get("more_body"))
            await send(message)

        async def until_the_caller_leaves() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            self.metrics.left += not over
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(until_the_caller_leaves)
            await self._passed_on(request, target, body, sent)
            group.cancel_scope.cancel()

    async def _passed_on(self, request: Request, target: bytes, body: bytes, send: Any) -> None:
        try:
            exchange, body = await self._run(len(body) > SMALL, self._looked_at, request, body)
        except CrossingError as error:
            refusal = _refusal(400, str(error), "invalid_request_error", "not_in_the_chat_api")
            await refusal(request.scope, request.receive, send)
            return
        asked = httpx.Request(
            request.method,
            httpx.URL(self._upstream.origin).copy_with(raw_path=target),
            headers=_to_upstream(request.scope["headers"], crosses=isinstance(exchange, Crossing)),
            content=body,
        )
        asked.extensions = {"timeout": self.client.timeout.as_dict()}
        try:
            answer = await self.client.send(asked, stream=True)
        except httpx.HTTPError as error:
            self.metrics.upstream_errors += 1
            log.warning("the upstream did not answer: %s", type(error).__name__)
            message = f"the upstream did not answer: {type(error).__name__}: {error}"
            refusal = _refusal(502, message, "upstream_error", "upstream_unreachable")
            await refusal(request.scope, request.receive, send)
            return
        try:
            is_large = exchange is not None and exchange.is_large
            reader = await self._run(is_large, _reader, exchange, answer)
            await self._answered(answer, reader, send, is_large=is_large)
        finally:
            with anyio.move_on_after(CLOSING, shield=True):
                await answer.aclose()

    async def _answered(
        self, answer: httpx.Response, reader: AnswerReader | None, send: Any, *, is_large: bool
    ) -> None:
        headers = _to_caller(answer.headers.raw, repaired=reader is not None)
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        came = 0
        try:
            async for data in answer.aiter_raw() if reader is None else aunpacked(answer):
                came += len(data)
                if found := data if reader is None else await self._run(is_large, reader.feed, data):
                    await send({"type": "http.response.body", "body": found, "more_body": True})
        except (httpx.HTTPError, httpx.StreamError, BodyError) as error:
            self.metrics.upstream_errors += 1
            log.warning("the upstream disconnected: %s", type(error).__name__)
            last = await self._run(is_large or came > SMALL, _last_words, reader, error)
            await send({"type": "http.response.body", "body": last, "more_body": True})
            return  # without an end: the server then breaks the connection, as the upstream did
        last = b"" if reader is None else await self._run(is_large or came > SMALL, reader.finish)
        await send({"type": "http.response.body", "body": last})

    def _looked_at(self, request: Request, body: bytes) -> tuple[Exchange | Crossing | None, bytes]:
        """How to read the answer to a request, and the body for the upstream."""
        path = request.scope["path"]
        if self._crosses and kind_of(request.method, path) == "messages":
            crossing = Crossing(body, self.repair)
            return crossing, as_text("chat", crossing.body, self.repair) if self._as_text else crossing.body
        exchange = self.repair.exchange(request.method, path, body)
        return exchange, as_text(kind_of(request.method, path), body, self.repair) if self._as_text else body

    async def _run(self, is_large: bool, do: Callable[..., Any], *given: Any) -> Any:  # noqa: FBT001
        """Call it, in a thread if it may take long, so that other requests can continue."""
        return await anyio.to_thread.run_sync(do, *given, limiter=self.threads) if is_large else do(*given)


def _reader(exchange: Exchange | Crossing | None, answer: httpx.Response) -> AnswerReader | None:
    if exchange is None or not can_unpack(answer.headers.get("content-encoding", "")):
        return None
    return exchange.reader(answer.status_code, answer.headers.get("content-type", ""))


def _last_words(reader: AnswerReader | None, error: Exception) -> bytes:
    found = b"" if reader is None else reader.finish()
    if not isinstance(reader, ServerSentEvents):
        return found
    why = error if isinstance(error, BodyError) else type(error).__name__
    said = _error(f"the upstream disconnected before the end: {why}", "upstream_error", "upstream_disconnected")
    return found + b"\n\n" + reader.event(said)


def _error(message: str, kind: str, code: str) -> dict[str, Any]:
    return {"type": "error", "error": {"message": message, "type": kind, "param": None, "code": code}}


def _refusal(status: int, message: str, kind: str, code: str) -> Response:
    return JSONResponse(_error(message, kind, code), status)


def _to_upstream(given: Iterable[tuple[bytes, bytes]], *, crosses: bool) -> list[tuple[bytes, bytes]]:
    headers = list(given)
    dropped = HOP_BY_HOP | OURS | _named_by_connection(headers)
    if crosses:  # Anthropic's clients send their key in a header of its own
        named = any(name.lower() == b"authorization" for name, _ in headers)
        keys = [] if named else [value for name, value in headers if name.lower() == b"x-api-key"]
        headers += [(b"authorization", b"Bearer " + value) for value in keys]
        dropped |= {b"x-api-key"}
    kept = [(name, value) for name, value in headers if name.lower() not in dropped]
    return [*kept, (b"accept-encoding", b"identity")]


def _to_caller(given: Iterable[tuple[bytes, bytes]], *, repaired: bool) -> list[tuple[bytes, bytes]]:
    headers = [(name.lower(), value) for name, value in given]
    dropped = HOP_BY_HOP | _named_by_connection(headers)
    if repaired:
        dropped |= {b"content-length", b"content-encoding"}
    return [(name, value) for name, value in headers if name not in dropped]


def _named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    named = [value for name, value in headers if name.lower() == b"connection"]
    return frozenset(each.strip().lower() for value in named for each in value.split(b","))
