# For tests of your own templates and formats: strategies for tools and calls, and the check that what goes through a
# template comes back. Needs Hypothesis: `toolglean[fuzz]`. Does not depend on pytest: a failure is an AssertionError.
#
#   strategies.py  tools and calls
#   templates.py   the check
"""Strategies and round-trip checks for your own test suites."""

from __future__ import annotations

from toolglean.kit.testing.strategies import calls, tools
from toolglean.kit.testing.templates import Failure, RoundTrip, check_template

__all__ = ["Failure", "RoundTrip", "calls", "check_template", "tools"]
