# How one text is given to a parser in every way, and what must then be the same.
# Does not depend on any format.
"""The one helper for cuts: every parsing test goes through `events_of`."""

from __future__ import annotations

import copy
import json
import pickle
import random
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_args

import pytest

from tests.support import depth
from tests.support.face import faced
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
    ToolCall,
    UnfinishedCallError,
    join,
)
from toolglean.scan.json import JsonScanner
from toolglean.scan.scanner import FAIL

EVERY_CUT = 160  # texts up to this length are cut in two at every place
RANDOM_CUTS = 4

# By default, only the shortest texts are, and the text itself decides how it is cut, and where copies are made: no two texts
# are cut alike. Half of them come in small pieces, which end at as many places as matter; one in eight by characters, and the
# others at a few random cuts.
SHORT = 8
SMALL = 8  # characters of a small piece, at most
SOME_COPIES = 1  # which way to copy, and whether the copy goes on or the original, changes with the text

CODES = frozenset(get_args(ProblemCode))


def events_of(make: Callable[[], Parser], text: str, *, seed: int = 0, one_of_many: bool = False) -> list[Event]:
    """The events of `text`, joined; the same for every chunking, with forks, copies and pickles on the way.

    Args:
        make: makes a parser with `markup=True`, so that every character can be accounted for.
        text: the turn.
        seed: of the random cuts.
        one_of_many: whether the text is one of a large product, such as each format in each context. By default, all of
            these are read whole, and one in eight of them, chosen by hash, in pieces as well.
    """
    whole = run_of(make(), [text])
    number = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    if one_of_many and not depth.is_full() and number % 8:
        account(whole, text)
        return whole
    chars, *others = chunkings(text, seed)
    if not depth.is_full() and len(text) > SHORT:
        chunks = _pieces(text) if number & 8 else chars if number & 48 == 0 else others[-1]
        chars, others = chunks, []
    # By default, one run is both: small chunks, and the copies. Where it differs, a plain one tells why.
    if depth.is_full() or _run_with_copies(make(), chars, _copied(text, len(chars))) != whole:
        assert run_of(make(), chars) == whole, f"differs by chunking: {chars!r}"
        assert _run_with_copies(make(), chars, _copied(text, len(chars))) == whole, "a fork, copy or pickle differs"
    for chunks in others:
        assert run_of(make(), chunks) == whole, f"differs by chunking: {chunks!r}"
    account(whole, text)
    return whole


def read_with(tools: Any, text: str, *, one_of_many: bool = False, **row: Any) -> list[Event]:
    """`events_of` a parser of these tools and arguments, in a flat row (face.py)."""
    return events_of(lambda: Parser(tools, **faced(**row, markup=True)), text, one_of_many=one_of_many)


def chunkings(text: str, seed: int = 0) -> Iterable[list[str]]:
    """Character by character, each cut in two where the text is short, and random cuts, some chunks empty."""
    yield list(text)
    yield from ([text[:cut], text[cut:]] for cut in places(text))
    rng = random.Random(seed if depth.is_full() else f"{seed} {text!r}")
    for _ in range(RANDOM_CUTS if depth.is_full() else 1):
        cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 12)))
        yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _pieces(text: str) -> list[str]:
    rng, found, place = random.Random(text.encode("utf-8", "surrogatepass")), [], 0
    while place < len(text):
        end = place + rng.randint(1, SMALL)
        found.append(text[place:end])
        place = end
    return found


def some_chunkings(text: str, count: int) -> Iterable[list[str]]:
    """Character by character, and that many random cuts, which the text decides: for reports of many turns."""
    yield list(text)
    rng = random.Random(text)
    for _ in range(count):
        cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 8)))
        yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def places(text: str) -> Sequence[int]:
    """The places at which a text is cut in two: all where it is short."""
    return range(len(text) + 1) if len(text) <= (EVERY_CUT if depth.is_full() else SHORT) else ()


def _copied(text: str, chunks: int) -> Sequence[int]:
    """The chunks before which a copy is made: each at full depth, by default one, of one kind or another."""
    found = range(chunks)
    return found if depth.is_full() else _sample(text, found, SOME_COPIES)


def _sample(text: str, found: Sequence[int], count: int) -> Sequence[int]:
    if len(found) <= count:
        return found
    return sorted(random.Random(text.encode("utf-8", "surrogatepass")).sample(found, count))


def run_of(parser: Parser, chunks: Iterable[str]) -> list[Event]:
    """The events of these chunks, joined."""
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
    first = 0 if depth.is_full() or not places else places[0] % 8
    turns = {place: turn for turn, place in enumerate(places, first)}
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
    scanners: dict[int, JsonScanner] = {}
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
            scanner = scanners.setdefault(event.index, JsonScanner())
            _completes(scanner, event.text)
            if not scanner.stack and deltas[event.index]:
                json.loads(deltas[event.index], strict=True)
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


def _completes(scanner: JsonScanner, text: str) -> None:
    """What the scanner has read so far, with this text after it, can be completed to JSON: it refuses none of it."""
    place = 0
    while place < len(text):
        place = scanner.step(text, place)
        assert scanner.token != FAIL, f"not the continuation of JSON: {text[: place + 1]!r}"


def calls_of(events: Iterable[Event]) -> list[tuple[str, object]]:
    """(name, arguments) of the finished calls."""
    return [(e.call.name, e.call.arguments) for e in events if isinstance(e, CallEnd) and e.call.status == "ok"]


def ended_calls(events: Iterable[Event]) -> list[ToolCall]:
    """The calls, whatever became of them."""
    return [each.call for each in events if isinstance(each, CallEnd)]


def codes_of(events: Iterable[Event]) -> list[ProblemCode]:
    """The codes of the problems."""
    return [each.code for each in events if isinstance(each, Problem)]


def content_of(events: Iterable[Event]) -> str:
    """The content, joined."""
    return "".join(e.text for e in events if isinstance(e, Content))


def reasoning_of(events: Iterable[object]) -> str:
    """The reasoning, joined."""
    return "".join(e.text for e in events if isinstance(e, Reasoning))
