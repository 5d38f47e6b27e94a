"""What the documents say of the kit is what it does."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest

from docs import make_conformance
from toolglean.kit.conformance import QUESTIONS, VERDICTS, WAYS, case_schema, load_cases, read_results
from toolglean.kit.conformance.targets import TARGETS

DOCS = Path(__file__).parents[3] / "docs"
REFERENCE = (DOCS / "reference" / "conformance.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "conformance.md").read_text(encoding="utf-8")
read = lru_cache(read_results)  # each is a file of 500 rows, which are compared with their schema
FILES = sorted(make_conformance.RESULTS.glob("*.json"))


def first_cells(text: str, heading: str) -> list[str]:
    """The names in the first column of the first table after that text."""
    table = re.search(r"\n\|.*?\n\n", text[text.index(heading) :], re.DOTALL)
    assert table is not None
    return [name for line in table[0].strip().split("\n")[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])]


def test_every_verdict_and_every_set_of_ways_is_explained() -> None:
    assert first_cells(HOW_TO, "Each case gets the worst") == [
        each for each in VERDICTS if each not in {"unproven", "skipped"}
    ]
    assert first_cells(HOW_TO, "`--ways` names a set") == list(WAYS)


def test_every_field_of_a_case_is_explained() -> None:
    assert set(first_cells(REFERENCE, "## A case\n")) == set(case_schema()["properties"])


def test_every_question_is_explained_in_the_words_of_the_kit() -> None:
    assert first_cells(REFERENCE, "## Core and policy") == list(QUESTIONS)
    for name, text in QUESTIONS.items():
        assert f"| `{name}` | {text}" in REFERENCE


def test_every_kind_is_named() -> None:
    section = REFERENCE[REFERENCE.index("## The shipped cases") : REFERENCE.index("**What is not")]
    assert {case.kind for case in load_cases()} <= set(re.findall(r"`([\w ]+)`", section))


def test_the_page_of_results_is_made_from_the_files_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_conformance, "read_results", read)
    assert make_conformance.PAGE.read_text(encoding="utf-8") == make_conformance.page(), (
        "run `python -m docs.make_conformance`"
    )


def test_the_results_are_of_whole_runs_of_shipped_targets() -> None:
    assert FILES
    for path in FILES:
        found = read(path)
        assert found.target.name == path.stem
        assert path.stem in TARGETS
        assert found.is_complete
        assert found.target.version
        said = [found.data | {"results": []}, *(row.get("reason", "") for row in found.rows)]
        assert not re.search(r"/(home|root|work|tmp)/", str(said))  # of the machine; turns may have such paths
