# What this file knows: the options of the tests: how deep they go, and how much Hypothesis looks for.
"""`--depth`, and the profiles of the property tests."""

from __future__ import annotations

import gc
import os
import ssl
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import HealthCheck, settings

from tests.support import depth

# The same examples every time by default: such a run must not fail by chance. In a full run, new ones each time. HYPOTHESIS_PROFILE names another profile, whatever the depth.
settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=depth.EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("full", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say how much of each large sample is looked at."""
    parser.addoption(
        "--depth",
        choices=("quick", "full"),
        default="quick",
        help="how much of each large sample is looked at: a part (quick, the default), or everything (full: minutes)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set the depth before the tests are imported: numbers of examples are fixed then."""
    full = config.getoption("depth") == "full"
    depth.use(full=full)
    if not full:
        # Tests start a hundred processes: where no bytecode is written, each compiles the whole package anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full" if full else "quick"))


def pytest_collection_finish() -> None:
    """Do not look again and again, in each full collection, at what the tests and the packages they import hold."""
    if not depth.is_full():
        gc.collect()
        gc.freeze()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that render strangers' templates have less time: nothing else would happen in the rest of it."""
    from toolglean.sources.templates import process  # noqa: PLC0415  few tests start processes
    from toolglean.sources.templates.infer import prober  # noqa: PLC0415

    if not depth.is_full():
        monkeypatch.setattr(process, "ChildTemplate", partial(process.ChildTemplate, seconds=0.6))
        monkeypatch.setattr(prober, "LATE_SECONDS", 0.5)


@pytest.fixture(scope="session", autouse=True)
def _no_certificates() -> Iterator[None]:
    """All servers of the tests are on loopback, without TLS: no client need read the certificates of all authorities.

    That is nearly all that it costs to make a client.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not depth.is_full():
            patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield


def pytest_report_header() -> str:
    """Say it at the top of the run."""
    return "depth: full" if depth.is_full() else "depth: quick (--depth full looks at every sample whole)"
