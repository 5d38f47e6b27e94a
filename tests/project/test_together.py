# What becomes of the rows of long tables where the whole suite runs: tests/support/together.py.
"""Rows that share a test."""

from __future__ import annotations

from pathlib import Path

from tests.support.own_pytest import run_pytest
from tests.support.together import FEWEST, MOST

CONFTEST = """
from tests.support.together import together

def pytest_collection_modifyitems(items):
    items[:] = together(items)
"""
TESTS = f"""
import pytest

@pytest.mark.parametrize("n", range({MOST + FEWEST}))
def test_long(n):
    if n == 3:
        pytest.skip("not three")
    assert n not in (1, 4), f"no {{n}}"

@pytest.mark.parametrize("n", range({FEWEST}))
@pytest.mark.parametrize("word", ["a"])
def test_all_skipped(word, n):
    pytest.skip("none of them")

@pytest.mark.parametrize("n", range({FEWEST}))
def test_with_a_fixture(n, tmp_path):
    assert not [*tmp_path.iterdir()]
    (tmp_path / "mine").touch()

@pytest.mark.parametrize("n", [0, 1, 2, pytest.param(3, marks=pytest.mark.xfail), 4, 5])
def test_with_a_mark(n):
    assert n != 3

@pytest.mark.parametrize("n", range({FEWEST - 1}))
def test_short(n):
    pass
"""


def test_each_row_that_fails_is_told_and_the_others_run(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, {"conftest.py": CONFTEST, "test_rows.py": TESTS}, "-rs")
    # The long one is two tests, of which the second passes; what has a fixture is as many as it was, and a mark divides rows.
    passed = 1 + FEWEST + 2 + FEWEST - 1
    assert f"1 failed, {passed} passed, 1 skipped, 1 xfailed in" in done.stdout, done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("--- ")] == [
        "--- test_rows.py::test_long[1]",
        "--- test_rows.py::test_long[4]",
    ]
    assert "AssertionError: no 1" in done.stdout
    assert "AssertionError: no 4" in done.stdout
    assert "none of them" in done.stdout
