"""Programs as a user would write them, checked by mypy as mypy checks them for a user: strict, with no settings of ours.

Each program asserts types (`assert_type`), and ends with lines that a checker must refuse: their `type: ignore` comments
would otherwise be unused, which is an error, too. `.ci/run` checks them with pyright as well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import depth

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.relative_to(ROOT) for path in (Path(__file__).parent / "typing").glob("*.py"))
NEEDED = ("mypy", "openai", "ollama", "mcp", "httpx", "pydantic", "starlette")
CHECK = ("-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent")  # as for a package that is installed


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_asserts_types(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "assert_type(" in text or "# type: ignore[" in text
    assert "# pyright: " in text.splitlines()[1] + text.splitlines()[2]


def test_programs_of_users_are_clean_under_mypy_strict() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    if not depth.is_full():
        pytest.skip("takes as long as 400 other tests: nox -s types, or --depth full")
    assert len(PROGRAMS) > 10
    run = subprocess.run(
        [sys.executable, *CHECK, "--cache-dir", str(ROOT / ".mypy_cache" / "users"), *map(str, PROGRAMS)],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stdout + run.stderr
