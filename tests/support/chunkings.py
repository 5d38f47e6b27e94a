# What this file knows: how one text is given to a parser in every way, and what must then be the same.
# What it must not know: any format.
"""The one helper for cuts: every parsing test goes through `events_of`."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable, Iterable, Sequence
from typing import get_args

import pytest
from hypothesis import currently_in_test_context

from tests.support import depth
from toolglean import (
    CallDelta,
    CallEnd,
    CallStart,
    Content,
    Event,
    Markup,
    Parser,
    Problem,
    ProblemCode,
    Reasoning,
    UnfinishedCallError,
    join,
)

EVERY_CUT = 160  # texts up to this length are cut at every place
RANDOM_CUTS = 4

# By default, texts up to the first length are cut at every place; of longer ones, so many places are chosen; and fewer of
# each example of a property, for there are many examples. The text itself decides which: no two are cut alike.
SHORT = 40
SOME = 10
SOME_OF_AN_EXAMPLE = 3
SOME_RANDOM_CUTS = 2

CODES = frozenset(get_args(ProblemCode))


def events_of(make: Callable[[], Parser], text: str, *, seed: int = 0) -> list[Event]:
    """The events of `text`, joined; the same for every chunking, with forks, copies and pickles on the way.

    Args:
        make: makes a parser with `markup=True`, so that every character can be accounted for.
        text: the turn.
        seed: of the random cuts.
    """
    whole = _run(make(), [text])
    for chunks in chunkings(text, seed):
        found = _run(make(), chunks)
        assert found == whole, f"differs by chunking: {chunks!r}"
    assert _run_with_copies(make(), list(text), _copied(text)) == whole, "a fork, copy or pickle differs"
    account(whole, text)
    return whole


def chunkings(text: str, seed: int = 0) -> Iterable[list[str]]:
    """Character by character, each cut in two where the text is short, and random cuts, some chunks empty."""
    yield list(text)
    yield from ([text[:cut], text[cut:]] for cut in places(text))
    rng = random.Random(seed)
    for _ in range(RANDOM_CUTS if depth.is_full() else SOME_RANDOM_CUTS):
        cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 12)))
        yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def places(text: str) -> Sequence[int]:
    """The places at which a text is cut in two: all where it is short, a sample of them below full depth."""
    found = range(len(text) + 1)
    if depth.is_full():
        return found if len(text) <= EVERY_CUT else ()
    return _some(text, found)


def _copied(text: str) -> Sequence[int]:
    # The characters before which a copy is made: each, or a sample, four times as many as cuts. A copy costs less.
    found = range(len(text))
    return found if depth.is_full() else _some(text, found, 4)


def _some(text: str, found: Sequence[int], times: int = 1) -> Sequence[int]:
    example = currently_in_test_context()
    if len(text) <= SHORT and not example:
        return found
    count = (SOME_OF_AN_EXAMPLE if example else SOME) * times
    return (
        found
        if len(found) <= count
        else sorted(random.Random(text.encode("utf-8", "surrogatepass")).sample(found, count))
    )


def _run(parser: Parser, chunks: Iterable[str]) -> list[Event]:
    events: list[Event] = []
    for chunk in chunks:
        events += parser.feed(chunk)
    return join(events + parser.finish())


def _run_with_copies(parser: Parser, chunks: list[str], places: Sequence[int]) -> list[Event]:
    # At each of the places another kind of copy is made. It goes on, or the original does, and the other is fed something
    # else first, which must not matter.
    ways: tuple[Callable[[Parser], Parser], ...] = (
        lambda each: each.fork(),
        copy.copy,
        copy.deepcopy,
        lambda each: pickle.loads(pickle.dumps(each)),
    )
    events: list[Event] = []
    turns = {place: turn for turn, place in enumerate(places)}
    for place, chunk in enumerate(chunks):
        turn = turns.get(place)
        if turn is not None:
            twin = ways[turn % len(ways)](parser)
            parser, other = (twin, parser) if turn % 8 < len(ways) else (parser, twin)
            other.feed('}"]<nonsense>')
            other.finish()
        events += parser.feed(chunk)
    return join(events + parser.finish())


def account(events: list[Event], text: str) -> None:
    """Every character is in exactly one content, reasoning, markup or span; deltas are the arguments, and valid JSON."""
    place = 0
    deltas: dict[int, str] = {}
    started: dict[int, CallStart] = {}
    for event in events:
        if isinstance(event, Content | Reasoning | Markup):
            assert event.start == place, f"{event} should start at {place}"
            assert text[place : place + len(event.text)] == event.text
            place += len(event.text)
        elif isinstance(event, CallStart):
            assert event.index == len(started)
            started[event.index] = event
        elif isinstance(event, CallDelta):
            deltas[event.index] = deltas.get(event.index, "") + event.text
            _completes(deltas[event.index])
        elif isinstance(event, CallEnd):
            call = event.call
            assert call.span[0] == place == started[call.index].start
            assert call.name == started[call.index].name
            assert started[call.index].id in {None, call.id}
            assert call.arguments_text == deltas.get(call.index, "")
            place = call.span[1]
            if call.status != "ok":
                with pytest.raises(UnfinishedCallError):
                    _ = call.arguments
        else:
            assert isinstance(event, Problem)
            assert event.code in CODES
            assert event.reason
            assert 0 <= event.start <= len(text)
    assert place == len(text), f"characters from {place} are lost"
    assert all(isinstance(event, CallEnd) for event in events if isinstance(event, CallEnd))
    ended = [event.index for event in events if isinstance(event, CallEnd)]
    assert ended == sorted(started), "every call that starts ends, once, in order"


def _completes(text: str) -> None:
    """A piece of JSON can be completed: the scanner refuses none of it."""
    from toolglean.scan.json import FAIL, JsonScanner  # noqa: PLC0415

    scanner = JsonScanner()
    place = 0
    while place < len(text):
        place = scanner.step(text, place)
        assert scanner.token != FAIL, f"not the beginning of JSON: {text[: place + 1]!r}"
    if not scanner.stack and text:
        json.loads(text, strict=True)


def calls_of(events: Iterable[Event]) -> list[tuple[str, object]]:
    """(name, arguments) of the finished calls."""
    return [(e.call.name, e.call.arguments) for e in events if isinstance(e, CallEnd) and e.call.status == "ok"]


def content_of(events: Iterable[Event]) -> str:
    """The content, joined."""
    return "".join(e.text for e in events if isinstance(e, Content))
