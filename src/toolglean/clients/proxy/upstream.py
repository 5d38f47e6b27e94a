# What this file knows: where a proxy's requests go: the upstream's URL, and the paths that stay inside it.
# What it must not know: HTTP, and what is sent there.
#
# The upstream's path is a fence: whoever runs a proxy for https://host/team-a/v1 gives access to that, and not to
# https://host/admin. Servers differ in what they make of "..", of an escaped slash and of a backslash, so a path that
# any of them could take for a way out is refused, and none is rewritten.
"""The server behind a proxy."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from toolglean.errors import UsageError

__all__ = ["PathError", "Upstream"]

UNQUOTED = 3
"""How often a path is unquoted before it is looked at: a server behind another one may unquote it again."""
WRITTEN = bytes(range(0x21, 0x7F)).decode()
"""What may stand in a query as it is; all else is quoted."""


class PathError(Exception):
    """The path of a request could lead out of the upstream's. It never leaves the clients' files."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where requests go.

    Attributes:
        origin: scheme, host and port.
        path: what stands before the path of a request, without a slash at its end.
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
            raise UsageError(f"upstream={url!r:.200} is not a server's URL: give one such as http://localhost:8000/v1")
        if "@" in parts.netloc:
            raise UsageError("upstream has a user or a key in it: leave it out, the caller's own headers are passed on")
        return cls(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"))

    def target_of(self, path: bytes, query: bytes) -> bytes:
        """What is asked of the origin for a request for that `path`, with its `query`.

        `/v1/models` and `/models` are the same for an upstream that ends with /v1; Ollama's `/api/chat` stands beside
        its /v1.

        Raises:
            PathError: the path could lead out of the upstream's.
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


def _is_inside(path: bytes, base: bytes) -> bool:
    return path == base or path.startswith(base + b"/")


def _check(path: bytes) -> None:
    if not path.startswith(b"/"):
        raise PathError("does not begin with a slash")
    if any(byte <= 0x20 or byte >= 0x7F for byte in path):
        raise PathError("contains a character that must be quoted")
    for _ in range(UNQUOTED):
        # A backslash is a slash to some servers; what follows ";" is a parameter of the segment to others.
        slashes = path.replace(b"\\", b"/")
        if slashes.startswith(b"//"):
            raise PathError("begins with two slashes, after which some servers expect a host")
        if any(each.partition(b";")[0] in {b".", b".."} for each in slashes.split(b"/")):
            raise PathError("contains a segment '.' or '..'")
        if any(byte < 0x20 or byte == 0x7F for byte in path):
            raise PathError("contains a control character")
        path = unquote_to_bytes(path)
