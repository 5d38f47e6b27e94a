# Tells where a sentence is still going on. Does not depend on what follows there.
"""Whether text is in the middle of a sentence."""

from __future__ import annotations

import re

__all__ = ["KEPT", "in_sentence"]

KEPT = 4
"""How many characters of the text before tell it: those of `said.** `."""

_ENDS = frozenset(".!?:…。！？：؟।;；")
_CLOSERS = ")]\"'”’»」』）"  # a quotation or parenthesis ends with its sentence: `(See above.) `
_GOES_ON = frozenset(",，、-–—`/&+=|(“\"'«•")
_item = re.compile(r"(?:[-*+•]|\d{1,2}[.)])[ \t]+").fullmatch


def in_sentence(before: str) -> bool:
    """Whether text that follows that one is in the middle of a sentence: behind a word, a comma, a list's sign."""
    line = before[-KEPT:].rpartition("\n")[2]
    text = line.rstrip(" \t").rstrip("*_")
    if not text or len(line) < KEPT:
        if _item(line) is not None:
            return True
        if not text:
            return False
    last = text[-1]
    if last in _CLOSERS:
        return text.rstrip(_CLOSERS)[-1:] not in _ENDS
    return last.isalnum() or last in _GOES_ON
