# What each character of a turn became, and at which step that was known, by the events. Does not depend on how it is
# shown.
#
# The events tile the turn (kit/tiles.py), in the order of the text. So at each step there is one *frontier*: the text
# before it has been given out, the text after it that was fed is held back. Inside a call, the frontier follows the
# arguments (call_places.py).
"""The turn in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby, repeat
from typing import Literal, NamedTuple, TypeAlias, TypeVar, cast

from toolglean.events import CallDelta, CallEnd, CallStart, Event, Problem
from toolglean.kit.replay.call_places import CallPlaces, find_places
from toolglean.kit.replay.recording import Recording
from toolglean.kit.tiles import tile_of

__all__ = ["KINDS", "Kind", "Part", "parts_of"]

Kind: TypeAlias = Literal["content", "reasoning", "name", "arguments", "markup"]
KINDS: tuple[Kind, ...] = ("content", "reasoning", "name", "arguments", "markup")

T = TypeVar("T")


class Part(NamedTuple):
    """A part of the turn with one history. Steps are counted from 1, the first chunk.

    Attributes:
        text: the part.
        kind: what it became.
        fed: the step at which it was fed.
        given: the step at which it was given out; before that it was held back.
        problem: the step at which a `Problem` named it; 0 if there is no such problem.
        unfinished: the step at which its call ended incomplete or malformed; 0 if it did not.
        quoted: which of the explanation's quotations it is in, counted from 1; 0 if it is in none.
    """

    text: str
    kind: Kind
    fed: int
    given: int
    problem: int
    unfinished: int
    quoted: int


def parts_of(recording: Recording) -> list[Part]:
    """The parts of the turn, in order; joined, they are its text. The time is linear."""
    text, last = recording.text, len(recording.steps)
    events = [(number, event) for number, step in enumerate(recording.steps, 1) for event in step.events]
    calls = _calls(events, text)
    quotations = enumerate(recording.explanation.quotations, 1)
    histories = zip(
        _each(text, _kinds(events, calls), KINDS[-1]),
        _each(text, _fed(recording), 0),
        _each(text, _given(events, calls), last),
        _each(text, _problems(events, text), 0),
        _each(text, _unfinished(events), 0),
        _each(text, ((each.start, each.end, number) for number, each in quotations), 0),
        strict=True,
    )
    # Even if arguments were found at the wrong place, they are not given out before they are fed.
    rows = ((kind, fed, max(fed, given), *marks) for kind, fed, given, *marks in histories)
    parts: list[Part] = []
    end = 0
    for row, chars in groupby(rows):
        start, end = end, end + sum(1 for _ in chars)
        parts.append(Part(text[start:end], *row))
    return parts


def _each(text: str, stretches: Iterable[tuple[int, int, T]], otherwise: T) -> Iterator[T]:
    """The value of each character. Where two stretches overlap, that of the first."""
    place = 0
    for start, end, value in sorted(stretches, key=lambda each: each[:2]):
        yield from repeat(otherwise, start - place)
        yield from repeat(value, end - max(start, place))
        place = max(place, end)
    yield from repeat(otherwise, len(text) - place)


Numbered: TypeAlias = "list[tuple[int, Event]]"


def _calls(events: Numbered, text: str) -> dict[int, CallPlaces]:
    hints: dict[int, int] = {}
    found: dict[int, CallPlaces] = {}
    for _, event in events:
        if isinstance(event, CallDelta):
            hints.setdefault(event.index, event.start)
        elif isinstance(event, CallEnd):
            found[event.index] = find_places(event.call, text, hints.get(event.index))
    return found


def _kinds(events: Numbered, calls: dict[int, CallPlaces]) -> Iterator[tuple[int, int, Kind]]:
    for _, event in events:
        tile = tile_of(event)
        if isinstance(event, CallEnd):
            places = calls[event.index]
            if places.name is not None:
                yield *places.name, "name"
            for start, end in places.runs:
                yield start, end, "arguments"
        elif tile is not None:
            yield tile.start, tile.end, cast("Kind", tile.kind)


def _fed(recording: Recording) -> Iterator[tuple[int, int, int]]:
    chunks = [step.chunk for step in recording.steps if step.chunk is not None]
    ends = accumulate(map(len, chunks))
    for number, (chunk, end) in enumerate(zip(chunks, ends, strict=True), 1):
        yield end - len(chunk), end, number


def _given(events: Numbered, calls: dict[int, CallPlaces]) -> Iterator[tuple[int, int, int]]:
    frontier, written = 0, dict.fromkeys(calls, 0)
    for number, event in events:
        reached = frontier
        if isinstance(event, CallStart):
            reached = calls[event.index].reached(0)
        elif isinstance(event, CallDelta):
            written[event.index] += len(event.text)
            reached = calls[event.index].reached(written[event.index])
        elif (tile := tile_of(event)) is not None:
            reached = tile.end
        if reached > frontier:
            yield frontier, reached, number
            frontier = reached


def _problems(events: Numbered, text: str) -> Iterator[tuple[int, int, int]]:
    for number, event in events:
        if isinstance(event, Problem) and text.startswith(event.text, event.start):
            yield event.start, event.start + len(event.text), number


def _unfinished(events: Numbered) -> Iterator[tuple[int, int, int]]:
    for number, event in events:
        if isinstance(event, CallEnd) and event.call.status != "ok":
            yield *event.call.span, number
