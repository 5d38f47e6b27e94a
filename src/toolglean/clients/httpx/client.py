# The clients and transports of httpx, and of httpx2, which has the same ones under another name: which of the two to
# use, how type checkers see either, and which settings a client takes from the environment.
# Does not depend on which answers are repaired, or how (../repair).
#
#   ours                                         is passed as
#   toolglean_client, toolglean_async_client     `http_client=` of OpenAI, Anthropic and what is built on them
#   toolglean_transport, …_async_transport       `transport=` of a Client, AsyncClient of your own
#   in_front_of                                  a client that sends through another client, with all its settings
"""An HTTP client that repairs answers with leaked calls: for openai, anthropic and everything built on them."""

from __future__ import annotations

import importlib
import ipaddress
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, requires
from inspect import signature
from types import ModuleType
from typing import Any, Protocol, TypeVar, Unpack, overload
from urllib.request import getproxies

from toolglean._install import needs
from toolglean.clients.httpx.transport import Through, classes_of
from toolglean.clients.repair import Repair, RepairArguments
from toolglean.errors import UsageError, shown

__all__ = [
    "in_front_of",
    "library_of",
    "toolglean_async_client",
    "toolglean_async_transport",
    "toolglean_client",
    "toolglean_transport",
]

READ_TIMEOUT, CONNECT_TIMEOUT = 600.0, 5.0
"""Seconds, as in the openai package, because a model may think for minutes before its first word."""
CONNECTIONS, KEPT = 1000, 100
"""How many connections there are at most, and how many of them stay open when idle, as in the openai package."""


Client_co = TypeVar("Client_co", covariant=True)
Transport_co = TypeVar("Transport_co", covariant=True)
Client = TypeVar("Client")
Transport = TypeVar("Transport")


class HasClient(Protocol[Client_co]):
    """A module with a `Client`: httpx, httpx2."""

    @property
    def Client(self) -> Callable[..., Client_co]: ...  # noqa: N802  # the module's own name


class HasAsyncClient(Protocol[Client_co]):
    """A module with an `AsyncClient`."""

    @property
    def AsyncClient(self) -> Callable[..., Client_co]: ...  # noqa: N802  # the module's own name


class HasTransport(Protocol[Transport_co]):
    """A module with a `BaseTransport`."""

    @property
    def BaseTransport(self) -> Callable[..., Transport_co]: ...  # noqa: N802  # the module's own name


class HasAsyncTransport(Protocol[Transport_co]):
    """A module with an `AsyncBaseTransport`."""

    @property
    def AsyncBaseTransport(self) -> Callable[..., Transport_co]: ...  # noqa: N802  # the module's own name


class ClientArguments(RepairArguments, total=False):
    """The arguments of `toolglean_client` besides `library`: those of `Repair`, and:

    Attributes:
        transport: what sends the requests.
        client_options: further arguments of the library's `Client`.
    """

    transport: Any
    client_options: Mapping[str, Any] | None


@overload
def toolglean_client(library: HasClient[Client], **given: Unpack[ClientArguments]) -> Client: ...
@overload
def toolglean_client(library: None = None, **given: Unpack[ClientArguments]) -> Any: ...
def toolglean_client(library: Any = None, **given: Unpack[ClientArguments]) -> Any:
    """A client that repairs answers with leaked calls: `OpenAI(http_client=toolglean_client())`.

    Args:
        library: the module whose client is needed, `httpx` or `httpx2`, which a type checker then knows; None: the one
            on which your openai package is built, without one that of your anthropic package, otherwise the one that is
            installed.
        given: `transport`: what sends the requests; None: the library's own, with the proxies of the environment.
            `client_options`: further arguments of the library's `Client` (`headers`, `verify`, `timeout`, …); without
            them, timeouts, limits and redirects are those of the openai package. All others are as for
            `toolglean.clients.repair.Repair`: `format`, `model`, …; `whole_calls`.

    Returns:
        An `httpx.Client`, or an `httpx2.Client`. Answers of `/chat/completions`, `/responses`, `/v1/messages` and
        Ollama's `/api/chat` to requests with tools are repaired, whole and streamed; all others are passed through
        unchanged.

    Raises:
        UsageError: an argument is wrong; the message says what to pass.
        ImportError: neither library is installed.
    """
    return _client(library_of(library), "Client", "HTTPTransport", **given)


@overload
def toolglean_async_client(library: HasAsyncClient[Client], **given: Unpack[ClientArguments]) -> Client: ...
@overload
def toolglean_async_client(library: None = None, **given: Unpack[ClientArguments]) -> Any: ...
def toolglean_async_client(library: Any = None, **given: Unpack[ClientArguments]) -> Any:
    """The same for `AsyncOpenAI`: see `toolglean_client`."""
    return _client(library_of(library), "AsyncClient", "AsyncHTTPTransport", **given)


@overload
def toolglean_transport(
    transport: Any = None, *, library: HasTransport[Transport], **parsing: Unpack[RepairArguments]
) -> Transport: ...
@overload
def toolglean_transport(transport: Any = None, *, library: None = None, **parsing: Unpack[RepairArguments]) -> Any: ...
def toolglean_transport(transport: Any = None, *, library: Any = None, **parsing: Unpack[RepairArguments]) -> Any:
    """A transport that repairs answers, for a client of your own: `httpx.Client(transport=toolglean_transport())`.

    Args:
        transport: what sends the requests; None: the library's own, without the proxies of the environment.
        library, parsing: as for `toolglean_client`.
    """
    found = library_of(library)
    return classes_of(found).Transport(found.HTTPTransport() if transport is None else transport, Repair(**parsing))


@overload
def toolglean_async_transport(
    transport: Any = None, *, library: HasAsyncTransport[Transport], **parsing: Unpack[RepairArguments]
) -> Transport: ...
@overload
def toolglean_async_transport(
    transport: Any = None, *, library: None = None, **parsing: Unpack[RepairArguments]
) -> Any: ...
def toolglean_async_transport(transport: Any = None, *, library: Any = None, **parsing: Unpack[RepairArguments]) -> Any:
    """The same for an `AsyncClient`: see `toolglean_transport`."""
    found = library_of(library)
    inner = found.AsyncHTTPTransport() if transport is None else transport
    return classes_of(found).AsyncTransport(inner, Repair(**parsing))


def in_front_of(client: Any, repair: Repair) -> Any:
    """A client that sends through another one, and repairs the answers.

    Args:
        client: a `Client` or an `AsyncClient` of httpx or httpx2. Its hooks, proxies, redirects, authentication and
            connections are used; closing ours closes it.
        repair: how answers are repaired.

    Raises:
        UsageError: it is not such a client.
    """
    for library in filter(None, map(sys.modules.get, ("httpx2", "httpx"))):
        for kind, transport in ((library.Client, "Transport"), (library.AsyncClient, "AsyncTransport")):
            if isinstance(client, kind):
                same = {name: getattr(client, name) for name in ("headers", "params", "cookies", "base_url", "timeout")}
                wrapped = getattr(classes_of(library), transport)(Through(client), repair)
                return kind(transport=wrapped, trust_env=False, **same)
    raise UsageError(f"client={client!r:.80} is not a client of httpx or httpx2: pass one of these")


def _client(
    library: Any,
    client: str,
    http: str,
    *,
    transport: Any = None,
    client_options: Mapping[str, Any] | None = None,
    **parsing: Unpack[RepairArguments],
) -> Any:
    own = signature(getattr(library, client)).parameters
    for name, given in parsing.items():
        if name in own:
            raise UsageError(f"{name}={shown(given)} is an argument of {client}: pass client_options={{{name!r}: …}}")
    repair = Repair(**parsing)
    found: dict[str, Any] = {
        "timeout": library.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        "limits": library.Limits(max_connections=CONNECTIONS, max_keepalive_connections=KEPT),
        "follow_redirects": True,
    } | dict(client_options or {})
    # A client that makes its transport passes these to it; a transport of your own has them already.
    names = ("verify", "cert", "trust_env", "http1", "http2", "limits")
    sent = {name: found[name] for name in names if name in found}
    wrap = getattr(classes_of(library), "Transport" if client == "Client" else "AsyncTransport")
    if transport is None:
        proxy = found.pop("proxy", None)
        through = {"all://": proxy} if proxy is not None else proxies() if found.get("trust_env", True) else {}
        mounts = {
            place: None if url is None else wrap(getattr(library, http)(proxy=url, **sent), repair)
            for place, url in through.items()
        }
        found["mounts"] = {**mounts, **found.get("mounts", {})}
        transport = getattr(library, http)(**sent)
    return getattr(library, client)(transport=wrap(transport, repair), **found)


# -- the library -------------------------------------------------------------------------------------------------------


def _default_name() -> str:
    # These packages take only clients of the library on which they are built: openai 3 and anthropic 2 of httpx2.
    for package in ("openai", "anthropic"):
        try:
            return "httpx2" if any(each.startswith("httpx2") for each in requires(package) or ()) else "httpx"
        except PackageNotFoundError:
            continue
    return "httpx"


def library_of(given: Any) -> Any:
    """That library; None: the one on which the openai package is built, or the anthropic package if there is no other,
    else the one that is installed.

    Raises:
        UsageError: it is not a module.
        ImportError: neither library is installed.
    """
    if isinstance(given, ModuleType):
        return given
    if given is not None:
        raise UsageError(f"library={given!r:.80} is not a module: pass httpx or httpx2, or leave it out")
    for name in dict.fromkeys((_default_name(), "httpx", "httpx2")):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError(needs("toolglean.clients.httpx needs httpx 0.27 or later, or httpx2", "httpx"))


def proxies() -> dict[str, str | None]:
    """The proxies of the environment, by URL pattern. A client looks for them only if it makes its transport itself."""
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
