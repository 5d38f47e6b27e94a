# The regular expressions of JSON Schema (ECMA 262), as far as a grammar can express them. Does not depend on how a
# dialect writes the characters of a string: the result is plain characters.
"""Patterns of strings, as grammars."""

from __future__ import annotations

import re
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
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0", "b": "\b"}
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
MOST = 1000
DEEPEST = 40  # the deepest nesting of groups
MOST_COUNTS = 40  # quantifiers after one element

_ESCAPE = (
    r"\\(?:x(?P<byte>[0-9a-fA-F]{2})|u(?P<code>(?![dD][89a-fA-F])[0-9a-fA-F]{4})"  # not half of a surrogate pair
    r"|(?P<set>[dDwWsS])|(?P<sign>[\W_])"
)
_OUTSIDE = re.compile(_ESCAPE + r"|(?P<control>[nrtvf0]))|(?P<char>[^\\^*+?{])", re.DOTALL)
_INSIDE = re.compile(_ESCAPE + r"|(?P<control>[nrtvf0b]))|(?P<char>[^\\])", re.DOTALL)
_GROUP = re.compile(r"\((?:\?:|\?<(?![=!])[^>]*>)?")
_RANGE = re.compile(r"-(?!\])")
# A lazy quantifier finds the same texts.
_QUANTIFIER = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>[0-9]{1,9})(?P<more>,(?P<most>[0-9]{0,9}))?\})\??")


class _Inexpressible(Exception):  # noqa: N818  # it is caught in this file
    """A grammar cannot express the pattern."""


def pattern(text: str) -> Node | None:
    """The texts in which the expression is found, as nodes of `Chars`; None if a grammar cannot express it."""
    try:
        reader = _Reader(text)
        found = reader.whole()
    except _Inexpressible:
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

    def _matched(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self.text, self.at)
        self.at = self.at if found is None else found.end()
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
        if self._took("."):
            return LINE
        if self._took("["):
            return self._class()
        return self._group() if self._matched(_GROUP) else self._char(_OUTSIDE)

    def _group(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Inexpressible
        found = self._ways(self._row)
        if not self._took(")"):
            raise _Inexpressible
        self.depth -= 1
        return found

    def _char(self, expression: re.Pattern[str]) -> Chars:
        found = self._matched(expression)
        if found is None:
            raise _Inexpressible
        kind = str(found.lastgroup)
        if kind == "set":
            return _CLASSES[found[kind]]
        if kind in {"byte", "code"}:
            return chars(chr(int(found[kind], 16)))
        return chars(_CONTROLS[found[kind]] if kind == "control" else found[kind])

    def _class(self) -> Chars:
        negated = self._took("^")
        ranges: list[tuple[int, int]] = []
        while not self._took("]"):
            low = self._char(_INSIDE)
            if _is_single(low) and self._matched(_RANGE):
                high = self._char(_INSIDE)
                if not _is_single(high) or high.ranges < low.ranges:
                    raise _Inexpressible
                low = Chars(((low.ranges[0][0], high.ranges[0][0]),))
            ranges += low.ranges
        found = complement(Chars(tuple(ranges)))
        found = found if negated else complement(found)
        if not found.ranges:
            raise _Inexpressible
        return found

    def _counted(self, node: Node) -> Node:
        for _ in range(MOST_COUNTS):
            found = self._matched(_QUANTIFIER)
            if found is None:
                return node
            least, most = _COUNTS[found["sign"]] if found["sign"] else _bounds(found)
            if isinstance(node, Repeat) and node.least == 0:  # its inner node is repeated, not what may be empty
                node = repeat(node.node, 0, None if node.most is None or most is None else node.most * most)
            else:
                node = repeat(node, least, most)
        raise _Inexpressible


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    least = int(found["least"])
    most = least if not found["more"] else int(found["most"]) if found["most"] else None
    if max(least, most or 0) > MOST:
        raise _Inexpressible
    return least, most


def _is_single(node: Chars) -> bool:
    return len(node.ranges) == 1 and node.ranges[0][0] == node.ranges[0][1]
