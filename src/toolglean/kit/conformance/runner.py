# Tries every case in every way, and gives one verdict on each. Does not depend on what is under test, or on how the
# report looks.
"""A run of the kit."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from toolglean.kit.conformance import cuts
from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.cuts import WHOLE, is_within
from toolglean.kit.conformance.judge import NEUTRAL, VERDICTS, Fault, faults_of, same_outcome
from toolglean.kit.conformance.reading import AnswerError, Reading
from toolglean.kit.conformance.target import About, CrashError, LateError, NotClaimedError, Target, UnprovenError
from toolglean.kit.conformance.tiers import Score, outcome, tier_of

__all__ = ["Finding", "Report", "Result", "run"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in a case, and the ways of cutting the text in which it showed.

    Attributes:
        verdict: the kind of fault, one of `VERDICTS`.
        detail: what was expected, and what came instead.
        ways: the ways in which it showed.
        tier: "core", or "policy" if a sound parser may answer like this.
    """

    verdict: str
    detail: str
    ways: tuple[str, ...]
    tier: str = "core"


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
        reason: why the target does not claim the case, if it said so.
    """

    case: Case
    verdict: str
    findings: tuple[Finding, ...]
    ways: tuple[str, ...]
    reading: Reading | None
    seconds: float
    reason: str = ""

    @property
    def failed(self) -> bool:
        """Whether something is not as expected, be it core or policy."""
        return self.verdict not in NEUTRAL

    def outcome(self, name: str = "all") -> tuple[bool | None, bool | None]:
        """What the case adds to the core score and to the policy score: True, False, or None for nothing.

        Args:
            name: the set of ways in which faults count, one of `cuts.WAYS`.
        """
        if self.verdict in NEUTRAL - {"right"}:
            return None, None
        counted = (each for each in self.findings if any(is_within(way, name) for way in each.ways))
        return outcome(self.case, [each.tier for each in counted])


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run.

    Attributes:
        target: the name of what was tried.
        results: the result of each case, in the order of the cases.
        ways: the set of ways in which it was tried, one of `cuts.WAYS`.
        random_cuts: how often each text was cut at random.
        about: what else is known about the target.
    """

    target: str
    results: tuple[Result, ...]
    ways: str = "all"
    random_cuts: int = 0
    about: About | None = None

    @property
    def verdicts(self) -> Counter[str]:
        """How many cases got each verdict."""
        return Counter(result.verdict for result in self.results)

    def score(self, tier: str, name: str = "all") -> Score:
        """The score of a tier.

        Args:
            tier: "core" or "policy".
            name: the set of ways in which faults count, one of `cuts.WAYS`.
        """
        found = [each for result in self.results if (each := result.outcome(name)[tier == "policy"]) is not None]
        return Score(sum(found), len(found))

    @property
    def passed(self) -> bool:
        """Whether no core fault was found, and something was judged."""
        core, policy = self.score("core"), self.score("policy")
        return core.right == core.judged and core.judged + policy.judged > 0


def run(
    target: Target,
    cases: Iterable[Case],
    *,
    ways: str = "all",
    random_cuts: int = 3,
    progress: Callable[[Result], None] | None = None,
) -> Report:
    """Try a target on cases.

    Args:
        target: a `ParserTarget`, or one of the servers of `engines`.
        cases: see `load_cases` and `read_cases`.
        ways: how each text is given, one of `cuts.WAYS`: "whole", "pieces" or "all".
        random_cuts: how often each text is cut at random, with "all". The cuts depend only on the case, so a run can be
            repeated.
        progress: called with each result as soon as it is known.
    """
    results = []
    for case in cases:
        results.append(_tried(target, case, cuts.ways(random_cuts, ways)))
        if progress is not None:
            progress(results[-1])
    about = getattr(target, "about", None) or About(target.name)
    return Report(target.name, tuple(results), ways, random_cuts if ways == "all" else 0, about)


def _tried(target: Target, case: Case, all_ways: list[str]) -> Result:
    begin = time.perf_counter()
    found: dict[Fault, list[str]] = {}
    readings: dict[str, Reading] = {}
    neutral, reason, tried = "", "", []
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
        except NotClaimedError as error:
            neutral, reason = "skipped", str(error)
            break
        else:
            if reading is None:
                neutral = "skipped"
                break
            readings[way] = reading
            for fault in faults_of(case, reading):
                found.setdefault(fault, []).append(way)
    _compare(case, found, readings)
    findings = _findings(case, found)
    verdict = findings[0].verdict if findings else neutral or ("right" if readings else "skipped")
    shown = next((readings[way] for way in (findings[0].ways if findings else tried) if way in readings), None)
    return Result(case, verdict, findings, tuple(tried), shown, time.perf_counter() - begin, reason)


def _compare(case: Case, found: dict[Fault, list[str]], readings: dict[str, Reading]) -> None:
    whole = readings.get(WHOLE)
    if whole is not None:
        differing = [way for way, reading in readings.items() if not same_outcome(case, whole, reading)]
        if differing:
            found[Fault("cuts", "the answer differs from that to the whole turn")] = differing


def _findings(case: Case, found: dict[Fault, list[str]]) -> tuple[Finding, ...]:
    # The worst first.
    order = list(VERDICTS)
    findings = (
        Finding(fault.verdict, fault.detail, tuple(where), tier_of(case, fault.verdict, fault.question))
        for fault, where in found.items()
    )
    return tuple(sorted(findings, key=lambda each: (order.index(each.verdict), each.tier)))
