# What this file knows: the values of names, and how to go back to what they were.
# What it must not know: what a name stands for.
"""The names of a dry run."""

from __future__ import annotations

from toolglean.sources.templates.static.values import Value

__all__ = ["Names"]


class Names:
    """Values by name; "namespace.attribute" is a name too.

    What is set between `begin` and `end` can be taken back at the price of what was set, not of all that there is: a
    template may have as many conditions as names.
    """

    __slots__ = ("_undo", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Value | None] = {}
        self._undo: list[dict[str, Value | None]] = []

    def get(self, name: str) -> Value | None:
        """The value of a name, None if it has none."""
        return self._values.get(name)

    def set(self, name: str, value: Value | None) -> None:
        """Give a name a value, or take it away."""
        if self._undo:
            self._undo[-1].setdefault(name, self._values.get(name))
        self._values[name] = value

    def begin(self) -> None:
        """From here on, remember what was before."""
        self._undo.append({})

    def end(self) -> dict[str, Value | None]:
        """Go back to what was at `begin`. Returns what had been set since."""
        before = self._undo.pop()
        changed = {name: self._values[name] for name in before}
        self._values.update(before)
        return changed
