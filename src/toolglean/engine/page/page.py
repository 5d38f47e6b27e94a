# Follows where in a text one is: the only code that knows lines, code, quotations, JSON in text, results and the messages
# of others. Does not depend on what is asked about the place, on calls, or on what ends a turn: who reads a marker says so
# (`settle`).
#
# The text is searched once, from a place to the next one at which something may change, by one expression for the context.
# What is found there is decided by the rows of the table. If what follows decides, and it has not come yet, the text from
# there on waits (`tail`): it is never long.
#
# Two things may take arbitrarily long to be certain: backticks, which are code if others close them in their paragraph,
# and JSON, which hides other contexts if it is complete. Both are guesses: the text is read on as if nothing had opened.
# Guesses are a stack. Where one comes true, all that has happened since it began has not: the later guesses, and the
# context. Where it does not, it is left out, and nothing else changes.
"""The page: where in a text a place is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from toolglean.engine.page.documents import Document, begun, is_in_string, is_small, may_follow, read_on, without_outer
from toolglean.engine.page.expressions import Rows, ends_paragraph, is_mention, kind_of
from toolglean.engine.page.table import MARK, At, Context, Row, rows
from toolglean.engine.page.where import Guess, Run, Where

__all__ = ["Page", "Ruler", "page_of"]

_PLAIN = Context.PLAIN
_BLANKS = 32
_INDENT = 3
_FENCE = 3
_AHEAD = 192
_space = re.compile(r"\s").search
_name = re.compile(r"<(\w+)").match


class Ruler(Protocol):
    """Is told which parts of the text are in which context."""

    def mark(self, context: Context, start: int, end: int, since: int, order: int) -> None:
        """That part is in that context, unless one that began later than `order` is there."""

    def drop(self, start: int) -> None:
        """Nothing that began after that place was so."""

    def nest(self, document: int, start: int) -> None:
        """The strings of the document that begins at the first place are those of the one at the second, from there on."""


class Page:
    """Reads text by the rows of a table. Never changed: what is read is in the `Where` that it returns.

    Args:
        table: the rows.
        mark: the character that stands for a marker in their expressions.
    """

    def __init__(self, table: tuple[Row, ...], mark: str = MARK) -> None:
        self.rows = Rows(table)
        self.mark = mark

    def expression(self, context: Context, sign: str, *, by_line: bool) -> re.Pattern[str]:
        """What is looked for in a context. `by_line`: whether backticks wait there."""
        if context is not _PLAIN:
            return self.rows.search_end(context, sign, by_line=by_line)
        return self.rows.search_plain_by_line if by_line else self.rows.search_plain

    def read(self, where: Where, text: str, start: int, ruler: Ruler | None = None) -> Where:
        """Read on: that text, at that place."""
        return _Reading(self, where, text, start, ruler).read()

    def pass_by(self, where: Where, text: str) -> Where:
        """Text in which nothing opens or ends has been read elsewhere."""
        blanks = _blanks_before(where.last + text, len(text) + 1, where.blanks)
        return where._replace(last=text[-1], blanks=blanks)

    def follow(self, where: Where, text: str, start: int) -> tuple[Where, int]:
        """Read on up to where backticks that wait are closed, or wait no longer. Returns that place, too."""
        reading = _Reading(self, where, text, start, None)
        return reading.read(until=len(where.guesses)), reading.base + reading.reached

    def settle(self, where: Where, place: int, ruler: Ruler | None = None) -> Where:
        """What follows at that place is a marker, or nothing: what is not complete stays so, and no line begins there."""
        if where.tail or where.run:
            where = _Reading(self, where, "", place, ruler, ends=True).read()
        return where._replace(last=MARK, blanks=-1)

    def finish(self, where: Where, place: int, ruler: Ruler | None = None) -> Where:
        """The text ends there: what is guessed is not so."""
        where = self.settle(where, place, ruler)
        if ruler is not None:
            for each in where.documents:
                if is_in_string(each):
                    ruler.mark(Context.JSON_STRING, max(each.since, each.shown), place - len(each.part), each.since, each.start)
            if where.context is not _PLAIN:
                ruler.mark(where.context, where.since, place, where.since, where.since)
        return where._replace(guesses=(), documents=(), seen=())


@lru_cache(maxsize=8)
def page_of(*, heeded: bool = True, json: bool = True) -> Page:
    """The page of all contexts; made once. `heeded`: whether quotations matter, or only other messages; `json`: whether
    documents do.
    """
    table = (row for row in rows(reasoning=False) if heeded or row.in_reasoning)
    return Page(tuple(row for row in table if json or row.context is not Context.JSON))


def _blanks_before(text: str, place: int, before: int) -> int:
    # How many blanks are before that place, if the line begins with them; else -1. `before`: the same for the beginning of
    # the text, which comes after its first character.
    line = text.rfind("\n", 0, place)
    if line >= 0:
        before, begin = 0, line + 1
    elif before < 0:
        return -1
    else:
        begin = 1
    count = before + place - begin
    return count if count <= _INDENT and not text[begin:place].strip(" \t") else -1


class _Reading:
    """One text that is read. Its places are those in `text`; `base` is the place of its beginning."""

    __slots__ = (
        "ahead", "base", "blanks", "context", "documents", "end", "ends", "first", "guesses", "opener", "page",
        "reached", "read_to", "rows", "ruler", "run", "seen", "sign", "since", "text",
    )  # fmt: skip

    def __init__(
        self, page: Page, where: Where, text: str, start: int, ruler: Ruler | None, *, ends: bool = False
    ) -> None:
        self.page, self.rows, self.ruler, self.ends = page, page.rows, ruler, ends
        (
            self.context, self.since, self.sign, self.opener, self.guesses, self.documents, self.seen, last, self.blanks, self.run, tail,
        ) = where  # fmt: skip
        self.text = last + tail + text
        self.base = start - len(tail) - 1
        self.ahead = self.text + page.mark if ends else self.text
        self.first = self.read_to = 1
        self.end = len(self.text)

    def read(self, until: int = 0) -> Where:
        """Read all of it, or up to where there are fewer guesses than `until`."""
        i = self.first
        if self.run is not None:
            i = self._go_on_with_run(self.run, i)
        while 0 <= i < self.end and len(self.guesses) >= until:
            i = self._step(i)
        self.reached = i
        stop = self.end if i >= 0 else ~i
        if self.documents and self.read_to < stop:
            self._read_documents(stop)
        return self._where(stop)

    def _where(self, stop: int) -> Where:
        text = self.text
        self._note_space(stop)
        return Where(
            self.context, self.since, self.sign, self.opener, self.guesses, self.documents, self.seen if self.guesses else (),
            text[stop - 1], _blanks_before(text, stop, self.blanks), self.run,
            text[stop:],
        )  # fmt: skip

    # -- steps: each returns the place reached; ~place if the text from there on waits ----------------------------------

    def _step(self, i: int) -> int:
        found = self.page.expression(self.context, self.sign, by_line=bool(self.seen)).search(self.text, i)
        place = self.end if found is None else found.start()
        if self.documents and self.read_to < place and (confirmed := self._read_documents(place)) >= 0:
            return confirmed
        if found is None:
            return self.end
        return self._found(kind_of(found), place, found.end())

    def _found(self, what: str, place: int, end: int) -> int:
        if what == "run":
            if self.text[place] == "~" and end - place < _FENCE and end < self.end:
                return end
            run = Run(self.text[place], end - place, self.base + place, self._is_indented(place), end < self.end or self.ends)
            return self._read_run(run, end)
        if what == "line":
            return self._read_line(place)
        if what == "bracket":
            return self._read_bracket(place)
        if what == "quote":
            self._open(Context.QUOTE, "", self.base + place, ">")
            return end
        if what == "end":
            self._close(end)
            return end
        if what == "begun":
            return place + 1 if self.ends else ~place
        return self._read_tag(place)

    def _read_tag(self, place: int) -> int:
        reasons = self.context is Context.REASONING
        tags = self.rows.tags_in_reasoning if reasons else self.rows.tags
        found = tags.match(self.ahead, place)
        if found is None:
            if not self.ends and tags.is_begun(self.text, place):
                return ~place
            return self._read_bracket(place) if self.text[place] == "[" and self.rows.has_json and not reasons else place + 1
        row, end = found
        if row.at is At.NO_WORD and (mention := is_mention(self.ahead, place, end, ends=self.ends)) is not False:
            return ~place if mention is None else place + 1
        ends = row.ends
        if "SIGN" in ends:
            name = _name(self.text, place)
            ends = ends.replace("SIGN", name[1] if name else "")
        if reasons:  # its end is that of the reasoning
            self._mark(self.since, place)
            ends = self.sign
        self._open(row.context, ends, self.base + place, self.text[place:end])
        return end if row.ends and row.at is not At.NO_WORD else place + 1

    def _read_line(self, place: int) -> int:
        if self.context is Context.QUOTE:
            self._close(place)
            return place  # it is looked at again, in plain text
        over = ends_paragraph(self.rows, self.ahead, place + 1, ends=self.ends)
        if over is None:
            return ~place
        if over:
            self._leave_out(lambda guess: guess.size > 0)
            self.seen = ()
        return place + 1

    # -- contexts ------------------------------------------------------------------------------------------------------

    def _open(self, context: Context, sign: str, since: int, opener: str) -> None:
        self.context, self.sign, self.since, self.opener = context, sign, since, opener

    def _mark(self, since: int, end: int) -> None:
        if self.ruler is not None:
            self.ruler.mark(self.context, since, self.base + end, since, since)

    def _close(self, end: int) -> None:
        self._mark(self.since, end)
        self._open(_PLAIN, "", 0, "")

    def _leave_out(self, is_none: object) -> None:
        self.guesses = tuple(each for each in self.guesses if not is_none(each))  # type: ignore[operator]

    def _confirm(self, number: int, end: int, context: Context) -> None:
        # The guess of that number is so, up to that place.
        guess = self.guesses[number]
        self.guesses = self.guesses[:number]
        if not any(each.size for each in self.guesses):
            self.seen = ()
        self._open(_PLAIN, "", 0, "")
        if self.ruler is not None:
            self.ruler.drop(guess.start)
            self.ruler.mark(context, guess.start, self.base + end, guess.start, guess.start)
            if not guess.size:
                self.ruler.nest(guess.document, guess.start)

    # -- backticks and tildes ------------------------------------------------------------------------------------------

    def _is_indented(self, place: int) -> bool:
        return _blanks_before(self.text, place, self.blanks) >= 0

    def _go_on_with_run(self, run: Run, i: int) -> int:
        self.run = None
        if not run.whole:
            begin = i
            while i < self.end and self.text[i] == run.sign:
                i += 1
            run = run._replace(size=run.size + i - begin, whole=i < self.end or self.ends)
        return self._read_run(run, i)

    def _wait_with(self, run: Run, end: int) -> int:
        self.run = run
        return ~end

    def _read_run(self, run: Run, end: int) -> int:
        if self.documents:
            self._read_documents(end)
        if not run.whole:
            return self._wait_with(run, end)
        if run.sign == "~":
            return self._read_tildes(run, end)
        for number, guess in enumerate(self.guesses):
            if guess.size == run.size:
                return self._close_code(number, end)
        ahead = run.sign * run.size + self.ahead[end : end + _AHEAD]
        if run.size >= _FENCE and (self.context is _PLAIN or self.seen):
            opened = self._opens_fence(run, ahead, end)
            if opened is None:
                return self._wait_with(run, end)
            if opened:
                seen = max((place for size, place in self.seen if size == run.size), default=-1 << 62)
                self._leave_out(lambda guess: guess.size > 0 and guess.start > seen)
                if not any(each.size for each in self.guesses):
                    self.seen = ()
                if self.context is _PLAIN:
                    self._see(run)
                    self._open(Context.FENCE, run.sign * run.size, run.start, run.sign * run.size)
                    return end + opened - run.size - 1
        if self.context is Context.FENCE and self.sign[0] == "`" and run.size >= len(self.sign):
            closes = self._closes_fence(run, ahead)
            if closes is None:
                return self._wait_with(run, end)
            if closes:
                self._see(run)
                self._close(end)
                return end
        if self.context is _PLAIN:
            self.guesses = (*self.guesses, Guess(run.start, run.size, self.base + end))
            self._see(run, first=True)
        else:
            self._see(run)
        return end

    def _see(self, run: Run, *, first: bool = False) -> None:
        if first or self.seen:
            self.seen = (*(each for each in self.seen if each[0] != run.size), (run.size, run.start))

    def _opens_fence(self, run: Run, ahead: str, end: int) -> int | None:
        # How much of the text ahead opens a fence: 0 for none; None if more text is needed.
        waits = False
        for row, opens, begun in self.rows.fences[run.sign]:
            if row.at is At.INDENT and not run.indent:
                continue
            if not self.ends and len(ahead) < run.size + _AHEAD and begun.fullmatch(ahead) is not None:
                waits = True
            elif (found := opens.match(ahead)) is not None:
                return found.end()
        return None if waits else 0

    def _closes_fence(self, run: Run, ahead: str) -> bool | None:
        rest = ahead[run.size :]
        if run.indent and rest[:1] in {"<", "["}:
            return True
        if not self.ends and len(rest) <= _BLANKS and not rest.strip(" \t\r"):
            return None
        blanks = len(rest) - len(rest.lstrip(" \t\r"))
        return blanks <= _BLANKS and rest[blanks : blanks + 1] in {"\n", self.page.mark}

    def _read_tildes(self, run: Run, end: int) -> int:
        if run.size < _FENCE:
            return end
        ahead = run.sign * run.size + self.ahead[end : end + _AHEAD]
        if self.context is _PLAIN:
            opened = self._opens_fence(run, ahead, end)
            if opened is None:
                return self._wait_with(run, end)
            if opened:
                self._open(Context.FENCE, run.sign * run.size, run.start, run.sign * run.size)
                return end + opened - run.size - (ahead[opened - 1] == "\n")
        elif self.context is Context.FENCE and self.sign[0] == "~" and run.size >= len(self.sign):
            closes = self._closes_fence(run, ahead)
            if closes is None:
                return self._wait_with(run, end)
            if closes:
                self._close(end)
        return end

    def _close_code(self, number: int, end: int) -> int:
        self._note_space(end)
        guess, later = self.guesses[number], self.guesses[number + 1 :]
        kept = []
        for each in self.documents:
            if each.start < guess.start:
                kept.append(each)
            elif guess.space >= 0 and is_in_string(each):
                # The string goes on after the code, unless the document begins in its first word.
                depths = [one.depth for one in later if one.document == each.start and not one.size and one.start > guess.space]
                if depths:
                    inner = without_outer(each, min(depths) - each.outer - 1) if min(depths) > each.outer + 1 else each
                    kept.append(inner._replace(shown=self.base + end))
        self.documents = tuple(kept)
        self._confirm(number, end, Context.CODE)
        return end

    def _note_space(self, end: int) -> None:
        # Notes where the first white space after each run of backticks is.
        if any(each.size and each.space < 0 for each in self.guesses):
            self.guesses = tuple(self._with_space(each, end) if each.size and each.space < 0 else each for each in self.guesses)

    def _with_space(self, guess: Guess, end: int) -> Guess:
        begin = max(guess.end - self.base, 1)
        found = _space(self.text[begin:end]) if begin < end else None
        return guess if found is None else guess._replace(space=self.base + begin + found.start())

    # -- JSON ----------------------------------------------------------------------------------------------------------

    def _read_bracket(self, place: int) -> int:
        if self.documents and self.read_to < place and (confirmed := self._read_documents(place)) >= 0:
            return confirmed
        if place + 1 == self.end and not self.ends:
            return ~place
        after = self.text[place + 1 : place + 2]
        if not may_follow(self.text[place], after):  # most brackets of prose are refused at once
            return place + 1
        if not self.documents and (small := is_small(self.text, place)) is not None:
            if self.ruler is not None:
                self.ruler.mark(Context.JSON, self.base + place, self.base + small.end(), self.base + place, self.base + place)
            self.read_to = small.end()
            return small.end()
        before = {each.start: each for each in self.documents if not is_in_string(each)}
        if self.documents:
            self._read_documents(place + 1)
        self.read_to = place + 1
        start = self.base + place
        around = next((each for each in self.documents if each.start in before), None)
        if around is None:
            around = begun(start, self.text[place])
            self.documents = (*self.documents, around)
        self.guesses = (*self.guesses, Guess(start, document=around.start, depth=around.depth))
        return place + 1

    def _read_documents(self, end: int) -> int:
        # Reads on in the documents, up to that place. Returns where one of them is complete, if that is before it; else -1.
        read: list[tuple[Document, Document | None, list[tuple[int, int]], int]] = []
        for document in self.documents:
            levels = tuple(each.depth for each in self.guesses if not each.size and each.document == document.start)
            after, i, strings, depth = read_on(document, self.text, self.read_to, end, self.base, levels)
            if depth:
                if i < end:  # what comes first counts: the others are read up to there
                    return self._read_documents(i)
                end = i
            read.append((document, after, strings, depth))
        self.documents, self.read_to = (), end
        complete = 0
        for document, after, strings, depth in read:
            if self.ruler is not None:
                for begin, stop in strings:
                    self.ruler.mark(Context.JSON_STRING, max(begin, document.shown), stop, begin, document.start)
            complete = depth or complete
            if depth:
                start = document.start
            self._go_on_with(document, after, over=not depth)
        if not complete:
            return -1
        number = next(
            n for n, each in enumerate(self.guesses) if not each.size and (each.document, each.depth) == (start, complete)
        )
        self.documents = tuple(each for each in self.documents if each.start <= self.guesses[number].start)
        self._confirm(number, end, Context.JSON)
        return end

    def _go_on_with(self, document: Document, after: Document | None, *, over: bool) -> None:
        if after is None:
            if over:
                self._leave_out(lambda guess: not guess.size and guess.document == document.start)
            return
        if after.outer > document.outer:
            self._leave_out(
                lambda guess: not guess.size and guess.document == document.start and guess.depth <= after.outer
            )
        self.documents = (*self.documents, after)
