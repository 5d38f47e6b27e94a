"""What a release says about itself is the same everywhere, and the project's addresses are in one place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolglean
from docs.make_site import ROOT, urls
from toolglean import _install

NOT_OURS = {
    ".git",
    ".venv",
    ".nox",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".cache",
}
TEXTS = {".py", ".md", ".toml", ".yml", ".yaml", ".json", ".jsonl", ".txt", ""}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the repository, by its name."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in NOT_OURS and not each.endswith(".egg-info")]
        for name in files:
            path = Path(folder) / name
            if path.suffix in TEXTS and path.stat().st_size < 400_000:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def test_the_address_stands_in_one_place() -> None:
    address = urls()["Repository"].split("://")[1]
    assert [name for name, text in texts() if address in text] == ["pyproject.toml"]


def test_the_version_has_a_date_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = [each for each in re.findall(r"^## (.+)$", text, re.MULTILINE) if each != "Unreleased"]
    assert re.fullmatch(rf"{re.escape(toolglean.__version__)} \(\d{{4}}-\d\d-\d\d\)", heads[0])


def test_every_tested_python_is_a_classifier() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r":: 3\.\d+$", each)}
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert named <= set(re.findall(r'"(3\.\d+)"', workflow))
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named | {"3.15"}


def test_the_extra_dev_is_what_developers_need() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = pyproject["dependency-groups"]
    needed = {
        each
        for entry in groups["dev"]
        for each in (groups[entry["include-group"]] if isinstance(entry, dict) else [entry])
    }
    extras = pyproject["project"]["optional-dependencies"]
    assert {each for each in extras["dev"] if not each.startswith("toolglean[")} == needed


def test_no_message_promises_a_package_index() -> None:
    found = [name for name, text in texts() if name.startswith("src/") and "pip install" in text]
    assert found == ["src/toolglean/_install.py"], "take the message from toolglean._install.needs"
    promise = re.compile(r"pip install [^`\n#&]*\btoolglean(?:\[[\w,]*\])?(?! @)['\"]?(?:[ `\n]|$)", re.MULTILINE)
    pages = [name for name, text in texts() if name.endswith(".md") or name.startswith("examples/")]
    told = dict(texts())
    assert [name for name in pages if promise.search(told[name])] == [], "say how to install it from a checkout"


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({}, "it needs x: in a checkout, install it with python -m pip install '.[extra]'"),
        (
            {"Repository": "https://host/repo"},
            (
                "it needs x: in a checkout, install it with python -m pip install '.[extra]', or anywhere with python -m pip install "
                "'toolglean[extra] @ git+https://host/repo'"
            ),
        ),
        (
            {"Repository": "https://host/repo", "Package index": "https://host/project"},
            "it needs x: install it with python -m pip install 'toolglean[extra]'",
        ),
    ],
)
def test_a_missing_package_says_how_to_install_it(
    known: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_install, "_urls", lambda: known)
    assert _install.needs("it needs x", "extra") == message


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_every_action_is_pinned() -> None:
    # A tag can be moved to other code; a commit cannot. The version after it is for people.
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        for used in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), f"{path.name}: {used}"


def test_the_scripts_parse() -> None:
    # The scripts of .ci are for bash, which says so without running them.
    for name in ("run", "archive", "release"):
        try:
            done = subprocess.run(
                ["bash", "-n", str(ROOT / ".ci" / name)], check=False, capture_output=True, timeout=60
            )
        except FileNotFoundError:
            pytest.skip("no bash on this system")
        assert done.returncode == 0, done.stderr
