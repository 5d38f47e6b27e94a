# How work is timed, a round at a time, and how rows are made from the best of the rounds. Does not depend on what is
# timed (cases.py, turns.py), or on how a table is shown.
#
# What makes a figure wrong, and what is done about it:
#
# - The machine is not always equally fast. So the works of a measure take turns, the baseline is one of them, and the
#   fastest round of each is used.
# - A round that is too short measures the clock, and one that is too long contains a slow moment. So short work is
#   repeated until it lasts `Effort.sample` seconds, and long work runs once.
# - Garbage of one work would be collected in the time of another. So it is collected before each, outside the time;
#   while work is timed, the collector runs as it does for a user.
# - The first run of anything fills caches: those of toolglean, the bytecode on the disk and the interpreter's own
#   specialised instructions. So each work runs once before it is timed.
"""Works, the rounds in which they are timed, and the rows that come of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["BASELINE", "FULL", "SMOKE", "Effort", "Measure", "Quotient", "Row", "Stopwatch", "Work"]
__all__ += ["feeding", "rows_of", "told"]

BASELINE = "the baseline"
UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
CLOCK = time.process_time if time.get_clock_info("process_time").resolution <= 1e-6 else time.perf_counter
"""Processor time if its clock is fine enough, because other programs then disturb less."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure.

    Attributes:
        rounds: how often each work has its turn.
        sample: seconds that one turn should last at least: short work is repeated within it.
        divide_by: by how much texts and counts are smaller than they should be.
    """

    rounds: int
    sample: float
    divide_by: int = 1


FULL = Effort(rounds=60, sample=0.001)
"""Many short rounds find the undisturbed moments: on a busy machine with two cores, six runs gave 71 to 120 times the
baseline for the same small calls with 15 rounds of 5 ms, and 86 to 88 with 150 rounds of 0.5 ms."""
SMOKE = Effort(rounds=1, sample=0.0005, divide_by=40)


@dataclass(frozen=True, slots=True)
class Work:
    """What is timed, or counted.

    Attributes:
        name: the row's.
        run: does it once.
        parts: how many equal parts it has, mostly chunks: the figure is that of one.
        unit: of the figure: ns, us, ms or s; anything else if it is counted.
        goal: in multiples of the baseline; for what is counted, in its own unit.
        counted: whether `run` returns the figure itself.
        shown: whether it has a row of its own.
    """

    name: str
    run: Callable[[], Any]
    parts: int = 1
    unit: str = "ns"
    goal: float | None = None
    counted: bool = False
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Quotient:
    """A row that divides the figure of one work by that of another: growth, mostly."""

    name: str
    of: str
    by: str
    goal: float | None = 1.3
    less: float = 0.0
    """What is subtracted: 1 gives what one work adds to the other."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Works that take turns, and the rows that come of them.

    Attributes:
        group: the heading of its rows.
        make: the works. Nothing is made before the measure is due.
        quotients: further rows.
        rounds: the most rounds, for work that takes seconds; None for as many as the effort says.
    """

    group: str
    make: Callable[[Effort], Sequence[Work]]
    quotients: tuple[Quotient, ...] = ()
    rounds: int | None = None

    def rounds_of(self, effort: Effort) -> int:
        """How many rounds there are."""
        return min(self.rounds or effort.rounds, effort.rounds)


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


class Stopwatch:
    """The works of one measure, timed a round at a time."""

    def __init__(self, measure: Measure, effort: Effort) -> None:
        self.works = {work.name: work for work in measure.make(effort)}
        gc.collect()
        self._repeats = {name: self._calibrated(work, effort.sample) for name, work in self.works.items()}

    @staticmethod
    def _calibrated(work: Work, sample: float) -> int:
        work.run()
        return 1 if work.counted else max(1, int(sample / max(_seconds(work.run, 1), 1e-7)))

    def round(self) -> dict[str, float]:
        """Each work once: seconds, or the figure that it counted, by name."""
        found = {}
        for name, work in self.works.items():
            repeats = self._repeats[name]
            found[name] = work.run() if work.counted else _seconds(work.run, repeats) / repeats
        return found


def _seconds(run: Callable[[], object], repeats: int) -> float:
    span = range(repeats)
    gc.collect(1)  # the oldest generation takes tens of milliseconds
    begin = CLOCK()
    for _ in span:
        run()
    return CLOCK() - begin


def rows_of(
    group: str, works: Sequence[Mapping[str, Any]], quotients: Iterable[Quotient], best: Mapping[str, float]
) -> Iterator[Row]:
    """The rows of a measure. `works` are the attributes of each but `run`, as another process may have sent them."""
    each = {work["name"]: best[work["name"]] / work["parts"] for work in works}
    floor = each.get(BASELINE)
    for work in works:
        name, unit, goal, counted = work["name"], work["unit"], work["goal"], work["counted"]
        if not work["shown"]:
            continue
        if counted:
            yield Row(group, name, max(each[name], 0.001), unit, None, goal, each[name])
            continue
        floors = each[name] / floor if floor else None
        yield Row(group, name, each[name] * UNITS[unit], unit, floors, goal, floors)
    for ratio in quotients:
        value = each[ratio.of] / each[ratio.by] - ratio.less
        yield Row(group, ratio.name, max(value, 0.001), "x", None, ratio.goal, value)


TOLD = ("name", "parts", "unit", "goal", "counted", "shown")


def told(work: Work) -> dict[str, Any]:
    """The attributes of a work but `run`, as JSON."""
    return {name: getattr(work, name) for name in TOLD}


# -- what is timed: a turn that is read ----------------------------------------------------------------------------


def feeding(new: Callable[[], Callable[[str], Any]], chunks: Sequence[str], opener: str = "") -> Callable[[], None]:
    """What gives the chunks to a new function each time, after the opener, and throws away what it returns."""

    def work() -> None:
        feed = new()
        if opener:
            feed(opener)
        for chunk in chunks:
            feed(chunk)

    return work
