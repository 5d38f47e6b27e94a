# The rows of a long table as a few tests: what pytest does for each test, and between processes, takes longer than most rows.
# Does not depend on any test. Only conftest.py uses it, in runs of the whole suite.
#
# A row that asks for a fixture, or that has a mark of its own, stays a test: it needs what pytest sets up for it.
"""Rows of a table that run one after the other, and of which each that fails is told."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Any

import pytest

__all__ = ["RowsError", "together"]

MOST = 30
"""Rows of one test: processes take turns with tests, so the last one should not take long."""
FEWEST = 2
HARMLESS = frozenset({"parametrize", "sampled"})
EVERYWHERE = frozenset({"_no_certificates", "_no_translations", "request"})
"""Fixtures that every test has."""


class RowsError(Exception):
    """Some of the rows failed.

    Args:
        failed: each row, and what it raised.
    """

    def __init__(self, failed: Sequence[tuple[pytest.Function, BaseException]]) -> None:
        super().__init__(", ".join(row.name for row, _ in failed))
        self.failed = failed


class Rows(pytest.Item):
    """Some rows of one test.

    Args:
        rows: them.
    """

    def __init__(self, *, rows: Sequence[pytest.Function], **given: Any) -> None:
        super().__init__(**given)
        self.rows = rows

    def runtest(self) -> None:
        """Run all of them, whichever fails. Skipped is only what has no row left."""
        failed: list[tuple[pytest.Function, BaseException]] = []
        skipped: list[BaseException] = []
        for row in self.rows:
            try:
                found = row.obj(**{name: row.callspec.params[name] for name in row._fixtureinfo.argnames})
                if inspect.iscoroutine(found):
                    asyncio.run(found)
            except pytest.skip.Exception as reason:
                skipped.append(reason)
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # it is told when the others have run
                failed.append((row, error))
        if failed:
            raise RowsError(failed)
        if len(skipped) == len(self.rows):
            raise skipped[0]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *given: Any, **named: Any) -> Any:
        """Every row that failed by its name, and how: as if each had been a test."""
        if not isinstance(excinfo.value, RowsError):
            return super().repr_failure(excinfo, *given, **named)
        told = []
        for row, error in excinfo.value.failed:
            told += [f"--- {row.nodeid}", str(row.repr_failure(pytest.ExceptionInfo.from_exception(error)))]
        return "\n".join(told)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the test is written."""
        path, line, _ = self.rows[0].reportinfo()
        return path, line, self.name


def together(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The same tests, in the same order; the rows of long tables in groups.

    Args:
        items: what was collected.
    """
    for (_, plain), group in groupby(items, lambda item: (item.nodeid.partition("[")[0], _is_plain(item))):
        rows = list(group)
        if not plain or len(rows) < FEWEST:
            yield from rows
            continue
        left = iter(rows)
        while some := list(islice(left, MOST)):
            first = some[0]
            name = f"{first.name.partition('[')[0]}[{len(some)} rows from {first.callspec.id}]"  # type: ignore[attr-defined]
            assert first.parent is not None
            yield Rows.from_parent(first.parent, name=name, rows=some)


def _is_plain(item: pytest.Item) -> bool:
    # Whether a call with the values of the row is all that the test is.
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec") or hasattr(item.obj, "hypothesis"):
        return False
    values = item.callspec.params.keys()
    info = item._fixtureinfo
    return (
        {*item.fixturenames} - EVERYWHERE <= values
        and {*info.argnames} <= values
        and all(each.name in HARMLESS for each in item.iter_markers())
        and all("direct_param" in info.name2fixturedefs[name][-1].func.__name__ for name in values)
    )
