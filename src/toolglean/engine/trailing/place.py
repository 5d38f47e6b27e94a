# Where JSON after other text may be a call: at the beginning of a line, or after the end of a sentence. Does not know
# what follows there (calls.py).
#
# What comes before a call in JSON says little, because nothing marks the call. So these places are refused:
# - in a quotation, as judge/code.py finds them, and while it is in doubt whether there is one
# - in the middle of a sentence, after a key of another notation (`request: {`), and in code (`return {`, `f({`)
# - on an indented line, in a list, in a table, in a heading
"""The place in content where a call in JSON may begin."""

from __future__ import annotations

import re

from toolglean.engine.judge.code import Quotes
from toolglean.scan.plain import Plain

__all__ = ["Place"]

LINE = 64  # characters of a line that are kept: more than a list's sign, or a key, has
TAIL = 8  # characters of the text that are kept: more than come between a sentence and the next one

_item = re.compile(r"[ \t]*(?:[-*+•]\s|\d{1,3}[.)]\s|[|#>])|[ \t]{4}|\t").match
_sentence_ended = re.compile(r"(?:[.!?…][)\"'”’]?[*_]{0,2}[ \t]+|[。！？][*_]{0,2}[ \t]*)\Z").search
_announced = re.compile(r"(?:(?<![\"'`\]}])[*_]{0,2}:[*_]{0,2}[ \t]+|：[*_]{0,2}[ \t]*)\Z").search
_words = re.compile(r"\S[ \t]+\S").search


class Place(Plain):
    """The end of the content so far.

    Args:
        heeded: whether calls in quotations are content.
    """

    __slots__ = ("_has_text", "_line", "_quotes", "_tail")

    owned = ("_quotes",)

    def __init__(self, *, heeded: bool) -> None:
        self._quotes = Quotes(heeded=heeded)
        self._has_text = False  # whether any text came that is not white space
        self._line = ""  # the beginning of the current line
        self._tail = ""  # the end of it

    def read(self, text: str, start: int) -> None:
        """Content follows: that text, at that place."""
        self._quotes.scan(text, start)
        _, broken, rest = text.rpartition("\n")
        if broken:
            self._line, self._tail = rest[:LINE], rest[-TAIL:]
        else:
            if len(self._line) < LINE:
                self._line = (self._line + text)[:LINE]
            self._tail = (self._tail + text)[-TAIL:]
        self._has_text = self._has_text or not text.isspace()

    def skip(self, place: int) -> None:
        """Something that is not content ends at that place: a line begins after it."""
        self._quotes.settle(place)
        self._line = self._tail = ""

    @property
    def may_begin_call(self) -> bool:
        """Whether a call in JSON may begin here."""
        quotes = self._quotes
        if not self._has_text or quotes.sure or quotes.open or quotes.begun:
            return False
        if not self._line or _item(self._line):
            return not self._line
        if _announced(self._tail):
            return _words(self._line.rstrip()) is not None
        return _sentence_ended(self._tail) is not None
