"""The plugin of the test environments fails a run in which a file skipped itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.own_pytest import run_pytest

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
        (["passes", "fails", "empty"], 1, []),  # what is told is the failure
        (["passes", "empty", "skips", "missing"], 1, ["empty", "skips", "missing"]),
    ],
    ids=repr,
)
def test_runs(names: list[str], code: int, idle: list[str], tmp_path: Path) -> None:
    files = {f"test_{name}.py": FILES[name] for name in names}
    run = run_pytest(tmp_path, files, "-p", "tests.support.nothing_skipped")
    assert run.returncode == code, run.stdout
    said = run.stdout.partition("nothing ran in: ")[2]
    assert sorted(Path(each).stem for each in said.split("\n")[0].split(", ") if each) == sorted(
        f"test_{each}" for each in idle
    )
