# The results of a run: for people, as JSON, and as JUnit's XML for CI. Does not depend on how they were obtained.
"""Reports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from xml.etree import ElementTree as ET

from toolglean._version import __version__
from toolglean.kit.conformance.cases import SCHEMA
from toolglean.kit.conformance.judge import VERDICTS
from toolglean.kit.conformance.runner import Report, Result

__all__ = ["as_json", "as_junit", "as_text"]

SHOWN: Final = 300
"""Characters of a text that are shown to people. JSON and JUnit contain the whole text."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_text(report: Report, *, failures: bool = True) -> str:
    """For people: the failing cases, the worst last, then a table by kind.

    Args:
        report: the results.
        failures: whether each failing case is shown, or only the table.
    """
    order = list(VERDICTS)
    failed = sorted((each for each in report.results if each.failed), key=lambda each: -order.index(each.verdict))
    parts = [_shown(result) for result in failed] if failures else []
    return "\n\n".join([*parts, _table(report), _summary(report)])


def _shown(result: Result) -> str:
    case = result.case
    lines = [f"{result.verdict.upper()}  {case.id}"]
    for each in result.findings:
        where = "in every way" if each.ways == result.ways and len(each.ways) > 1 else ", ".join(each.ways)
        lines.append(f"  {each.verdict}: {each.detail} ({where})")
    lines += [f"  {name:9} {value}" for name, value in _expected_and_got(result)]
    return "\n".join(lines)


def _expected_and_got(result: Result) -> Iterator[tuple[str, str]]:
    case, reading = result.case, result.reading
    yield "text", _cut(repr(case.text))
    yield "expected", _cut(_line(case.content, case.reasoning, case.calls))
    for calls in case.also_right:
        yield "or", _cut(_line(case.content, case.reasoning, calls))
    got = "nothing" if reading is None else _line(reading.content, reading.reasoning, reading.calls)
    yield "got", _cut(got + (f" unfinished={reading.unfinished}" if reading is not None and reading.unfinished else ""))


def _line(content: str | None, reasoning: str | None, calls: Any) -> str:
    shown = [f"{each['name']}({json.dumps(each['arguments'], ensure_ascii=False)})" for each in calls]
    texts = [
        f"{name}={value!r}" for name, value in (("content", content), ("reasoning", reasoning)) if value is not None
    ]
    return " ".join([f"calls=[{', '.join(shown)}]", *texts])


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


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


def _summary(report: Report) -> str:
    judged = sum(count for verdict, count in report.verdicts.items() if verdict not in {"skipped", "unproven"})
    share = f" ({100 * report.verdicts['right'] / judged:.1f} %)" if judged else ""
    others = "".join(
        f", {report.verdicts[verdict]} {verdict}" for verdict in ("unproven", "skipped") if report.verdicts[verdict]
    )
    return f"{report.target}: {report.verdicts['right']} of {judged} cases right{share}{others}"


def as_json(report: Report) -> str:
    """For programs: one object, with every result."""
    return json.dumps(
        {
            "toolglean": __version__,
            "schema": SCHEMA,
            "target": report.target,
            "passed": report.passed,
            "verdicts": {verdict: report.verdicts[verdict] for verdict in VERDICTS},
            "results": [_row(result) for result in report.results],
        },
        indent=1,
    )


def _row(result: Result) -> dict[str, Any]:
    case, reading = result.case, result.reading
    return {
        "id": case.id,
        "kind": case.kind,
        "format": case.format,
        "source": case.source,
        "verdict": result.verdict,
        "findings": [{"verdict": each.verdict, "detail": each.detail, "ways": each.ways} for each in result.findings],
        "expected": {"calls": case.calls, "content": case.content, "reasoning": case.reasoning},
        "also_right": case.also_right,
        "got": None if reading is None else reading.as_dict(),
        "seconds": round(result.seconds, 4),
    }


def as_junit(report: Report) -> str:
    """For CI: a test suite with a test for each case; its class is the kind."""
    verdicts = report.verdicts
    broken = verdicts["crash"] + verdicts["timeout"]
    suite = ET.Element(
        "testsuite",
        name=_xml(f"toolglean conformance: {report.target}"),
        tests=str(len(report.results)),
        failures=str(sum(result.failed for result in report.results) - broken),
        errors=str(broken),
        skipped=str(verdicts["skipped"] + verdicts["unproven"]),
        time=f"{sum(result.seconds for result in report.results):.3f}",
    )
    for result in report.results:
        case = result.case
        test = ET.SubElement(
            suite,
            "testcase",
            classname=_xml(f"conformance.{case.kind}"),
            name=_xml(case.id),
            time=f"{result.seconds:.3f}",
        )
        if result.verdict in {"skipped", "unproven"}:
            ET.SubElement(test, "skipped", message=VERDICTS[result.verdict])
        elif result.failed:
            kind = "error" if result.verdict in {"crash", "timeout"} else "failure"
            message = _xml(f"{result.verdict}: {result.findings[0].detail}")
            ET.SubElement(test, kind, type=result.verdict, message=message).text = _xml(_shown(result))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    # Characters that are not allowed in XML, such as lone surrogates, become Python escapes.
    return _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text)
