# Follows where in a text one is: the only code that knows lines, code, quotations, JSON in text, results and the
# messages of others. Does not depend on what is asked about the place, on calls, or on what ends a turn: who reads a
# marker says so (`settle`).
#
# The text is searched once, from a place to the next one at which something may change, by one expression for the
# context. What is found there is decided by the rows of the table. If what follows decides, and it has not come yet,
# the text from there on waits (`tail`): it is never long.
#
# Two things may take arbitrarily long to be certain: backticks, which are code if others close them in their
# paragraph, and JSON, which hides other contexts if it is complete. Both are guesses: the text is read on as if
# nothing had opened. Guesses are a stack. Where one comes true, all that has happened since it began has not: the
# later guesses, and the context. Where it does not, it is left out, and nothing else changes.
"""The page: where in a text a place is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from toolglean.engine.page.documents import is_in_string
from toolglean.engine.page.expressions import Rows, Search
from toolglean.engine.page.reading import Reading
from toolglean.engine.page.table import MARK, Context, Row, rows
from toolglean.engine.page.where import Marks, Ruler, Stretch, Where
from toolglean.scan.text import KEPT

__all__ = ["Page", "page_of", "page_of_markers", "stretches_of"]

_PLAIN = Context.PLAIN


class Page:
    """Reads text by the rows of a table. Never changed: what is read is in the `Where` that it returns.

    Args:
        table: the rows.
        mark: the character that stands for a marker in their expressions.
        ruled: whether a ruler is given to it.
    """

    def __init__(self, table: tuple[Row, ...], mark: str = MARK, *, ruled: bool = False) -> None:
        self.rows = Rows(table, mark, ruled=ruled)

    def read(self, where: Where, text: str, start: int, ruler: Marks | None = None, *, passed: str = "") -> Where:
        """Read on: that text, at that place. `passed`: the text before it, which nothing in it can have changed."""
        return Reading(self.rows, where, passed + text, start - len(passed), ruler, passed=len(passed)).read()

    def calm(self, where: Where) -> Search | None:
        """Finds what changes anything after that place, apart from the last characters; None if everything does."""
        if where.documents or where.run or where.tail:
            return None
        spaced = False
        for each in where.guesses:
            spaced = spaced or each.space < 0
        return self.rows.calm(where.context, where.sign, bool(where.seen), spaced)

    def pass_by(self, where: Where, text: str) -> Where:
        """Text in which nothing opens or ends has been read elsewhere."""
        return where._replace(last=(where.last + text)[-KEPT:])

    def follow(self, where: Where, text: str, start: int) -> tuple[Where, int]:
        """Read on up to where backticks that wait are closed, or wait no longer. Returns that place, too."""
        reading = Reading(self.rows, where, text, start, None)
        return reading.read(until=len(where.guesses)), reading.base + reading.reached

    def settle(self, where: Where, place: int, ruler: Marks | None = None) -> Where:
        """What follows at that place is a marker, or nothing: what is not complete stays so; no line begins there."""
        if where.tail or where.run:
            where = Reading(self.rows, where, "", place, ruler, ends=True).read()
        return where._replace(last=MARK)

    def finish(self, where: Where, place: int, ruler: Marks | None = None) -> Where:
        """The text ends there: what is guessed is not so."""
        where = self.settle(where, place, ruler)
        if ruler is not None:
            for each in where.documents:
                if is_in_string(each):
                    ruler.mark(
                        Context.JSON_STRING, max(each.since, each.shown), place - len(each.part), each.since, each.start
                    )
            if where.context is not _PLAIN:
                ruler.mark(where.context, where.since, place, where.since, where.since)
        return where._replace(guesses=(), documents=(), seen=())


@lru_cache(maxsize=8)
def page_of(*, heeded: bool = True, json: bool = True, ruled: bool = False) -> Page:
    """The page of all contexts; made once. `heeded`: whether quotations matter, or only other messages; `json`: whether
    documents do; `ruled`: see `Page`.
    """
    table = (row for row in rows(reasoning=False) if heeded or row.in_reasoning)
    return Page(tuple(row for row in table if json or row.context is not Context.JSON), ruled=ruled)


@lru_cache(maxsize=1)
def page_of_markers() -> Page:
    """The page of what a marker of a format may open: another message, or a result. Made once."""
    return Page(tuple(row for row in rows(reasoning=False) if row.context in {Context.OVER, Context.RESULT}))


def stretches_of(pieces: Iterable[tuple[str, int, bool]], size: int) -> list[Stretch]:
    """The contexts of a text of that size, in order. Each piece is text, its place, and whether it is content."""
    page, ruler, where = page_of(ruled=True), Ruler(), Where()
    for text, start, is_content in pieces:
        if is_content:
            where = page.read(where, text, start, ruler)
        else:
            where = page.settle(where, start, ruler).without_documents()
    page.finish(where, size, ruler)
    return ruler.stretches(0, size)
