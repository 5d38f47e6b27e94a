# How far a run has come, for a person at a terminal. Does not depend on what the run does.
"""Progress on standard error."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress", "clear_line", "show_line"]

WIDTH = 30
EVERY = 0.2
"""Seconds."""


def show_line(text: str) -> None:
    """Replace the last line of standard error, if that is a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def clear_line() -> None:
    """Remove what `show_line` has shown."""
    show_line("")


class Progress:
    """Shows how far a log has been read.

    Args:
        before: how many lines were done before this run.
    """

    def __init__(self, before: int) -> None:
        self._before = before
        self._began = self._last = time.monotonic()

    def show(self, lines: int, read: float | None) -> None:
        """Show how many lines are done, and which part of the log that is; None if that is not known."""
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        speed = (lines - self._before) / (now - self._began)
        part = "" if read is None else f"[{'#' * int(read * WIDTH):{WIDTH}}] {read:4.0%} "
        show_line(f"{part}{lines:,} lines, {speed:,.0f} a second ")
