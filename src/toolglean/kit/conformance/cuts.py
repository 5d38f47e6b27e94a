# The ways in which a text is given to a parser, and the sets of ways for which there is a score. Does not depend on
# parsers and cases.
#
# WAYS is the one rule for every report: the command, its results, their page and the figures of benchmarks/peers. A run
# tries the ways of one set. A finding counts in a set if it showed in one of the set's ways.
"""Ways to cut a text."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final

__all__ = ["BY_PIECES", "FEW", "ONE_CHUNK", "RANDOM", "WAYS", "WHOLE", "chunks_of", "is_within", "spans_of", "ways"]

WHOLE: Final = "whole"
ONE_CHUNK: Final = "in one chunk"
BY_PIECES: Final = "piece by piece"
FEW: Final = "a few pieces at once"
"""As servers send them with speculative decoding, or with an interval between chunks."""

RANDOM: Final = "random cuts"
WAYS: Final = {
    "whole": (WHOLE,),
    "pieces": (WHOLE, BY_PIECES, FEW),
    "all": (WHOLE, ONE_CHUNK, BY_PIECES, FEW, RANDOM),
}
"""The sets of ways, each of which contains those before it: what a caller without streaming sends, what a streaming
server sends, and everything that a parser may be given."""

MOST_CUTS: Final = 12
MOST_PIECES: Final = 6


def ways(random_cuts: int, name: str = "all") -> list[str]:
    """The ways in which a streaming parser is tried, the whole turn first.

    Args:
        random_cuts: how many random cuts there are in the set "all".
        name: the set, one of `WAYS`.
    """
    numbered = {RANDOM: [f"{RANDOM} {number}" for number in range(1, random_cuts + 1)]}
    return [way for each in WAYS[name] for way in numbered.get(each, [each])]


def is_within(way: str, name: str) -> bool:
    """Whether a way belongs to that set of `WAYS`."""
    return way.startswith(WAYS[name])


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
    spans = [(low, high) for low, high in special]
    begin = 0
    for chunk in chunks:
        end = begin + len(chunk)
        first, last = bisect_right(spans, begin, key=itemgetter(1)), bisect_left(spans, end, key=itemgetter(0))
        yield [(max(low, begin) - begin, min(high, end) - begin) for low, high in spans[first:last] if chunk]
        begin = end


def _few(pieces: Sequence[str], rng: random.Random) -> Iterator[str]:
    place = 0
    while place < len(pieces):
        count = rng.randint(1, MOST_PIECES)
        yield "".join(pieces[place : place + count])
        place += count
