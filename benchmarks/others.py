# Measures of what is not the parser itself: processes, templates, clients, repairs. Does not depend on how time is
# taken, or on how figures are shown.
"""Measures around the parser."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.adapters import CHUNKS, PAYLOADS, adapters
from benchmarks.timing import Effort, Measure, Quotient, Work
from toolglean.errors import ToolgleanError

__all__ = ["ADAPTERS", "PROCESSES", "REPAIRS", "TEMPLATES", "import_ms"]

ROOT = Path(__file__).parents[1]
BROKEN = 100  # broken calls for each repair and format


# -- processes ---------------------------------------------------------------------------------------------------------


def _process(*args: str) -> subprocess.CompletedProcess[str]:
    # Bytecode goes to a place of its own: an import is timed as it is for users, whatever this environment says.
    cache_of_bytecode = os.path.join(tempfile.gettempdir(), "toolglean-benchmarks-bytecode")  # noqa: PTH118
    env = {key: value for key, value in os.environ.items() if key == "PYTHONPATH" or not key.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *args],
        env=env | {"PYTHONPYCACHEPREFIX": cache_of_bytecode},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )


def import_ms() -> float:
    """Milliseconds for `from toolglean import Parser` beyond Python's own start, bytecode written."""
    done = _process("-X", "importtime", "-c", "from toolglean import Parser")
    # What a module imports is indented, and part of its time.
    rows = [line.split("|")[1:] for line in done.stderr.splitlines()]
    return sum(int(cumulative) for cumulative, name in rows if name.startswith(" toolglean")) / 1000


def _processor_ms(*args: str) -> float:
    # Of the whole process, Python's own start among it. Where the system does not tell, the time that passes.
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ImportError:
        begin = time.perf_counter()
        _process(*args)
        return (time.perf_counter() - begin) * 1e3
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _process(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def _counted(name: str, run: Callable[[], float], unit: str = "ms", goal: float | None = None) -> Work:
    return Work(name, run, unit=unit, goal=goal, counted=True)


PROCESSES = (
    Measure("from toolglean import Parser", lambda _: [_counted("-X importtime, cumulative", import_ms, goal=30)]),
    Measure(
        "processor time of a process",
        lambda _: [
            _counted("python -c pass", partial(_processor_ms, "-c", "pass")),
            _counted("from toolglean import Parser", partial(_processor_ms, "-c", "from toolglean import Parser")),
            _counted("toolglean --version", partial(_processor_ms, "-m", "toolglean", "--version"), goal=100),
        ],
    ),
)


# -- templates ---------------------------------------------------------------------------------------------------------


def _templates(effort: Effort) -> list[Work]:
    # Templates of our own, and a sample of the shared ones where they are at hand; tests/support.infer_outcomes.py
    # takes all.
    from toolglean.sources.templates.infer import infer  # noqa: PLC0415  # large, and needed here only

    paths = sorted((ROOT / "fixtures" / "templates").glob("*.*"))
    shared = sorted((ROOT.parent / "shared" / "templates").glob("*/*"))
    chosen = paths[:1] if effort.divide_by > 1 else [*paths, *shared[:: max(1, len(shared) // 40)]]

    @cache
    def times() -> list[float]:
        found = []
        for path in chosen:
            begin = time.perf_counter()
            try:
                infer(path.read_text(encoding="utf-8"))
            except ToolgleanError:
                continue
            found.append(time.perf_counter() - begin)
        return found

    return [
        _counted("median", lambda: statistics.median(times()), "s"),
        _counted("worst", lambda: max(times()), "s"),
    ]


TEMPLATES = (Measure("a format read from a chat template, and proven", _templates, rounds=1),)


# -- clients -----------------------------------------------------------------------------------------------------------


def _adapter(client: str, payload: str) -> Measure:
    # The goal: what an adapter adds is less than the client's own work for a chunk.
    def make(effort: Effort) -> Iterator[Work]:
        for own, text, chunks, works in adapters(CHUNKS // effort.divide_by):
            if (own, text) == (client, payload):
                yield Work("the bare client", works["bare"], chunks)
                yield Work("with the adapter", works["adapted"], chunks)

    share = Quotient("the adapter's share of the client's", "with the adapter", "the bare client", 1, less=1)
    return Measure(f"{client}, a chunk of {payload}", lambda effort: [*make(effort)], (share,), rounds=5)


ADAPTERS = tuple(
    _adapter(client, payload) for client in ("openai", "ollama") if find_spec(client) for payload in PAYLOADS
)


# -- repairs -----------------------------------------------------------------------------------------------------------


def _repairs(effort: Effort) -> Iterator[Work]:
    # The outcome of broken calls is not a figure of speed, but of what can be read. None may be repaired wrongly.
    from fuzz import repairs  # noqa: PLC0415  # large, and needed here only

    count = max(BROKEN // effort.divide_by, 2)

    @cache
    def found(repair: str) -> Counter[str]:
        return sum((repairs.count_of(repair, name, count)[0] for name in repairs.families(repair)), Counter[str]())

    def share(repair: str, outcome: str) -> float:
        return 100 * found(repair)[outcome] / found(repair).total()

    for repair in repairs.BREAKERS:
        yield _counted(repair, partial(share, repair, repairs.RIGHT), "% right")
        yield _counted(f"    {repair}: repaired wrongly", partial(share, repair, repairs.WRONG), "%", 0)


REPAIRS = (Measure("repairs, of broken calls", lambda effort: [*_repairs(effort)], rounds=1),)
