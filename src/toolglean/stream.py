# What this file knows: whole texts and iterators, as loops over the parser. There is no second way to parse.
# What it must not know: anything that a parser does.
"""One-shot parsing, and events from streams of text or bytes."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from toolglean.events import Event, Output, fold
from toolglean.parser import Parser

if TYPE_CHECKING:
    from toolglean.tools import ToolLike, ToolSet

__all__ = ["aiter_events", "iter_events", "parse"]


def parse(text: str, tools: Iterable[ToolLike] | ToolSet | None = None, **options: Any) -> Output:
    """Parse a whole turn.

    Args:
        text: all that the model wrote.
        tools, options: as for `Parser`.

    Returns:
        The turn, folded: content, reasoning, finished calls; unfinished ones apart.

    Raises:
        What `Parser` raises for wrong arguments. No text raises.
    """
    parser = Parser(tools, **options)
    return fold(parser.feed(text) + parser.finish())


def iter_events(chunks: Iterable[str] | Iterable[bytes], parser: Parser) -> Iterator[Event]:
    """The events of a stream, as they become known; at its end the turn is ended.

    Args:
        chunks: text, or bytes of UTF-8 cut anywhere, also inside a character. Bytes that are no UTF-8 become U+FFFD.
        parser: a parser for this turn.

    Raises:
        UsageError: the parser's turn is over.
    """
    decoder = _Decoder()
    for chunk in chunks:
        yield from parser.feed(decoder.text(chunk))
    yield from parser.feed(decoder.rest())
    yield from parser.finish()


async def aiter_events(chunks: AsyncIterable[str] | AsyncIterable[bytes], parser: Parser) -> AsyncIterator[Event]:
    """The events of an asynchronous stream: see `iter_events`."""
    decoder = _Decoder()
    async for chunk in chunks:
        for event in parser.feed(decoder.text(chunk)):
            yield event
    for event in parser.feed(decoder.rest()) + parser.finish():
        yield event


class _Decoder:
    # Bytes become text at the edge, so that the parser never sees half a character.

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def text(self, chunk: str | bytes) -> str:
        return chunk if isinstance(chunk, str) else self._decoder.decode(chunk)

    def rest(self) -> str:
        return self._decoder.decode(b"", final=True)
