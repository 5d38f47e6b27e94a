# The results of a run: for people, as JSON (results.py), and as JUnit's XML for CI. Does not depend on how they were
# obtained.
"""Reports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from toolglean.kit.conformance import results
from toolglean.kit.conformance.casesets import CaseSet
from toolglean.kit.conformance.judge import VERDICTS
from toolglean.kit.conformance.reading import call_text
from toolglean.kit.conformance.results import cut
from toolglean.kit.conformance.runner import Report, Result
from toolglean.kit.conformance.tiers import Score

__all__ = ["as_json", "as_junit", "as_text"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_text(report: Report, *, failures: bool = True, case_set: CaseSet | None = None) -> str:
    """For people: the cases that are not right, the worst last, then a table by kind, and the scores.

    Args:
        report: the results.
        failures: whether each case that is not right is shown, or only the table.
        case_set: the set from which the cases were chosen; None: not shown.
    """
    order = list(VERDICTS)
    failed = sorted((each for each in report.results if each.failed), key=lambda each: -order.index(each.verdict))
    parts = [_shown(result) for result in failed] if failures else []
    return "\n\n".join([*parts, _table(report), _summary(report, case_set)])


def _shown(result: Result) -> str:
    case = result.case
    lines = [f"{result.verdict.upper()}  {case.id}  ({_standing(result)})"]
    for each in result.findings:
        where = "in every way" if each.ways == result.ways and len(each.ways) > 1 else ", ".join(each.ways)
        lines.append(f"  {each.verdict}: {each.detail} ({where})")
    lines += [f"  {name:9} {value}" for name, value in _expected_and_got(result)]
    return "\n".join(lines)


def _expected_and_got(result: Result) -> Iterator[tuple[str, str]]:
    case, reading = result.case, result.reading
    yield "text", cut(repr(case.text))
    yield "expected", cut(_line(case.content, case.reasoning, case.calls))
    for calls in case.also_right:
        yield "or", cut(_line(case.content, case.reasoning, calls))
    got = "nothing" if reading is None else _line(reading.content, reading.reasoning, reading.calls)
    yield "got", cut(got + (f" unfinished={reading.unfinished}" if reading is not None and reading.unfinished else ""))


def _line(content: str | None, reasoning: str | None, calls: Any) -> str:
    texts = [
        f"{name}={value!r}" for name, value in (("content", content), ("reasoning", reasoning)) if value is not None
    ]
    return " ".join([f"calls=[{', '.join(map(call_text, calls))}]", *texts])


def _table(report: Report) -> str:
    used = [verdict for verdict in VERDICTS if report.verdicts[verdict]]
    kinds: dict[str, Counter[str]] = {}
    for result in report.results:
        kinds.setdefault(result.case.kind, Counter())[result.verdict] += 1
    width = max([len(kind) for kind in kinds] + [5])
    lines = [" ".join([f"{'':{width}}", *(f"{verdict:>8}" for verdict in used)])]
    for kind, counts in [*sorted(kinds.items()), ("total", report.verdicts)]:
        lines.append(" ".join([f"{kind:{width}}", *(f"{counts[verdict] or '':>8}" for verdict in used)]))
    return "\n".join(line.rstrip() for line in lines)


def _standing(result: Result) -> str:
    """Whether what is not right is core or policy, and why it may not count."""
    case = result.case
    if case.disputed:
        return f"disputed, not scored: {case.disputed}"
    if result.outcome()[0] is False:
        return "core"
    return f"policy: {case.question or 'unread'}"


def _summary(report: Report, case_set: CaseSet | None) -> str:
    core, policy = report.score("core"), report.score("policy")
    lines = [f"core: {core.right} of {core.judged} right ({core.share})"]
    lines.append(f"policy: {policy.right} of {policy.judged} as the cases expect ({policy.share})")
    if case_set is not None:
        shown = " ".join(filter(None, [case_set.name, case_set.version]))
        chosen = f"{len(report.results)} of {len(case_set.cases)}"
        lines.append(f"cases: {shown} ({case_set.digest[:19]}), {chosen}; ways: {report.ways}")
    judged = [each for each in report.results if each.outcome() != (None, None)]
    right = sum(not each.failed for each in judged)
    share = f" ({Score(right, len(judged)).share})" if judged else ""
    disputed = sum(bool(result.case.disputed) for result in report.results)
    others = {"unproven": report.verdicts["unproven"], "skipped": report.verdicts["skipped"], "disputed": disputed}
    shown = "".join(f", {count} {name}" for name, count in others.items() if count)
    return "\n".join([*lines, f"{report.target}: {right} of {len(judged)} cases right{share}{shown}"])


def as_json(report: Report, *, case_set: CaseSet | None = None) -> str:
    """For programs: one object, as `results_schema` describes it.

    Args:
        report: the results.
        case_set: as for `results_of`.
    """
    return results.as_text(results.results_of(report, case_set=case_set))


def as_junit(report: Report, *, fail_on: str = "core", case_set: CaseSet | None = None) -> str:
    """For CI: a test suite with a test for each case; its class is the kind.

    Args:
        report: the results.
        fail_on: "core": cases that differ only in policy are skipped tests; "policy": they are failures too.
        case_set: the set from which the cases were chosen; None: not named.
    """
    tests = [_test(result, fail_on) for result in report.results]
    suite = ET.Element(
        "testsuite",
        name=_xml(f"toolglean conformance: {report.target}"),
        tests=str(len(tests)),
        failures=str(sum(test.find("failure") is not None for test in tests)),
        errors=str(sum(test.find("error") is not None for test in tests)),
        skipped=str(sum(test.find("skipped") is not None for test in tests)),
        time=f"{sum(result.seconds for result in report.results):.3f}",
    )
    suite.extend(tests)
    # Some readers take <properties> for a test, and all of them show this.
    facts = (f"{name}={value}" for name, value in _facts(report, case_set))
    ET.SubElement(suite, "system-out").text = _xml("\n".join(facts))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _facts(report: Report, case_set: CaseSet | None) -> Iterator[tuple[str, str]]:
    for tier in ("core", "policy"):
        score = report.score(tier)
        yield f"{tier}.right", str(score.right)
        yield f"{tier}.judged", str(score.judged)
    yield "ways", report.ways
    if report.about is not None and report.about.version is not None:
        yield "target.version", report.about.version
    if case_set is not None:
        yield "cases", " ".join(filter(None, [case_set.name, case_set.version]))
        yield "cases.digest", case_set.digest


def _test(result: Result, fail_on: str) -> ET.Element:
    case = result.case
    test = ET.Element(
        "testcase",
        classname=_xml(f"conformance.{case.kind}"),
        name=_xml(case.id),
        time=f"{result.seconds:.3f}",
    )
    if result.verdict in {"skipped", "unproven"}:
        ET.SubElement(test, "skipped", message=_xml(result.reason or VERDICTS[result.verdict]))
    elif result.failed:
        message = _xml(f"{result.verdict}: {result.findings[0].detail}")
        core, policy = result.outcome()
        if core is False or (policy is False and fail_on == "policy"):
            kind = "error" if result.verdict in {"crash", "timeout"} else "failure"
            ET.SubElement(test, kind, type=result.verdict, message=message).text = _xml(_shown(result))
        else:
            ET.SubElement(test, "skipped", message=_xml(f"{_standing(result)}; ") + message)
    return test


def _xml(text: str) -> str:
    # Characters that are not allowed in XML, such as lone surrogates, become Python escapes.
    return _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text)
