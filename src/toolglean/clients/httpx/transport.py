# What httpx and httpx2 call: transports, and the streams of the responses that they return.
# Does not depend on which answers are repaired, or how (../repair), or on how clients are made (client.py).
#
# openai 3 is built on httpx2, earlier versions and many frameworks on httpx; each checks that it gets a client of its
# own library. So the classes are made for either, when they are first asked for.
"""Transports whose responses have their leaked calls repaired."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from toolglean.clients.at_once import at_once, plainly, settled
from toolglean.clients.repair import AnswerReader, Exchange, Repair, kind_of
from toolglean.clients.repair.bodies import ABOUT_BYTES, BodyError, can_unpack, reader_of, unpacked

__all__ = ["Through", "classes_of"]

CHANGED = ABOUT_BYTES | {"transfer-encoding"}
"""Headers that are wrong for a repaired body."""


class _Body:
    library: Any

    def __init__(self, response: Any, reader: AnswerReader) -> None:
        self._response, self._reader = response, reader

    async def repaired(self, *, plain: bool) -> AsyncGenerator[bytes]:
        """The repaired body; `plain`: as for `unpacked`."""
        try:
            async for data in unpacked(self._response, plain=plain):
                if found := self._reader.feed(data):
                    yield found
        except Exception as error:
            if found := self._reader.finish():
                yield found
            if isinstance(error, BodyError):  # for the caller, the library's own error
                raise self.library.DecodingError(str(error), request=self._response.request) from error
            raise
        if found := self._reader.finish():
            yield found


class _Stream(_Body):
    def __iter__(self) -> Iterator[bytes]:
        return plainly(self.repaired(plain=True))

    def close(self) -> None:
        self._response.close()


class _AsyncStream(_Body):
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.repaired(plain=False)

    async def aclose(self) -> None:
        await self._response.aclose()


class _Repairing:
    library: Any
    stream: Any

    def __init__(self, inner: Any, repair: Repair) -> None:
        self.inner, self.repair = inner, repair

    def asked(self, exchange: Exchange | None, request: Any) -> None:
        """Do not accept an encoding that cannot be decompressed here."""
        given = request.headers.get("accept-encoding", "")
        kept = [each.strip() for each in given.split(",") if can_unpack(each.partition(";")[0])]
        if exchange is not None and given and len(kept) < given.count(",") + 1:
            request.headers["accept-encoding"] = ", ".join(kept) or "identity"

    def repaired(self, exchange: Exchange | None, request: Any, response: Any) -> Any:
        """The response, with a repaired body if it can be repaired."""
        reader = reader_of(exchange, response)
        if reader is None:
            return response
        response.request = request  # its errors name it
        kept = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in CHANGED]
        stream = self.stream(response, reader)
        return self.library.Response(response.status_code, headers=kept, stream=stream, extensions=response.extensions)

    async def handled(self, request: Any, read: Callable[[], Any], send: Callable[[Any], Any]) -> Any:
        """The response to a request, whose body `read` reads, and which `send` sends."""
        path, exchange = request.url.path, None
        if kind_of(request.method, path):  # no other body is read into memory
            exchange = self.repair.exchange(request.method, path, await settled(read()))
            self.asked(exchange, request)
        return self.repaired(exchange, request, await settled(send(request)))


class _Transport(_Repairing):
    def handle_request(self, request: Any) -> Any:
        return at_once(self.handled(request, request.read, self.inner.handle_request))

    def close(self) -> None:
        self.inner.close()


class _AsyncTransport(_Repairing):
    async def handle_async_request(self, request: Any) -> Any:
        return await self.handled(request, request.aread, self.inner.handle_async_request)

    async def aclose(self) -> None:
        await self.inner.aclose()


class Through:
    """A transport that is a client, plain or asynchronous: then each of its methods returns a coroutine."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def handle_request(self, request: Any) -> Any:
        return self._client.send(request, stream=True)

    handle_async_request = handle_request

    def close(self) -> Any:
        return self._client.close()

    def aclose(self) -> Any:
        return self._client.aclose()


@lru_cache(maxsize=2)
def classes_of(library: Any) -> Any:
    """`Transport` and `AsyncTransport` for that library: its own base classes, with what is above."""
    own = {"library": library}
    stream = type("RepairedStream", (_Stream, library.SyncByteStream), own)
    async_stream = type("RepairedStream", (_AsyncStream, library.AsyncByteStream), own)
    sync = {"library": library, "stream": stream}
    return SimpleNamespace(
        Transport=type("RepairingTransport", (_Transport, library.BaseTransport), sync),
        AsyncTransport=type(
            "AsyncRepairingTransport", (_AsyncTransport, library.AsyncBaseTransport), sync | {"stream": async_stream}
        ),
    )
