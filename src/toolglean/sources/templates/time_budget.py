# How long all renderings of one template may take together, and how much of that is left. Does not depend on what is
# rendered, or where.
#
# A template is rendered dozens of times before its format is known. With a limit for each rendering alone, a hostile
# template could take minutes. For untrusted templates the processor's time is limited, because it is the same on a busy
# machine. The time by the clock is always limited.
"""One time budget for all renderings of a template."""

from __future__ import annotations

import time

__all__ = ["TimeBudget"]


class TimeBudget:
    """How much time is left.

    Args:
        seconds: how long all renderings may take by the clock, in seconds.
        of_processor: how many seconds of processor time they may take; None: any.
        here: how many seconds of processor time this thread may take meanwhile, to read what was rendered; None: any.
    """

    def __init__(self, seconds: float, of_processor: float | None = None, here: float | None = None) -> None:
        self._seconds, self._of_processor, self._here = seconds, of_processor, here
        self._wall = self._cpu = 0.0
        self._began = time.thread_time()

    def add_wall(self, seconds: float) -> None:
        """Count the seconds that a rendering took by the clock."""
        self._wall += seconds

    def add_cpu(self, seconds: float) -> None:
        """Count the seconds of processor time that a rendering took."""
        self._cpu += seconds

    @property
    def left(self) -> float:
        """Seconds by the clock that the next rendering may take."""
        return max(self._seconds - self._wall, 0.0)

    @property
    def exceeded(self) -> str:
        """Which limit was passed, in words; "" if there is time left."""
        if self._of_processor is not None and self._cpu > self._of_processor:
            return f"more than {self._of_processor:g} seconds of processor time"
        if self._here is not None and time.thread_time() - self._began > self._here:
            return f"more than {self._here:g} seconds to be read"
        return f"more than {self._seconds:g} seconds" if self._wall > self._seconds else ""
