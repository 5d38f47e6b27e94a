# Finds where Markdown's code between backticks begins and ends. Does not depend on calls, or on other ways to quote
# them (code.py).
#
# A fence is a run of three or more, after which the line ends, with or without a word; an equal or longer run closes
# it if it begins its line, or if nothing follows on that. Any other run is closed by one of the same length in the same
# paragraph. Several runs may wait for theirs at the same time: in "it`s ``x``" the second pair is code, whether the
# first run finds its own or not. What waits has opened nothing when the paragraph ends: at an empty line, or at a line
# that begins a quotation, a heading, an item or a fence.
"""Code between backticks."""

from __future__ import annotations

import re

from toolglean.scan.plain import Plain

__all__ = ["FENCE", "FENCES", "WORD", "Ticks"]

FENCE = 3
_BLANKS = " \t\r"
FENCES = "`~"
"""The characters that make a fence."""

WORD_CHARS = 32  # of the word after a fence
WORD = r"[\w+#./-]{0,32}[ \t\r]{0,8}"
"""An expression for what may follow a fence on its line."""

_info = re.compile(WORD)
_tick_or_line = re.compile("[`\n]").search
_ends_paragraph = re.compile(r"[ \t\r]*(?:\n|>|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|~~~)").match
_may_end_it = re.compile(r"[ \t\r]*(?:#{0,6}|[-*+]?|\d{0,9}[.)]?|~{0,2})").fullmatch


class Ticks(Plain):
    """Whether text is between backticks.

    Attributes:
        runs: how many backticks each run has that waits for another one, the earliest first.
        fence: how many backticks the open fence has: all that follows is code until it is closed; 0 outside.
        end: the place after the last run that was opened.
        paired: the place of the run that closed one, if that was the last thing that happened; else -1.
        ended: the place where the paragraph ended, if that was the last thing that happened; else -1.
    """

    __slots__ = ("_at_line", "_before", "_begun", "_line", "_run", "_run_at", "end", "ended", "fence", "paired", "runs")

    def __init__(self) -> None:
        self.runs: tuple[int, ...] = ()
        self.fence = self.end = 0
        self.paired = self.ended = -1
        self._run, self._run_at = 0, 0  # backticks that are being counted, and their place
        self._line: str | None = None  # what follows them on their line, as long as they may be a fence
        self._before = ""  # the character before the text
        self._at_line = False  # whether the run begins its line
        self._begun: str | None = None  # the beginning of a line, as long as it may end the paragraph

    @property
    def open(self) -> int:
        """How many backticks opened the code, or may have; 0 outside."""
        return self.fence or (self.runs[-1] if self.runs else 0)

    @property
    def waits(self) -> bool:
        """Whether what comes next must be examined even if it contains no backtick."""
        return bool(self._run or self.runs) or self._line is not None

    @property
    def counted(self) -> int:
        """The place of the run that is being counted; -1 if none is."""
        return self._run_at if self._run else -1

    def scan(self, text: str, start: int, before: str = "") -> None:
        """Read on: content, which begins at `start`, after that character."""
        self._before = before
        i = 0
        while 0 <= i < len(text):
            i = self.step(text, i, start)

    def step(self, text: str, i: int, start: int) -> int:
        """Read on from `i` to the next place where something changes. Returns that place, -1 for the text's end."""
        if self._run:
            return self._count(text, i, start)
        if self._line is not None:
            return self._read_line(text, i, start)
        if self._begun is not None:
            return self._begin_line(text, i, start)
        if self.runs:
            found = _tick_or_line(text, i)
            if found is None:
                return -1
            i = found.start()
            if found[0] == "\n":
                self._begun = ""
                return i + 1
        else:
            i = text.find("`", i)
            if i < 0:
                return -1
        self._at_line = (text[i - 1] if i else self._before) == "\n"
        self._run, self._run_at = 1, start + i
        return i + 1

    def pass_by(self, text: str) -> None:
        """Text follows whose backticks count for nothing; it may end the paragraph."""
        self.scan(text.replace("`", "'"), 0)

    def settle(self, place: int) -> None:
        """What follows is a marker: counting ends, and the backticks are not a fence."""
        if self._run:
            self._counted("", place)
        if self.fence and self._line is not None:
            self._close()
        self._line = self._begun = None

    def forget(self, place: int = -1) -> None:
        """The runs that wait opened nothing: they were not closed in time. `place`: where their paragraph ended."""
        self.runs, self._begun, self.paired, self.ended = (), None, -1, place

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
        if self.fence:
            if run >= self.fence and (following in {"", "\n"} or (self._at_line and not following.isalnum())):
                self._close()
            elif run >= self.fence and following in _BLANKS:
                self._line = ""
        elif run in self.runs:
            self.runs, self.paired, self.ended = self.runs[: self.runs.index(run)], self._run_at, -1
        else:
            self.runs, self.end = (*self.runs, run), place
            self._line = "" if run >= FENCE else None

    def _close(self) -> None:
        self.fence, self.paired, self.ended = 0, self._run_at, -1

    def _read_line(self, text: str, i: int, start: int) -> int:
        # The rest of a fence's line: a word, and white space; of the line that closes it, only white space.
        assert self._line is not None
        end = text.find("\n", i)
        if self.fence:
            if not text[i : end if end >= 0 else len(text)].strip(_BLANKS):
                if end >= 0:
                    self._close()
                    self._line = None
                return end
            self._line = None
            return i
        self._line += text[i : end if end >= 0 else len(text)][: WORD_CHARS * 2]
        if _info.fullmatch(self._line) is None:
            self._line = None
            return i
        if end < 0:
            return -1
        fence, self._line = self.runs[-1], None
        self.forget(start + end + 1)
        self.fence = fence
        return end + 1

    def _begin_line(self, text: str, i: int, start: int) -> int:
        # The beginning of a line while runs wait. It is read again if it does not end the paragraph.
        assert self._begun is not None
        begun = (self._begun + text[i : i + WORD_CHARS])[:WORD_CHARS]
        if _ends_paragraph(begun) is not None:
            self.forget(start + i - len(self._begun))
        elif len(begun) < WORD_CHARS and _may_end_it(begun) is not None:
            self._begun = begun
            return -1
        else:
            self._begun = None
        return i
