# Which headers of a request and of an answer are passed on. Does not depend on what they belong to.
"""Headers between a caller and an upstream server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["to_caller", "to_upstream"]

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


def to_caller(given: Iterable[tuple[bytes, bytes]], *, repaired: bool) -> list[tuple[bytes, bytes]]:
    """The headers for the caller.

    Args:
        given: those of the upstream.
        repaired: whether the body may be another one.
    """
    headers = [(name.lower(), value) for name, value in given]
    dropped = HOP_BY_HOP | _named_by_connection(headers)
    if repaired:
        dropped |= {b"content-length", b"content-encoding"}
    return [(name, value) for name, value in headers if name not in dropped]


def _named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    named = [value for name, value in headers if name.lower() == b"connection"]
    return frozenset(each.strip().lower() for value in named for each in value.split(b","))
