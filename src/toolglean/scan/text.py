# What this file knows: where the first of some literals stands in a text, and whether the text's end may begin one.
# What it must not know: what the literals are for.
#
# First the next character with which any literal begins: `str.find` where that is one character, else an expression
# for a class of characters. Only there are the literals compared, the longest first. (One expression for all literals
# was measured at 16 µs on 2,000 characters of prose, where this takes 0.1 µs.)
"""Finding literals in text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["WORD_MARKS", "Finder", "is_word"]

WORD_MARKS = frozenset("_-.")


def is_word(char: str) -> bool:
    """Whether the character can stand in a tool's name."""
    return char.isalnum() or char in WORD_MARKS


class Finder:
    """Finds the first of some literals. Made once, shared by all parsers, never changed.

    Args:
        literals: what to look for; empty ones are left out.

    Attributes:
        first: the one character with which every literal begins, or "": the guard of fast paths.
    """

    __slots__ = ("_by_first", "_longest", "_search", "first", "literals")

    def __init__(self, literals: Iterable[str]) -> None:
        self.literals = tuple(sorted({each for each in literals if each}, key=lambda each: (-len(each), each)))
        self._longest = len(self.literals[0]) if self.literals else 0
        self._by_first: dict[str, list[str]] = {}
        for literal in self.literals:
            self._by_first.setdefault(literal[0], []).append(literal)
        self.first = next(iter(self._by_first)) if len(self._by_first) == 1 else ""
        self._search = re.compile("[" + re.escape("".join(self._by_first)) + "]").search if self._by_first else None

    def find(self, text: str, pos: int) -> tuple[int, str]:
        """The place of the first literal, and it; or where the text's end may begin one (or its length), and "".

        At one place the longest literal counts; while a longer one may still come, the place is held.
        """
        end = len(text)
        while True:
            pos = self._candidate(text, pos)
            if pos < 0:
                return end, ""
            rest = text[pos:] if end - pos < self._longest else ""
            for literal in self._by_first[text[pos]]:
                if text.startswith(literal, pos):
                    return pos, literal
                if rest and literal.startswith(rest):
                    return pos, ""
            pos += 1

    def _candidate(self, text: str, pos: int) -> int:
        if self.first:
            return text.find(self.first, pos)
        found = self._search(text, pos) if self._search is not None else None
        return -1 if found is None else found.start()
