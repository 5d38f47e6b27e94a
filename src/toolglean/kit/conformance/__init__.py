# Cases of turns with their expected results, on which any parser or server is tried and judged. Does not depend on how
# toolglean parses: its own parser is one target among others (own.py).
#
#   cases.py      what a case is; cases/*.jsonl, case.schema.json
#   cuts.py       the ways in which a text is cut
#   reading.py    the protocol of answers, folded
#   judge.py      what is wrong with a reading
#   target.py     what can be tested: parsers.py (with child.py, its process) and engines.py (with http.py, upstream.py)
#   runner.py     every case in every way
#   report.py     text, JSON, JUnit
"""The conformance kit: try a parser or a server on our cases."""

from __future__ import annotations

from toolglean.kit.conformance.cases import SCHEMA, Case, case_schema, load_cases, read_cases
from toolglean.kit.conformance.judge import VERDICTS
from toolglean.kit.conformance.parsers import ParserTarget
from toolglean.kit.conformance.reading import Reading
from toolglean.kit.conformance.runner import Finding, Report, Result, run
from toolglean.kit.conformance.target import Target

__all__ = [
    "SCHEMA",
    "VERDICTS",
    "Case",
    "Finding",
    "ParserTarget",
    "Reading",
    "Report",
    "Result",
    "Target",
    "case_schema",
    "load_cases",
    "read_cases",
    "run",
]
