"""The upgrade notes: each name of 0.x in their tables is gone, and what they name instead is there."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import lru_cache
from typing import Any

import pytest

import toolglean
from tests.support.shared import ROOT
from toolglean.cli import main

PAGE = ROOT / "docs" / "coming-from" / "toolglean-0.md"
ROW = re.compile(r"^\| (?P<old>`.+?) \| (?P<new>.+?) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
SECTIONS = (
    PAGE.read_text(encoding="utf-8").partition("\n## What is read differently")[0].partition("\n## Names of formats")
)
ROWS = [(found["old"], found["new"]) for found in ROW.finditer(SECTIONS[0]) if found["old"] != "0.x"]
FORMATS = [(found["old"], found["new"]) for found in ROW.finditer(SECTIONS[2])]


def is_there(name: str) -> bool:
    """Whether a name of a table exists: `toolglean.a.b`, `Class.attribute`, `Class.method(argument=)`, an option or a word."""
    if found := re.fullmatch(r"toolglean (\w+) (--[\w-]+)", name):
        return has_option(*found.groups())
    path, _, argument = name.removesuffix("=)").partition("(")
    if name.endswith("=)"):
        thing = thing_at(path)
        return thing is not None and argument in inspect.signature(thing).parameters
    if re.fullmatch(r"[A-Z]\w+(\.\w+)+|toolglean(\.\w+)*", name):
        return thing_at(name) is not None
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", sources()) is not None


def thing_at(path: str) -> Any:
    """What has that path, or None; a path without a module is one of `toolglean`."""
    parts = [part for part in path.split(".") if part != "toolglean"]
    found: Any = toolglean
    for number, part in enumerate(parts):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(["toolglean", *parts[: number + 1]]))
            except ImportError:
                return None
    return found


def has_option(command: str, option: str) -> bool:
    """Whether the command's help shows that option."""
    with pytest.MonkeyPatch.context() as patch:
        told: list[str] = []
        patch.setattr("sys.stdout.write", told.append)
        with pytest.raises(SystemExit):
            main([command, "--help"])
    return option in re.findall(r"--[\w-]+", "".join(told))


@lru_cache(maxsize=1)
def sources() -> str:
    """The whole source."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))


def test_the_tables_are_read() -> None:
    assert len(ROWS) >= 50
    assert len(FORMATS) >= 2


@pytest.mark.parametrize(("old", "new"), ROWS, ids=[old for old, _ in ROWS])
def test_an_old_name_is_gone_and_the_new_one_is_there(old: str, new: str) -> None:
    [name, *_] = CODE.findall(old)
    assert not is_there(name), f"{name} is still there"
    assert [each for each in CODE.findall(new) if not is_there(each)] == []


@pytest.mark.parametrize(("old", "new"), FORMATS)
def test_a_name_of_a_format_finds_another_one(old: str, new: str) -> None:
    from toolglean.formats import get_format  # noqa: PLC0415

    name, before = CODE.findall(old)
    assert [get_format(name).name] == CODE.findall(new) != [before]


OPTIONS = {old: (found[0], new) for old, new in ROWS if (found := re.findall(r"^`toolglean (\w+) (--[\w-]+)", old))}


@pytest.mark.parametrize("old", OPTIONS)
def test_an_old_option_is_answered_with_the_new_one(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`toolglean proxy --strict` was answered with `--start`."""
    asked, new = OPTIONS[old]
    with pytest.raises(SystemExit):
        main([*asked])
    told = capsys.readouterr().err
    wanted = re.findall(r"--[\w-]+", new) or ["toolglean demo NAME"]
    assert [each for each in wanted if each not in told] == []
