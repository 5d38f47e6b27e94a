# Tells whether the content is in a string of a JSON document. Everything in one is text, calls too. Does not depend on
# what is looked for.
#
# A document may begin anywhere in the text. It is JSON as long as a strict reader accepts it: a bracket in prose is
# refused after a character or two. A raw line break in a string ends it too, so that one quotation mark in prose, which
# nothing closes, does not hide the calls on the lines that follow.
"""Strings of JSON in text."""

from __future__ import annotations

import re

from toolglean.scan.json import END, JsonScanner
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import FAIL

__all__ = ["BRACKETS", "JsonStrings"]

BRACKETS = "{["

_bracket = re.compile(r"[{\[]").search


class JsonStrings(Plain):
    """Whether content is in a string of a JSON document.

    Attributes:
        is_open: whether a document has begun, so that what comes next must be examined.
    """

    __slots__ = ("_max_depth", "_scanner")

    owned = ("_scanner",)

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._scanner: JsonScanner | None = None

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
        self._scanner = None

    def scan(self, text: str) -> None:
        """Read on: content."""
        i = 0
        while i < len(text):
            scanner = self._scanner
            if scanner is None:
                found = _bracket(text, i)
                if found is None:
                    return
                i, scanner = found.start(), JsonScanner(self._max_depth)
                self._scanner = scanner
            j = scanner.skim(text, i, 0)
            if scanner.fixes:
                i, self._scanner = scanner.fixes[0] + 1, None
            elif scanner.token is FAIL or scanner.state == END:
                i, self._scanner = j, None
            else:
                return
