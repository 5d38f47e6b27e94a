# Where a proxy's requests go: the upstream's URL, the paths inside it, and which headers are passed on, there and back.
# Does not depend on HTTP, or on what is sent.
#
# The upstream's path is a boundary: a proxy for https://host/team-a/v1 gives access to that path, and not to
# https://host/admin. Servers interpret "..", an escaped slash and a backslash differently, so a path that leads out for
# any of them is refused. No path is rewritten.
"""The server that a proxy sends to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from toolglean.clients.repair.bodies import ABOUT_BYTES
from toolglean.errors import UsageError

__all__ = ["PathError", "Upstream", "to_caller", "to_upstream"]

UNQUOTED = 3
"""How often a path is unquoted to check it: each of several servers in a row may unquote it again."""
WRITTEN = bytes(range(0x21, 0x7F)).decode()
"""The characters that a query may contain; all others are quoted."""


class PathError(Exception):
    """The path of a request could lead out of the upstream's path. Users never see it."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where requests go.

    Attributes:
        origin: scheme, host and port.
        path: the prefix of the path of each request, without a slash at its end.
    """

    origin: str
    path: str

    @classmethod
    def of(cls, url: str) -> Upstream:
        """The upstream at that `url`, such as http://localhost:8000/v1.

        Raises:
            UsageError: it is not such a URL.
        """
        try:
            parts = urlsplit(url)
            wrong = parts.port == 0 or not parts.hostname or parts.query or parts.fragment
        except ValueError:  # of the port, or of an IPv6 address
            parts, wrong = urlsplit(""), True
        if wrong or parts.scheme not in {"http", "https"}:
            raise UsageError(
                f"upstream={url!r:.200} is not the URL of a server: pass one such as http://localhost:8000/v1"
            )
        if "@" in parts.netloc:
            raise UsageError(
                "upstream contains a user or a key: leave it out, because the caller's own headers are passed on"
            )
        return cls(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"))

    @property
    def chat(self) -> bytes:
        """The target of the chat API: behind a path with a version (`/api/paas/v4`), as OpenAI's packages have it."""
        path = self.path.encode()
        return path + (b"/chat/completions" if _version(self.path) is not None else b"/v1/chat/completions")

    def target_of(self, path: bytes, query: bytes) -> bytes:
        """The target at the origin for a request with that `path` and `query`.

        `/v1/models` and `/models` are the same for an upstream that ends with /v1. Ollama's `/api/chat` is next to its
        /v1.

        Raises:
            PathError: the path could lead out of the upstream's path.
        """
        _check(path)
        base = self.path.encode()
        if base and _is_inside(path, base):
            base = b""
        elif base.endswith(b"/v1") and path.startswith(b"/api/"):
            base = base.removesuffix(b"/v1")
        elif base.endswith(b"/v1") and _is_inside(path, b"/v1"):
            path = path.removeprefix(b"/v1")
        return base + path + (b"?" + quote_from_bytes(query, WRITTEN).encode() if query else b"")


_version = re.compile(r"/v\d").search


def _is_inside(path: bytes, base: bytes) -> bool:
    return path == base or path.startswith(base + b"/")


def _check(path: bytes) -> None:
    if not path.startswith(b"/"):
        raise PathError("does not begin with a slash")
    if any(byte <= 0x20 or byte >= 0x7F for byte in path):
        raise PathError("contains a character that must be quoted")
    for _ in range(UNQUOTED):
        # Some servers take a backslash for a slash, others take what follows ";" for a parameter of the segment.
        slashes = path.replace(b"\\", b"/")
        if slashes.startswith(b"//"):
            raise PathError("begins with two slashes, which some servers take for the start of a host")
        if any(each.partition(b";")[0] in {b".", b".."} for each in slashes.split(b"/")):
            raise PathError("contains a segment '.' or '..'")
        if any(byte < 0x20 or byte == 0x7F for byte in path):
            raise PathError("contains a control character")
        path = unquote_to_bytes(path)


# -- headers -----------------------------------------------------------------------------------------------------------


HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te"}
    | {b"trailer", b"transfer-encoding", b"upgrade"}
)
"""Headers about one connection, which do not apply to the other one (RFC 9110, 7.6.1)."""
OURS = frozenset({b"host", b"content-length", b"accept-encoding"})
"""Headers of a request that the proxy sets itself."""


def to_upstream(
    given: Iterable[tuple[bytes, bytes]], more: Mapping[str, str], *, crosses: bool
) -> list[tuple[bytes, bytes]]:
    """The headers for the upstream.

    Args:
        given: those of the caller.
        more: further ones, which replace the caller's.
        crosses: whether a request of the Messages API becomes one of the chat API.
    """
    headers = list(given)
    added = [(name.lower().encode(), value.encode()) for name, value in more.items()]
    dropped = HOP_BY_HOP | OURS | _named_by_connection(headers) | {name for name, _ in added}
    if crosses:  # Anthropic's clients send their key in a header of its own
        named = any(name.lower() == b"authorization" for name, _ in headers)
        keys = [] if named else [value for name, value in headers if name.lower() == b"x-api-key"]
        headers += [(b"authorization", b"Bearer " + value) for value in keys]
        dropped |= {b"x-api-key"}
    kept = [(name, value) for name, value in headers if name.lower() not in dropped]
    return [*kept, *added, (b"accept-encoding", b"identity")]


def to_caller(
    given: Iterable[tuple[bytes, bytes]], *, repaired: bool, is_json: bool = False
) -> list[tuple[bytes, bytes]]:
    """The headers for the caller.

    Args:
        given: those of the upstream.
        repaired: whether the body may be another one.
        is_json: whether it is JSON, whatever the upstream's was.
    """
    headers = [(name.lower(), value) for name, value in given]
    dropped = HOP_BY_HOP | _named_by_connection(headers)
    if repaired:
        dropped |= {name.encode() for name in ABOUT_BYTES}
    if is_json:
        dropped |= {b"content-type"}
    kept = [(name, value) for name, value in headers if name not in dropped]
    return [*kept, (b"content-type", b"application/json")] if is_json else kept


def _named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    named = [value for name, value in headers if name.lower() == b"connection"]
    return frozenset(each.strip().lower() for value in named for each in value.split(b","))
