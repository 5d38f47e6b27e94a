# What this file knows: which wild turns we do not read as expected, and why; and that none of them runs what it should not.
# What it must not know: how verdicts come about (wild.py).
"""Turns as models really wrote them."""

from __future__ import annotations

import pytest

from tests.wild import WAYS, judge, wild_rows

MISSED = {
    # A list of calls as Python has no marker: behind prose it could be an example.
    ("llama-04", "auto"),
    ("llama-04", "format"),
    ("llama-04", "no tools"),
}


@pytest.mark.parametrize("way", WAYS)
def test_wild_turns(way: str) -> None:
    answers = {row["id"]: judge(row, way) for row in wild_rows()}
    found = {name: answer for name, answer in answers.items() if answer is not None}
    assert len(found) >= 60
    assert {
        name: answer.unsafe + answer.invented for name, answer in found.items() if answer.unsafe or answer.invented
    } == {}
    assert {name: answer.lost for name, answer in found.items() if answer.lost} == {}
    assert {name for name, answer in found.items() if not answer.right} == {
        name for name, each in MISSED if each == way
    }
