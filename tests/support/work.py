# How much work a piece of code does, counted, so that no test depends on a clock.
# Does not depend on what the work is for.
"""Counting work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_made(work: Callable[[], Any]) -> int:
    """How many functions, of Python and of C, `work` calls."""
    count = 0

    def count_one(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count_one)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
