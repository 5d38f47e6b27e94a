"""Every entry point gives the same events: `feed`, `add`, `parse`, and iterators over text or bytes, plain or async.

Laws:
  - for every turn, every entry point and every cut, the joined events are those of one `feed` of the whole turn;
  - bytes may be cut inside a character, and what is no UTF-8 becomes U+FFFD, wherever the cuts are;
  - iterators give an event as soon as it is known, and before they ask for the next chunk.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.chunkings import account, chunkings
from tests.support.face import faced
from toolglean import (
    CallEnd,
    Content,
    Event,
    Format,
    Output,
    Parser,
    ParserOptions,
    UsageError,
    aiter_events,
    fold,
    iter_events,
    join,
    parse,
)
from toolglean.kit.demo import load_streams, load_tools

Chunks = Iterable[str] | Iterable[bytes]
Make = Callable[[], Parser]

HERMES = {"format": "hermes"}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"location": "Tromsø 李 😀"}}\n</tool_call>'

# name: the turn, and how its parser is made
TURNS: dict[str, tuple[str, dict[str, Any]]] = {
    **{stream.name: ("".join(stream.tokens), {}) for stream in load_streams()},
    "nothing": ("", {}),
    "white space": (" \n\n ", {}),
    "characters of one to four bytes": (f"Zoë 李 😀\u2028<think>né</think>Là: {CALL}😀", HERMES),
    "only a tag is known": (f"Là: {CALL} ø {CALL}", {"tag": "<tool_call>"}),
    "a call that is cut off": (f"Là. {CALL[:-25]}", HERMES),
    "a call that cannot be read": (CALL.replace("Tromsø", 'T" "ø') + " après", HERMES),
    "no call after all": ("Là <tool_call> et <tool_c", HERMES),
    "reasoning without an end": ("<think>\nné 李", HERMES),
    "a limit": (f"{CALL}{CALL.replace('get_weather', 'get_time')}", {**HERMES, "unknown_tools": "content"}),
    "lone surrogates": ("\ud83d <tool_call>", HERMES),
}


def maker(options: dict[str, Any]) -> Make:
    fresh = Parser(load_tools(), **faced(**options, markup=True))
    return fresh.fork


# -- the entry points --------------------------------------------------------------------------------------------------


def by_feed(make: Make, chunks: Iterable[Any]) -> list[Event]:
    parser = make()
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()


def by_iterator(make: Make, chunks: Chunks) -> list[Event]:
    return list(iter_events(chunks, make()))


def by_async_iterator(make: Make, chunks: Chunks) -> list[Event]:
    async def given_later() -> AsyncIterator[Any]:
        for chunk in chunks:
            await asyncio.sleep(0)
            yield chunk

    async def collect() -> list[Event]:
        return [event async for event in aiter_events(given_later(), make())]

    return asyncio.run(collect())


def by_add(make: Make, chunks: Iterable[str]) -> Output:
    parser = make()
    outputs = [*map(parser.add, chunks), parser.close()]
    return Output(
        "".join(each.content for each in outputs),
        "".join(each.reasoning for each in outputs),
        [call for each in outputs for call in each.calls],
        [call for each in outputs for call in each.unfinished],
        [problem for each in outputs for problem in each.problems],
    )


def byte_chunkings(data: bytes, seed: int) -> Iterator[list[bytes]]:
    """Whole, byte by byte, in two at every place of a short text, and at random: most cuts are inside a character."""
    yield [data]
    yield [data[i : i + 1] for i in range(len(data))]
    if len(data) <= 120:
        yield from ([data[:cut], data[cut:]] for cut in range(len(data) + 1))
    rng = random.Random(seed)
    for _ in range(4):
        cuts = sorted(rng.choices(range(len(data) + 1), k=8))
        yield [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("entry", [by_feed, by_iterator, by_async_iterator])
def test_every_entry_point_on_every_cut_of_the_text(name: str, entry: Callable[..., list[Event]]) -> None:
    text, options = TURNS[name]
    make = maker(options)
    whole = join(by_feed(make, [text]))
    account(whole, text)
    cuts = [[text], *chunkings(text)] if entry is not by_async_iterator else [[text], list(text)]
    for chunks in cuts:
        assert join(entry(make, chunks)) == whole, chunks


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", [name for name in TURNS if name != "lone surrogates"])
@pytest.mark.parametrize("entry", [by_iterator, by_async_iterator])
def test_every_iterator_on_every_cut_of_the_bytes(name: str, entry: Callable[..., list[Event]]) -> None:
    text, options = TURNS[name]
    make = maker(options)
    whole = join(by_feed(make, [text]))
    for number, chunks in enumerate(byte_chunkings(text.encode(), seed=1)):
        if entry is by_iterator or number < 2:
            assert join(entry(make, chunks)) == whole, chunks


@pytest.mark.parametrize("name", TURNS)
def test_add_and_parse_give_the_folded_events(name: str) -> None:
    text, options = TURNS[name]
    make = maker(options)
    whole = fold(by_feed(make, [text]))
    assert parse(text, load_tools(), **faced(**options, markup=True)) == whole
    for chunks in chunkings(text):
        assert by_add(make, chunks) == whole


# -- bytes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\xffb", "a\ufffdb"),
        (b"a\xc3", "a\ufffd"),  # the stream ends inside a character
        (b"\xf0\x9f\x98", "\ufffd"),
        (b"\xf0\x9f\x98x", "\ufffdx"),
        (b"\xc3\xc3\xb8", "\ufffdø"),
        (b"\xed\xa0\xbd", "\ufffd\ufffd\ufffd"),  # a surrogate is no character
        (b"\xef\xbb\xbfa", "\ufeffa"),  # in the middle of a conversation it is no byte order mark
        (b"<tool\xc3_call>", "<tool\ufffd_call>"),
    ],
)
def test_bytes_that_are_no_utf8(data: bytes, text: str) -> None:
    make = maker(HERMES)
    for chunks in byte_chunkings(data, seed=2):
        for entry in (by_iterator, by_async_iterator):
            assert join(entry(make, chunks)) == [Content(text, 0)], chunks


@given(st.binary(max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_any_bytes_on_any_cut(data: bytes, cuts: list[int]) -> None:
    data += CALL.encode()[:70] + data
    edges = [0, *sorted(cuts), len(data)]
    chunks = [data[begin:end] for begin, end in pairwise(edges)]
    make = maker(HERMES)
    assert join(by_iterator(make, chunks)) == join(by_feed(make, [data.decode(errors="replace")]))


def test_bad_bytes_inside_arguments() -> None:
    data = CALL.encode().replace("ø".encode(), b"\xc3")
    [end] = [
        event for event in iter_events([data[:60], data[60:]], Parser(format="hermes")) if isinstance(event, CallEnd)
    ]
    assert end.call.arguments == {"location": "Troms\ufffd 李 😀"}


# -- iterators are lazy ------------------------------------------------------------------------------------------------


def test_events_come_before_the_next_chunk_is_asked_for() -> None:
    asked: list[int] = []

    def source() -> Iterator[str]:
        for number, chunk in enumerate(["one ", "two ", "<tool", "_", "three"]):
            asked.append(number)
            yield chunk

    found = iter_events(source(), Parser(format="hermes"))
    assert (next(found), asked) == (Content("one ", 0), [0])
    assert (next(found), asked) == (Content("two ", 4), [0, 1])
    assert join(found) == [Content("<tool_three", 8)]
    assert asked == [0, 1, 2, 3, 4]


async def test_async_events_come_before_the_next_chunk_is_there() -> None:
    chunks: asyncio.Queue[str | None] = asyncio.Queue()

    async def source() -> AsyncIterator[str]:
        while (chunk := await chunks.get()) is not None:
            yield chunk

    found = aiter_events(source(), Parser(format="hermes"))
    for number, chunk in enumerate(["a", "b", "c"]):
        chunks.put_nowait(chunk)
        assert await asyncio.wait_for(anext(found), 5) == Content(chunk, number)
    chunks.put_nowait(None)
    assert [event async for event in found] == []


def test_an_empty_stream() -> None:
    for chunks in ([], [""], [b""]):
        for entry in (by_iterator, by_async_iterator):
            assert entry(maker({}), chunks) == []


# -- the end of the turn -----------------------------------------------------------------------------------------------


def test_the_turn_is_over_when_the_stream_is() -> None:
    parser = Parser(format="hermes")
    assert [type(event) for event in iter_events([CALL], parser)][-1] is CallEnd
    with pytest.raises(UsageError):
        parser.feed("<more")
    with pytest.raises(UsageError):
        list(iter_events(["<more"], parser))


def test_a_stream_that_breaks_leaves_the_turn_open() -> None:
    # What came until then is known; the caller decides whether to go on, or to close.
    def source() -> Iterator[str]:
        yield CALL[:50]
        raise ConnectionError

    parser = Parser(format="hermes")
    events: list[Event] = []
    with pytest.raises(ConnectionError):
        events.extend(iter_events(source(), parser))
    rest = parser.fork()
    assert [call.status for call in parser.close().unfinished] == ["incomplete"]
    assert [call.name for call in rest.add(CALL[50:]).calls] == ["get_weather"]


def test_an_async_stream_that_breaks_leaves_the_turn_open() -> None:
    async def source() -> AsyncIterator[bytes]:
        yield CALL[:50].encode()
        raise ConnectionError

    async def run(parser: Parser) -> None:
        async for _ in aiter_events(source(), parser):
            pass

    parser = Parser(format="hermes")
    with pytest.raises(ConnectionError):
        asyncio.run(run(parser))
    assert [call.status for call in parser.close().unfinished] == ["incomplete"]


# -- arguments ---------------------------------------------------------------------------------------------------------


def test_parse_takes_what_a_parser_takes() -> None:
    text = '@call get_time {"zone": "UTC"}'
    [call] = parse(text, ["get_time"], format=Format.from_tag("@call"), options=ParserOptions(id_prefix="turn1_")).calls
    assert (call.id, call.known, call.arguments) == ("turn1_0", True, {"zone": "UTC"})
    assert parse("Hm.\n</think>\n\nHi", format="hermes", start="reasoning") == Output("Hi", "Hm.")
    assert parse("Hm.</think>Hi", model="qwen3:8b", prompt="<|im_start|>assistant\n<think>\n") == Output("Hi", "Hm.")
    assert parse(CALL).calls[0].known is None


@pytest.mark.parametrize(
    "options",
    [
        {"format": "nobody"},
        {"model": "nobody"},
        {"start": "thinking"},
        {"tag": "<x>", "start": "reasoning"},
        {"unknown_tools": "drop"},
    ],
)
def test_parse_refuses_what_a_parser_refuses(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        parse("", **faced(**options))
    with pytest.raises(UsageError):
        Parser(**faced(**options))
