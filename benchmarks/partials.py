# What this file knows: how long an object takes to fill itself, by its length, here and elsewhere.
# What it must not know: how any of them works.
#
#   python -m benchmarks.partials            here
#   nox -s partials                          beside instructor, in an environment of its own
#
# One object of one long text and a list, in chunks of four characters. After each chunk a view is taken and its name is
# read, as a program that shows it would. instructor reads what has come so far anew with every chunk, so its longest
# object is left out where it would take minutes.
"""`python -m benchmarks.partials`: objects while they are written."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import platform
import time
from collections.abc import Callable, Iterator

from pydantic import BaseModel

from benchmarks.cases import CHUNK, cut, prose
from toolglean.llm import StreamingObjectProcessor

__all__ = ["GOAL", "Report", "main", "read_here", "text_of"]

SIZES = (1_000, 10_000, 100_000)
GOAL = 1.3
"""How much more a character may cost in the longest object than in the shortest."""
PATIENCE = 30.0
"""Seconds that one reading may take: a longer object is not tried then."""


class Report(BaseModel):
    """What is filled."""

    name: str
    text: str
    numbers: list[int]


def text_of(size: int) -> str:
    """The JSON text of a report of about so many characters."""
    numbers = list(range(size // 40))
    return json.dumps({"name": "A report", "text": prose(size - len(str(numbers))), "numbers": numbers})


def read_here(chunks: list[str]) -> Report:
    """By `StreamingObjectProcessor`."""
    processor = StreamingObjectProcessor(Report)
    for chunk in chunks:
        for partial in processor.feed(chunk):
            _ = partial.is_set("name") and partial.name
    [found] = processor.finish()
    return found


def _instructor() -> Callable[[list[str]], object] | None:
    if importlib.util.find_spec("instructor") is None:
        return None
    partial = importlib.import_module("instructor.dsl.partial").Partial[Report]

    def read(chunks: list[str]) -> object:
        last = None
        for last in partial.model_from_chunks(iter(chunks)):
            _ = last.name
        return last

    return read


def _rows(rounds: int) -> Iterator[tuple[str, int, float]]:
    """Reader, size, and microseconds a character; the readers take turns."""
    readers = {"toolglean": read_here} | {name: read for name, read in [("instructor", _instructor())] if read}
    for size in SIZES:
        chunks = cut(text_of(size))
        best = dict.fromkeys(readers, float("inf"))
        for _ in range(rounds):
            for name, read in list(readers.items()):
                begin = time.process_time()
                read(chunks)
                best[name] = min(best[name], time.process_time() - begin)
        for name, seconds in best.items():
            yield name, size, seconds / size * 1e6
            if seconds * (SIZES[1] / SIZES[0]) ** 2 > PATIENCE:
                readers.pop(name)


def main() -> int:
    """Print the table; 1 where our growth is above the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    print(f"chunks of {CHUNK} characters, a view with each; Python {platform.python_version()}; best of {rounds}")
    first: dict[str, float] = {}
    growth = 0.0
    for name, size, cost in _rows(rounds):
        first.setdefault(name, cost)
        grown = cost / first[name]
        growth = grown if name == "toolglean" else growth
        print(f"{name:12}{size:>9,} characters{cost:>10.2f} us a character{grown:>8.2f} x", flush=True)
    print(f"growth of toolglean from {SIZES[0]:,} to {SIZES[-1]:,}: {growth:.2f} (goal {GOAL})")
    return 0 if growth <= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
