# HTTP between a caller and an upstream server: limits, errors, and disconnecting.
# Does not depend on how connections are kept (connections.py), on which headers are passed on (upstream.py), on what an
# answer becomes (../repair), on how a history is rewritten (history.py), on how counters are written (metrics.py), or
# on what is logged of a request (records.py).
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

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, Literal
from urllib.parse import quote

from toolglean._install import needs

try:
    import anyio
    import anyio.to_thread
    import httpx
    import uvicorn  # noqa: F401  # workers.py needs it: for the sake of the message
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route
except ImportError as error:
    said = needs(f"toolglean.clients.proxy needs {error.name}", "proxy")
    raise ImportError(said, name=error.name) from error

from toolglean.clients.across import Crossing, CrossingError
from toolglean.clients.proxy.connections import Connections
from toolglean.clients.proxy.history import as_text
from toolglean.clients.proxy.metrics import Board, Metrics
from toolglean.clients.proxy.records import Record, Watcher
from toolglean.clients.proxy.upstream import PathError, Upstream, to_caller, to_upstream
from toolglean.clients.repair import AnswerReader, Exchange, Kind, Repair, decoded, kind_of
from toolglean.clients.repair.answers import ServerSentEvents, Whole
from toolglean.clients.repair.bodies import BodyError, reader_of, unpacked
from toolglean.errors import UsageError

__all__ = ["BODY_LIMIT", "Upstream", "application"]

log = logging.getLogger("toolglean.proxy")

BODY_LIMIT = 64 * 1024 * 1024
"""How many bytes the body of a request may have, by default."""
BUSY = 503
"""The status for a request beyond the limit of open ones."""
STOPPED = "stopped"
"""The error of an answer that was still open when the server's patience ended."""
CLOSING = 2.0
"""Seconds that a connection may take to close."""
SMALL = 64 * 1024
"""Bytes of a request, or of a whole answer, that are parsed in the event loop. Larger ones are parsed in a thread."""
THREADS = 4
"""How many of them are parsed at the same time."""

PLAIN_IN_PATHS = "/:@!$&'()*+,;=~"
"""Characters of a path that need no quoting, for a server that passes only the unquoted path."""


def application(
    upstream: str,
    repair: Repair | None = None,
    *,
    history: Literal["messages", "text"] = "messages",
    serve_messages: bool = False,
    body_limit: int = BODY_LIMIT,
    request_limit: int | None = None,
    silence_limit: float | None = None,
    watchers: Sequence[Watcher] = (),
    board: Board | None = None,
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
        request_limit: how many requests may be open at once; others get status 503. None: any number.
        silence_limit: how many seconds the upstream may be silent before it is given up. None: as long as it likes.
        watchers: are told of each request: `RequestLog()`, or `Telemetry` of `toolglean.clients.proxy.telemetry`.
        board: where other processes that serve the same port write their counters; None: there are none.
        transport: how the upstream is reached; None: httpx's own.

    Raises:
        UsageError: an argument is wrong.
    """
    if history not in {"messages", "text"}:
        raise UsageError(f"history={history!r:.80} is not valid: pass 'messages' or 'text'")
    proxy = _Proxy(Upstream.of(upstream), Repair() if repair is None else repair, Metrics(board), watchers)
    proxy.as_text, proxy.crosses = history == "text", serve_messages
    proxy.body_limit, proxy.request_limit = body_limit, request_limit

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        proxy.threads = anyio.CapacityLimiter(THREADS)
        async with Connections(transport, silence_limit) as proxy.connections:
            yield

    async def healthy(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def metrics(_: Request) -> Response:
        return Response(proxy.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    routes = [Route("/healthz", healthy), Route("/metrics", metrics), Mount("/", proxy)]
    return Starlette(routes=routes, lifespan=lifespan)


class _RefusedError(Exception):
    """The proxy answers a request itself, with an error object. Users never see it.

    Args:
        status: of the answer.
        message: for the caller.
        kind, code: of the error object.
    """

    def __init__(self, status: int, message: str, kind: str, code: str) -> None:
        super().__init__(message)
        self._status, self._said, self._code = status, _error(message, kind, code), code

    async def answer(self, record: Record, request: Request, send: Any) -> None:
        """Send it."""
        record.status, record.error = self._status, self._code
        headers = {"retry-after": "1"} if self._status == BUSY else {}
        await JSONResponse(self._said, self._status, headers)(request.scope, request.receive, send)


class _Proxy:
    """The application for all paths but our own two."""

    connections: Connections
    threads: anyio.CapacityLimiter
    as_text: bool
    crosses: bool
    body_limit: int
    request_limit: int | None

    def __init__(self, upstream: Upstream, repair: Repair, metrics: Metrics, watchers: Sequence[Watcher]) -> None:
        self.repair = repair
        self.metrics = metrics
        self._upstream = upstream
        self._watchers = watchers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1003})
            return
        request = Request(scope, receive)
        record = Record(kind_of(request.method, scope["path"]) or "other", request.method, scope["path"])
        self._begin(record, request)
        try:
            self._check_limit()
            await self._served(request, record, send)
        except ClientDisconnect:
            record.left = True
        except _RefusedError as error:
            await error.answer(record, request, send)
        except anyio.get_cancelled_exc_class():
            record.error = record.error or STOPPED
            raise
        finally:
            self._end(record)

    def _begin(self, record: Record, request: Request) -> None:
        self.metrics.count("requests", label=record.api)
        self.metrics.count("open")
        self.metrics.publish()
        for each in self._watchers:
            each.begin(record, dict(request.headers))

    def _check_limit(self) -> None:
        if self.request_limit is not None and self.metrics.open > self.request_limit:
            self.metrics.count("refused")
            message = f"the proxy has {self.request_limit} open requests, its limit: try again"
            raise _RefusedError(BUSY, message, "overloaded_error", "too_many_requests")

    def _over(self, record: Record) -> None:
        # Before the end of an answer is sent, because whoever has read it may ask for the counters at once.
        if not record.over:
            record.over, record.took = True, record.since()
            self.metrics.count("open", -1)
            if record.toolless:
                if not self.metrics.values["unread"]:
                    log.warning("a request has no tools, so its answer is not read: only calls of declared tools are")
                self.metrics.count("unread", label="no-tools")
            self.metrics.found(record.counts)
            self.repair.counts.add(record.counts)
            self.metrics.publish()

    def _end(self, record: Record) -> None:
        self._over(record)
        if record.left:
            self.metrics.count("left")
            self.metrics.publish()
        for each in self._watchers:
            each.end(record)

    def _target(self, request: Request, record: Record) -> bytes:
        scope = request.scope
        try:
            if self.crosses and record.api == "messages":
                return self._upstream.chat
            path: bytes = scope.get("raw_path") or quote(scope["path"], safe=PLAIN_IN_PATHS).encode()
            return self._upstream.target_of(path, scope["query_string"])
        except PathError as error:
            message = f"the path of the request {error}: it must stay inside the upstream's path"
            raise _RefusedError(400, message, "invalid_request_error", "path_refused") from error

    async def _body(self, request: Request) -> bytes:
        parts: list[bytes] = []
        length = 0
        announced = request.headers.get("content-length", "")
        if not announced.isdecimal() or int(announced) <= self.body_limit:
            async for data in request.stream():
                length += len(data)
                if length > self.body_limit:
                    break
                parts.append(data)
            else:
                return b"".join(parts)
        message = f"the body of the request has more than {self.body_limit} bytes, the limit of this proxy"
        raise _RefusedError(413, message, "invalid_request_error", "body_too_large")

    async def _served(self, request: Request, record: Record, send: Any) -> None:
        exchange, asked = await self._asked(request, record)

        async def until_the_caller_leaves() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            record.left = not record.over  # after the end of an answer, the server reports this too
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(until_the_caller_leaves)
            try:
                await self._passed_on(asked, exchange, record, send)
            except _RefusedError as error:  # a group would wrap it
                self._over(record)
                await error.answer(record, request, send)
            group.cancel_scope.cancel()

    async def _asked(self, request: Request, record: Record) -> tuple[Exchange | Crossing | None, httpx.Request]:
        """How to read the answer to a request, and the request for the upstream."""
        target, body = self._target(request, record), await self._body(request)
        try:
            exchange, body = await self._run(len(body) > SMALL, self._looked_at, record, body)
        except CrossingError as error:
            raise _RefusedError(400, str(error), "invalid_request_error", "not_in_the_chat_api") from error
        try:
            url = httpx.URL(self._upstream.origin).copy_with(raw_path=target)
        except httpx.InvalidURL as error:  # it is longer than any server takes
            message = f"the path of the request cannot be passed on: {error}"
            raise _RefusedError(414, message, "invalid_request_error", "path_refused") from error
        asked = httpx.Request(
            request.method,
            url,
            headers=to_upstream(request.scope["headers"], record.headers, crosses=isinstance(exchange, Crossing)),
            content=body,
        )
        return exchange, asked

    def _looked_at(self, record: Record, body: bytes) -> tuple[Exchange | Crossing | None, bytes]:
        asked = None if record.api == "other" else decoded(body)
        record.name_model(asked or {})
        repair = copy(self.repair)
        repair.counts = record.counts
        exchange: Exchange | Crossing | None
        kind: Kind = "chat"
        if self.crosses and record.api == "messages":
            exchange = Crossing(asked, repair)
            written = exchange.asked
        elif asked is None or record.api == "other":
            return None, body
        else:
            kind, written = record.api, asked
            exchange = repair.asked(kind, asked)
            record.toolless = not (asked.get("tools") or asked.get("functions"))
        if self.as_text:
            written = as_text(kind, written, repair)
        return exchange, body if written is asked else json.dumps(written).encode()

    async def _passed_on(
        self, asked: httpx.Request, exchange: Exchange | Crossing | None, record: Record, send: Any
    ) -> None:
        try:
            answer = await self.connections.send(asked, record.api)
        except httpx.HTTPError as error:
            self.metrics.count("errors")
            log.warning("the upstream %s did not answer: %s", self._upstream.origin, type(error).__name__)
            message = f"the upstream did not answer: {type(error).__name__}: {error}"
            raise _RefusedError(502, message, "upstream_error", "upstream_unreachable") from error
        record.status = answer.status_code
        try:
            is_large = exchange is not None and exchange.is_large
            reader = await self._run(is_large, reader_of, exchange, answer)
            await self._answered(answer, reader, record, send, is_large=is_large)
        finally:
            with anyio.move_on_after(CLOSING, shield=True):
                await answer.aclose()

    async def _answered(
        self, answer: httpx.Response, reader: AnswerReader | None, record: Record, send: Any, *, is_large: bool
    ) -> None:
        own = reader if isinstance(reader, Whole) and reader.status else None

        async def begin() -> None:
            record.status = answer.status_code if own is None else own.status
            headers = to_caller(answer.headers.raw, repaired=reader is not None, is_json=own is not None)
            await send({"type": "http.response.start", "status": record.status, "headers": headers})

        if not (waits := own is not None):  # whose status is known at its end
            await begin()
        came = 0
        try:
            async for data in answer.aiter_raw() if reader is None else unpacked(answer):
                if not came:
                    record.first = record.since()
                came += len(data)
                if found := data if reader is None else await self._run(is_large, reader.feed, data):
                    if waits:
                        await begin()
                        waits = False
                    await send({"type": "http.response.body", "body": found, "more_body": True})
            last = b"" if reader is None else await self._run(is_large or came > SMALL, reader.finish)
        except (httpx.HTTPError, httpx.StreamError, BodyError) as error:
            self.metrics.count("errors")
            record.error = type(error).__name__
            log.warning("the upstream disconnected: %s", record.error)
            last = await self._run(is_large or came > SMALL, _last_words, reader, error)
        if waits:
            await begin()
        self._over(record)
        # After an error without an end: the server then breaks the connection, as the upstream did.
        await send({"type": "http.response.body", "body": last, "more_body": bool(record.error) and not waits})

    async def _run(self, is_large: bool, do: Callable[..., Any], *given: Any) -> Any:  # noqa: FBT001
        """Call it, in a thread if it may take long, so that other requests can continue."""
        return await anyio.to_thread.run_sync(do, *given, limiter=self.threads) if is_large else do(*given)


def _last_words(reader: AnswerReader | None, error: Exception) -> bytes:
    if not isinstance(reader, ServerSentEvents):
        return b"" if reader is None else reader.finish()
    why = error if isinstance(error, BodyError) else type(error).__name__
    said = _error(f"the upstream disconnected before the end: {why}", "upstream_error", "upstream_disconnected")
    return reader.broken(said)


def _error(message: str, kind: str, code: str) -> dict[str, Any]:
    return {"type": "error", "error": {"message": message, "type": kind, "param": None, "code": code}}
