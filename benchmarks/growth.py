# How cost grows: with the calls of a turn, the length of an argument, the tools of a request, the formats that `auto`
# looks for. Does not depend on how it is drawn (peers/plots.py).
#
#   python -m benchmarks.growth [--smoke] [--json]     tables of multiples of the baseline
#   python -m benchmarks.growth --formats N            one column of the last one: formats cannot be taken back
"""Growth, as series."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from benchmarks.cases import LISTS, PROSE, call_of, code, cut, numbers, reader
from benchmarks.timing import BASELINE, FULL, SMOKE, Effort, Measure, Stopwatch, Work, feeding
from benchmarks.turns import HERMES, SMALL_CALLS, TOKENS, read, short_turn, tool_dicts
from toolglean import Format, Parser, ToolSet
from toolglean.cli.measure import baseline
from toolglean.formats.registry import all_formats, register

__all__ = ["PLOTS", "Plot", "Series", "measured", "tables"]

CHUNKS = cut("x" * 40_000)
ROUNDS = 5
LIBRARY = len(all_formats())
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Plot:
    """What is drawn as one plot.

    Attributes:
        what: what there is more and more of.
        part: what the figures are of.
        sizes: how many.
        lines: what is timed for one size: a work for each line, by name.
        alone: whether each size runs in a process of its own.
    """

    what: str
    part: str
    sizes: tuple[int, ...]
    lines: Callable[[int], Iterator[Work]]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """A plot that was measured: for each line, a multiple of the baseline for each size."""

    what: str
    part: str
    sizes: list[int]
    lines: dict[str, list[float]]


def _calls(count: int) -> Iterator[Work]:
    for each in SMALL_CALLS:
        if each.name in {"hermes", "kimi-k2", "qwen3-coder", "auto", "minimax-m2"}:
            chunks = cut(each.text(count))
            yield Work(each.name, read(each.new, chunks), len(chunks))


def _argument(kilobytes: int) -> Iterator[Work]:
    sources = {"code as JSON": (reader("hermes"), code), "code in XML": (reader("qwen3-coder"), code)}
    for name, (each, payload) in {**sources, "a list of numbers": (LISTS[0], numbers)}.items():
        chunks = cut(call_of(each, kilobytes * 1000, payload))
        yield Work(name, feeding(each.new, chunks), len(chunks))


def _tools(count: int) -> Iterator[Work]:
    dicts = tool_dicts(count)
    known = ToolSet(dicts)
    yield Work("Parser(ToolSet)", partial(Parser, known))
    yield Work("Parser(dicts), a tool", partial(Parser, dicts), count)
    yield Work("a short turn, ToolSet", partial(short_turn, known, *TOKENS, HERMES))
    yield Work("a short turn, auto, ToolSet", partial(short_turn, known, *TOKENS, HERMES, format="auto"))


def _formats(count: int) -> Iterator[Work]:
    own = [Format(f"own-{n}", call=f"<own{n}>\n{{call}}\n</own{n}>") for n in range(count - len(all_formats()))]
    made = time.process_time()
    for each in own:
        register(each)
    registered = time.process_time()
    Parser(["get_weather"]).feed("Hello <")
    first = time.process_time()
    hermes, known = SMALL_CALLS[0].text(), ToolSet(tool_dicts(3))
    parser = Parser(known)
    prose, calls = cut(PROSE[0].text), cut(hermes)
    yield Work("prose with auto, a chunk", read(parser.fork, prose), len(prose))
    yield Work("50 calls with auto, a chunk", read(parser.fork, calls), len(calls))
    yield Work("Parser(ToolSet) with auto", partial(Parser, known))
    yield Work("the first turn with auto, a format", lambda: first - registered, count, counted=True)
    if own:
        yield Work("register, a format", lambda: registered - made, len(own), counted=True)


PLOTS: Mapping[str, Plot] = {
    "calls": Plot("calls in a turn", "a chunk", (1, 10, 100, 1_000), _calls),
    "argument": Plot("KB of argument", "a chunk", (1, 10, 100, 1_000, 10_000), _argument),
    "tools": Plot("tools", "a parser, a turn or a tool", (1, 10, 100, 1_000), _tools),
    "formats": Plot("formats", "a chunk, a parser or a format", (LIBRARY, 250, 500, 1_000), _formats, alone=True),
}


def measured(effort: Effort) -> Iterator[tuple[str, Series]]:
    """Each plot, as soon as it is measured."""
    for name, plot in PLOTS.items():
        sizes = plot.sizes[:2] if effort is SMOKE else plot.sizes
        columns = [_alone(size, effort) for size in sizes] if plot.alone else _columns(plot, sizes, effort)
        lines = {line: [column.get(line, math.nan) for column in columns] for line in columns[-1]}
        yield name, Series(plot.what, plot.part, [*sizes], lines)


def _columns(plot: Plot, sizes: Sequence[int], effort: Effort) -> list[dict[str, float]]:
    # All sizes take turns: what disturbs the machine should not look like growth.
    watches = [Stopwatch(Measure("", partial(_works, plot, size)), effort) for size in sizes]
    best: list[dict[str, float]] = [{} for _ in sizes]
    for _ in range(min(ROUNDS, effort.rounds)):
        for watch, found in zip(watches, best, strict=True):
            for name, seconds in watch.round().items():
                found[name] = min(seconds, found.get(name, seconds))
    floor = min(found[BASELINE] for found in best) / len(CHUNKS)
    return [
        {name: found[name] / work.parts / floor for name, work in watch.works.items() if name != BASELINE}
        for watch, found in zip(watches, best, strict=True)
    ]


def _works(plot: Plot, size: int, _: Effort) -> list[Work]:
    return [Work(BASELINE, lambda: baseline(CHUNKS), len(CHUNKS)), *plot.lines(size)]


def _alone(size: int, effort: Effort) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.growth", "--formats", str(size)]
    smoke = ["--smoke"] if effort is SMOKE else []
    done = subprocess.run([*command, *smoke], stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def tables(series: Mapping[str, Series]) -> Iterator[str]:
    """Markdown: a line for each, a column for each size."""
    for each in series.values():
        yield f"| {each.what}: {each.part} | {' | '.join(f'{size:,}' for size in each.sizes)} |"
        yield f"|---|{'---:|' * len(each.sizes)}"
        for name, values in each.lines.items():
            cells = ("–" if math.isnan(value) else f"{value:,.1f}" for value in values)
            yield f"| {name} | {' | '.join(cells)} |"
        yield ""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description="How cost grows.")
    parser.add_argument(
        "--smoke", action="store_true", help="the two smallest sizes, once: to see that everything runs"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--formats", type=int, metavar="N", help="only the figures with that many formats, as JSON")
    args = parser.parse_args()
    effort = SMOKE if args.smoke else FULL
    if args.formats is not None:
        print(json.dumps(_columns(PLOTS["formats"], [args.formats], effort)[0]))
        return
    found = dict(measured(effort))
    if args.json:
        print(json.dumps({name: asdict(each) for name, each in found.items()}))
    else:
        print("\n".join(tables(found)))


if __name__ == "__main__":
    main()
