# Finds where Markdown's code between backticks begins and ends. Does not depend on calls, or on other ways to quote
# them (code.py).
#
# Inline code must be closed by the same number of backticks on the same line. A fence is a run of three or more, after
# which the line ends, with or without a word; an equal or longer run closes it. Such a run with other text after it is
# code too if another run closes it, which is not certain before that run has come.
"""Code between backticks."""

from __future__ import annotations

import re

from toolglean.scan.plain import Plain

__all__ = ["FENCE", "WORD", "Ticks"]

FENCE = 3
WORD_CHARS = 32  # of the word after a fence
WORD = r"[\w+#./-]{0,32}[ \t\r]{0,8}"
"""An expression for what may follow a fence on its line."""

_info = re.compile(WORD)
_tick_or_line = re.compile("[`\n]").search


class Ticks(Plain):
    """Whether text is between backticks.

    Attributes:
        open: how many backticks opened the code; 0 outside code.
        sure: whether they are a fence, so that all that follows is code until it is closed.
        end: the place after them.
    """

    __slots__ = ("_line", "_run", "end", "open", "sure")

    def __init__(self) -> None:
        self.open = self.end = 0
        self.sure = False
        self._run = 0  # backticks that are being counted
        self._line: str | None = None  # what follows them on their line, as long as they may be a fence

    @property
    def waits(self) -> bool:
        """Whether what comes next must be examined even if it contains no backtick."""
        return bool(self._run) or self._line is not None or 0 < self.open < FENCE

    def scan(self, text: str, start: int) -> None:
        """Read on: content, which begins at `start`."""
        i = 0
        while 0 <= i < len(text):
            i = self.step(text, i, start)

    def step(self, text: str, i: int, start: int) -> int:
        """Read on from `i` to the next place where something changes. Returns that place, -1 for the text's end."""
        if self._run:
            return self._count(text, i, start)
        if self._line is not None:
            return self._read_line(text, i)
        if 0 < self.open < FENCE:
            found = _tick_or_line(text, i)
            if found is None:
                return -1
            if found[0] == "\n":
                self.open = 0
            else:
                self._run = 1
            return found.end()
        i = text.find("`", i)
        if i < 0:
            return -1
        self._run = 1
        return i + 1

    def settle(self, place: int) -> None:
        """What follows is a marker: counting ends, and the backticks are not a fence."""
        if self._run:
            self._counted("", place)
        self._line = None

    def forget(self) -> None:
        """What is open is not code after all: it was not closed in time."""
        self.open, self.sure, self._run, self._line = 0, False, 0, None

    def _count(self, text: str, i: int, start: int) -> int:
        j = i
        while j < len(text) and text[j] == "`":
            j += 1
        self._run += j - i
        if j < len(text):
            self._counted(text[j], start + j)
        return j

    def _counted(self, following: str, place: int) -> None:
        run, self._run = self._run, 0
        if not self.open:
            self.open, self.end, self.sure = run, place, False
            self._line = "" if run >= FENCE else None
        elif run == self.open if self.open < FENCE else run >= self.open and not following.isalnum():
            self.open, self.sure, self._line = 0, False, None

    def _read_line(self, text: str, i: int) -> int:
        # The rest of a fence's line: a word, and white space.
        assert self._line is not None
        end = text.find("\n", i)
        self._line += text[i : end if end >= 0 else len(text)][: WORD_CHARS * 2]
        if _info.fullmatch(self._line) is None:
            self._line = None
            return i
        if end < 0:
            return -1
        self.sure, self._line = True, None
        return end + 1
