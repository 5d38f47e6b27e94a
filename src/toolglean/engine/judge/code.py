# Whether a turn's content is quoted, and where the turn is over, as the page says it (engine/page). Does not depend
# on how that is found out, or on what a call is.
#
# In text that is not content, and with `quoted="call"`, only the header of a message that is not the model's own
# counts. It ends the turn; in code that may turn out to be none, it does not yet.
"""Quotations, and the end of the turn."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from toolglean.engine.page.expressions import Search
from toolglean.engine.page.page import Page, page_of, page_of_markers
from toolglean.engine.page.table import BLOCKS, MARK, Context
from toolglean.engine.page.where import Before, Closed, Where, line_before
from toolglean.scan.plain import Plain
from toolglean.scan.text import KEPT

__all__ = ["Quotes"]

# What begins a context begins with one of these, or as a block of code. Each way begins with a character, so that the
# search goes to these at once.
_pairs = {(each[0], each[1]) for row in BLOCKS for each in row.begins if each[0] not in "<["}
_begins = [*map(re.escape, "`~><["), *(f"{re.escape(one)}(?:{re.escape(two)}|\\Z)" for one, two in sorted(_pairs))]
_KEPT = 8  # characters of text without a sign: how its last line begins must be known
_ticks = re.compile("(`+)")
_signs = re.compile(r"[^\s\w]")
_OF_STRINGS = str.maketrans(dict.fromkeys('"\\\n\r', "x"))


class Quotes(Plain):
    """Whether content is quoted.

    Args:
        heeded: whether quotations matter; if not, only the end of the turn is looked for.

    Attributes:
        where: where the end of the content is.
        followed: whether anything but white space came after the end of the turn.
        made_up: whether a tool's result has ended behind a call: the model has made it up, and goes on with it.
    """

    __slots__ = (
        *("_before", "_called", "_end", "_find", "_json", "_page", "_passed", "_until", "followed", "heeded"),
        *("made_up", "where"),
    )

    # An attribute, so that judge.py need not import this file.
    may_begin: ClassVar = staticmethod(re.compile("|".join(_begins)).search)
    """Finds that with which a context begins."""

    def __init__(self, *, heeded: bool = True) -> None:
        self.heeded, self._json = heeded, heeded
        self.where = Where()
        self.followed = self.made_up = False
        self._called = -1  # the place of the last call
        self._page: Page | None = None
        self._find: Search | None = None  # finds what changes anything; None if everything may
        self._passed = ""  # the end of text without one, which is not in `where` yet
        self._end = 0  # the place after what was read
        self._before: Where | None = None  # the same before the marker that follows, if it may be text still
        self._until = 0  # the place up to which a quoted line, or a string, certainly continues

    @property
    def page(self) -> Page:
        """What finds it."""
        if self._page is None:
            self._page = page_of(heeded=self.heeded, json=self._json)
        return self._page

    def without_json(self) -> Quotes:
        """The same from here on, if what follows is not JSON: an independent copy."""
        twin = self.copy()
        twin.skip()
        return twin.reads_json(on=False)

    def reads_json(self, *, on: bool) -> Quotes:
        """Whether what follows may be JSON. Returns itself."""
        self._json, self._find, self._page = on and self.heeded, None, None
        return self

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_find": None, "_page": None}

    # -- what was found ------------------------------------------------------------------------------------------------

    @property
    def open(self) -> int:
        """How many backticks opened code, or may have; 0 outside."""
        where = self.where
        return where.ticks or (len(where.sign) if where.context is Context.FENCE and where.sign[0] == "`" else 0)

    @property
    def end(self) -> int:
        """The place after the last backticks that may have opened code."""
        return next((each.end for each in reversed(self.where.guesses) if each.size), 0)

    @property
    def sure(self) -> bool:
        """Whether what follows is certainly quoted until the quotation ends."""
        where = self.where
        return self.heeded and (where.context is not Context.PLAIN or where.string is not None)

    @property
    def unclosed(self) -> str:
        """What opens the quotation in which the text ends; "" if there is none that goes on in another text."""
        twin = self
        if not self.sure:
            twin = self.copy()
            twin.scan("\n", twin._end)  # the line of a fence is one only once it has ended
        where = twin.where
        if not twin.sure or where.context in {Context.PLAIN, Context.OVER}:
            return ""
        # A fence that opens a turn may be markup: this one is behind a word.
        return f"x\n{where.sign}\n" if where.context is Context.FENCE else where.opener

    @property
    def quoted_by(self) -> tuple[str, int]:
        """What quotes what follows, in words, and the place where that opened."""
        where, string = self.where, self.where.string
        if where.context is Context.PLAIN and string is not None:
            return Context.JSON_STRING.value, string.since
        return where.context.value, where.since

    @property
    def opened(self) -> int:
        """The place of what opened a quotation, or may have; 0 outside."""
        waits = () if self.where.run is None else (self.where.run.start,)
        return min((*waits, *(each.start for each in self.where.guesses)), default=self.where.since)

    @property
    def over(self) -> tuple[str, int] | None:
        """The header of another role that ended the turn, and its place; None as long as the turn continues."""
        where = self.where
        return (where.opener, where.since) if where.context is Context.OVER and not where.guesses else None

    @property
    def begun(self) -> bool:
        """Whether text without a sign matters too: a quotation may end, or one may have begun at the text's end."""
        where = self.where
        return where.tail != "" or not (where.context is Context.PLAIN or where.context is Context.FENCE)

    @property
    def waits(self) -> bool:
        """The same, or something may have opened."""
        where = self.where
        return self.begun or where.run is not None or where.guesses != () or where.documents != ()

    @property
    def begins_line(self) -> bool:
        """Whether nothing but a few blanks is on the line so far."""
        text = self._shown
        return line_before(text, len(text)) is Before.BLANKS

    @property
    def at_line(self) -> bool:
        """Whether nothing but spaces is on the line so far, as many as `Program.skipper` looks for."""
        _, is_line, line = self._shown[-KEPT:].rpartition("\n")
        return is_line != "" and not line.strip(" ")

    @property
    def _shown(self) -> str:
        self._take_passed()
        return self.where.last + self.where.tail

    def is_opened_by(self, line: str) -> bool:
        """Whether that line opens a quotation, if it is one."""
        found = self.page.rows.tags.match(line, 0)
        return found is not None and found[0].context is not Context.OVER

    def changes(self, text: str) -> bool:
        """Whether anything may change in that text."""
        return self._find is None or self._before is not None or self._find(text) is not None

    # -- reading -------------------------------------------------------------------------------------------------------

    def take_closed(self) -> tuple[Closed, ...]:
        """What has ended since this was asked last: see `Where.closed`."""
        closed = self.where.closed
        if closed:
            self.where = Where(*self.where[:-1])  # `_replace` takes twice the time
        return closed

    def pass_by(self, text: str, *, is_data: bool = False) -> None:
        """White space or closers next to a call or marker; or JSON that is data."""
        if is_data and (self.where.run or self.where.tail):  # what is before it, and has waited, is not completed by it
            self._read(_signs.sub("x", text), self._end)
        elif not is_data and text.isspace() and self.changes(text):
            self._read(text, self._end)
        elif text:
            self._passed, self._before = (self._passed + text)[-_KEPT:], None

    def go_on_behind(self, text: str) -> None:
        """What comes next follows that text, which was passed by: of it, only the end matters."""
        self._passed, self._before, self.where = "", None, self.where._replace(last=text[-KEPT:])

    def scan(self, text: str, start: int, before: str = "") -> None:
        """Read on: text, which begins at `start`. `before`: the end of what comes before it, if that was passed by."""
        if not text:
            return
        if before and start != self._end:
            self.go_on_behind(before)
        if not self.changes(text):
            self._passed, self._end = (self._passed + text)[-_KEPT:], start + len(text)
            return
        if self._before is not None and start == self._end:  # what was taken for a marker is text
            self._be(self._before)
        elif start != self._end and self.where.tail.strip():  # a line break goes on behind what is not content
            self.settle(self._end)
        if start < self._until:
            text = self._hidden(text, start)
        self._read(text, start)

    def _hidden(self, text: str, start: int) -> str:
        # Of a quoted call: nothing in it ends its line or its string but an empty line. Whether it is in a string is a
        # guess: what else opens in it, opens in plain text if it is in none.
        is_line = self.where.context is Context.QUOTE
        if (is_line or self.where.string is not None) and (end := text.find("\n\n")) >= 0:
            self._until = min(self._until, start + end)
        size = min(max(self._until - start, 0), len(text))
        if is_line:
            return "x" * size + text[size:]
        return text if self.where.string is None else text[:size].translate(_OF_STRINGS) + text[size:]

    def scan_skipped(self, text: str, start: int) -> None:
        """Read on: what is skipped of a call, in which no document counts, and no backticks but those that close."""
        self.skip()
        json = self._json and (self.where.tail != "" or "{" in text or "[" in text)
        if json:
            self.reads_json(on=False)
        for piece in _ticks.split(text) if "`" in text else (text,):
            self.scan(piece.replace("`", "'") if piece[:1] == "`" and not self.open else piece, start)
            start += len(piece)
        if json:
            self.reads_json(on=True)

    def _read(self, text: str, start: int, page: Page | None = None) -> None:
        was_over = self.where.context is Context.OVER
        if self._find is None:
            self._take_passed()
        passed, self._passed = self._passed, ""
        self._be((page or self._page or self.page).read(self.where, text, start, passed=passed))
        self._end = start + len(text)
        if self.where.context is not Context.OVER:  # what seemed to be over was in a document
            self.followed = False
        elif not self.followed:
            begin = 0 if was_over else max(self.where.since + len(self.where.opener) - start, 0)
            self.followed = bool(text[begin:].strip())
            self._find = self._find if self.followed else None

    def _be(self, where: Where) -> None:
        # That is where the end of the content is.
        self.where, self._before, self._find = where, None, (self._page or self.page).calm(where)
        if where.closed and self._called >= 0 and self.heeded:
            results = (each[0] for each in where.closed if each[2] is Context.RESULT)
            self.made_up = self.made_up or any(start >= self._called for start in results)

    def _take_passed(self) -> None:
        if self._passed:
            self.where, self._passed = self.page.pass_by(self.where, self._passed), ""

    def settle(self, place: int, before: str = "") -> None:
        """What follows is a marker: what has begun is not completed. `before`: see `scan`."""
        if before and place != self._end:
            self.go_on_behind(before)
        self._take_passed()
        where = self._before if self._before is not None and place == self._end else self.where
        self._be(self.page.settle(self.where, place))
        self._end, self._before = place, where

    def mark(self, text: str, place: int) -> None:
        """A marker that is always markup: it may be part of another message's header, but opens no quotation. If a line
        begins before it, one begins behind it.
        """
        self.settle(place)
        last = MARK if self._before is None or self._before.tail else self._before.last
        if text:
            self._read(text, place, page_of_markers() if self.heeded else None)
        self.where = self.where._replace(last=last if line_before(last, len(last)) is Before.BLANKS else MARK)

    def refuse(self, end: int) -> None:
        """A call was ignored: its text, which is quoted as a whole, reaches at least up to that place."""
        self._until = max(self._until, end)

    # -- what changes --------------------------------------------------------------------------------------------------

    def entered(self) -> None:
        """A marker was read: a document does not go on after it, unless it is in a string."""
        if self.where.documents and self.where.string is None:
            self._be(self.where.without_documents())

    def trust(self) -> None:
        """A special token follows: it ends quotations."""
        if self.over is None:
            self._passed = ""
            self._be(Where())

    def skip(self) -> None:
        """What follows is not read, since it is quoted as a whole, or a call: no document goes on in it."""
        self._before = None
        if self.where.documents:
            self._be(self.where.without_documents())

    def call_began(self) -> None:
        """A call is certain: no document goes on, and a result behind it is none."""
        self.skip()
        self._called = self._end

    def forget(self) -> None:
        """What the open backticks began is not code after all: it was not closed in time."""
        self._be(self.where.without_code())
