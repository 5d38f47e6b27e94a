"""Programs as a user would write them, checked by mypy as mypy checks them for a user: strict, with no settings of ours.

Those of `typing/` assert types (`assert_type`), and end with lines that a checker must refuse: their `type: ignore` comments
would otherwise be unused, which is an error, too. `.ci/run` checks them with pyright as well. The snippets of README.md and
docs/ are such programs too: a reader who copies one into a strict project finds no error.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.project.test_docs import PAGES, blocks, name_of
from tests.support import depth

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.relative_to(ROOT) for path in (Path(__file__).parent / "typing").glob("*.py"))
NEEDED = ("openai", "ollama", "mcp", "httpx", "pydantic", "starlette")
# Strict, and the codes that our own run of mypy adds: with the same ones, what it has found of all imports is used again.
CODES = ("ignore-without-code", "redundant-expr", "truthy-bool")
CHECK = ("-m", "mypy", "--strict", "--config-file=", *(f"--enable-error-code={code}" for code in CODES))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_asserts_types(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "assert_type(" in text or "# type: ignore[" in text
    assert "# pyright: " in text.splitlines()[1] + text.splitlines()[2]


def found_by_mypy(paths: list[str]) -> subprocess.CompletedProcess[str]:
    if not depth.is_full():
        pytest.skip("takes as long as 400 other tests: nox -s types, or --depth full")
    return subprocess.run(
        [sys.executable, *CHECK, *paths],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        encoding="utf-8",
    )


def programs_of(page: Path) -> Iterator[tuple[str, str]]:
    """The programs of a page, each with a name: its lines have the numbers that they have on the page.

    The snippets that are run (```python) share their names, so that they are one program. One that is only shown (```py)
    is a program of its own.
    """
    name = name_of(page).removesuffix(".md").replace("/", "_").replace("-", "_")
    together = ""
    for block in blocks(page):
        if block.language == "python":
            together += "\n" * (block.line - together.count("\n")) + block.text
        elif block.language == "py":
            yield f"{name}_{block.line}", "\n" * block.line + block.text
    if together:
        yield name, together


def is_installed(program: str) -> bool:
    """Whether all that it imports is there: a page for another package is checked where that package is."""
    return all(find_spec(name.partition(".")[0]) for name in imported(program))


def imported(program: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


BROUGHT = {
    "httpx2": "(?:openai|anthropic)",
    "pydantic": "llm",
    "pyarrow": "batch",
    "toolglean.batch": "batch",
    "toolglean.llm": "llm",
}
"""The extra that brings a package or opens a module, where the two have different names."""
EXTRAS = ("ollama", "openai", "anthropic", "httpx", "mcp")


@pytest.mark.parametrize("page", [page for page in PAGES if any(programs_of(page))], ids=name_of)
def test_a_page_says_what_its_programs_need(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for _, program in programs_of(page):
        for name in imported(program):
            (package, _, _) = name.partition(".")
            needed = BROUGHT.get(name) or BROUGHT.get(package) or (package if package in EXTRAS else None)
            if needed is None and package in {*sys.stdlib_module_names, "toolglean", "vllm"}:  # vLLM runs it
                continue
            # An extra, or a package of others, which a command or a note names.
            if needed == "httpx":
                needed = "(?:httpx|llm|proxy)"  # each brings it
            told = (
                rf"\[[\w,]*\b{needed}\b[\w,]*\]"
                if needed
                else rf"install .*\b{package.replace('_', '[_-]')}\b|<!-- Needs .*{package}"
            )
            assert re.search(told, text), f"{name_of(page)}: say that {name} needs {needed or package}"


def test_programs_and_snippets_of_users_are_clean_under_mypy_strict(tmp_path: Path) -> None:
    # In one run: most of its time goes into what they import.
    if find_spec("mypy") is None:
        pytest.skip("needs mypy")
    assert len(PROGRAMS) > 10
    programs = PROGRAMS if all(map(find_spec, NEEDED)) else []  # `nox -s coming_from` has other packages
    for page in PAGES:
        for name, program in programs_of(page):
            if is_installed(program):
                (tmp_path / f"{name}.py").write_text(program, encoding="utf-8")
    checked = sorted(tmp_path.glob("*.py"))
    assert tmp_path / "README.py" in checked
    run = found_by_mypy([*map(str, programs), *map(str, checked)])
    told = [line for line in run.stdout.splitlines() if ": error: " in line]
    # A package of others that has no types is not our affair.
    assert all(line.endswith("[import-untyped]") for line in told), run.stdout
    assert run.returncode == bool(told), run.stdout + run.stderr


def test_lines_of_a_program_are_those_of_its_page() -> None:
    page = ROOT / "README.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    [(name, program)] = programs_of(page)
    assert name == "README"
    for place, line in enumerate(program.splitlines()):
        assert line in {"", lines[place]}
    assert "from toolglean import Parser" in program.splitlines()
