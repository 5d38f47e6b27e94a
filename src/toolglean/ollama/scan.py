# Where brackets are outside strings, as rules 6 and 10 of `__init__.py` define strings. Does not depend on what the
# brackets enclose.
#
# A scan carries two facts from chunk to chunk: whether it is in a string, and whether the last character was a
# backslash. One possessive expression jumps over long stretches without a bracket, because backtracking would never
# help.
"""Scans for brackets in text that arrives in pieces."""

from __future__ import annotations

import re

from toolglean.scan.plain import Plain

__all__ = ["Balance", "Brackets", "jump"]


def _all_but(characters: str) -> re.Pattern[str]:
    plain = rf'[^"\\{re.escape(characters)}]*+'
    return re.compile(rf"{plain}(?:\\.{plain})*+", re.DOTALL)


IN_STRING = _all_but("")
OUTSIDE = {"{": _all_but("{}"), "[": _all_but("[]")}
CLOSER = {"{": "}", "[": "]"}


def jump(over: re.Pattern[str], text: str, pos: int) -> int:
    """The first position from `pos` on that `over` does not cover."""
    found = over.match(text, pos)
    return pos if found is None else found.end()


class Brackets(Plain):
    """Finds one kind of bracket outside strings, piece by piece."""

    __slots__ = ("escaped", "in_string", "opener")

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.in_string = False
        self.escaped = False

    def next(self, text: str, pos: int) -> int:
        """The first bracket from `pos` on; -1: there are no more, so continue at the start of the next piece."""
        end = len(text)
        if self.escaped and pos < end:
            self.escaped = False
            pos += 1
        while pos < end:
            pos = jump(IN_STRING if self.in_string else OUTSIDE[self.opener], text, pos)
            if pos == end:
                break
            if text[pos] == '"':
                self.in_string = not self.in_string
                pos += 1
            elif text[pos] == "\\":
                # A backslash can stop the jump only as the last character: elsewhere it is skipped with the next one.
                self.escaped = True
                break
            else:
                return pos
        return -1


class Balance(Plain):
    """Rule 10: whether a closing bracket has brought the count to exactly 0. A lone one brings it below 0."""

    __slots__ = ("_brackets", "_depth")
    owned = ("_brackets",)

    def __init__(self, opener: str) -> None:
        self._brackets = Brackets(opener)
        self._depth = 0

    def reached(self, text: str) -> bool:
        """Count the brackets of the next piece. Once the result is True, do not call it again."""
        opener = self._brackets.opener
        pos = -1
        while (pos := self._brackets.next(text, pos + 1)) >= 0:
            if text[pos] == opener:
                self._depth += 1
                continue
            self._depth -= 1
            if self._depth == 0:
                return True
        return False
