# The ways in which a text is given to a parser. Does not depend on parsers and cases.
"""Ways to cut a text."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

__all__ = ["BY_PIECES", "FEW", "ONE_CHUNK", "RANDOM", "WHOLE", "chunks_of", "spans_of", "ways"]

WHOLE: Final = "whole"
ONE_CHUNK: Final = "in one chunk"
BY_PIECES: Final = "piece by piece"
FEW: Final = "a few pieces at once"
"""As servers send them with speculative decoding, or with an interval between chunks."""

RANDOM: Final = "random cuts"
MOST_CUTS: Final = 12
MOST_PIECES: Final = 6


def ways(random_cuts: int) -> list[str]:
    """The ways in which a streaming parser is tried, the whole turn first."""
    return [WHOLE, ONE_CHUNK, BY_PIECES, FEW, *(f"{RANDOM} {number}" for number in range(1, random_cuts + 1))]


def chunks_of(pieces: Sequence[str], way: str, seed: str) -> list[str]:
    """The chunks of a turn.

    Args:
        pieces: the parts that a cut does not divide: characters, or the tokens of a parser that reads tokens.
        way: one of `ways`.
        seed: the seed of random cuts. Some of their chunks may be empty, as in the streams of servers.
    """
    if way == BY_PIECES:
        return list(pieces)
    rng = random.Random(f"{seed} {way}")  # noqa: S311  # reproducible, not secret
    if way == FEW:
        return list(_few(pieces, rng))
    if not way.startswith(RANDOM):
        return ["".join(pieces)]
    places = sorted(rng.choices(range(len(pieces) + 1), k=rng.randint(1, MOST_CUTS)))
    return ["".join(pieces[begin:end]) for begin, end in zip([0, *places], [*places, len(pieces)], strict=True)]


def spans_of(chunks: Iterable[str], special: Iterable[Sequence[int]]) -> Iterator[list[tuple[int, int]]]:
    """The parts of these spans in each chunk, in characters of the chunk.

    Args:
        chunks: the chunks of a text.
        special: spans of the text, in order.
    """
    spans = list(special)
    begin = first = 0
    for chunk in chunks:
        end = begin + len(chunk)
        while first < len(spans) and spans[first][1] <= begin:
            first += 1
        found, place = [], first
        while place < len(spans) and spans[place][0] < end:
            low, high = max(spans[place][0], begin), min(spans[place][1], end)
            if low < high:
                found.append((low - begin, high - begin))
            place += 1
        yield found
        begin = end


def _few(pieces: Sequence[str], rng: random.Random) -> Iterator[str]:
    place = 0
    while place < len(pieces):
        count = rng.randint(1, MOST_PIECES)
        yield "".join(pieces[place : place + count])
        place += count
