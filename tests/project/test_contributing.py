"""CONTRIBUTING.md: the commits that it gives as examples are those of this repository, and `tests/` is as it says."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.support.shared import ROOT

EXAMPLE = re.compile(r"\| `([0-9a-f]{7,})` (.+?) \|$", re.MULTILINE)
FOR_ALL = {"support", "project", "page", "browser", "frameworks"}
"""Folders of `tests/` that are not about one package: helpers, the repository itself, where a place in a text
is (until a room of the engine says it), and two environments of their own."""


def examples() -> list[tuple[str, str]]:
    """The short hash and the subject of each commit that the page names."""
    return EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def test_each_common_change_has_an_example() -> None:
    assert len(examples()) >= 10
    assert len({commit for commit, _ in examples()}) == len(examples())


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="not a checkout")
def test_the_examples_are_commits_of_this_repository() -> None:
    shallow = git("rev-parse", "--is-shallow-repository")
    if shallow != "false":
        pytest.skip("a checkout without its history")
    wrong = [
        f"{commit}: {found!r} is not {subject!r}"
        for commit, subject in examples()
        if (found := git("log", "-1", "--format=%s", commit)) != subject
    ]
    assert wrong == []
    assert [commit for commit, _ in examples() if git("merge-base", commit, "HEAD")[:7] != commit[:7]] == []


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8")
    return done.stdout.strip()


def test_each_folder_of_tests_has_the_name_of_a_package() -> None:
    packages = {path.name for path in (ROOT / "src" / "toolglean").iterdir() if (path / "__init__.py").is_file()}
    folders = {path.name for path in (ROOT / "tests").iterdir() if (path / "__init__.py").is_file()}
    assert sorted(folders - FOR_ALL - packages) == []
    assert sorted(packages - folders) == [], "a package without tests"
