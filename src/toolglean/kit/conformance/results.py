# The results of a run as JSON: written from a report, and read back from a file. Does not depend on how results are
# shown (report.py, page.py).
#
# results.schema.json defines the file. `read_results` also checks that its scores are those of its rows.
"""Results of the kit as files."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Final

from toolglean._version import __version__
from toolglean.batch.lines import values_in
from toolglean.errors import UsageError
from toolglean.kit.conformance.cases import faults_by, shipped
from toolglean.kit.conformance.casesets import CaseSet, digest_of, shipped_set
from toolglean.kit.conformance.cuts import WAYS
from toolglean.kit.conformance.judge import VERDICTS
from toolglean.kit.conformance.runner import Report, Result
from toolglean.kit.conformance.target import About
from toolglean.kit.conformance.tiers import Score

__all__ = ["RESULTS_SCHEMA", "Results", "as_text", "cut", "read_results", "results_of", "results_schema", "visible"]

RESULTS_SCHEMA: Final = 1
"""The version of the schema of results that this toolglean writes and reads."""

TIERS: Final = ("core", "policy")


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a run, from a file or from a report.

    Attributes:
        data: the whole file, as JSON values; see `results_schema`.
    """

    data: dict[str, Any]

    @property
    def target(self) -> About:
        """What was tried."""
        return About(**self.data["target"])

    @property
    def date(self) -> str:
        """When, in UTC: "2026-11-23T09:30:00Z"."""
        return str(self.data["date"])

    @property
    def case_set(self) -> dict[str, Any]:
        """The cases: `name`, `version`, `digest`, how many `cases` the set has and how many were `chosen`."""
        found: dict[str, Any] = self.data["case_set"]
        return found

    @property
    def is_complete(self) -> bool:
        """Whether all cases of the set were tried, in every way of the widest set."""
        return bool(self.case_set["chosen"] == self.case_set["cases"]) and self.ways == "all"

    @property
    def ways(self) -> str:
        """The set of ways in which the texts were given, one of `cuts.WAYS`."""
        return str(self.data["deliveries"]["ways"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The result of each case."""
        found: list[dict[str, Any]] = self.data["results"]
        return found

    def score(self, tier: str, name: str = "") -> Score | None:
        """The score of a tier; None if the run did not contain that set of ways.

        Args:
            tier: "core" or "policy".
            name: the set of ways in which faults count, one of `cuts.WAYS`; "": that of the run.
        """
        found = self.data["scores"].get(name or self.ways)
        return None if found is None else Score(**found[tier])


def results_of(report: Report, *, case_set: CaseSet | None = None, date: datetime | None = None) -> Results:
    """The results of a run.

    Args:
        report: the run.
        case_set: the set from which its cases were chosen; None: the shipped set if they are all of it, else a set
            without a name.
        date: when it ended; None: now.
    """
    used = _set_of(report) if case_set is None else case_set
    about = report.about or About(report.target)
    names = list(WAYS)
    data = {
        "schema": RESULTS_SCHEMA,
        "toolglean": __version__,
        "date": (date or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "target": asdict(about),
        "case_set": {
            **values_in(used, ("name", "version", "digest")),
            "cases": len(used.cases),
            "chosen": len(report.results),
        },
        "deliveries": {
            "ways": report.ways,
            "random_cuts": report.random_cuts,
            "tried": list(dict.fromkeys(way for result in report.results for way in result.ways)),
        },
        "scores": {
            name: {tier: asdict(report.score(tier, name)) for tier in TIERS}
            for name in names[: names.index(report.ways) + 1]
        },
        "passed": report.passed,
        "verdicts": {verdict: report.verdicts[verdict] for verdict in VERDICTS},
        "results": [_row(result, report.ways) for result in report.results],
    }
    # A parser may have run a call with NaN, which JSON does not have: in results it is text.
    return Results(json.loads(json.dumps(data), parse_constant=str))


def _set_of(report: Report) -> CaseSet:
    cases = tuple(result.case for result in report.results)
    shipped = shipped_set()
    return shipped if digest_of(cases) == shipped.digest else CaseSet("", None, cases)


def _row(result: Result, ways: str) -> dict[str, Any]:
    case, reading = result.case, result.reading
    core, policy = result.outcome(ways)
    row: dict[str, Any] = {
        **values_in(case, ("id", "kind", "format", "tier")),
        "question": case.question or None,
        "verdict": result.verdict,
        "core": core,
        "policy": policy,
        "seconds": round(result.seconds, 4),
    }
    row |= {"disputed": case.disputed} if case.disputed else {}
    row |= {"reason": result.reason} if result.reason else {}
    if not result.failed:
        return row
    return row | {
        "findings": [values_in(each, ("verdict", "tier", "detail", "ways")) for each in result.findings],
        "text": case.text,
        "source": case.source,
        "expected": values_in(case, ("calls", "content", "reasoning")),
        "also_right": case.also_right,
        "got": None if reading is None else reading.as_dict(),
    }


def as_text(results: Results) -> str:
    """The text of a results file: JSON, with each case on one line, so that files can be compared by lines."""
    rows = results.rows
    head = json.dumps({**results.data, "results": []}, indent=1).removesuffix("[]\n}")
    return head + "[\n" + ",\n".join(f" {json.dumps(row)}" for row in rows) + "\n]\n}\n"


# -- reading -----------------------------------------------------------------------------------------------------------


def results_schema() -> dict[str, Any]:
    """The JSON schema of results, version `RESULTS_SCHEMA`."""
    found: dict[str, Any] = json.loads(shipped("results.schema.json"))
    return found


def read_results(path: str | PathLike[str]) -> Results:
    """The results in a file that `toolglean conformance --output` wrote.

    Args:
        path: the file.

    Raises:
        UsageError: the file cannot be read, its `schema` is a version that this toolglean cannot read, it does not
            have the form that the schema describes, or its numbers contradict its rows.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read as results: {error}") from error
    version = data.get("schema") if isinstance(data, dict) else None
    if isinstance(data, dict) and version != RESULTS_SCHEMA:
        raise UsageError(
            f"{path}: schema={version!r}: this toolglean reads results of version {RESULTS_SCHEMA}; install one that "
            "reads them, or run the kit again"
        )
    problem = next(faults_by(results_schema(), data), None) or _contradiction(data)
    if problem:
        raise UsageError(f"{path}: {problem} (`toolglean conformance --print-schema results` prints the schema)")
    return Results(data)


def _contradiction(data: Mapping[str, Any]) -> str:
    rows, ways = data["results"], data["deliveries"]["ways"]
    for tier in TIERS:
        judged = [row[tier] for row in rows if row[tier] is not None]
        counted = {"right": sum(judged), "judged": len(judged)}
        if data["scores"].get(ways, {}).get(tier) != counted:
            return f"scores.{ways}.{tier} is {data['scores'].get(ways, {}).get(tier)!r}, but its rows give {counted!r}"
    found = Counter(row["verdict"] for row in rows)
    if any(found[verdict] != count for verdict, count in data["verdicts"].items()):
        return f"verdicts is {data['verdicts']!r}, but its rows give {dict(found)!r}"
    if len({row["id"] for row in rows}) < len(rows):
        return "results: two rows have the same id"
    if data["case_set"]["chosen"] != len(rows):
        return f"case_set.chosen is {data['case_set']['chosen']}, but there are {len(rows)} rows"
    return ""


# -- showing -----------------------------------------------------------------------------------------------------------

# Controls (not tab and line feed), bidirectional marks and overrides, lone surrogates, and what XML does not allow.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""The text with an escape such as `\u202e` for each hidden character."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


SHOWN: Final = 300
"""Characters of a text that are shown to people. JSON and JUnit contain the whole text."""


def cut(text: str, most: int = SHOWN) -> str:
    """The text, or its beginning and how long it is if it is longer than that."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
