# What this room knows: cases of turns with what a parser should make of them, and how any parser, or any server, is
# tried on them and judged.
# What it must not know: how toolglean parses. Our own parser is one target among others (own.py).
#
#   cases.py      what a case is; cases/*.jsonl, case.schema.json
#   cuts.py       in which ways a text is given
#   reading.py    the protocol of answers, folded
#   judge.py      what is wrong with a reading
#   target.py     what can be tested: parsers.py (with child.py, its process) and engines.py (with http.py, upstream.py)
#   runner.py     every case in every way
#   report.py     text, JSON, JUnit
"""The conformance kit: prove a parser or a server on our cases."""

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
