# What this file knows: the transports and clients of httpx, and of httpx2, which has the same ones under another name.
# What it must not know: which answers are mended, and how (repair.py).
#
#   ours                                         goes in as
#   toolglean_client, toolglean_async_client     `http_client=` of OpenAI, AsyncOpenAI and what is built on them
#   toolglean_transport, …_async_transport       `transport=` of a Client, AsyncClient of your own
#   in_front_of                                  a client that sends through another client, with all that it is set to
#
# openai 3 is built on httpx2, earlier versions and many frameworks on httpx; each checks that it gets a client of its
# own library. So the classes are made for either, when they are first asked for.
"""An HTTP client whose answers have their leaked calls mended: for the openai package and all that is built on it."""

from __future__ import annotations

import importlib
import ipaddress
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.request import getproxies

from toolglean._install import needs
from toolglean.clients.repair import AnswerReader, Exchange, Repair, kind_of
from toolglean.clients.repair.bodies import BodyError, aunpacked, can_unpack, unpacked
from toolglean.errors import UsageError

__all__ = [
    "in_front_of",
    "toolglean_async_client",
    "toolglean_async_transport",
    "toolglean_client",
    "toolglean_transport",
]

CHANGED = frozenset({"content-length", "content-encoding", "transfer-encoding"})
"""Headers that are not true of a mended body."""
READ_TIMEOUT, CONNECT_TIMEOUT = 600.0, 5.0
"""Seconds; those of the openai package, because a model may think for minutes before its first word."""
CONNECTIONS, KEPT = 1000, 100
"""How many connections at most, and how many of them wait for another request; also the openai package's."""


def _default_name() -> str:
    # The openai package takes only clients of the library on which it is built.
    try:
        return "httpx2" if int(version("openai").partition(".")[0]) >= 3 else "httpx"
    except (PackageNotFoundError, ValueError):
        return "httpx"


def _library(given: Any) -> Any:
    if isinstance(given, ModuleType):
        return given
    if given is not None:
        raise UsageError(f"library={given!r:.80} is not a module: give httpx or httpx2, or nothing")
    for name in dict.fromkeys((_default_name(), "httpx", "httpx2")):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError(needs("toolglean.clients.httpx needs httpx 0.27 or later, or httpx2", "httpx"))


_library(None)  # so that a missing extra is met at the import, as in the other clients


def toolglean_client(
    library: ModuleType | None = None,
    *,
    transport: Any = None,
    client_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """A client whose answers have their leaked calls mended: `OpenAI(http_client=toolglean_client())`.

    Args:
        library: the module whose client it must be, `httpx` or `httpx2`; None: the one on which your openai package is
            built, else the one that is installed.
        transport: what sends the requests; None: the library's own, with the proxies of the environment.
        client_options: further arguments of the library's `Client` (`headers`, `verify`, `timeout`, …). Without them,
            timeouts, limits and redirects are those of the openai package.
        options: as for `toolglean.clients.repair.Repair`: `format`, `model`, …; `whole_calls`.

    Returns:
        An `httpx.Client`, or an `httpx2.Client`. Answers of `/chat/completions`, `/responses` and Ollama's `/api/chat`
        to requests with tools are mended, whole and streamed; all others are as they came.

    Raises:
        UsageError: an argument is wrong; the message says what to pass.
        ImportError: neither library is installed.
    """
    return _client(_library(library), "Client", "HTTPTransport", transport, client_options, options)


def toolglean_async_client(
    library: ModuleType | None = None,
    *,
    transport: Any = None,
    client_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """The same for `AsyncOpenAI`: see `toolglean_client`."""
    return _client(_library(library), "AsyncClient", "AsyncHTTPTransport", transport, client_options, options)


def toolglean_transport(transport: Any = None, *, library: ModuleType | None = None, **options: Any) -> Any:
    """A transport that mends, for a client of your own: `httpx.Client(transport=toolglean_transport())`.

    Args:
        transport: what sends the requests; None: the library's own, without the proxies of the environment.
        library, options: as for `toolglean_client`.
    """
    found = _library(library)
    return _classes(found).Transport(found.HTTPTransport() if transport is None else transport, Repair(**options))


def toolglean_async_transport(transport: Any = None, *, library: ModuleType | None = None, **options: Any) -> Any:
    """The same for an `AsyncClient`: see `toolglean_transport`."""
    found = _library(library)
    inner = found.AsyncHTTPTransport() if transport is None else transport
    return _classes(found).AsyncTransport(inner, Repair(**options))


def in_front_of(client: Any, repair: Repair) -> Any:
    """A client that sends through another one, with the answers mended.

    Args:
        client: a `Client` or an `AsyncClient` of httpx or httpx2. Its hooks, proxies, redirects, authentication and
            connections are used; closing ours closes it.
        repair: how answers are mended.

    Raises:
        UsageError: it is not such a client.
    """
    for library in filter(None, map(sys.modules.get, ("httpx2", "httpx"))):
        for kind, transport, through in (
            (library.Client, "Transport", _Through),
            (library.AsyncClient, "AsyncTransport", _AsyncThrough),
        ):
            if isinstance(client, kind):
                same = {name: getattr(client, name) for name in ("headers", "params", "cookies", "base_url", "timeout")}
                wrapped = getattr(_classes(library), transport)(through(client), repair)
                return kind(transport=wrapped, trust_env=False, **same)
    raise UsageError(f"client={client!r:.80} is not a client of httpx or httpx2: give one")


def _client(
    library: Any,
    client: str,
    http: str,
    transport: Any,
    given: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> Any:
    repair = Repair(**options)
    found: dict[str, Any] = {
        "timeout": library.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        "limits": library.Limits(max_connections=CONNECTIONS, max_keepalive_connections=KEPT),
        "follow_redirects": True,
    } | dict(given or {})
    # What a client does with these where it makes its transport itself; a transport of your own has them already.
    names = ("verify", "cert", "trust_env", "http1", "http2", "limits")
    sent = {name: found[name] for name in names if name in found}
    wrap = getattr(_classes(library), "Transport" if client == "Client" else "AsyncTransport")
    if transport is None:
        proxy = found.pop("proxy", None)
        proxies = {"all://": proxy} if proxy is not None else _proxies() if found.get("trust_env", True) else {}
        mounts = {
            place: None if url is None else wrap(getattr(library, http)(proxy=url, **sent), repair)
            for place, url in proxies.items()
        }
        found["mounts"] = {**mounts, **found.get("mounts", {})}
        transport = getattr(library, http)(**sent)
    return getattr(library, client)(transport=wrap(transport, repair), **found)


def _proxies() -> dict[str, str | None]:
    # A client looks for proxies in the environment only if it makes its transport itself.
    found = getproxies()
    mounts: dict[str, str | None] = {
        f"{scheme}://": url if "://" in url else f"http://{url}"
        for scheme in ("http", "https", "all")
        if (url := found.get(scheme))
    }
    for host in filter(None, map(str.strip, found.get("no", "").split(","))):
        if host == "*":
            return {}
        mounts[host if "://" in host else f"all://{_pattern(host)}"] = None
    return mounts


def _pattern(host: str) -> str:
    try:
        address = ipaddress.ip_network(host, strict=False).version
    except ValueError:
        return host if host.lower() == "localhost" else f"*{host}"
    return host if address == 4 else f"[{host}]"


# -- what the library calls: the bases are its own, and added in `_classes` --------------------------------------------


class _Body:
    library: Any

    def __init__(self, response: Any, reader: AnswerReader) -> None:
        self._response, self._reader = response, reader

    def error(self, error: BodyError) -> Exception:
        """The library's own error for a body that cannot be decompressed."""
        found: Exception = self.library.DecodingError(str(error), request=self._response.request)
        return found


class _Stream(_Body):
    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in unpacked(self._response):
                if found := self._reader.feed(data):
                    yield found
        except Exception as error:
            if found := self._reader.finish():
                yield found
            if isinstance(error, BodyError):
                raise self.error(error) from error
            raise
        if found := self._reader.finish():
            yield found

    def close(self) -> None:
        self._response.close()


class _AsyncStream(_Body):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in aunpacked(self._response):
                if found := self._reader.feed(data):
                    yield found
        except Exception as error:
            if found := self._reader.finish():
                yield found
            if isinstance(error, BodyError):
                raise self.error(error) from error
            raise
        if found := self._reader.finish():
            yield found

    async def aclose(self) -> None:
        await self._response.aclose()


class _Mending:
    library: Any
    stream: Any

    def __init__(self, inner: Any, repair: Repair) -> None:
        self.inner, self.repair = inner, repair

    def asked(self, exchange: Exchange | None, request: Any) -> None:
        """Ask for no encoding whose answer could not be read."""
        given = request.headers.get("accept-encoding", "")
        kept = [each.strip() for each in given.split(",") if can_unpack(each.partition(";")[0])]
        if exchange is not None and given and len(kept) < given.count(",") + 1:
            request.headers["accept-encoding"] = ", ".join(kept) or "identity"

    def mended(self, exchange: Exchange | None, request: Any, response: Any) -> Any:
        """The response, with another body where it can be mended."""
        if exchange is None or not can_unpack(response.headers.get("content-encoding", "")):
            return response
        reader = exchange.reader(response.status_code, response.headers.get("content-type", ""))
        if reader is None:
            return response
        response.request = request  # its errors name it
        kept = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in CHANGED]
        stream = self.stream(response, reader)
        return self.library.Response(response.status_code, headers=kept, stream=stream, extensions=response.extensions)


class _Transport(_Mending):
    def handle_request(self, request: Any) -> Any:
        path, exchange = request.url.path, None
        if kind_of(request.method, path):  # no other body is read into memory
            exchange = self.repair.exchange(request.method, path, request.read())
            self.asked(exchange, request)
        return self.mended(exchange, request, self.inner.handle_request(request))

    def close(self) -> None:
        self.inner.close()


class _AsyncTransport(_Mending):
    async def handle_async_request(self, request: Any) -> Any:
        path, exchange = request.url.path, None
        if kind_of(request.method, path):
            exchange = self.repair.exchange(request.method, path, await request.aread())
            self.asked(exchange, request)
        return self.mended(exchange, request, await self.inner.handle_async_request(request))

    async def aclose(self) -> None:
        await self.inner.aclose()


class _Through:
    """A transport that is a client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def handle_request(self, request: Any) -> Any:
        return self._client.send(request, stream=True)

    def close(self) -> None:
        self._client.close()


class _AsyncThrough:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def handle_async_request(self, request: Any) -> Any:
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        await self._client.aclose()


@lru_cache(maxsize=2)
def _classes(library: Any) -> Any:
    own = {"library": library}
    stream = type("MendedStream", (_Stream, library.SyncByteStream), own)
    async_stream = type("MendedStream", (_AsyncStream, library.AsyncByteStream), own)
    sync = {"library": library, "stream": stream}
    return SimpleNamespace(
        Transport=type("MendingTransport", (_Transport, library.BaseTransport), sync),
        AsyncTransport=type(
            "AsyncMendingTransport", (_AsyncTransport, library.AsyncBaseTransport), sync | {"stream": async_stream}
        ),
    )
