# What each character of a turn became, and at which step that was known, by the events. Does not depend on how it is
# shown.
#
# The events tile the turn (kit/tiles.py), in the order of the text. So at each step there is one *frontier*: the text
# before it has been given out, the text after it that was fed is held back. Inside a call, the frontier follows the
# arguments (call_places.py).
"""The turn in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

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
    text = recording.text
    events = [(number, event) for number, step in enumerate(recording.steps, 1) for event in step.events]
    calls = _calls(events, text)
    kinds = _Layer(_kinds(events, calls), KINDS[-1])
    fed, given = _Layer(_fed(recording), 0), _Layer(_given(events, calls), len(recording.steps))
    problems, unfinished = _Layer(_problems(events, text), 0), _Layer(_unfinished(events), 0)
    quotations = recording.explanation.quotations
    quoted = _Layer(((each.start, each.end, number) for number, each in enumerate(quotations, 1)), 0)
    layers = (fed, given, problems, unfinished, quoted)
    bounds = sorted({0, len(text)}.union(kinds.bounds(), *(layer.bounds() for layer in layers)))
    parts: list[Part] = []
    for start, end in pairwise(bounds):
        steps = [layer.at(start) for layer in layers]
        steps[1] = max(
            steps[:2]
        )  # even if arguments were found at the wrong place, they are not given out before they are fed
        part = Part(text[start:end], kinds.at(start), *steps)
        if parts and parts[-1][1:] == part[1:]:
            part = Part(parts.pop().text + part.text, *part[1:])
        parts.append(part)
    return parts


class _Layer(Generic[T]):
    """A value for each stretch of the turn. It must be asked from left to right."""

    def __init__(self, stretches: Iterable[tuple[int, int, T]], otherwise: T) -> None:
        self._stretches: list[tuple[int, int, T]] = []
        self._otherwise = otherwise
        self._next = 0
        for start, end, value in sorted(stretches, key=lambda each: each[:2]):
            begin = max(start, self._stretches[-1][1]) if self._stretches else start  # of two that overlap, the first
            if begin < end:
                self._stretches.append((begin, end, value))

    def bounds(self) -> set[int]:
        return {place for start, end, _ in self._stretches for place in (start, end)}

    def at(self, place: int) -> T:
        while self._next < len(self._stretches) and self._stretches[self._next][1] <= place:
            self._next += 1
        if self._next < len(self._stretches) and self._stretches[self._next][0] <= place:
            return self._stretches[self._next][2]
        return self._otherwise


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
