# The options of the tests: how deep they go, and how much Hypothesis looks for.
"""`--depth`, and the profiles of the property tests."""

from __future__ import annotations

import argparse
import asyncio
import gc
import inspect
import os
import re
import ssl
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests.support import depth, shared
from tests.support.loopback import Loopback, serve
from tests.support.together import together

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


MOST_PROCESSES = 8
"""Each collects all tests, so that more of them hardly gain any time."""
ONE_FILE = 1_000
"""A run of no more tests than these is of a file or two: nothing is left out of what somebody asked for by name."""
MANY_FILES = 20
"""A run of as many files is worth the start of several processes."""
MOST_MESSAGES = 6
"""So many random messages prove by default what was read from a template."""
FEW_STEPS = 200
"""So many characters of a log to learn from come one by one by default."""
PROGRAMS = 1_000
"""So many compiled formats are kept by default: all that the tests take turns with."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run many files on all cores, unless pytest was told how many processes to use (`-n 0`: this one alone).

    pytest-xdist need not be installed, and `-p no:xdist` is accepted.
    """
    if not config.pluginmanager.hasplugin("xdist") or hasattr(config, "workerinput"):
        return
    option = config.option
    if option.numprocesses is not None or option.tx or option.usepdb or option.collectonly:
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores > 1 and _files_of(config.args) >= MANY_FILES:
        option.numprocesses = min(cores, MOST_PROCESSES)
        option.dist = "worksteal"  # neighbours share what is made once for a file


def _files_of(arguments: list[str]) -> int:
    folders = [Path(each) for each in arguments if "::" not in each]
    return sum(len(list(each.rglob("test_*.py"))) for each in folders if each.is_dir())


def pytest_configure(config: pytest.Config) -> None:
    """Set the depth before the tests are imported: numbers of examples are fixed then."""
    full = config.getoption("depth") == "full"
    depth.use(full=full)
    if not full:
        # Tests start a hundred processes: where no bytecode is written, each compiles the whole package anew. The next run
        # finds the tests themselves with their assertions rewritten.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full" if full else "quick"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are collected: the tests and the packages that they import all stay."""
    if depth.is_full():
        return (yield)
    _keep_programs()
    _keep_expressions()
    _keep_cases()
    _prove_less()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(
            500_000, 50, 1_000
        )  # what is kept is looked through each time, and hardly any of it is garbage
        gc.enable()


def _keep_programs() -> None:
    # A user reads a few formats, and what is compiled for them is kept. The tests take turns with all of them, named, strict
    # and in `auto`: more than are kept, so each file would compile them anew, and find out anew how each is followed.
    from toolglean.formats import compile as compiling  # noqa: PLC0415  the depth comes first
    from toolglean.sources.choose import plans  # noqa: PLC0415

    compiling.compiled = lru_cache(maxsize=PROGRAMS)(compiling.compiled.__wrapped__)
    plans._programs = plans.Recent(PROGRAMS)


def _keep_expressions() -> None:
    # The same: of the expressions of so many formats, Python would compile each third one anew.
    re._MAXCACHE = 1 << 16  # type: ignore[attr-defined]  # typeshed does not know it


def _keep_cases() -> None:
    # A run of the kit reads its cases once, compares each with their schema, and names their digest. Fifty tests are such a run.
    from toolglean.kit.conformance import cases as reading  # noqa: PLC0415  the same
    from toolglean.kit.conformance import casesets  # noqa: PLC0415

    reading._case = lru_cache(maxsize=None)(reading._case)
    known: dict[tuple[int, ...], tuple[object, str]] = {}
    digest_of = casesets.digest_of

    def digest_once(cases: Iterable[reading.Case]) -> str:
        rows = tuple(cases)
        key = tuple(map(id, rows))
        if key not in known:
            known[key] = rows, digest_of(rows)  # with the rows, so that no other one gets the id of one of them
        return known[key][1]

    casesets.digest_of = digest_once


def _prove_less() -> None:
    # What is read from a template is proved with random messages. Fewer tell as much of the templates that the tests give;
    # each comes cut at random, and not whole and by characters as well. Of a log to learn from, only the ends of turns come by
    # characters. That no cut matters to the engine, its own tests say.
    from toolglean.cli import inspect as inspecting  # noqa: PLC0415  the same
    from toolglean.kit.testing import templates  # noqa: PLC0415
    from toolglean.sources.templates.infer import infer, messages, verify  # noqa: PLC0415
    from toolglean.sources.traces import proof  # noqa: PLC0415

    chunkings, samples = verify.chunkings, messages.samples
    vars(templates)["chunkings"] = verify.chunkings = lambda text, rng: iter([*chunkings(text, rng)][-1:])
    vars(verify)["samples"] = lambda count, *of: samples(min(count, MOST_MESSAGES), *of)
    verify.FEWEST_SAMPLES = MOST_MESSAGES // 2
    proof.STEPS = FEW_STEPS
    # And once: several tests of the commands and of the kit ask what the same template writes.
    infer_once = _once(infer, lambda source, **options: repr((source, sorted(options.items()))))
    vars(templates)["infer"] = vars(inspecting)["infer"] = infer_once


def _once(made: Callable[..., Any], key: Callable[..., str]) -> Callable[..., Any]:
    # The same function, called once for each key of its arguments.
    found: dict[str, Any] = {}

    def once(*args: Any, **options: Any) -> Any:
        at = key(*args, **options)
        if at not in found:
            found[at] = made(*args, **options)
        return found[at]

    return once


@pytest.hookimpl(trylast=True)  # what `-k` has chosen is asked for by name
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the rows of a test that is marked `sampled(n)`, run n by default, chosen by hash; all of them at full depth.

    Of a product, `sampled(n, each="text")` runs every text n times, each with something else of the others.
    """
    marked = [item for item in items if item.get_closest_marker("sampled")]
    left: set[pytest.Item] = set()
    for _, group in groupby(marked, lambda item: item.nodeid.partition("[")[0]):
        rows = list(group)
        marker = rows[0].get_closest_marker("sampled")
        assert marker is not None
        each = partial(_value_of, name=marker.kwargs.get("each"))
        left |= {*rows} - {*depth.chosen(rows, marker.args[0], key=lambda row: row.nodeid, group=each)}
    if len(items) > ONE_FILE and not depth.is_full():
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = together([item for item in items if item not in left])


def _value_of(row: pytest.Item, name: str | None) -> str:
    return repr(row.callspec.params[name]) if name else ""  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test may be an `async def`: it has an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}))
    return True


WORTH_TELLING = 0.005
"""Seconds: what `--durations` leaves out is less."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In one of several processes, tell nothing of a beginning, or of a set-up or an end that went well: to send it takes longer."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > WORTH_TELLING:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report the tests that have no data as one line: a stranger's checkout has some fifty of them."""
    for report in terminalreporter.stats.get("skipped", ()):
        if isinstance(report.longrepr, tuple) and shared.MISSING in report.longrepr[2]:
            report.longrepr = ("tests", None, f"{shared.MISSING}: it may not be committed (see fixtures/README.md)")


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server on loopback, which plays what a test gives it."""
    with serve() as found:
        yield found


@pytest.fixture
def own_formats() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    from toolglean.formats import registry  # noqa: PLC0415  the depth comes first

    before = registry._registered
    yield
    registry._registered = before


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that render strangers' templates have less time: nothing else would happen in the rest of it."""
    from toolglean.sources.templates import process  # noqa: PLC0415  few tests start processes
    from toolglean.sources.templates.infer import prober  # noqa: PLC0415

    if not depth.is_full():
        monkeypatch.setattr(process, "ChildTemplate", partial(process.ChildTemplate, seconds=0.4))
        monkeypatch.setattr(prober, "LATE_SECONDS", 0.3)


@pytest.fixture
def rendered_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates that a test wrote render in this process: a child takes longer to start than to render them.

    What the child does, and that it renders the same, tests/sources/test_child.py says. Strangers' templates (`impatient`)
    stay there: that the commands send them there is what such a test sees.
    """
    from toolglean.sources.templates import process  # noqa: PLC0415  few tests render
    from toolglean.sources.templates.jinja_render import JinjaTemplate  # noqa: PLC0415

    if not (depth.is_full() or "impatient" in request.fixturenames):
        monkeypatch.setattr(process, "ChildTemplate", lambda source, *, lax, **_: JinjaTemplate(source, lax=lax))


@pytest.fixture(scope="session", autouse=True)
def _no_translations() -> Iterator[None]:
    """Spare argparse several folders in which it looks for a translation of each of its words, each time: nothing is there."""
    with pytest.MonkeyPatch.context() as patch:
        if not depth.is_full():
            patch.setattr(argparse, "_", str)
        yield


@pytest.fixture
def few_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of a template tries fewer values in its calls. tests/kit/test_template_report.py says what all of them tell.

    What is tried does not depend on what may be lost: a command that allows more is shown the same report.
    """
    from toolglean.cli import fuzz  # noqa: PLC0415  few tests make reports
    from toolglean.kit.testing import carrying  # noqa: PLC0415

    if not depth.is_full():
        monkeypatch.setattr(carrying, "SIGNS", carrying.SIGNS[::16])
        report_of = _once(fuzz._tried, lambda args, _: repr({**vars(args), "allow_loss": None, "json": None}))
        monkeypatch.setattr(fuzz, "_tried", report_of)


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
