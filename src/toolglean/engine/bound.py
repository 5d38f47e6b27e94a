# What this file knows: the place at which a limit is passed, and which limit it is.
# What it must not know: what is counted, and what happens then.
"""The limit that is in force."""

from __future__ import annotations

import sys

__all__ = ["NEVER", "Bound"]

NEVER = sys.maxsize


class Bound:
    """The limit that is in force, for a region or for an open call.

    Attributes:
        at: the place in the turn of the first character beyond it; NEVER where none is in force.
        name: which limit it is.
    """

    __slots__ = ("at", "name")

    def __init__(self, at: int = NEVER, name: str = "") -> None:
        self.at = at
        self.name = name

    def copy(self) -> Bound:
        """The same limit."""
        return Bound(self.at, self.name)

    def set(self, at: int, name: str) -> None:
        """From now on this one."""
        self.at, self.name = at, name

    def lift(self) -> None:
        """From now on none."""
        self.at = NEVER

    def __getstate__(self) -> tuple[int, str]:
        return self.at, self.name

    def __setstate__(self, state: tuple[int, str]) -> None:
        self.at, self.name = state
