# Tries every case in every way, and gives one verdict on each. Does not depend on what is under test, or on how the
# report looks.
"""A run of the kit."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.cuts import WHOLE, ways
from toolglean.kit.conformance.judge import NEUTRAL, VERDICTS, Fault, faults_of, same_outcome
from toolglean.kit.conformance.reading import AnswerError, Reading
from toolglean.kit.conformance.target import CrashError, LateError, Target, UnprovenError

__all__ = ["Finding", "Report", "Result", "run"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in a case, and the ways of cutting the text in which it showed.

    Attributes:
        verdict: the kind of fault, one of `VERDICTS`.
        detail: what was expected, and what came instead.
        ways: the ways in which it showed.
    """

    verdict: str
    detail: str
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one case.

    Attributes:
        case: the case.
        verdict: the worst of the findings, or one of `judge.NEUTRAL`.
        findings: what is wrong, the worst first.
        ways: the ways in which it was tried.
        reading: the reading of the whole turn, or of the first way that shows the worst fault; None if there is none.
        seconds: how long all ways took.
    """

    case: Case
    verdict: str
    findings: tuple[Finding, ...]
    ways: tuple[str, ...]
    reading: Reading | None
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether something is wrong."""
        return self.verdict not in NEUTRAL


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run.

    Attributes:
        target: the name of what was tried.
        results: the result of each case, in the order of the cases.
    """

    target: str
    results: tuple[Result, ...]

    @property
    def verdicts(self) -> Counter[str]:
        """How many cases got each verdict."""
        return Counter(result.verdict for result in self.results)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong, and something was judged."""
        return self.verdicts["right"] > 0 and not any(result.failed for result in self.results)


def run(
    target: Target,
    cases: Iterable[Case],
    *,
    random_cuts: int = 3,
    progress: Callable[[Result], None] | None = None,
) -> Report:
    """Try a target on cases: each whole, piece by piece, and at random cuts.

    Args:
        target: a `ParserTarget`, or one of the servers of `engines`.
        cases: see `load_cases` and `read_cases`.
        random_cuts: how often each text is cut at random. The cuts depend only on the case, so a run can be repeated.
        progress: called with each result as soon as it is known.
    """
    results = []
    for case in cases:
        results.append(_tried(target, case, ways(random_cuts)))
        if progress is not None:
            progress(results[-1])
    return Report(target.name, tuple(results))


def _tried(target: Target, case: Case, all_ways: list[str]) -> Result:
    begin = time.perf_counter()
    found: dict[Fault, list[str]] = {}
    readings: dict[str, Reading] = {}
    neutral, tried = "", []
    for way in all_ways:
        if not target.claims(case, way):
            continue
        tried.append(way)
        try:
            reading = target.read(case, way)
        except (CrashError, AnswerError) as error:
            found.setdefault(Fault("crash", str(error)), []).append(way)
        except LateError as error:
            found.setdefault(Fault("timeout", str(error)), []).append(way)
            break  # the other ways would take as long
        except UnprovenError:
            neutral = "unproven"
        else:
            if reading is None:
                neutral = "skipped"
                break
            readings[way] = reading
            for fault in faults_of(case, reading):
                found.setdefault(fault, []).append(way)
    _compare(case, found, readings)
    return _result(case, found, tuple(tried), readings, neutral or ("right" if readings else "skipped"), begin)


def _compare(case: Case, found: dict[Fault, list[str]], readings: dict[str, Reading]) -> None:
    whole = readings.get(WHOLE)
    if whole is not None:
        differing = [way for way, reading in readings.items() if not same_outcome(case, whole, reading)]
        if differing:
            found[Fault("cuts", "the answer differs from that to the whole turn")] = differing


def _result(
    case: Case,
    found: dict[Fault, list[str]],
    tried: tuple[str, ...],
    readings: dict[str, Reading],
    neutral: str,
    begin: float,
) -> Result:
    order = list(VERDICTS)
    findings = sorted(
        (Finding(fault.verdict, fault.detail, tuple(where)) for fault, where in found.items()),
        key=lambda each: order.index(each.verdict),
    )
    verdict = findings[0].verdict if findings else neutral
    where = findings[0].ways if findings else tried
    shown = next((readings[way] for way in where if way in readings), None)
    return Result(case, verdict, tuple(findings), tried, shown, time.perf_counter() - begin)
