# Where a tool's name occurs in a text (rule 5 of `__init__.py`). Does not depend on the text around it.
#
# What makes the search resumable: unless a text ends with the beginning of a name, no name can begin in it and end
# later. So after a search that was allowed and found nothing, the next one starts at the end of the searched text,
# without overlap. A name that was found stays the right one, whatever follows.
"""Finds tool names in text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

__all__ = ["Names", "find_tool", "names_of"]


class Names:
    """The names of some tools, compiled for searching. Shared by all parsers with the same tools, and never changed."""

    __slots__ = ("_first", "_given", "_names", "_sorted", "reach")

    def __init__(self, names: tuple[str, ...]) -> None:
        self._given = names
        self._sorted = sorted(set(names))
        # The leftmost match, and there the first alternative: the earliest name, and the longest one at that place.
        longest_first = sorted(self._sorted, key=len, reverse=True)
        self._names = re.compile("|".join(map(re.escape, longest_first)))
        firsts = "".join(sorted({name[0] for name in names if name}))
        self._first = re.compile(f"[{re.escape(firsts)}]" if firsts else "(?!)")
        self.reach = max((len(name) - 1 for name in names if name), default=0)
        """How many characters at the end of a text decide whether a name begins there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return names_of, (self._given,)

    def begins_in(self, tail: str) -> bool:
        """Rule 5a: whether a text ends with a proper beginning of a name. `tail`: its last `reach` characters."""
        for found in self._first.finditer(tail):
            rest = tail[found.start() :]
            after = bisect_right(self._sorted, rest)  # longer names that begin with it follow immediately
            if after < len(self._sorted) and self._sorted[after].startswith(rest):
                return True
        return False

    def search(self, text: str, pos: int) -> re.Match[str] | None:
        """The first tool's name from `pos` on. An empty name is everywhere, except in an empty text."""
        return self._names.search(text, pos) if pos < len(text) else None


@lru_cache(maxsize=64)
def names_of(names: tuple[str, ...]) -> Names | None:
    """The compiled names; None if there are none."""
    return Names(names) if names else None


def find_tool(tools: Iterable[str], buffer: str) -> tuple[str | None, int]:
    """The tool that a buffer names: the name that occurs first, and the longest one there.

    Args:
        tools: the names of the tools.
        buffer: any text.

    Returns:
        The name and the position after it; (None, 0) if there is no name, or if more text could change the answer.
    """
    names = names_of(tuple(tools))
    if names is None or names.begins_in(buffer[-names.reach :] if names.reach else ""):
        return None, 0
    found = names.search(buffer, 0)
    return (found[0], found.end()) if found else (None, 0)
