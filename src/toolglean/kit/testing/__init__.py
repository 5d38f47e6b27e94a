# For tests of your own templates and formats: strategies for tools and calls, and the check that what goes through a
# template comes back. Needs Hypothesis: `toolglean[fuzz]`. Does not depend on pytest: a failure is an AssertionError.
#
#   strategies.py  tools and calls
#   templates.py   the check: random messages, and the report
#   losses.py      what a template does not write
#   carrying.py    values that it cannot carry
"""Strategies and round-trip checks for your own test suites."""

from __future__ import annotations

from toolglean._install import needs

try:
    import hypothesis as _hypothesis  # noqa: F401  # before anything that needs it, for the sake of the message
except ImportError as error:
    raise ImportError(needs("toolglean.kit.testing needs Hypothesis", "fuzz"), name=error.name) from error

from toolglean.kit.testing.carrying import Uncarried
from toolglean.kit.testing.losses import Loss
from toolglean.kit.testing.strategies import calls, tools
from toolglean.kit.testing.templates import Failure, Report, RoundTrip, check_template

__all__ = ["Failure", "Loss", "Report", "RoundTrip", "Uncarried", "calls", "check_template", "tools"]
