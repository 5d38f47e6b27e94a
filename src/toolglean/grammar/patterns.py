# The regular expressions of JSON Schema (ECMA 262), as far as a grammar can express them. Does not depend on how a
# dialect writes the characters of a string: the result is plain characters.
"""Patterns of strings, as grammars."""

from __future__ import annotations

from collections.abc import Callable

from toolglean.grammar.nodes import ALL, EMPTY, Chars, Node, Repeat, all_but, alt, chars, complement, repeat, seq

__all__ = ["pattern"]

DIGITS = chars(("0", "9"))
WORDS = chars(("0", "9"), ("A", "Z"), "_", ("a", "z"))
SPACES = chars("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", ("\u2000", "\u200a"))
LINE = all_but("\n\r\u2028\u2029")
_CLASSES = {
    "d": DIGITS, "D": complement(DIGITS), "w": WORDS, "W": complement(WORDS), "s": SPACES, "S": complement(SPACES),
}  # fmt: skip
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
MOST = 1000
DEEPEST = 40  # the deepest nesting of groups
LONGEST_COUNT = 40  # characters of the quantifiers after one element


class _Inexpressible(Exception):  # noqa: N818  # it is caught in this file
    """A grammar cannot express the pattern."""


def pattern(text: str) -> Node | None:
    """The texts in which the expression is found, as nodes of `Chars`; None if a grammar cannot express it."""
    try:
        reader = _Reader(text)
        found = reader.whole()
    except (_Inexpressible, IndexError, ValueError):
        return None
    return found if reader.at == len(text) else None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0

    def whole(self) -> Node:
        return self._ways(self._anchored)

    def _anchored(self) -> Node:
        before = EMPTY if self._took("^") else repeat(ALL)
        inside = self._row()
        return seq(before, inside, EMPTY if self._took("$") else repeat(ALL))

    def _took(self, text: str) -> bool:
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _row(self) -> Node:
        found: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)$":
            found.append(self._counted(self._one()))
        return seq(*found)

    def _ways(self, way: Callable[[], Node]) -> Node:
        found = [way()]
        while self._took("|"):
            found.append(way())
        return alt(*found)

    def _one(self) -> Node:
        char = self.text[self.at]
        self.at += 1
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape(inside=False)
        if char in "^*+?{":
            raise _Inexpressible
        return LINE if char == "." else chars(char)

    def _group(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Inexpressible
        if self._took("?<"):
            if self.text[self.at] in "=!":
                raise _Inexpressible
            self.at = self.text.index(">", self.at) + 1
        elif self._took("?") and not self._took(":"):
            raise _Inexpressible
        found = self._ways(self._row)
        if not self._took(")"):
            raise _Inexpressible
        self.depth -= 1
        return found

    def _escape(self, *, inside: bool) -> Chars:
        char = self.text[self.at]
        self.at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _CONTROLS:
            return chars(_CONTROLS[char])
        if char in "xu":
            return self._code(2 if char == "x" else 4)
        if inside and char == "b":
            return chars("\b")
        if char.isalnum():
            raise _Inexpressible
        return chars(char)

    def _code(self, digits: int) -> Chars:
        code = int(self.text[self.at : self.at + digits], 16)
        self.at += digits
        if 0xD800 <= code <= 0xDFFF:
            raise _Inexpressible
        return chars(chr(code))

    def _class(self) -> Chars:
        negated = self._took("^")
        ranges: list[tuple[int, int]] = []
        while not self._took("]"):
            low = self._member()
            if self.text[self.at] == "-" and self.text[self.at + 1] != "]" and _single(low):
                self.at += 1
                high = self._member()
                if not _single(high) or high.ranges[0] < low.ranges[0]:
                    raise _Inexpressible
                ranges.append((low.ranges[0][0], high.ranges[0][0]))
            else:
                ranges += low.ranges
        found = complement(Chars(tuple(ranges)))
        if not (found if negated else complement(found)).ranges:
            raise _Inexpressible
        return found if negated else complement(found)

    def _member(self) -> Chars:
        char = self.text[self.at]
        self.at += 1
        return self._escape(inside=True) if char == "\\" else chars(char)

    def _counted(self, node: Node) -> Node:
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] in "*+?{":
            if self.at - begin > LONGEST_COUNT:
                raise _Inexpressible
            char = self.text[self.at]
            self.at += 1
            least, most = _COUNTS[char] if char in _COUNTS else self._bounds()
            self._took("?")  # a lazy quantifier finds the same texts
            if isinstance(node, Repeat) and node.least == 0:  # its inner node is repeated, not what may be empty
                node = repeat(node.node, 0, None if node.most is None or most is None else node.most * most)
            else:
                node = repeat(node, least, most)
        return node

    def _bounds(self) -> tuple[int, int | None]:
        end = self.text.index("}", self.at)
        low, comma, high = self.text[self.at : end].partition(",")
        self.at = end + 1
        least = int(low)
        most = None if comma and not high else int(high) if comma else least
        if least > MOST or (most or 0) > MOST:
            raise _Inexpressible
        return least, most


def _single(node: Chars) -> bool:
    return len(node.ranges) == 1 and node.ranges[0][0] == node.ranges[0][1]
