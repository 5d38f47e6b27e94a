# What this file knows: which wild turns we do not read as expected, and why; and that none of them runs what it should not.
# What it must not know: how verdicts come about (wild.py).
"""Turns as models really wrote them."""

from __future__ import annotations

import pytest

from tests.wild import FILES, WAYS, judge, wild_rows

MISSED = {
    # A list of calls as Python has no marker: behind prose it could be an example.
    ("llama-04", "auto"),
    ("llama-04", "format"),
    ("llama-04", "no tools"),
}

# Rows that fail until the repairs of this release are in. THIS MUST BE EMPTY AT THE END: take out what holds. What is
# missed for good, with a reason, is a row of MISSED; nothing that is unsafe, invented or lost can be.
NOT_YET = {
    # Data that names a tool is not a call.
    ("w3-ge-15", ("auto", "model")),
    # A value that swallowed a closer.
    ("w3-qw-08", tuple(WAYS)),
    # An example in prose with a name that no tool has; without tools, a form with names left open.
    ("w3-qw-07", tuple(WAYS)),
    # A name and an object are not a call where no tools are given.
    ("w3-ds-07", ("no tools",)),
    # A call at the end of a reasoning block that never closes.
    ("w3-ki-04", ("auto", "no tools")),
    # Dialects that are not declared: Anthropic's oldest form, DSML with other bars, a harness's `<call_record>`,
    # Continue's `TOOL_NAME:`, OpenAI's history after `Function call:`, gptme's `@name(id):`.
    ("w3-cl-15", ("auto", "no tools")),
    ("w3-ds-02", tuple(WAYS)),
    ("w3-ds-03", ("auto", "format", "no tools")),
    ("w3-ge-14", ("auto", "no tools")),
    ("w3-im-04", ("auto", "no tools")),
    ("w3-im-05", ("auto", "no tools")),
    ("w3-ll-22", ("auto", "no tools")),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("file", FILES)
def test_wild_turns(file: str, way: str) -> None:
    answers = {row["id"]: judge(row, way) for row in wild_rows(file)}
    not_yet = {name for name, ways in NOT_YET if way in ways}
    missed = {name for name, each in MISSED if each == way and name in answers}
    found = {name: answer for name, answer in answers.items() if answer is not None}
    assert len(found) >= 50
    assert {name: answer.lost for name, answer in found.items() if answer.lost} == {}
    assert {
        name: answer.unsafe + answer.invented
        for name, answer in found.items()
        if (answer.unsafe or answer.invented) and name not in not_yet
    } == {}
    assert {name for name, answer in found.items() if not answer.right} - not_yet == missed


def test_rows_have_names_of_their_own() -> None:
    names = [row["id"] for file in FILES for row in wild_rows(file)]
    assert len(set(names)) == len(names)
    assert {name for name, _ in NOT_YET} | {name for name, _ in MISSED} <= set(names)
