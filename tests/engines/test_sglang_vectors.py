"""The cases recorded from SGLang's tests, through its own classes.

Those that we answer otherwise are in tests/support/disagreements/sglang.toml, each with its reason, and no other is. What needs
SGLang is run by `nox -s sglang`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.support.disagreements import explained
from tests.support.shared import SHARED

pytest.importorskip("sglang", reason="needs SGLang: nox -s sglang")
if not (SHARED / "vectors" / "wire").exists():
    pytest.skip("../shared is not here: it may not be committed (see fixtures/README.md)", allow_module_level=True)

from tests.engines.sglang_vectors import STREAMED, Verdict, calls_verdicts, reasoning_verdicts


def ours(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [each for each in verdicts if each.parser == "toolglean"]


def listed(kind: str) -> set[int]:
    return {int(each.partition(":")[2]) for each in explained("sglang") if each.startswith(f"{kind}:")}


def test_every_disagreement_is_explained() -> None:
    found = ours(calls_verdicts())
    assert len({each.case for each in found}) == 171
    assert {each.case for each in found if each.way == "whole" and not each.right} == listed("whole")
    assert {each.case for each in found if each.way != "whole" and not each.right} == listed("streamed")


def test_every_stream_gives_the_same_calls() -> None:
    answers = defaultdict(set)
    for each in ours(calls_verdicts()):
        if each.way in STREAMED:
            answers[each.case].add(repr(each.answer))
    assert [case for case, found in answers.items() if len(found) > 1] == []


def test_every_disagreement_on_reasoning_is_explained() -> None:
    found = ours(reasoning_verdicts())
    assert len({each.case for each in found}) == 36
    assert {each.case for each in found if not each.right} == listed("reasoning")
    answers = defaultdict(set)
    for each in found:
        answers[each.case].add(each.answer)
    assert [case for case, said in answers.items() if len(said) > 1] == []
