"""The options of all commands: one name and one meaning for each, and all of them in the documents."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import toolglean
from toolglean.cli import COMMANDS, main
from toolglean.cli.usage import RENAMED, CommandParser

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def parser_of(command: str) -> CommandParser:
    parser = CommandParser(prog=f"toolglean {command}")
    import_module(f"toolglean.cli.{command}").add_arguments(parser)
    return parser


def options_of(command: str) -> dict[str, argparse.Action]:
    actions = parser_of(command)._actions
    return {name: each for each in actions for name in each.option_strings if name not in {"-h", "--help"}}


def shape(action: argparse.Action) -> tuple[Any, ...]:
    """What is typed after the option: nothing, a name from a list, or something of one kind."""
    metavar = str(action.metavar).partition(".")[0]  # FILE.json is a FILE, too
    return (action.nargs, tuple(action.choices or ()), metavar)


def test_an_option_has_one_meaning() -> None:
    found: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for command in COMMANDS:
        for name, action in options_of(command).items():
            found[name][shape(action)].append(command)
    assert {name: dict(shapes) for name, shapes in found.items() if len(shapes) > 1} == {}


def test_a_meaning_has_one_option() -> None:
    """No option has two spellings, and no two options of one command set the same value in the same way."""
    for command in COMMANDS:
        actions = parser_of(command)._actions
        assert [each.option_strings for each in actions if len(each.option_strings) > 1] == [["-h", "--help"]], command


READS = ("parse", "explain", "doctor", "replay", "bench", "anonymize")


def test_what_reads_turns_has_the_same_arguments() -> None:
    of = {command: set(options_of(command)) for command in READS}
    output = {"--events", "--summary", "--fail-fast", "--output", "--jobs", "--resume"}
    assert of["explain"] - {"--json", "--color", "--choice"} == of["parse"] - output
    assert of["doctor"] == of["explain"]
    assert of["replay"] - {"--html", "--chunk", "--choice"} == of["parse"] - output
    assert of["bench"] - {"--json", "--chunk", "--choice"} == of["parse"] - output
    columns = {f"--{name}-column" for name in ("text", "tools", "model", "format")}
    assert of["anonymize"] - {"--tools-output"} == of["parse"] - output - columns
    assert of["parse"] - output - columns - options_of("proxy").keys() == {
        *("--text", "--stream", "--turns", "--prompt", "--tools")
    }


def test_whatever_is_coloured_has_the_option() -> None:
    paint = {"paint_of", "print_result"}
    coloured = {each for each in COMMANDS if paint & vars(import_module(f"toolglean.cli.{each}")).keys()}
    assert coloured == {each for each in COMMANDS if "--color" in options_of(each)}
    assert coloured >= {"explain", "inspect", "learn", "fuzz", "formats", "demo"}


# -- the page ----------------------------------------------------------------------------------------------------------


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


def sections() -> dict[str, str]:
    """The text below each heading, by its anchor: up to the next heading that is as high."""
    headings = list(re.finditer(r"^(##+) (.*)$", PAGE, re.MULTILINE))
    found = {}
    for place, each in enumerate(headings):
        ends = (one.start() for one in headings[place + 1 :] if len(one[1]) <= len(each[1]))
        found[anchor(each[2])] = PAGE[each.end() : next(ends, len(PAGE))]
    return found


def section_of(command: str) -> str:
    [found] = [text for name, text in sections().items() if re.match(rf"toolglean-{command}\b", name)]
    return found


SHARED = ("the-input", "how-the-model-writes", "which-calls-are-read")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_has_every_option_of_a_command(command: str) -> None:
    own = section_of(command)
    linked = [text for name, text in sections().items() if name in SHARED and f"(#{name})" in own]
    shown = "\n".join([own, *linked])
    missing = [name for name in options_of(command) if not re.search(rf"{name}\b(?!-)", shown)]
    assert missing == []


def test_the_page_has_no_option_that_no_command_has() -> None:
    known = {name for command in COMMANDS for name in options_of(command)} | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known


def test_the_page_has_every_command() -> None:
    headings = re.findall(r"^## `toolglean (\w+)", PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(COMMANDS)


# -- the help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_help_fits_a_terminal(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([*filter(None, [command]), "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: toolglean")
    assert command or all(each in shown for each in COMMANDS)
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    codes = shown.partition("\nexit codes:")[2]
    assert all(re.search(rf"\b{code}\b", codes) for code in ("0", "2"))
    described = shown.partition("\n\n")[2].partition("\n\n")[0]
    assert re.match(r"[A-Z][^\n]+", described)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_has_a_help(command: str) -> None:
    assert [each.dest for each in parser_of(command)._actions if not each.help] == []


# -- names that are unknown --------------------------------------------------------------------------------------------


OLD = [(command, old, new) for command, names in RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("command", "old", "new"), OLD)
def test_an_old_name_says_the_new_one(command: str, old: str, new: str) -> None:
    for each in [command] if command else COMMANDS:
        if old in options_of(each):
            assert not command, "an option that exists is not renamed"
            continue
        done = toolglean(each, old, "x")
        assert done.returncode == 2
        assert done.stderr.decode().endswith(f"toolglean {each}: error: {old} is now {new}\n")
        first = new.split(maxsplit=1)[0].rstrip(";:")
        assert not first.startswith("--") or first in options_of(each) or not command


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["pars"], "unknown command 'pars'; did you mean parse?"),
        (["explian"], "unknown command 'explian'; did you mean explain?"),
        (["form"], "unknown command 'form'; did you mean formats?"),
        (["run"], "unknown command 'run'; `toolglean --help` lists the commands"),
        (["version"], "unknown command 'version'; `toolglean --help` lists the commands"),
        (["parse", "--tool"], "unrecognized arguments: --tool; did you mean --tools?"),
        (["parse", "--outptu=x"], "unrecognized arguments: --outptu; did you mean --output?"),
        (["explain", "--colour", "never"], "unrecognized arguments: --colour; did you mean --color?"),
        (["explain", "--events"], "unrecognized arguments: --events; `toolglean explain --help` lists the options"),
        (["parse", "--csv"], "unrecognized arguments: --csv; `toolglean parse --help` lists the options"),
        (["parse", "qwen3-codr"], "no shipped stream has that name; did you mean qwen3-coder?"),
        (["formats", "qwen9"], "unknown format 'qwen9'; `toolglean formats` lists all"),
        (["formats", "qwn3"], "unknown format 'qwn3'; did you mean qwen3?"),
        (["parse", "--model", "qwne3"], "unknown model 'qwne3': did you mean qwen3? Otherwise pass"),
        (["parse", "--model", "gpt-4"], "unknown model 'gpt-4': pass a format, a template or a tag instead, or nothing, to detect the format"),
        (["grammar", "hermez", "--tools", "TOOLS"], "a known format or a known model; did you mean hermes?"),
        (["grammar", "nonsense", "--tools", "TOOLS"], "a known model; `toolglean formats` lists the formats"),
        (["grammar", "hermes", "--tools", "TOOLS", "--tool-choice", "get_wether"], "; did you mean get_weather?"),
        (["grammar", "hermes", "--tools", "TOOLS", "--tool-choice", "send"], "; expected auto, required, none, or"),
    ],
)  # fmt: skip
def test_only_what_is_near_is_suggested(args: list[str], hint: str, tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('["get_weather"]', encoding="utf-8")
    done = toolglean(*(str(tools) if each == "TOOLS" else each for each in args))
    assert done.returncode == 2
    said = done.stderr.decode()
    assert hint in said
    assert ("did you mean" in said) == ("did you mean" in hint)
