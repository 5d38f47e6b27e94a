"""Sets of cases: their versions and digests, and those of other packages."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kit.conformance.test_cases import GOOD
from toolglean import UsageError
from toolglean.cli import main
from toolglean.kit.conformance import CaseSet, casesets, find_set, installed_sets, load_cases, sets_of, shipped_set
from toolglean.kit.conformance.casesets import digest_of, history


def test_a_changed_set_needs_a_new_version() -> None:
    recorded = [(each["version"], each["digest"]) for each in history()]
    version, digest = recorded[-1]
    assert digest == shipped_set().digest, (
        "the cases have changed: add a new version with the digest above to cases/set.json; an old one is never edited"
    )
    assert shipped_set().version == version
    assert max(Counter(version for version, _ in recorded).values()) == 1
    assert max(Counter(digest for _, digest in recorded).values()) == 1
    assert recorded == sorted(recorded, key=lambda each: [int(part) for part in each[0].split(".")])


def test_a_digest_is_of_what_is_asked() -> None:
    cases = load_cases()[:5]
    assert digest_of(cases) == digest_of(cases[::-1])  # not of the order
    assert digest_of(cases) != digest_of(cases[1:])
    for changed in ({"text": "x"}, {"tier": "policy"}, {"disputed": "x"}, {"also_right": ((),)}, {"license": "x"}):
        assert digest_of(cases) != digest_of([replace(cases[0], **changed), *cases[1:]]), changed
    assert digest_of([replace(cases[0], text="\ud800")]).startswith("sha256:")


def test_the_list_names_the_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "--list", "--only", "written/no-closer"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    used = shipped_set()
    assert first == f"# toolglean-cases {used.version}, {used.digest}, 1 of {len(used.cases)} cases"
    assert second.split() == ["written/no-closer/hermes", "no_closer", "policy:", "closer", "hermes"]
    assert main(["conformance", "--list", "--format", "Qwen3_Coder"]) == 0
    assert "written/plain/qwen3-coder" in capsys.readouterr().out
    assert main(["conformance", "--list", "--json", "--only", "templates/hermes/typed"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["name"], found["version"], found["digest"]) == ("toolglean-cases", used.version, used.digest)
    assert found["cases"][0]["license"] == "MIT"
    assert found["cases"][0]["third_party_license"] == "MIT"
    assert "granite4" in found["cases"][0]["third_party"]


def test_the_licences_of_work_of_others_are_named() -> None:
    made = [case for case in load_cases() if case.id.startswith("templates/")]
    assert all(case.third_party and case.third_party_license for case in made)
    assert "Apache-2.0" in shipped_set().licenses
    assert not any(case.third_party for case in load_cases() if not case.id.startswith("templates/"))


# -- other packages ----------------------------------------------------------------------------------------------------


class Point:
    """An entry point."""

    group = casesets.GROUP

    def __init__(self, name: str, found: object) -> None:
        self.name = name
        self.value = "package:cases"
        self.dist = type("Distribution", (), {"version": "3.1"})()
        self._found = found

    def load(self) -> object:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "ab":
        row = GOOD | {"id": f"their/{name}", "license": "Apache-2.0"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    return tmp_path


def install(monkeypatch: pytest.MonkeyPatch, *points: Point) -> None:
    monkeypatch.setattr(casesets, "entry_points", lambda *, group: [each for each in points if each.group == group])


@pytest.mark.parametrize("how", ["a folder", "a function", "a file"])
def test_a_set_of_another_package(how: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"a folder": folder, "a function": lambda: str(folder), "a file": folder / "a.jsonl"}[how]
    install(monkeypatch, Point("their-cases", found))
    assert installed_sets() == ["toolglean-cases", "their-cases"]
    used = find_set("their-cases")
    assert (used.name, used.version, used.licenses) == ("their-cases", "3.1", ("Apache-2.0",))
    assert len(used.cases) == (1 if how == "a file" else 2)
    both = sets_of(["their-cases", "toolglean-cases"])
    assert (both.name, both.version) == ("their-cases + toolglean-cases", None)
    assert len(both.cases) == len(used.cases) + len(load_cases())


def test_the_command_takes_a_set_by_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch, Point("their-cases", folder))
    assert main(["conformance", "--cases", "their-cases", "--list"]) == 0
    assert "# their-cases 3.1, sha256:" in capsys.readouterr().out


def test_a_set_is_found_where_a_package_is_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the files that pip writes, without a stand-in."""
    about = folder / "their_cases-3.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-cases\nVersion: 3.1\n")
    (about / "entry_points.txt").write_text(f"[{casesets.GROUP}]\ntheirs = their_cases:FOLDER\n")
    (folder / "their_cases.py").write_text("from pathlib import Path\nFOLDER = Path(__file__).parent\n")
    monkeypatch.syspath_prepend(str(folder))
    used = find_set("theirs")
    assert (used.version, [case.id for case in used.cases]) == ("3.1", ["their/a", "their/b"])


@pytest.mark.parametrize(
    ("found", "said"),
    [(ImportError("no module"), "entry point 'bad' .* failed: ImportError: no module"), (3, "cannot be read")],
)
def test_a_set_that_fails_is_told_with_its_entry_point(
    found: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, Point("bad", found))
    with pytest.raises(UsageError, match=said):
        find_set("bad")


def test_an_empty_set_and_an_unknown_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Point("empty", tmp_path))
    with pytest.raises(UsageError, match="has no cases"):
        find_set("empty")
    with pytest.raises(
        UsageError, match="neither a file nor an installed set of cases; installed are toolglean-cases, empty"
    ):
        find_set("nobody")


def test_files_are_sets_by_their_names(folder: Path) -> None:
    used = sets_of([str(folder / "a.jsonl")])
    assert (used.name, used.version, len(used.cases)) == ("a.jsonl", None, 1)
    with pytest.raises(UsageError, match="id='their/a' is the id of two cases"):
        sets_of([str(folder / "a.jsonl")] * 2)
    with pytest.raises(UsageError, match="cannot be read"):
        sets_of([str(folder / "missing.jsonl")])
    assert CaseSet("x", None, ()).licenses == ()
