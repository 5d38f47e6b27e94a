# What this file knows: what finding literals in pieces of text must come to, by a slow search that nobody doubts.
# What it must not know: how the fast one works.
"""scan/text.py."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolglean.scan.text import Finder

LITERALS = st.lists(st.text("ab<", min_size=1, max_size=4), max_size=6)


def slow(literals: list[str], text: str, pos: int) -> tuple[int, str]:
    """The first place at which a literal stands or may begin; the longest there."""
    for place in range(pos, len(text)):
        for literal in sorted(literals, key=len, reverse=True):
            if text.startswith(literal, place):
                return place, literal
            if literal.startswith(text[place:]):
                return place, ""
    return len(text), ""


@given(LITERALS, st.text("ab<c", max_size=12), st.integers(0, 12))
def test_the_finder_finds_what_a_slow_search_finds(literals: list[str], text: str, pos: int) -> None:
    pos = min(pos, len(text))
    assert Finder(literals).find(text, pos) == slow(literals, text, pos)


def test_rows() -> None:
    finder = Finder(["<a>", "<ab>", "x<a>y", ""])
    assert finder.find("zz<a>", 0) == (2, "<a>")
    assert finder.find("x<a>", 0) == (0, "")  # a longer one may still come, further left
    assert finder.find("x<a>z", 0) == (1, "<a>")
    assert finder.find("q<ab>", 2) == (5, "")
    assert finder.first == ""
    assert Finder(["<a", "<b"]).first == "<"
    assert Finder([]).find("abc", 1) == (3, "")
