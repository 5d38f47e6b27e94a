# Which variables are visible at a place of a template, and how many ranges are open there. Does not depend on tokens
# and nodes.
"""The variables that a template may use."""

from __future__ import annotations

from collections import Counter

__all__ = ["Scope"]


class Scope:
    """Variables in the order in which they were declared, and the number of open ranges.

    A variable lives until the block that declares it ends; one name may be declared more than once. `$` always lives.
    """

    __slots__ = ("_names", "_seen", "ranges")

    def __init__(self) -> None:
        self._names = ["$"]
        self._seen = Counter(self._names)  # so that a look-up does not search all names
        self.ranges = 0

    def declare(self, name: str) -> None:
        """Add a variable."""
        self._names.append(name)
        self._seen[name] += 1

    def mark(self) -> int:
        """The place to which `release` goes back."""
        return len(self._names)

    def release(self, mark: int) -> None:
        """Forget the variables that were declared since."""
        while len(self._names) > mark:
            self._seen[self._names.pop()] -= 1

    def __contains__(self, name: str) -> bool:
        return self._seen[name] > 0
