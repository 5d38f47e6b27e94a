# Invariant: repeated text, at any state of a call, takes time in proportion to its length: 4n characters take about
# four times as long as n. The table of floods (benchmarks/floods.py) has the known cases; this looks for unknown ones.
"""`python -m fuzz.floods [--count N] [--seed N] [--reader NAME]`: a search for texts whose cost grows too fast."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.floods import Cost, cost_of, print_row, readers, reads, states
from fuzz.runner import fresh_seed

__all__ = ["Flood", "flood", "main", "search"]

BATCH = 50
SIMPLE = (" ", "\n", "1", "a", "a ", '"', "\\", "[", "{", "(", "<")
PIECES = (
    " ", "\n", "\t", "\r\n", "\u00a0", "1", "-1", "1.", "e9", "a", "é", "中", "\ud800", "\\", '\\"', "\\u00", "\\ud83d",
    '"', "'", "'''", "{", "}", "[", "]", "(", ")", "<", ">", "</", "/>", "=", ":", ",", ";", "|", "`", "```", "_", "-",
    "<x=y>", "[a b=c]",
    ".", '{"a":', '{"name": "f", "arguments": {}}', '"name": "f"', "f", "f(", "s=", "get_weather", "None", "true", "r'",
    "\\N{",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flood:
    """A flood: what reads, the turn before it, what comes again and again, what follows, and how it is given."""

    reader: str
    before: str
    unit: str
    after: str
    chars: bool


def flood(seed: int, only: str | None = None) -> Flood:
    """The flood of that number: a turn up to any place, and a unit of one to four pieces."""
    rng = random.Random(f"flood {seed}")
    name = only or rng.choice(readers())
    each = reads(name)
    state, rest = rng.choice(states(each))
    if rng.random() < 0.4:  # anywhere, not only where a marker ends
        turn = rng.choice(each.turns)
        place = rng.randint(0, len(turn))
        state, rest = turn[:place], turn[place:]
    if rng.random() < 0.3:  # after a unit of its own that is there once
        state += _piece(rng, each.markers)
    several = "".join(_piece(rng, each.markers) for _ in range(rng.choice((1, 1, 2, 2, 3, 4))))
    unit = rng.choice(SIMPLE) if rng.random() < 0.4 else several
    after = rng.choice(("", rest, rest, "x" + rest, _piece(rng, each.markers) + rest))
    return Flood(name, state, unit, after, rng.random() < 0.4)


def _piece(rng: random.Random, markers: tuple[str, ...]) -> str:
    marker = rng.choice(markers) if markers and rng.random() < 0.5 else ""
    if marker:
        kind = rng.random()  # whole, its beginning, its end
        place = rng.randint(1, len(marker))
        return marker if kind < 0.4 else marker[:place] if kind < 0.8 else marker[-place:]
    return rng.choice(PIECES)


def cost(each: Flood, size: int) -> Cost:
    """What it costs."""
    return cost_of(reads(each.reader).parser, each.before, each.unit, size, chars=each.chars, after=each.after)


def _batch(job: tuple[int, int, int, str | None]) -> tuple[int, list[tuple[Flood, Cost]]]:
    begin, end, size, only = job
    found = []
    for seed in range(begin, end):
        each = flood(seed, only)
        measured = cost(each, size)
        if not measured.linear and not (again := cost(each, size * 2)).linear:  # at twice the size it is worse, if true
            found.append((each, again))
    return end - begin, found


def search(
    count: int, *, seed: int = 0, size: int = 2000, only: str | None = None, workers: int = 1
) -> Iterator[tuple[int, list[tuple[Flood, Cost]]]]:
    """Measure that many floods. Gives, batch by batch, how many were measured, and those that are not linear."""
    end = seed + count
    jobs = [(begin, min(begin + BATCH, end), size, only) for begin in range(seed, end, BATCH)]
    if workers == 1:
        yield from map(_batch, jobs)
        return
    with multiprocessing.Pool(workers) as pool:
        yield from pool.imap_unordered(_batch, jobs)


def main() -> int:
    """Search, and print what was found; 1 where anything was."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.floods", description="Looks for floods that are not linear.")
    parser.add_argument("--count", type=int, default=5000, help="how many floods (default: 5000)")
    parser.add_argument("--seed", type=int, help="the number of the first one (default: a fresh one, printed)")
    parser.add_argument("--size", type=int, default=2000, help="n, in characters (default: 2000)")
    parser.add_argument("--reader", choices=readers(), metavar="NAME", help="one format, `auto`, `tag …`, `response …`")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    seed = fresh_seed() if options.seed is None else options.seed
    print(f"python -m fuzz.floods --count {options.count} --seed {seed}", flush=True)
    begin, done, wrong, told = time.perf_counter(), 0, 0, 0.0
    kept = {"size": options.size, "only": options.reader, "workers": options.workers}
    for count, found in search(options.count, seed=seed, **kept):
        done, wrong = done + count, wrong + len(found)
        for each, measured in found:
            print_row(each.reader, each.before, measured)
        if time.perf_counter() - told > 30:
            told = time.perf_counter()
            print(f"{done:,} of {options.count:,} floods, {told - begin:,.0f} s", file=sys.stderr, flush=True)
    print(f"{done:,} floods in {time.perf_counter() - begin:,.0f} s: {wrong} are not linear")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
