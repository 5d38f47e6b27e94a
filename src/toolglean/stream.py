# Whole texts and iterators, as loops over the parser (there is no second way to parse), and the way back, from calls to
# the text that a model would have written. Does not depend on how a parser reads.
"""One-shot parsing and rendering, and events from streams of text or bytes."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from toolglean.errors import UsageError, shown
from toolglean.events import Event, Output, fold
from toolglean.parser import FormatLike, Parser

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.options import ParserOptions
    from toolglean.tools import ToolLike, ToolSet

__all__ = ["aiter_events", "iter_events", "parse", "render"]


def parse(
    text: str,
    tools: Iterable[ToolLike] | ToolSet | None = None,
    *,
    format: FormatLike | None = None,  # noqa: A002  # the field's own word for it
    model: str | None = None,
    template: str | PathLike[str] | None = None,
    start: Literal["content", "reasoning"] | None = None,
    prompt: str = "",
    options: ParserOptions | None = None,
    atomic: Iterable[str] | None = None,
) -> Output:
    """Parse a whole turn.

    Args:
        text: everything that the model wrote.
        tools, format, model, template, start, prompt, options, atomic: as for `Parser`.

    Returns:
        The turn, folded: content, reasoning, complete calls and, separately, unfinished calls.

    Raises:
        ToolgleanError: what `Parser` raises for wrong arguments. No text raises an exception.
    """
    parser = Parser(
        tools,
        format=format,
        model=model,
        template=template,
        start=start,
        prompt=prompt,
        options=options,
        atomic=atomic,
    )
    return fold(parser.feed(text) + parser.finish())


def iter_events(chunks: Iterable[str | None] | Iterable[bytes | None], parser: Parser) -> Iterator[Event]:
    """The events of a stream, as they become known; at its end the turn is ended.

    Args:
        chunks: text, or bytes of UTF-8 cut anywhere, also inside a character. Bytes that are not UTF-8 become U+FFFD;
            None, which clients send for a chunk without text, is ignored.
        parser: a parser for this turn.

    Raises:
        UsageError: at once: `parser` is not a `Parser`. While reading: the parser's turn is over, or a chunk is neither
            text nor bytes.
    """
    return _events(chunks, _checked(parser))


def _events(chunks: Iterable[Any], parser: Parser) -> Iterator[Event]:
    decoder = _Decoder()
    for chunk in chunks:
        yield from parser.feed(decoder.text(chunk))
    yield from parser.feed(decoder.rest())
    yield from parser.finish()


def aiter_events(
    chunks: AsyncIterable[str | None] | AsyncIterable[bytes | None], parser: Parser
) -> AsyncIterator[Event]:
    """The events of an asynchronous stream: see `iter_events`."""
    return _aevents(chunks, _checked(parser))


def _checked(parser: Any) -> Parser:
    if isinstance(parser, Parser):
        return parser
    made = " It is the class: call it." if parser is Parser else ""
    raise UsageError(f"parser={shown(parser)} is not a parser: pass a toolglean.Parser(...).{made}")


async def _aevents(chunks: AsyncIterable[Any], parser: Parser) -> AsyncIterator[Event]:
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

    def text(self, chunk: Any) -> Any:
        # What is neither text nor bytes is refused by the parser.
        return self._decoder.decode(chunk) if isinstance(chunk, bytes | bytearray | memoryview) else chunk

    def rest(self) -> str:
        return self._decoder.decode(b"", final=True)


def render(
    format: str | Format,  # noqa: A002  # the field's own word for it
    calls: Iterable[Any] = (),
    *,
    content: str = "",
    reasoning: str = "",
    tools: Iterable[ToolLike] | ToolSet | None = None,
) -> str:
    """Write the turn that a model of that family would have written: for a history, for tests, for fixtures.

    Args:
        format: a `Format`, or the name of one.
        calls: `ToolCall` objects, pairs of name and arguments, or dicts with `name` and `arguments`.
        content: text before the calls.
        reasoning: text between the format's reasoning markers, before everything else.
        tools: the tools with which the turn will be read. If the format writes values as text, only their schemas
            distinguish `3` from `"3"`.

    Returns:
        The turn. Parsed with the same format and tools, it gives the same calls.

    Raises:
        UsageError: parsing would not give something back as it is; the message names the reason, and the call and the
            parameter if a rule of the format is against one of them.
        FormatError, ToolError: the declaration of the format, or a tool, is wrong.
    """
    from toolglean.formats.render import fields_of  # noqa: PLC0415  # only those who write pay for it
    from toolglean.formats.render import render as written  # noqa: PLC0415
    from toolglean.tools import ToolSet  # noqa: PLC0415

    known = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
    given = list(calls)
    text = written(format, given, content=content, reasoning=reasoning, tools=known)
    if given:  # a reader also judges what a value means: a CDATA section is its inside, an opener was not closed before
        alone = written(format, [fields_of(each)[:2] for each in given], tools=known)
        found = parse(alone, known, format=format)
        if alone != written(format, [(call.name, call.arguments) for call in found.calls], tools=known):
            other = "a value would become another one" if found.calls else "they would be text"
            why = next((problem.reason for problem in found.problems), other)
            raise UsageError(f"format {getattr(format, 'name', format)!r}: the calls would not be read back: {why}")
    return text
