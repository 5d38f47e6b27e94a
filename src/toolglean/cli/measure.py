# How to time short work on a noisy machine, and the baseline that figures are compared with. Does not depend on what is
# timed.
#
# The candidates take turns, and the fastest round of each is used: disturbances make rounds slower, never faster.
# Processor time is measured if the clock is fine enough, because other programs then disturb less.
"""The clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from toolglean.events import Content, Event

__all__ = ["baseline", "best_times", "reading"]

FINE_CLOCK: Final = 1e-6
_clock = time.process_time if time.get_clock_info("process_time").resolution <= FINE_CLOCK else time.perf_counter


def baseline(chunks: Sequence[str]) -> None:
    """The least that any parser must do: make one list with one slotted event for each chunk."""
    events: list[Event]
    for chunk in chunks:
        events = [Content(chunk, 0)]
    del events


def reading(
    make: Callable[[], Any], chunks: Sequence[str], feed: str = "feed", finish: str = "finish"
) -> Callable[[], None]:
    """What gives the chunks to a new parser each time, and ends it; `feed` and `finish` are its methods for that."""

    def read() -> None:
        parser = make()
        take = getattr(parser, feed)
        for chunk in chunks:
            take(chunk)
        getattr(parser, finish)()

    return read


def best_times(
    works: Mapping[str, Callable[[], object]], *, rounds: int = 7, sample: float = 0.005
) -> dict[str, float]:
    """The best time of each piece of work, in seconds.

    Args:
        works: functions to time, by name. Each is called once first, so that caches are warm.
        rounds: how often each has its turn.
        sample: seconds that one turn should last at least: short work is repeated within it.
    """
    repeats = {name: _repeats(work, sample) for name, work in works.items()}
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            best[name] = min(best[name], _timed(work, repeats[name]) / repeats[name])
    return best


def _repeats(work: Callable[[], object], sample: float) -> int:
    work()
    once = max(_timed(work, 1), 1e-7)
    return max(1, int(sample / once))


def _timed(work: Callable[[], object], repeats: int) -> float:
    span = range(repeats)
    begin = _clock()
    for _ in span:
        work()
    return _clock() - begin
