# Tells whether the content is in a string of a JSON document. Everything in one is text, calls too. Does not depend on
# what is looked for.
#
# A document may begin anywhere in the text. It is JSON as long as a strict reader accepts it: a bracket in prose is
# refused after a character or two. A raw line break in a string ends it too, so that one quotation mark in prose, which
# nothing closes, does not hide the calls on the lines that follow. A document in the first word of inline code ends
# with the code.
"""Strings of JSON in text."""

from __future__ import annotations

import re

from toolglean.engine.judge.ticks import FENCE, Ticks
from toolglean.scan.json import END, JsonScanner
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import FAIL

__all__ = ["BRACKETS", "JsonStrings"]

BRACKETS = "{["

_bracket = re.compile(r"[{\[]").search
_end_of_code = re.compile(r"[`\n]").search
_sign = re.compile(r"[{\[`]").search
_one_word = re.compile(r"\S*").fullmatch


class JsonStrings(Plain):
    """Whether content is in a string of a JSON document.

    Attributes:
        is_open: whether a document has begun, so that what comes next must be examined.
    """

    __slots__ = ("_in_code", "_max_depth", "_near", "_scanner", "_ticks")

    owned = ("_scanner", "_ticks")

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._scanner: JsonScanner | None = None
        self._ticks = Ticks()  # outside documents
        self._near = False  # whether no white space came since the last backtick
        self._in_code = False  # whether inline code begins with the document

    @property
    def is_open(self) -> bool:
        """Whether a document has begun, so that what comes next must be examined."""
        return self._scanner is not None

    @property
    def in_string(self) -> bool:
        """Whether what comes next is in a string."""
        return self._scanner is not None and self._scanner.in_string

    def reset(self) -> None:
        """What comes next is not part of the document."""
        self._scanner, self._ticks = None, Ticks()

    def matters(self, text: str) -> bool:
        """Whether that text must be read: no other text changes anything."""
        return self._scanner is not None or self._ticks.waits or _sign(text) is not None

    def scan(self, text: str) -> None:
        """Read on: content."""
        i = 0
        while 0 <= i < len(text):
            i = self._find(text, i) if self._scanner is None else self._read(self._scanner, text, i)

    # Each returns the place that it reached, -1 for the end of the text.

    def _find(self, text: str, i: int) -> int:
        # Up to a bracket, with which a document may begin. It shows that no more backticks come before it.
        found = _bracket(text, i)
        place = len(text) if found is None else found.start()
        _, tick, after = text[i:place].rpartition("`")
        self._near = bool(tick or self._near) and _one_word(after) is not None
        self._ticks.scan(text[i : place + 1], 0)
        if found is None:
            return -1
        self._in_code, self._near = self._near and 0 < self._ticks.open < FENCE, False
        self._scanner = JsonScanner(self._max_depth)
        return place

    def _read(self, scanner: JsonScanner, text: str, i: int) -> int:
        over = _end_of_code(text, i) if self._in_code else None
        part = text if over is None else text[: over.start()]
        j = scanner.skim(part, i, 0) if i < len(part) else i
        breaks = [each for each in scanner.fixes if part[each] in "\r\n"]
        scanner.fixes.clear()
        if breaks:
            j = breaks[0] + 1
        elif over is not None and j == len(part):
            j = over.start()
        elif scanner.token is not FAIL and scanner.state != END:
            return -1
        self._scanner = None
        return j
