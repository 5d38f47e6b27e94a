# What this file knows: that the codes of problems are the ones that are documented, and that each of them is reported.
"""Codes of problems."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from tests.support.chunkings import read_with
from toolglean import Limits, Problem, ProblemCode
from toolglean.engine import reasons

ROOT = Path(__file__).parents[2]
CODES = get_args(ProblemCode)


def written() -> Iterator[str]:
    """The codes with which the source makes a reason or a problem."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "src" / "toolglean").rglob("*.py")))
    for text in (
        each for each in texts if "Problem(" in each or "Reason(" in each
    ):  # to parse all of them takes a second
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"Problem", "Reason"}:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    assert isinstance(first.value, str)
                    yield first.value
                else:
                    assert isinstance(first, ast.Starred), ast.unparse(node)  # the parts of a `Reason`


def test_each_code_is_listed_once_and_reported_somewhere() -> None:
    assert len(CODES) == len(set(CODES))
    assert set(written()) == set(CODES)


def test_the_page_of_problems_has_a_row_for_each_code() -> None:
    page = (ROOT / "docs" / "reference" / "problems.md").read_text(encoding="utf-8")
    # A code with two reasons has two rows.
    assert tuple(dict.fromkeys(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))) == CODES


def test_what_several_formats_refuse_is_told_once() -> None:
    """Fixed bug: each of the formats that tried to read the place told it, two hundred times."""
    text = '<function name="bad" extra="nope"><param name="x">1</param></function>'
    events = read_with(["f"], text)
    assert len([event for event in events if isinstance(event, Problem)]) == 1


def test_a_code_is_short_and_its_words_are_a_phrase() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+){0,3}", code) for code in CODES)
    for reason in vars(reasons).values():
        if isinstance(reason, reasons.Reason):
            assert reason.text
            assert not reason.text.endswith(".")


def test_each_limit_has_a_reason() -> None:
    assert set(reasons.LIMITS) == set(Limits.__dataclass_fields__)
