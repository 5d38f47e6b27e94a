# Two source trees in one run: the same measures in a process for each, round by round in turn, so that a machine that
# slows down slows down both. Does not depend on what is measured.
#
# A process says what it measures with, then answers a line of JSON for each line that asks:
#
#   {"make": index of the measure}      {"works": attributes of each work}, or {"failed": why}
#   {"round": index of the measure}     {"best": seconds, or what was counted, by name}
"""The same measures in two source trees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.timing import FULL, SMOKE, Effort, Measure, Row, Stopwatch, rows_of, told

__all__ = ["Pair", "compared", "markdown"]

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of the other tree and the same row of this one; None where the tree cannot do it."""

    before: Row | None
    after: Row | None


class Child:
    """The process of one source tree."""

    def __init__(self, source: Path, effort: Effort) -> None:
        path = os.pathsep.join([str(source.resolve()), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.against", *(["--smoke"] if effort is SMOKE else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        )
        self.version = str(self._read()["toolglean"])

    def ask(self, **asked: Any) -> dict[str, Any]:
        """The answer to a line."""
        assert self._process.stdin is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the process that measures ended with {self._process.wait()}: its error is above")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def compared(other: Path, measures: Sequence[tuple[int, Measure]], effort: Effort) -> Iterator[Pair]:
    """The rows of those measures, in both trees. `other` is the folder in which the other `toolglean` is."""
    if not (other / "toolglean" / "__init__.py").is_file():
        raise SystemExit(f"--against {other} has no toolglean/__init__.py: give the src folder of another checkout")
    import toolglean  # noqa: PLC0415  # which one this process has is the question

    own = Path(str(toolglean.__file__)).parents[1]
    children = [Child(other, effort), Child(own, effort)]
    try:
        for index, measure in measures:
            yield from _pairs(children, index, measure, effort)
    finally:
        for child in children:
            child.close()


def _pairs(children: Sequence[Child], index: int, measure: Measure, effort: Effort) -> Iterator[Pair]:
    made = [child.ask(make=index) for child in children]
    best: list[dict[str, float]] = [{}, {}]
    for number in range(measure.rounds_of(effort)):
        for side in (0, 1) if number % 2 else (1, 0):  # the one that is first finds the caches as the other left them
            if "works" in made[side]:
                for name, found in children[side].ask(round=index)["best"].items():
                    best[side][name] = min(found, best[side].get(name, found))
    rows = [
        {row.name: row for row in rows_of(measure.group, each["works"], measure.quotients, found)}
        if "works" in each
        else {}
        for each, found in zip(made, best, strict=True)
    ]
    for side, each in enumerate(made):
        if "failed" in each:
            print(f"{measure.group}: {('before', 'after')[side]}: {each['failed']}", file=sys.stderr)
    for name in dict.fromkeys([*rows[1], *rows[0]]):
        yield Pair(rows[0].get(name), rows[1].get(name))


def markdown(pairs: Iterable[Pair]) -> Iterator[str]:
    """A table: before, after, how many times as fast, and both as multiples of the baseline beside the goal."""
    yield "| | before | after | before / after | x baseline, before | after | goal | |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    group = ""
    for pair in pairs:
        row = pair.after or pair.before
        assert row is not None
        if row.group != group:
            group = row.group
            yield f"| **{group}** | | | | | | | |"
        times = f"{pair.before.value / pair.after.value:.2f}" if pair.before and pair.after else ""
        goal = "" if row.goal is None else f"{row.goal:g}"
        met = {None: "", True: "met", False: "missed"}[pair.after.met if pair.after else None]
        cells = (_figure(pair.before), _figure(pair.after), times, _floors(pair.before), _floors(pair.after), goal, met)
        yield f"| {row.name.strip()} | {' | '.join(cells)} |"


def _figure(row: Row | None) -> str:
    if row is None:
        return "–"
    return f"{row.value:,.2f} {row.unit}" if row.value < 100 else f"{row.value:,.0f} {row.unit}"


def _floors(row: Row | None) -> str:
    return "" if row is None or row.floors is None else f"{row.floors:,.1f}"


# -- the process of one tree -------------------------------------------------------------------------------------------


def _answer() -> None:
    from benchmarks.measures import MEASURES  # noqa: PLC0415  # of this process's own tree
    from toolglean import __version__  # noqa: PLC0415

    effort = SMOKE if "--smoke" in sys.argv else FULL
    watch: Stopwatch | None = None
    print(json.dumps({"toolglean": __version__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "make" in asked:
            try:
                watch = None  # what the last measure made is garbage before the next is made
                watch = Stopwatch(MEASURES[asked["make"]], effort)
                answer: dict[str, Any] = {"works": [told(work) for work in watch.works.values()]}
            except Exception as error:  # noqa: BLE001  # what one tree cannot do is a row without a figure
                answer = {"failed": f"{type(error).__name__}: {error}"}
        else:
            assert watch is not None
            answer = {"best": watch.round()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _answer()
