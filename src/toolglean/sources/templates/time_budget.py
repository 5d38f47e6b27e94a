# How long one template may take altogether, and how much of that is left. Does not depend on what is rendered, or
# where.
#
# A template is rendered dozens of times before its format is known, and each rendering is read several times. With a
# limit for each alone, a hostile template could take minutes. For untrusted templates the processor's time is limited,
# because it is the same on a busy machine: that of the children that render, and that of this thread, which compares
# and reads what they wrote. Renderings are also limited by the clock.
"""One time budget for all that is done with a template."""

from __future__ import annotations

import time

__all__ = ["TimeBudget"]


class TimeBudget:
    """How much time is left.

    Args:
        seconds: how long all renderings may take by the clock, in seconds.
        of_processor: how many seconds of processor time everything may take, from now on: renderings in other
            processes, and this thread; None: any.
    """

    def __init__(self, seconds: float, of_processor: float | None = None) -> None:
        self._seconds, self._of_processor = seconds, of_processor
        self._wall = self._elsewhere = 0.0
        self._began = time.thread_time()

    def add_wall(self, seconds: float) -> None:
        """Count the seconds that a rendering took by the clock."""
        self._wall += seconds

    def add_cpu(self, seconds: float) -> None:
        """Count the seconds of processor time that a rendering took in another process."""
        self._elsewhere += seconds

    @property
    def is_strict(self) -> bool:
        """Whether the template is untrusted."""
        return self._of_processor is not None

    @property
    def left(self) -> float:
        """Seconds by the clock that the next rendering may take."""
        left = self._seconds - self._wall
        return max(left if self._of_processor is None else min(left, self._of_processor - self._used), 0.0)

    @property
    def is_half_used(self) -> bool:
        """Whether it is time to do with fewer samples."""
        return self._of_processor is not None and self._used > self._of_processor / 2

    @property
    def exceeded(self) -> str:
        """Which limit was passed, in words; "" if there is time left."""
        if self._of_processor is not None and self._used > self._of_processor:
            return f"more than {self._of_processor:g} seconds of processor time"
        return f"more than {self._seconds:g} seconds" if self._wall > self._seconds else ""

    @property
    def _used(self) -> float:
        return self._elsewhere + time.thread_time() - self._began
