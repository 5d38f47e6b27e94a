"""Entry points are those that importlib.metadata finds, wherever a package is installed."""

from __future__ import annotations

import importlib.metadata
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from toolglean.formats.entry_points import entry_points

GROUP = "toolglean.test_formats"
METADATA = "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n"
POINTS = f"[console_scripts]\nother = other:main\n\n[{GROUP}]\nhouse = other:FORMAT\n"


def names() -> list[str]:
    found = [each.name for each in entry_points(group=GROUP)]
    assert found == [each.name for each in importlib.metadata.entry_points(group=GROUP)]
    return found


def install(folder: Path, points: str = POINTS, package: str = "other") -> None:
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(METADATA.replace("other", package), encoding="utf-8")
    (folder / "PKG-INFO").write_text(METADATA.replace("other", package), encoding="utf-8")
    (folder / "entry_points.txt").write_text(points, encoding="utf-8")


@pytest.mark.parametrize(
    ("installed", "on_path"),
    [
        ("other-1.0.dist-info", "."),  # a wheel
        ("Other-1.0.DIST-INFO", "."),
        ("other.egg-info", "."),  # a checkout, installed by an old setuptools
        ("other-1.0.egg/EGG-INFO", "other-1.0.egg"),
    ],
)
def test_a_package_in_a_folder(installed: str, on_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / installed)
    monkeypatch.syspath_prepend(str(tmp_path / on_path))
    assert names() == ["house"]


def test_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "other-1.0.dist-info")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert names() == ["house"]


def test_a_package_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packages.zip", "w") as archive:
        archive.writestr("other-1.0.dist-info/METADATA", METADATA)
        archive.writestr("other-1.0.dist-info/entry_points.txt", POINTS)
    monkeypatch.syspath_prepend(str(tmp_path / "packages.zip"))
    assert names() == ["house"]


def test_a_package_that_an_import_hook_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder(importlib.metadata.DistributionFinder):
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, _: object = None) -> Iterable[importlib.metadata.Distribution]:
            return [importlib.metadata.Distribution.at(tmp_path / "other")]

    install(tmp_path / "other")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert names() == ["house"]


def test_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "other-1.0.dist-info", "[console_scripts]\nother = other:main\n")
    (tmp_path / "alone-1.0.dist-info").mkdir()  # it has no entry points
    (tmp_path / "file.egg-info").write_text(METADATA, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "nothing"))
    assert names() == []
    # The group's name alone, in an entry point of another group.
    install(tmp_path / "named-1.0.dist-info", f"[console_scripts]\nother = {GROUP}:main\n", "named")
    assert names() == []
