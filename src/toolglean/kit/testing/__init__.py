# What this room knows: how users prove their own templates and formats: strategies of tools and calls, and the check
# that what goes through a template comes back. Needs Hypothesis: `toolglean[fuzz]`.
# What it must not know: pytest. A failure is an AssertionError, as any test understands.
#
#   strategies.py  tools and calls
#   templates.py   the check
"""Strategies and round-trip checks for your own test suites."""

from __future__ import annotations

from toolglean.kit.testing.strategies import calls, tools
from toolglean.kit.testing.templates import Failure, RoundTrip, check_template

__all__ = ["Failure", "RoundTrip", "calls", "check_template", "tools"]
