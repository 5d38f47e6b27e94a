# How the body of an answer is decompressed, a bounded piece at a time, and when it is too large.
# Does not depend on what the body contains (answers.py), or on which package the response comes from: responses of
# httpx and httpx2 have the same methods.
#
# The libraries decompress everything that has arrived at once, and one byte may become a thousand. Here no piece has
# more than `PIECE` bytes, so each is read, and sent on, before the next one is made.
"""Bodies of answers, decompressed in pieces."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from toolglean.clients.at_once import steps_of

__all__ = ["ABOUT_BYTES", "ASKED_FOR", "BodyError", "Inflater", "can_unpack", "reader_of", "unpacked"]

PIECE = 64 * 1024
"""Bytes that are decompressed at a time."""
MOST = 16 * 1024 * 1024
"""How many bytes a compressed answer may have once it is decompressed, however small it was. A single event, or an
answer that is not a stream, is held only up to `answers.LONGEST`."""
MOST_OF_ONE = 100
"""Beyond that, how many bytes one byte may become: for JSON seldom 30, for a stream that repeats one event more."""

GZIP, DEFLATE = frozenset({"gzip", "x-gzip"}), frozenset({"deflate"})
PLAIN = frozenset({"", "identity"})
ABOUT_BYTES = frozenset(
    {"content-length", "content-encoding", "content-md5", "digest", "content-digest", "repr-digest", "etag"}
)
"""Headers that are wrong for a repaired body."""
ASKED_FOR = GZIP | DEFLATE | PLAIN
"""The encodings that can be decompressed piece by piece, with the standard library alone."""


class BodyError(Exception):
    """The body of an answer cannot be decompressed, is cut off, or becomes too large. Users never see it."""


def can_unpack(encoding: str) -> bool:
    """Whether a body in that encoding can be read: the value of the header `Content-Encoding`."""
    return _coding(encoding) in ASKED_FOR


def _coding(encoding: str) -> str:
    # RFC 9110, 8.4: a list of codings, of which "identity" is none.
    names = (each.strip().lower() for each in encoding.split(","))
    return ", ".join(each for each in names if each not in PLAIN)


def reader_of(exchange: Any, response: Any) -> Any:
    """What reads the body of a response; None: it must be passed through unchanged.

    Args:
        exchange: an `Exchange`, or what stands for one; None: the request was not for an answer that is repaired.
        response: of httpx or httpx2.
    """
    if exchange is None or not can_unpack(response.headers.get("content-encoding", "")):
        return None
    return exchange.reader(response.status_code, response.headers.get("content-type", ""))


class Inflater:
    """Decompresses one body.

    Args:
        encoding: the value of its header `Content-Encoding`; one that `can_unpack` accepts.
    """

    def __init__(self, encoding: str) -> None:
        name = _coding(encoding)
        self._plain = name in PLAIN
        self._head = b""  # of a deflated body, until it is clear which of the two kinds it is
        self._stream: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if name in GZIP else None
        self._came = 0
        self._gave = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The pieces that `data`, more of the body, becomes.

        Raises:
            BodyError: it is not compressed in this encoding, or the answer becomes too large.
        """
        if self._plain:
            yield data
            return
        self._came += len(data)
        try:
            yield from self._inflated(data)
        except zlib.error as error:
            raise BodyError(f"the answer cannot be decompressed: {error}") from error

    def end(self) -> None:
        """The body is over.

        Raises:
            BodyError: its compressed form is not: it was cut off, although the connection ended in order.
        """
        if self._came and not (self._stream is not None and self._stream.eof):
            raise BodyError("the answer is cut off: its compressed form has no end")

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(data) else -zlib.MAX_WBITS)
        while not self._stream.eof:  # like httpx, ignore what follows the end of a compressed body
            found = self._stream.decompress(data, PIECE)
            data = self._stream.unconsumed_tail
            if not found:
                return
            self._gave += len(found)
            if self._gave > max(MOST, self._came * MOST_OF_ONE):
                raise BodyError(f"{self._came} bytes of the answer become more than {self._gave - len(found)}")
            yield found


def _is_zlib(data: bytes) -> bool:
    # "deflate" means the zlib format; some servers send raw deflate. RFC 1950, 2.2: the check of the first two bytes.
    return data[0] & 15 == 8 and (data[0] << 8 | data[1]) % 31 == 0


async def unpacked(response: Any, *, plain: bool = False) -> AsyncGenerator[bytes]:
    """The body of a response of httpx or httpx2, decompressed piece by piece.

    Args:
        response: the response, of an asynchronous client unless `plain`.
        plain: whether it is that of a plain client. Then nothing here waits, and `plainly` can run it.

    Raises:
        BodyError: as `Inflater.pieces` and `Inflater.end`. Also what the response raises.
    """
    was_read = response.is_stream_consumed  # it is in memory, and decompressed
    if plain:
        body: Any = steps_of(response.iter_bytes(PIECE) if was_read else response.iter_raw())
    else:
        body = response.aiter_bytes(PIECE) if was_read else response.aiter_raw()
    inflater = Inflater("" if was_read else response.headers.get("content-encoding", ""))
    async for data in body:
        for piece in inflater.pieces(data):
            yield piece
    inflater.end()
