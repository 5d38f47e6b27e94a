# How much work a piece of code does, counted, so that no test depends on a clock.
# Does not depend on what the work is for.
"""Counting work."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from typing import Any

from toolglean.scan.scanner import DONE


def calls_made(work: Callable[[], Any]) -> int:
    """How many functions, of Python and of C, `work` calls."""
    profile = cProfile.Profile()  # counts in C: a function that counts for `sys.setprofile` takes five times as long
    profile.runcall(work)
    return sum(each.callcount for each in profile.getstats())


def reads_in_linear_time(new: Callable[[], Any], make: Callable[[int], str]) -> bool:
    """Whether ten times the text is about ten times the work for a reader of `toolglean.scan`, in pieces.

    Args:
        new: makes a reader.
        make: makes a text of some size, which the reader reads to its end.
    """
    counts = []
    for size in (2_000, 20_000):
        text, reader = make(size), new()

        def read(text: str = text, reader: Any = reader) -> None:
            for place in range(0, len(text), 4):
                _, _, status = reader.read(text[place : place + 4], 0)
            assert status == DONE

        counts.append(calls_made(read) / len(text))
    return counts[1] < 1.3 * counts[0]
