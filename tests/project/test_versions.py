"""Versions are equal wherever they are claimed, and every measured figure says of which version it is."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import toolglean
from tests.project.test_docs import OTHER_PAGES, PAGES, name_of
from toolglean import cli

ROOT = Path(__file__).parents[2]

MEASURED = re.compile(r"(?i:with|of)\s+toolglean\s+(\d[\w.]*)\s+\(commit\s+([0-9a-f]{7,40}\+?),\s+(\d{4}-\d\d-\d\d)\)")
"""How a page says what its figures are of: version, commit, date."""

OF_VERSIONS = {"CHANGELOG.md", "SECURITY.md", "conformance-results.md"}
"""Pages that are about versions."""

FIGURE = re.compile(r"\d ?(?:µs|ns|ms|MB|KB)\b|rows (?:a|per) second|\bmilliseconds\b", re.IGNORECASE)
NOT_MEASURED = {"docs/how-to/measure.md"}
"""Its times are those that the benchmark takes."""


def test_the_version_is_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    path = ROOT / project["tool"]["hatch"]["version"]["path"]
    [version] = re.findall(r'^__version__ = "(.+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
    assert version == toolglean.__version__
    assert f"toolglean {version}" == cli.VERSION


def test_pages_leave_the_version_to_the_changelog() -> None:
    """A version that a page repeats is wrong after the next release. Only figures name the one that was measured."""
    for page in [*PAGES, *OTHER_PAGES]:
        if page.name not in OF_VERSIONS:
            text = re.sub(MEASURED, "", page.read_text(encoding="utf-8"))
            assert re.findall(r"\btoolglean[ -]v?\d+\.\d[\w.]*", text) == [], name_of(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_figures_say_what_was_measured(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    tables = "\n".join(line for line in text.splitlines() if line.startswith("| "))
    if FIGURE.search(tables) and name_of(page) not in NOT_MEASURED:
        assert MEASURED.search(text), "say: measured with toolglean VERSION (commit COMMIT, DATE)"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_a_measured_commit_has_the_version_that_is_named() -> None:
    named = {found for page in PAGES for found in MEASURED.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 4
    for version, commit, date in named:
        shown = subprocess.run(
            ["git", "show", f"{commit.removesuffix('+')}:src/toolglean/_version.py"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if shown.returncode:  # a checkout without its history
            continue
        assert f'__version__ = "{version}"' in shown.stdout, f"commit {commit} is not version {version}"
        assert date >= "2026-11-20"
