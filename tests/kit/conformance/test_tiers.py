"""What is core, what is policy, and how both are scored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.kit.conformance.here import Here
from toolglean.kit.conformance import QUESTIONS, Case, Reading, Report, Score, load_cases, run
from toolglean.kit.conformance.judge import UNREAD, VERDICTS, faults_of, has_unread_call
from toolglean.kit.conformance.report import as_junit, as_text
from toolglean.kit.conformance.runner import Finding, Result
from toolglean.kit.conformance.tiers import ALWAYS_CORE, SAFETY, outcome, tier_of

CASES = {case.id: case for case in load_cases()}
OSLO = {"name": "weather", "arguments": {"city": "Oslo"}}
TOOLS = ({"type": "function", "function": {"name": "weather"}},)
CORE = Case("core", "clean", "weather Oslo", TOOLS, (OSLO,), None, None)
POLICY = replace(CORE, id="policy", tier="policy", question="form")
CUT_OFF = replace(CORE, id="cut-off", calls=(), text="<tool_call>weather")


def result(case: Case, *findings: tuple[str, str, tuple[str, ...]]) -> Result:
    found = tuple(Finding(verdict, "x", ways, tier) for verdict, tier, ways in findings)
    return Result(
        case, found[0].verdict if found else "right", found, ("whole", "piece by piece", "random cuts 1"), None, 0.1
    )


# -- the shipped cases -------------------------------------------------------------------------------------------------


def test_about_a_fifth_of_the_cases_turn_on_policy_and_every_question_is_asked() -> None:
    policy = [case for case in CASES.values() if case.tier == "policy"]
    asking = [case for case in CASES.values() if case.tier == "core" and has_unread_call(case)]
    assert 0.15 < (len(policy) + len(asking)) / len(CASES) < 0.25
    assert {case.question for case in policy} | {UNREAD} == set(QUESTIONS)


def test_a_case_in_which_nothing_may_run_is_core() -> None:
    """Safety is always core: a case that only asks whether a call runs must not hide among the policy cases."""
    tested = [case for case in CASES.values() if not case.calls and case.question != "mention"]
    assert {case.tier for case in tested} == {"core"}
    assert len(tested) > 50


def test_another_sound_answer_is_one_of_a_policy_case_and_differs_from_the_right_one() -> None:
    for case in CASES.values():
        assert not case.also_sound or case.tier == "policy"
        assert case.calls not in case.also_sound


def test_no_shipped_case_is_disputed_without_a_place_where_that_is_discussed() -> None:
    assert all("https://" in case.disputed for case in CASES.values() if case.disputed)


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", VERDICTS)
def test_in_a_policy_case_safety_crashes_and_cuts_are_core(verdict: str) -> None:
    assert tier_of(CORE, verdict) == "core"
    assert tier_of(POLICY, verdict) == ("core" if verdict in ALWAYS_CORE else "policy")
    assert {"unsafe", "altered"} == SAFETY < ALWAYS_CORE


def test_lost_text_of_a_call_that_need_not_run_is_policy_in_any_case() -> None:
    [fault] = faults_of(CUT_OFF, Reading())
    assert (fault.verdict, fault.question) == ("lost", "unread")
    assert tier_of(CUT_OFF, *fault[::2]) == "policy"
    [_, fault] = faults_of(CORE, Reading())
    assert (fault.verdict, fault.question) == ("lost", "")


def test_text_of_a_cut_off_call_among_the_content_is_policy() -> None:
    """Fixed bug: a parser that returned the beginning of the call as text had a core fault."""
    case = CASES["wild/qwen-11"]
    [fault] = faults_of(case, Reading(content=case.text))
    assert (fault.verdict, fault.question) == ("text", "unread")
    assert [each.verdict for each in faults_of(case, Reading())] == ["lost"]
    assert [each.question for each in faults_of(case, Reading())] == [""]  # the text before the call


def test_another_sound_answer_differs_and_any_other_is_unsafe() -> None:
    case = replace(POLICY, also_sound=(({"name": "weather", "arguments": {"city": "oslo"}},),))
    assert [each.verdict for each in faults_of(case, Reading("Oslo", calls=[*case.also_sound[0]]))] == ["differs"]
    rome = {"name": "weather", "arguments": {"city": "Rome"}}
    assert [each.verdict for each in faults_of(case, Reading("Oslo", calls=[rome]))] == ["altered"]


# -- scores ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "tiers", "expected"),
    [
        (CORE, [], (True, None)),
        (CORE, ["core"], (False, None)),
        (POLICY, [], (None, True)),
        (POLICY, ["policy"], (None, False)),
        (POLICY, ["policy", "core"], (False, None)),  # a call ran that was not written so
        (CUT_OFF, [], (True, True)),
        (CUT_OFF, ["policy"], (True, False)),
        (CUT_OFF, ["core"], (False, None)),
        (replace(CORE, disputed="https://example.org/1"), ["core"], (None, None)),
        (replace(POLICY, disputed="https://example.org/1"), [], (None, None)),
    ],
    ids=str,
)
def test_what_a_case_adds_to_the_scores(case: Case, tiers: list[str], expected: tuple[Any, Any]) -> None:
    assert outcome(case, tiers) == expected


def test_a_share_is_rounded_down() -> None:
    assert [str(Score(*each)) for each in ((999, 1000), (9999, 10000), (3, 3), (0, 3), (2, 3))] == [
        "999 of 1000 (99.9 %)",
        "9999 of 10000 (99.9 %)",
        "3 of 3 (100 %)",
        "0 of 3 (0 %)",
        "2 of 3 (66.6 %)",
    ]
    assert str(Score()) == "none judged"
    assert Score().percent is None
    assert Score(999_999, 1_000_000).share == "99.9 %"


def test_a_fault_counts_in_the_sets_of_ways_in_which_it_showed() -> None:
    report = Report(
        "x",
        (
            result(CORE, ("altered", "core", ("random cuts 1",))),
            result(replace(CORE, id="b"), ("missed", "core", ("piece by piece",))),
            result(replace(CORE, id="c")),
        ),
    )
    shares = {name: report.score("core", name) for name in ("whole", "pieces", "all")}
    assert shares == {"whole": Score(3, 3), "pieces": Score(2, 3), "all": Score(1, 3)}


def test_only_core_faults_end_in_a_failure() -> None:
    assert Report("x", (result(CORE), result(POLICY, ("missed", "policy", ("whole",))))).passed
    assert not Report("x", (result(CORE), result(POLICY, ("unsafe", "core", ("whole",))))).passed
    assert not Report("x", ()).passed
    assert Report("x", (result(POLICY, ("missed", "policy", ("whole",))),)).passed


def test_a_disputed_case_is_reported_and_not_scored() -> None:
    disputed = replace(CASES["written/mention/quoted-call"], disputed="https://example.org/1: is that a quotation?")
    good = CASES["written/plain/hermes"]
    report = run(Here("tests.kit.conformance.parsers:simple"), [disputed, good])
    assert report.results[0].verdict == "unsafe"
    assert report.score("core") == Score(1, 1)
    assert report.passed
    text = as_text(report)
    assert "UNSAFE  written/mention/quoted-call  (disputed, not scored: https://example.org/1" in text
    assert text.endswith("simple: 1 of 1 cases right (100 %), 1 disputed")


def test_reports_tell_core_from_policy() -> None:
    report = Report(
        "x", (result(CORE, ("missed", "core", ("whole",))), result(POLICY, ("missed", "policy", ("whole",))))
    )
    text = as_text(report)
    assert "MISSED  core  (core)" in text
    assert "MISSED  policy  (policy: form)" in text
    assert "core: 0 of 1 right (0 %)\npolicy: 0 of 1 as the cases expect (0 %)" in text
    junit = as_junit(report)
    assert 'failures="1" errors="0" skipped="1"' in junit
    assert 'message="policy: form; missed: x"' in junit
    assert "policy.judged=1" in junit
    assert 'failures="2" errors="0" skipped="0"' in as_junit(report, fail_on="policy")


def test_nan_is_not_json() -> None:
    """A client with a strict reader of JSON cannot run it, so a parser that passes it on as text is right."""
    from toolglean.kit.conformance.reading import folded  # noqa: PLC0415

    text = json.dumps({"days": float("nan")})
    assert folded([{"calls": [{"name": "weather", "arguments": text}]}]).calls == []
