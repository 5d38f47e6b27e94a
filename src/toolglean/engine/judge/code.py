# Finds where a turn's content quotes something, and where the turn is over. Does not depend on calls, or on how
# backticks are counted (ticks.py).
#
# Besides code between backticks, these quote: a fence of tildes, a line that begins with `>`, an HTML comment, the
# elements `pre`, `code` and `script`, and the markers around a tool's result, which the model must not write. Inside
# one of them, only its own end is looked for. If its end never comes, it continues to the end of the turn. A tag within
# a sentence is a mention ("the <pre> tag", "in <script>, not").
#
# After a run of backticks, all of this is in doubt: if another one closes it, it was code, and opened nothing. What
# begins a line is not in doubt: code does not continue there.
#
# The header of a message that is not the model's own ends the turn; inside code, it does not.
#
# A token may be cut. What may be the beginning of one is kept (`_tail`), and examined again with what follows. The last
# character is kept too, to tell where a line begins. Nothing else is kept: most text never comes here, because it has
# none of the characters with which a token begins (`SIGNS`).
"""Quotations, and the end of the turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar, Final

from toolglean.engine.judge.signs import HEADER, MARKS, SIGNS, TOKEN, is_begun, may_quote, watch
from toolglean.engine.judge.ticks import Ticks
from toolglean.scan.plain import Plain

__all__ = ["Quotes"]

LINE: Final = "\n"
COMMENT: Final = "-->"
OVER: Final = "\0"
"""The end of a quotation that has none: the turn is over."""

MARKER = "\0"  # stands for a marker that came last: no line begins there, and no word ends
LONGEST = 96  # characters of what ends a quotation
WINDOW = 1024  # how far to look for its end while it is in doubt
_BEFORE_MENTION = frozenset(" \t(\"'“‘")
_AFTER_MENTION = frozenset(".,;:!?)]\"'”’*_")


class Quotes(Plain):
    """Whether content is quoted.

    Args:
        heeded: whether quotations matter; if not, only the end of the turn is looked for.

    Attributes:
        followed: whether anything but white space came after the end of the turn.
        last: the last character that was read, or `MARKER`.
    """

    __slots__ = (
        *("_closer", "_doubted", "_fed", "_header", "_mark", "_tail", "_ticks", "_until", "followed", "heeded"),
        *("last",),
    )

    owned = ("_ticks",)

    # fast.py asks these of text; they are attributes so that it need not import this file.
    signs: ClassVar = SIGNS
    watch: ClassVar = staticmethod(watch)

    def __init__(self, *, heeded: bool = True) -> None:
        self.heeded = heeded
        self.followed = False
        self._ticks = Ticks()
        self._closer = ""  # what ends the quotation; "" outside
        self._doubted = 0  # how many runs of backticks waited where it opened
        self._mark = "", 0  # what opened it, and its place
        self._tail = ""  # what may be the beginning of a token
        self._fed = 0  # how much of it has been searched for backticks
        self.last = "\n"
        self._header = "", 0  # the beginning of a header before a marker, and the marker's place
        self._until = 0  # the place up to which a quoted line certainly continues

    # -- what was found ------------------------------------------------------------------------------------------------

    @property
    def open(self) -> int:
        """How many backticks opened code that may turn out not to be code; 0 outside."""
        return self._ticks.open

    @property
    def ticks(self) -> Ticks:
        """The backticks, to read on from here; a copy."""
        return self._ticks.copy()

    @property
    def end(self) -> int:
        """The place after the last backticks that may have opened code."""
        return self._ticks.end

    @property
    def sure(self) -> bool:
        """Whether what follows is certainly quoted until the quotation ends."""
        return self.heeded and (self._ticks.fence > 0 or bool(self._closer))

    @property
    def over(self) -> tuple[str, int] | None:
        """The header of another role that ended the turn, and its place; None as long as the turn continues."""
        return self._mark if self._closer == OVER and not self._doubted else None

    @property
    def waits(self) -> bool:
        """Whether what comes next must be examined even if it shows no sign."""
        return self._ticks.waits or self._closer in {LINE, COMMENT} or (self._doubted > 0 and bool(self._closer))

    @property
    def begun(self) -> bool:
        """Whether text without a sign matters too: a quotation may end, or the text's end may be the beginning of a
        token.
        """
        return bool(self._tail or self._closer)

    # -- reading -------------------------------------------------------------------------------------------------------

    def pass_by(self, text: str) -> None:
        """Text without a sign; or what is not read as text: white space next to a call or marker, JSON. Lines begin and
        end in it all the same.
        """
        if self._tail and text.isspace():
            self._tail += text[:LONGEST]
        self._note(text)
        if self._closer == LINE and "\n" in text:
            self._closer, self._doubted = "", 0
        if self._ticks.waits:
            self._ticks.pass_by(text)

    def _note(self, text: str) -> None:
        if not self._tail:
            self.last = text[-1:] or self.last

    def scan(self, text: str, start: int) -> None:
        """Read on: content, which begins at `start`."""
        if self._header[0]:  # what was taken for a marker is text
            self._tail = self._header[0] if start == self._header[1] and not self._closer else self._tail
            self._header = "", 0
        if not (self._tail or self._closer) and not may_quote(text) and (text[:1] != ">" or self.last != "\n"):
            if self.heeded and (self._ticks.waits or "`" in text):
                self._ticks.scan(text, start, self.last)
            self._note(text)
        else:
            self._read(self._tail + text, start - len(self._tail), ends=False)

    def settle(self, place: int) -> None:
        """What follows is a marker: backticks are no longer counted, and what has begun is not completed."""
        if self._tail:
            text, self._tail = self._tail, ""
            self._read(text, place - len(text), ends=True)
            self._header = (text, place) if HEADER.match(text) else ("", 0)
        self._ticks.settle(place)
        self.last = MARKER

    def mark(self, text: str, place: int) -> None:
        """A marker that is always markup."""
        self.settle(place)
        self._read(text, place, ends=False)
        self.last = MARKER

    def refuse(self, end: int) -> None:
        """A call that began in a quoted line was ignored: its text reaches at least up to that place."""
        if self._closer == LINE:
            self._until = max(self._until, end)

    def forget(self) -> None:
        """What the open backticks began is not code after all: it was not closed in time."""
        self._ticks.forget()
        self._doubted = 0

    def _read(self, text: str, start: int, *, ends: bool) -> None:
        # `ends`: what follows the text is not part of it.
        fed, self._tail, self._fed = self._fed, "", 0
        i = len(self.last)
        text, start, fed = self.last + text, start - i, fed + i
        while i < len(text):
            if self._closer:
                i = self._read_quoted(text, i, max(fed, i), start, ends=ends)
            else:
                i = self._read_open(text, i, start, ends=ends)
        end = len(text) - len(self._tail)
        self.last = text[max(end - 1, 0) : end]

    # The steps: each returns the place that it reached.

    def _read_open(self, text: str, i: int, start: int, *, ends: bool) -> int:
        found = TOKEN.search(text if not ends else text + "\n", i)
        if found is None:
            self._tail = "" if ends else is_begun(text, i)
            self._count(text, i, len(text) - len(self._tail), start)
            return len(text)
        place, end = found.start(), min(found.end(), len(text))
        closer = self._closer_of(found, text[place - 1 : place], text[end : end + 2], ends=ends)
        if closer is None:
            self._tail = text[place:]
            self._count(text, i, place, start)
            return len(text)
        self._count(text, i, place + 1, start)  # its first character shows that there are no more backticks before it
        if not closer or self._ticks.fence:
            self._count(text, place + 1, end, start)
        else:
            if text[place - 1 : place] == "\n":
                self._ticks.forget()
            self._closer, self._doubted = closer, len(self._ticks.runs)
            self._mark = text[place:end], start + place
        return end

    def _closer_of(self, found: re.Match[str], before: str, after: str, *, ends: bool) -> str | None:
        # What ends the quotation that this token opens; "" if it opens none; None if more text is needed.
        what, token = found.lastgroup, found[0]
        if what == "other":
            return OVER
        if not self.heeded:
            return ""
        if what == "line":
            return LINE
        if what == "comment":
            return COMMENT
        if what == "tildes":
            return token[: len(token) - len(token.lstrip("~"))]
        if what == "result":
            return MARKS[token]
        mention = _is_mention(before, after, ends=ends)
        return None if mention is None else "" if mention else f"</{token[1:-1].split()[0].lower()}"

    def _read_quoted(self, text: str, i: int, fed: int, start: int, *, ends: bool) -> int:
        if self._closer == OVER and not self._doubted:
            self.followed = self.followed or not text[i:].isspace()
            return len(text)
        if self._doubted and len(text) - i > 2 * WINDOW:  # the doubt may be over soon: no need to look far
            end = i + WINDOW
            found = _end_of(self._closer)(text, i, end + LONGEST)
        else:
            end = len(text)
            found = _end_of(self._closer)(text + "\n" if ends else text, i)
        while found is not None and self._closer == LINE and start + found.start() < self._until:
            found = _end_of(LINE)(text, found.start() + 1)
        end = end if found is None else min(found.end(), len(text))
        if self._doubted and (place := self._count_in_doubt(text, fed, end, start)) >= 0:
            return place
        if found is not None:
            self._closer, self._doubted = "", 0
        elif end == len(text) and not ends and self._closer not in {LINE, OVER}:
            self._tail = text[max(i, end - LONGEST) :]
            self._fed = len(self._tail)
        return end

    def _count_in_doubt(self, text: str, i: int, end: int, start: int) -> int:
        # Backticks may close the code that the quotation is in: then the token opened nothing. The end of the paragraph
        # shows that there is no code. Returns the place of one of these, else -1.
        part, j = text[i:end], 0
        while 0 <= j < len(part):
            j = self._ticks.step(part, j, start + i)
            if len(self._ticks.runs) < self._doubted:
                self._doubted = 0
                if self._ticks.paired >= 0:
                    self._closer = ""
                else:
                    self._ticks = Ticks()
                return len(text) if j < 0 else i + j
        return -1

    def _count(self, text: str, i: int, end: int, start: int) -> None:
        if self.heeded:
            self._ticks.scan(text[i:end], start + i, text[i - 1 : i] if i else self.last)


@lru_cache(maxsize=64)
def _end_of(closer: str) -> Callable[..., re.Match[str] | None]:
    """Finds the end of a quotation."""
    if closer == LINE:
        pattern = r"(?=\n)"
    elif closer == OVER:
        pattern = r"(?!)"
    elif closer[0] == "~":
        run = rf"~{{{len(closer)},}}"
        pattern = rf"(?<![^\n])[ \t]{{0,3}}{run}(?=[^~\w])|{run}(?=[ \t\r]{{0,64}}\n)"
    elif closer[:2] == "</" and closer[-1] != ">":
        pattern = rf"(?i:{closer})\s{{0,8}}>"
    else:
        pattern = re.escape(closer)
    return re.compile(pattern).search


def _is_mention(before: str, after: str, *, ends: bool) -> bool | None:
    """Whether a tag is a word of a sentence; None if more text is needed."""
    if before not in _BEFORE_MENTION or (ends and len(after) < 2):
        return False
    if len(after) < 2:
        return None if not after or after in " \t" or after in _AFTER_MENTION else False
    first, second = after[0], after[1]
    if first in " \t":
        return second.isalnum()
    return first in _AFTER_MENTION and (second.isspace() or second in _AFTER_MENTION)
