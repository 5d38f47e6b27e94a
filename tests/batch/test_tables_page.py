# The engines of docs/how-to/logs.md return what `parse_batch` returns, by the page's own lines. Does not depend on how
# `parse_batch` reads a turn.
#
# `nox -s batch` has the engines. In other environments these tests are skipped.
"""The engines of the page on logs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch import tables as ways

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="needs toolglean[batch]"),
    # Engines leave sockets and children to the end of the process.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("name", ways.NAMES)
def test_the_engine_gives_what_parse_batch_gives(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ways.NAMES[name]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package}: nox -s batch")
    monkeypatch.chdir(tmp_path)
    ways.write_turns(tmp_path / "turns.parquet", 300)
    run: Callable[[], Any] = ways.way(name, workers=2)
    wanted = ways.wanted(tmp_path / "turns.parquet")
    assert sorted(map(str, run().to_pylist())) == sorted(map(str, wanted.to_pylist()))


def test_the_page_shows_each_engine() -> None:
    for name in ways.NAMES:
        assert "parse_batch" in ways.lines_of(name)
