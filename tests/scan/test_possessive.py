# Possessive repeats of groups, of which old Pythons make something else: scan/text.py has what is used instead. Here: it
# matches the same; and no file has such a repeat of its own, unless nothing but single characters can fail in it.
"""Possessive repeats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolglean
from toolglean.scan.json import ESCAPE, JsonScanner
from toolglean.scan.text import possessive

PACKAGE = Path(toolglean.__file__).parent

# A group whose repetition fails before anything in it has tried characters of its own, or not at all: such a group is
# read rightly by every Python.
RIGHT_EVERYWHERE = {
    "ollama/gojson.py": 1,
    "ollama/scan.py": 1,
    "engine/by_schema/beginnings.py": 1,
    "llm/objects/processor.py": 1,
    "sources/response/values.py": 1,
    "sources/templates/golang/lexer.py": 6,
}


@pytest.mark.parametrize(
    ("body", "times", "text", "end"),
    [
        ("ab?c", "*", "aca", 2),
        ("ab?c", "*", "acabcx", 5),
        ("ab?c", "?", "abx", 0),
        (r"[ :]\w{1,3}+", "{0,3}", " a b c d", 6),
        (r"[ :]\w{1,3}+", "{0,3}", " a  b", 2),
        (r'[^"\\]++|\\(?:["\\]|u[0-9a-f]{4})', "*", r"see \u00zz", 4),
        (r"-?(?:0|[1-9][0-9]*+),", "*", "1,20,3", 5),
    ],
)
def test_what_is_used_instead_matches_the_same(body: str, times: str, text: str, end: int) -> None:
    for keeps_failed in (False, True):
        if keeps_failed or possessive("x") == "(?:x)*+":  # this Python may use its own
            found = re.compile(possessive(body, times, keeps_failed=keeps_failed)).match(text)
            assert found is not None
            assert found.end() == end


def test_nothing_is_given_back() -> None:
    for keeps_failed in (False, True):
        assert re.match(possessive("ab?", keeps_failed=keeps_failed) + "b", "abab") is None


def test_an_escape_that_is_cut_is_waited_for() -> None:
    # On Python 3.11.2, the backslash was taken for text, and what followed raised a KeyError.
    for text in (r'"see \u', r'"see \u00', '"see \\'):
        scanner = JsonScanner()
        assert scanner.skim(text, 0, 0) == len(text)
        assert scanner.state == ESCAPE


def test_no_file_has_a_possessive_group_of_its_own() -> None:
    group = re.compile(r"(?<!\()\)(?:[*+?]|\{\{?[0-9,]+\}?\})\+|\(\?>")
    found = {}
    for path in PACKAGE.rglob("*.py"):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
        count = sum(group.search(line) is not None for line in lines)
        if count and path.name != "text.py":
            found[path.relative_to(PACKAGE).as_posix()] = count
    assert found == RIGHT_EVERYWHERE
