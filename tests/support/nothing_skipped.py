# When a run of pytest has not tested what it was started for.
# Does not depend on any test.
#
# A test of a client skips itself where its package is not installed. In an environment made for that client this must
# not pass unseen: so, with `-p tests.support.nothing_skipped`, a run fails unless every file that it was given passed a test.
"""A plugin for pytest: a file of which nothing ran is a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

_collected: set[Path] = set()
_passed: set[Path] = set()


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember the files, also those that skip themselves as a whole."""
    if report.nodeid.endswith(".py"):
        _collected.add(Path(report.nodeid))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what ran."""
    if report.when == "call" and report.passed:
        _passed.add(Path(report.nodeid.partition("::")[0]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a file was skipped from end to end."""
    idle = sorted(map(str, _collected - _passed))
    if (idle or not _collected) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nnothing ran in: {', '.join(idle) or 'any file'}")  # noqa: T201 - told where pytest tells its end
