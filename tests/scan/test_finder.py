# What finding literals in pieces of text must give, by a slow search that is obviously right. Does not depend on how the
# fast one works.
"""scan/text.py."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.support import depth
from toolglean.scan.text import Finder

PROSE = ["to=", "<a>"]

LITERALS = st.lists(st.text("ab<", min_size=1, max_size=4), max_size=6)


def slow(literals: list[str], text: str, pos: int) -> tuple[int, str]:
    """The first place at which a literal is, or may begin; the longest one there."""
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
    assert Finder(["<a", "<b"]).guards[0] == "<"
    assert Finder(["<a", "[b"]).guards == ("<", "[")
    assert Finder(["<a", "[b", "x"]).guards == ("", "")
    assert Finder([]).find("abc", 1) == (3, "")


def test_in_prose_a_literal_of_letters_counts_where_a_word_begins() -> None:
    finder = Finder(PROSE, words=True)
    assert finder.find("auto=1 to=2", 0) == (7, "to=")
    assert finder.find("to=", 0, "au") == (3, "")
    assert finder.find("to=", 0, "au ") == (0, "to=")
    assert finder.find("that is t", 0) == (8, "")  # the next character is still to come
    assert finder.find("but", 0) == (3, "")
    assert finder.search("that is but tea") is None
    assert finder.guards == ("", "")
    assert finder.find("sto=", 1) == (1, "to=")  # only `last` shows what is before the first place


@given(st.text("to=<a> ", max_size=12), st.text("to ", max_size=2), st.integers(0, 12))
def test_its_search_misses_nothing(text: str, last: str, cut: int) -> None:
    """What `search` does not find, `find` does not either: a chunk without it goes out as it comes."""
    finder = Finder(PROSE, words=True)
    if finder.search(text) is None:
        assert finder.find(text, 0, last) == (len(text), "")
    cut = min(cut, len(text))
    whole = finder.find(text, 0, last)
    if whole[0] >= cut:  # the same after a cut
        assert finder.find(text[cut:], 0, last + text[:cut]) == (whole[0] - cut, whole[1])


def test_a_finder_with_more_literals_finds_as_a_new_one() -> None:
    rng = random.Random(24)
    chars = "<[|ab> "
    for _ in range(2000 if depth.is_full() else 700):
        literals = ["".join(rng.choices(chars, k=rng.randrange(1, 5))).strip() for _ in range(rng.randrange(1, 6))]
        more = ["".join(rng.choices(chars, k=rng.randrange(1, 5))).strip() for _ in range(rng.randrange(4))]
        words = rng.random() < 0.5
        finder, expected = Finder(literals, words=words), Finder([*literals, *more], words=words)
        found = finder.also_finding(more)
        assert found.literals == expected.literals
        assert (set(found.openers), found.guards == ("", "")) == (set(expected.openers), expected.guards == ("", ""))
        assert finder.literals == Finder(literals, words=words).literals  # it is as it was
        text = "".join(rng.choices(chars, k=rng.randrange(1, 30)))
        for last in ("", "a", " "):
            assert found.find(text, 0, last) == expected.find(text, 0, last)
        assert (found.search(text) is None) == (expected.search(text) is None)


def test_a_literal_of_any_length_makes_a_finder() -> None:
    # A model's own tag may be one. The expression had a group in a group for each of its characters.
    literal = f"</{'x' * 3000}>"
    finder = Finder([literal, "</b>"], exact=True)
    assert finder.find(f"a {literal}", 0) == (2, literal)
    assert finder.find(f"a {literal[:2000]}", 0) == (2, "")
    assert finder.find(f"a {literal[:2000]} b</b>", 0) == (2004, "</b>")
    assert finder.search(f"a {literal}") is not None
