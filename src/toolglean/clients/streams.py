# How a stream is read to its end, whatever ends it. Does not depend on what the stream consists of.
#
#   the source ends                            yields what was held back, then ends
#   the source raises                          yields what was held back, then raises: no text is lost
#   the consumer closes it or is cancelled     closes the source, and yields nothing more
"""Reading a stream through a reader that holds some of it back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar

from toolglean.conversation.runner import aclose

__all__ = ["AsyncReading", "Reader", "Reading", "close", "reading_of"]

Item_co = TypeVar("Item_co", covariant=True)


class Reader(Protocol):
    """Reads the items of a stream."""

    def read(self, item: Any, /) -> list[Any]:
        """What an item becomes."""
        ...

    def finish(self) -> list[Any]:
        """What was held back."""
        ...


class _OfStream:
    """Has the stream's other attributes, too (`response`)."""

    _stream: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._stream, name)


class Reading(_OfStream, Iterator[Item_co]):
    """What the items of a stream become. Iterate over it; or close it. The stream is closed, whatever ends it.

    It is a context manager, as the clients' streams are, and has the stream's other attributes (`response`), too.
    """

    def __init__(self, stream: Iterable[Any], reader: Reader) -> None:
        self._stream = stream
        self._items = _items(stream, reader)

    def __iter__(self) -> Iterator[Item_co]:  # noqa: PYI034  # the generator itself: no call in between for each item
        return self._items

    def __next__(self) -> Item_co:
        item: Item_co = next(self._items)
        return item

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream, even if no item has been requested yet."""
        self._items.close()
        close(self._stream)


class AsyncReading(_OfStream, AsyncIterator[Item_co]):
    """The same for an asynchronous stream."""

    def __init__(self, stream: AsyncIterable[Any], reader: Reader) -> None:
        self._stream = stream
        self._items = _aitems(stream, reader)

    def __aiter__(self) -> AsyncIterator[Item_co]:  # noqa: PYI034
        return self._items

    async def __anext__(self) -> Item_co:
        item: Item_co = await anext(self._items)
        return item

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the stream, even if no item has been requested yet."""
        await self._items.aclose()
        await aclose(self._stream)

    close = aclose


def reading_of(stream: Iterable[Any] | AsyncIterable[Any], reader: Reader) -> Any:
    """A `Reading` of the stream, or an `AsyncReading`, whichever it needs."""
    return AsyncReading(stream, reader) if isinstance(stream, AsyncIterable) else Reading(stream, reader)


def _items(stream: Iterable[Any], reader: Reader) -> Generator[Any]:
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


async def _aitems(stream: AsyncIterable[Any], reader: Reader) -> AsyncGenerator[Any]:
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
