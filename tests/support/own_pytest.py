# Runs pytest on files of a test's own, in a process of its own, without this project's plugins and options. Does not know
# what they test.
"""pytest on a few files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.shared import ROOT

__all__ = ["run_pytest"]


def run_pytest(folder: Path, files: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    """Write those files into the folder, by name, and run pytest there with the options."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    own = ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", str(folder / "none.ini")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *own, *options, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
