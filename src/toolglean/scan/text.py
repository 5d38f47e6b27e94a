# What this file knows: where the first of some literals stands in a text, and whether the text's end may begin one.
# What it must not know: what the literals are for.
#
# `str.find` for each literal and `endswith` with a tuple of all their beginnings: measured against a regular
# expression on 2,000 characters, 0.7 µs to 16 µs. At one place the longest literal counts; while a longer one may
# still come, the place is held.
"""Finding literals in text that arrives in pieces."""

from __future__ import annotations

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
    """

    __slots__ = ("_beginnings", "first", "literals")

    def __init__(self, literals: Iterable[str]) -> None:
        # Longest first: at one place, the first hit is then the longest.
        self.literals = tuple(sorted({each for each in literals if each}, key=lambda each: (-len(each), each)))
        beginnings = {each[:size] for each in self.literals for size in range(1, len(each))}
        self._beginnings = tuple(sorted(beginnings, key=len, reverse=True))
        # One character that every literal begins with, or "" (which is in every text): the guard of fast paths.
        firsts = {each[0] for each in self.literals}
        self.first = firsts.pop() if len(firsts) == 1 else ""

    def find(self, text: str, pos: int) -> tuple[int, str]:
        """The place of the first literal, and it; or where the text's end may begin one (or its length), and ""."""
        best, which = len(text), ""
        for literal in self.literals:
            # Longest first: at one place the longest has been found before, so a later one must stand further left.
            place = text.find(literal, pos, best + len(literal) - 1) if which else text.find(literal, pos)
            if place != -1:
                best, which = place, literal
        held = self._held(text, pos)
        # A beginning at the end that stands at the hit or before it may become a longer literal: wait.
        return (best, which) if best < held else (held, "")

    def _held(self, text: str, pos: int) -> int:
        if text.endswith(self._beginnings):
            for beginning in self._beginnings:
                if text.endswith(beginning) and len(text) - len(beginning) >= pos:
                    return len(text) - len(beginning)
        return len(text)
