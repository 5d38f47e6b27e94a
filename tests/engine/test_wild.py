# Which wild turns we do not read as expected, and why; and that none of them runs what it should not.
# Does not depend on how verdicts come about (wild.py).
"""Turns as models really wrote them."""

from __future__ import annotations

import pytest

from tests.support import depth
from tests.support.wild import FILES, WAYS, judge, wild_rows

# The third hunt: dialects that nobody declared, the rest of broken calls, and turns that end in the middle of one.
MISSED_OF_WILD4 = {
    ("auto",): ("w4-js-65", "w4-js-68"),
    ("auto", "model", "format"): ("w4-js-37",),
    ("auto", "model", "format", "no tools"): ("w4-ds-02", "w4-qw-02", "w4-qw-06"),
    ("no tools",): (
        "w4-ge-05",
        "w4-ge-06",
        "w4-ge-20",
        "w4-js-11",
        "w4-js-16",
        "w4-js-25",
        "w4-js-26",
        "w4-js-38",
        "w4-js-41",
        "w4-js-78",
        "w4-ki-01",
    ),
}

MISSED = {
    # A list of calls as Python has no marker: after prose it could be an example.
    ("llama-04", "auto"),
    ("llama-04", "model"),
    ("llama-04", "format"),
    ("llama-04", "no tools"),
    # Where no tools are known, nothing tells a name before JSON from any other word.
    ("llama-08", "no tools"),
    *((name, way) for ways, names in MISSED_OF_WILD4.items() for name in names for way in ways),
}
# Where no tools are known, these rows expect nothing to run. We read JSON that is a whole turn as a call then, too, and
# calls whose marker is there: nothing else tells such a reader what its tools are.
UNKNOWN_TOOLS = {
    "w4-ge-05",
    "w4-ge-06",
    "w4-ge-20",
    "w4-js-11",
    "w4-js-25",
    "w4-js-26",
    "w4-js-38",
    "w4-js-41",
    "w4-js-78",
    "w4-ki-01",
}


@pytest.mark.parametrize("file", FILES)
def test_wild_turns(file: str) -> None:
    """By default, each turn in one of the ways."""
    pairs = [(row, way) for row in wild_rows(file) for way in WAYS]
    some = depth.chosen(pairs, 1, key=lambda pair: f"{pair[0]['id']} {pair[1]}", group=lambda pair: pair[0]["id"])
    answers = {(row["id"], way): judge(row, way) for row, way in some}
    found = {each: answer for each, answer in answers.items() if answer is not None}
    assert len(found) >= 40
    assert {each: answer.lost for each, answer in found.items() if answer.lost} == {}
    assert {
        (name, way): answer.unsafe + answer.invented
        for (name, way), answer in found.items()
        if (answer.unsafe or answer.invented) and not (way == "no tools" and name in UNKNOWN_TOOLS)
    } == {}
    assert {each for each, answer in found.items() if not answer.right} == MISSED & answers.keys()


def test_rows_have_names_of_their_own() -> None:
    names = [row["id"] for file in FILES for row in wild_rows(file)]
    assert len(set(names)) == len(names)
    assert {name for name, _ in MISSED} <= set(names)
