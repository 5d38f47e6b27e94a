# What this file knows: how a terminal is told how far a run has come.
# What it must not know: what is being done.
"""A bar, for a person at a terminal."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress"]

WIDTH = 30
EVERY = 0.2
"""Seconds."""


class Progress:
    """Shows how far a run has come, on standard error if that is a terminal, else nowhere.

    Args:
        before: how many lines were done before this run.
    """

    def __init__(self, before: int) -> None:
        self._on = sys.stderr.isatty()
        self._before = before
        self._began = self._last = time.monotonic()

    def show(self, lines: int, read: float | None) -> None:
        """Show that so many lines are done, and which part of the log that is; None where that is not known."""
        now = time.monotonic()
        if not self._on or now - self._last < EVERY:
            return
        self._last = now
        speed = (lines - self._before) / (now - self._began)
        part = "" if read is None else f"[{'#' * int(read * WIDTH):{WIDTH}}] {read:4.0%} "
        print(f"\r{part}{lines:,} lines, {speed:,.0f} a second \x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take it away."""
        if self._on:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
