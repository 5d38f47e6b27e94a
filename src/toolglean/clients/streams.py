# What this file knows: how a stream is read to its end, and what becomes of it when something breaks.
# What it must not know: what the stream consists of.
#
#   the source ends                what was held back, then the end
#   the source raises              what was held back, then its exception: no text is lost with the connection
#   the consumer closes or is      the source is closed; nothing is given any more
#   cancelled
"""Reading a stream through a reader that holds some of it back."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Protocol

__all__ = ["Reader", "aclose", "aread", "close", "read"]


class Reader(Protocol):
    """What reads the items of a stream."""

    def read(self, item: Any) -> list[Any]:
        """What an item becomes."""

    def finish(self) -> list[Any]:
        """What was held back."""


def read(stream: Iterable[Any], reader: Reader) -> Iterator[Any]:
    """What the items of a stream become. The stream is closed at the end, whatever ends it."""
    try:
        try:
            for item in stream:
                yield from reader.read(item)
        except Exception:
            yield from reader.finish()
            raise
        yield from reader.finish()
    finally:
        close(stream)


def close(stream: Any) -> None:
    """Close a stream, if it can be closed."""
    found = getattr(stream, "close", None)
    if callable(found):
        found()


async def aread(stream: AsyncIterable[Any], reader: Reader) -> AsyncIterator[Any]:
    """The same for an asynchronous stream."""
    try:
        try:
            async for item in stream:
                for each in reader.read(item):
                    yield each
        except Exception:
            for each in reader.finish():
                yield each
            raise
        for each in reader.finish():
            yield each
    finally:
        await aclose(stream)


async def aclose(stream: Any) -> None:
    """Close an asynchronous stream, if it can be closed: a client's has `close`, a generator `aclose`."""
    found = getattr(stream, "close", None) or getattr(stream, "aclose", None)
    done = found() if callable(found) else None
    if inspect.isawaitable(done):
        await done
