# The measures, and how each is made from the cases. Does not depend on how figures are shown.
"""The measures. Each gives rows; the candidates of one measure take turns in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.adapters import CHUNKS, adapters
from benchmarks.cases import FLOODS, PROSE, READERS, SIZES, Reader, Text, call_of, cut, reader
from fuzz import repairs
from toolglean import Format, Parser
from toolglean.cli.measure import baseline, best_times
from toolglean.errors import ToolgleanError
from toolglean.sources.templates.infer import infer

__all__ = ["FULL", "SMOKE", "Effort", "Row", "all_rows", "import_ms"]

NS = 1e9
REPAIRS = 100  # broken calls for each repair and format


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure."""

    rounds: int
    sizes: Sequence[int]
    divide_by: int
    imports: int
    sample: float


FULL = Effort(rounds=5, sizes=SIZES, divide_by=1, imports=20, sample=0.005)
SMOKE = Effort(rounds=1, sizes=SIZES[:2], divide_by=40, imports=2, sample=0.0005)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        group, name: what was measured.
        value, unit: the figure itself.
        floors: the figure as a multiple of the baseline of the same run, where that means something.
        goal: the goal of the project, in the unit of the measure.
        judged: the figure that the goal is about.
    """

    group: str
    name: str
    value: float
    unit: str
    floors: float | None = None
    goal: float | None = None
    judged: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none."""
        return None if self.goal is None or self.judged is None else self.judged <= self.goal


def all_rows(effort: Effort) -> Iterator[Row]:
    """Every measure, in the order of the table."""
    for text in PROSE:
        yield from _prose(text, effort)
    for each in READERS:
        yield from _calls(each, effort)
    yield from _floods(effort)
    yield from _forks(effort)
    best = min(import_ms() for _ in range(effort.imports))
    yield Row("from toolglean import Parser", "-X importtime, cumulative", best, "ms", goal=30, judged=best)
    yield from _inference(effort)
    yield from _adapters(effort)
    yield from _repairs(effort)


def _repairs(effort: Effort) -> Iterator[Row]:
    # The outcome of broken calls is not a figure of speed, but of what can be read. None may be repaired wrongly.
    count = max(REPAIRS // effort.divide_by, 2)
    for repair in repairs.BREAKERS:
        found = sum((repairs.count_of(repair, name, count)[0] for name in repairs.families(repair)), Counter[str]())
        share = 100 * found[repairs.RIGHT] / found.total()
        wrong = found[repairs.WRONG]
        name = f"{repair}; mended wrong: {wrong}"
        yield Row("repairs, of broken calls", name, share, "% right", goal=0, judged=wrong)


def _reading(new: Callable[[], Callable[[str], object]], chunks: Sequence[str], opener: str = "") -> Callable[[], None]:
    def read() -> None:
        feed = new()
        feed(opener)
        for chunk in chunks:
            feed(chunk)

    return read


def _prose(text: Text, effort: Effort) -> Iterator[Row]:
    chunks = cut(text.text[: len(text.text) // effort.divide_by])
    works: dict[str, Callable[[], object]] = {"the baseline": lambda: baseline(chunks)}
    works |= {name: _reading(reader(name).new, chunks, text.opener) for name in text.readers}
    best = best_times(works, rounds=effort.rounds * 3, sample=effort.sample)
    goals = {name: reader(name).prose_goal for name in text.readers if text == PROSE[0]}
    for name, seconds in best.items():
        floors = seconds / best["the baseline"]
        yield Row(f"{text.name}, a chunk", name, seconds / len(chunks) * NS, "ns", floors, goals.get(name), floors)


def _calls(each: Reader, effort: Effort) -> Iterator[Row]:
    texts = {size: cut(call_of(each, size)) for size in effort.sizes}
    works: dict[str, Callable[[], object]] = {str(size): _reading(each.new, texts[size]) for size in texts}
    middle = texts[effort.sizes[-2]]  # longer lists of chunks do not fit the processor's caches
    works["floor"] = lambda: baseline(middle)
    best = best_times(works, rounds=effort.rounds, sample=effort.sample)
    floor_ns = best["floor"] / len(middle) * NS
    per_chunk = {size: best[str(size)] / len(texts[size]) * NS for size in texts}
    group = f"one call, a chunk: {each.name}"
    for size, ns in per_chunk.items():
        goal = each.call_goal if size == 100_000 else None
        yield Row(group, f"{size // 1000:,} KB argument", ns, "ns", ns / floor_ns, goal, ns / floor_ns)
    growth = per_chunk[effort.sizes[-1]] / per_chunk[effort.sizes[0]]
    yield Row(
        group, f"growth {effort.sizes[0] // 1000:,} to {effort.sizes[-1] // 1000:,} KB", growth, "x", None, 1.3, growth
    )


def _floods(effort: Effort) -> Iterator[Row]:
    for flood in FLOODS:
        size = max(flood.size // effort.divide_by, 8)
        whole, part = cut(flood.text(size)), cut(flood.text(size // 4))
        new = reader(flood.reader).new
        best = best_times(
            {"whole": _reading(new, whole), "part": _reading(new, part), "floor": lambda whole=whole: baseline(whole)},  # type: ignore[misc]
            rounds=effort.rounds,
            sample=effort.sample,
        )
        ns, ns_of_part = best["whole"] / len(whole) * NS, best["part"] / len(part) * NS
        growth = ns / ns_of_part
        group = f"floods, a chunk: {flood.reader}"
        yield Row(group, f"{size:,} {flood.name}", ns, "ns", best["whole"] / best["floor"])
        yield Row(group, "    growth from a quarter of it", growth, "x", None, 1.3, growth)


def _forks(effort: Effort) -> Iterator[Row]:
    chunks = cut(PROSE[0].text)
    text, call, coder = (
        Parser(format=Format.from_tag("<tool_call>")),
        Parser(format=Format.from_tag("<tool_call>")),
        Parser(format="qwen3-coder"),
    )
    for parser, each in ((call, READERS[0]), (coder, reader("qwen3-coder"))):
        for chunk in cut(call_of(each, 100_000))[:-20]:
            parser.feed(chunk)
    best = best_times(
        {
            "floor": lambda: baseline(chunks),
            "in text": text.fork,
            "in a call, 100 KB of arguments read": call.fork,
            "the same, qwen3-coder": coder.fork,
        },
        rounds=effort.rounds * 3,
        sample=effort.sample,
    )
    one = best.pop("floor") / len(chunks)
    for name, seconds in best.items():
        yield Row("a fork", name, seconds * NS, "ns", seconds / one, 10, seconds / one)


def _inference(effort: Effort) -> Iterator[Row]:
    # Templates of our own, and a sample of the shared ones where they are at hand; tests/support/infer_report.py
    # takes all.
    root = Path(__file__).parents[1]
    paths = sorted((root / "fixtures" / "templates").glob("*.*"))
    shared = sorted((root.parent / "shared" / "templates").glob("*/*"))
    times = []
    for path in paths[:2] if effort is SMOKE else [*paths, *shared[:: max(1, len(shared) // 40)]]:
        begin = time.perf_counter()
        try:
            infer(path.read_text(encoding="utf-8"))
        except ToolgleanError:
            continue
        times.append(time.perf_counter() - begin)
    group = f"a format read from a chat template, and proven ({len(times)} templates)"
    yield Row(group, "median", statistics.median(times), "s")
    yield Row(group, "worst", max(times), "s")


def _adapters(effort: Effort) -> Iterator[Row]:
    # The goal: what an adapter adds is less than the client's own work for a chunk.
    for client, payload, chunks, works in adapters(CHUNKS // effort.divide_by):
        best = best_times(works, rounds=effort.rounds, sample=effort.sample)
        bare, adapted = best["bare"], best["adapted"]
        group = f"{client}, a chunk of {payload}"
        yield Row(group, "the bare client", bare / chunks * NS, "ns")
        added = (adapted - bare) / bare
        yield Row(group, "with the adapter", adapted / chunks * NS, "ns")
        yield Row(group, "the adapter's share of the client's", max(added, 0.001), "x", goal=1, judged=added)


def import_ms() -> float:
    """Milliseconds for `from toolglean import Parser` beyond Python's own start, bytecode written."""
    # Bytecode goes to a place of its own: an import is timed as it is for users, whatever this environment says.
    cache = os.path.join(tempfile.gettempdir(), "toolglean-benchmarks-bytecode")  # noqa: PTH118
    env = {key: value for key, value in os.environ.items() if key == "PYTHONPATH" or not key.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from toolglean import Parser"],
        env=env | {"PYTHONPYCACHEPREFIX": cache},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    # What a module imports is indented, and part of its time.
    rows = [line.split("|")[1:] for line in done.stderr.splitlines()]
    imported = [int(cumulative) for cumulative, name in rows if name.startswith(" toolglean")]
    return sum(imported) / 1000
