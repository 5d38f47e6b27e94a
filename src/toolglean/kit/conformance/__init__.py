# Cases of turns with their expected results, on which any parser or server is tried and judged. Does not depend on how
# toolglean parses: its own parser is one target among others (own.py).
#
#   cases.py      what a case is; cases/*.jsonl, case.schema.json
#   casesets.py   sets of cases, with a version and a digest
#   cuts.py       the ways in which a text is cut, and the sets of ways
#   reading.py    the protocol of answers, folded
#   judge.py      what is wrong with a reading
#   tiers.py      what is core and what is policy, and the scores
#   target.py     what can be tested: parsers.py (with child.py, its process) and engines.py (with http.py, upstream.py)
#   targets/      the adapters that ship with toolglean
#   runner.py     every case in every way
#   results.py    the results as a file; results.schema.json
#   report.py     text, JSON, JUnit
#   tables.py     any number of results as tables: page.py (HTML, Markdown); badge.py
"""The conformance kit: try a parser or a server on a set of cases."""

from __future__ import annotations

from toolglean.kit.conformance.cases import SCHEMA, Case, case_schema, load_cases, read_cases
from toolglean.kit.conformance.casesets import CaseSet, find_set, installed_sets, sets_of, shipped_set
from toolglean.kit.conformance.cuts import WAYS
from toolglean.kit.conformance.judge import VERDICTS
from toolglean.kit.conformance.parsers import ParserTarget
from toolglean.kit.conformance.reading import Reading
from toolglean.kit.conformance.results import RESULTS_SCHEMA, Results, read_results, results_of, results_schema
from toolglean.kit.conformance.runner import Finding, Report, Result, run
from toolglean.kit.conformance.target import About, Target
from toolglean.kit.conformance.tiers import QUESTIONS, Score

__all__ = [
    "QUESTIONS",
    "RESULTS_SCHEMA",
    "SCHEMA",
    "VERDICTS",
    "WAYS",
    "About",
    "Case",
    "CaseSet",
    "Finding",
    "ParserTarget",
    "Reading",
    "Report",
    "Result",
    "Results",
    "Score",
    "Target",
    "case_schema",
    "find_set",
    "installed_sets",
    "load_cases",
    "read_cases",
    "read_results",
    "results_of",
    "results_schema",
    "run",
    "sets_of",
    "shipped_set",
]
