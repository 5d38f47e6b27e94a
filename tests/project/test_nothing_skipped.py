"""The plugin of the test environments fails a run in which a file skipped itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FILES = {
    "passes": "def test_one():\n    pass\n",
    "partly": "import pytest\ndef test_one():\n    pass\ndef test_two():\n    pytest.skip('no server')\n",
    "skips": "import pytest\ndef test_one():\n    pytest.skip('no server')\n",
    "missing": "import pytest\npytest.importorskip('no_such_package')\ndef test_one():\n    pass\n",
    "empty": "",
    "fails": "def test_one():\n    assert False\n",
}


@pytest.mark.parametrize(
    ("names", "code", "idle"),
    [
        (["passes", "partly"], 0, []),
        (["passes", "empty"], 1, ["empty"]),
        (["passes", "fails"], 1, []),
        (["passes", "skips", "missing"], 1, ["skips", "missing"]),
    ],
    ids=repr,
)
def test_runs(names: list[str], code: int, idle: list[str], tmp_path: Path) -> None:
    for name in names:
        (tmp_path / f"test_{name}.py").write_text(FILES[name], encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-p", "tests.support.nothing_skipped", "--rootdir", str(tmp_path)]
    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    options += ["-c", str(tmp_path / "none.ini")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert run.returncode == code, run.stdout
    said = run.stdout.partition("nothing ran in: ")[2]
    assert sorted(Path(each).stem for each in said.split("\n")[0].split(", ") if each) == sorted(
        f"test_{each}" for each in idle
    )
