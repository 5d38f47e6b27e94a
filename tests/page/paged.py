# Reads the texts of these tests with the page, cut in any way: what stands for calls and ends of a turn is a marker, of
# which the page is told as the engine tells it. Does not depend on what is right.
"""The page, as the engine asks it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tests.page.contexts import CALL, END_MARKERS, FIRST, ROWS
from tests.page.reference import Where as Found
from toolglean.engine.page.page import Page
from toolglean.engine.page.where import Ruler, Where

__all__ = ["PAGE", "paged", "where_after"]

PAGE = Page(ROWS, CALL, ruled=True)
_PIECES = re.compile("|".join(map(re.escape, (CALL, FIRST, *END_MARKERS))))


def paged(text: str, cuts: Sequence[int] = ()) -> list[Found]:
    """Where each character is, if the text comes in pieces that end at these places."""
    ruler = Ruler()
    where = _read(text, cuts, ruler)
    PAGE.finish(where, len(text), ruler)
    return [
        Found(each.context, each.since) for each in ruler.stretches(0, len(text)) for _ in range(each.start, each.end)
    ]


def where_after(text: str, cuts: Sequence[int] = ()) -> Where:
    """Where the end of that text is."""
    return _read(text, cuts, None)


def _read(text: str, cuts: Sequence[int], ruler: Ruler | None) -> Where:
    where = Where()
    place = 0
    marks = [(found.start(), found.end()) for found in _PIECES.finditer(text)]
    for begin, end in [*marks, (len(text), len(text))]:
        where = _in_pieces(where, text, place, begin, cuts, ruler)
        if begin < end:
            where = PAGE.settle(where, begin, ruler)
            where = _in_pieces(where, text, begin, end, cuts, ruler)
        place = end
    return where


def _in_pieces(where: Where, text: str, begin: int, end: int, cuts: Sequence[int], ruler: Ruler | None) -> Where:
    edges = [begin, *(cut for cut in cuts if begin < cut < end), end]
    for start, stop in pairwise(edges):
        if start < stop:
            where = PAGE.read(where, text[start:stop], start, ruler)
    return where
