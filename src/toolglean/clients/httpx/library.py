# httpx and httpx2 have the same classes. Which of the two to use, how type checkers see either, and which settings a
# client takes from the environment.
"""httpx, or httpx2."""

from __future__ import annotations

import importlib
import ipaddress
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires
from types import ModuleType
from typing import Any, Protocol, TypeVar
from urllib.request import getproxies

from toolglean._install import needs
from toolglean.errors import UsageError

__all__ = ["HasAsyncClient", "HasAsyncTransport", "HasClient", "HasTransport", "library_of", "proxies"]

Client_co = TypeVar("Client_co", covariant=True)
Transport_co = TypeVar("Transport_co", covariant=True)


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
