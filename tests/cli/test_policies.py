"""Which calls are read: the same options for every command, client and plugin, and one table that says so."""

from __future__ import annotations

import argparse
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import lines, toolglean
from toolglean import ParserOptions
from toolglean.cli.options import options_from
from toolglean.engines.environment import VARIABLES, options_from_environment
from toolglean.errors import UsageError

DOCS = Path(__file__).parent.parent.parent / "docs" / "how-to"
COMMANDS = ("parse", "explain", "doctor", "replay", "bench", "anonymize", "proxy")
"""The commands that read turns."""
NEEDED = {"proxy": ["--upstream", "http://localhost"], "replay": ["--html", "x"]}
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'

# An option of ParserOptions and its value; on the command line; in the environment of a plugin.
ROWS: list[tuple[str, Any, list[str], tuple[str, str]]] = [
    ("unknown_tools", "call", ["--unknown-tools", "call"], ("TOOLGLEAN_UNKNOWN_TOOLS", "call")),
    ("unknown_tools", "content", ["--unknown-tools", "content"], ("TOOLGLEAN_UNKNOWN_TOOLS", "content")),
    ("calls_in_reasoning", "call", ["--calls-in-reasoning", "call"], ("TOOLGLEAN_CALLS_IN_REASONING", "call")),
    ("calls_in_reasoning", "text", ["--calls-in-reasoning", "text"], ("TOOLGLEAN_CALLS_IN_REASONING", "text")),
    ("quoted", "call", ["--quoted", "call"], ("TOOLGLEAN_QUOTED", "call")),
    ("undeclared", "text", ["--undeclared", "text"], ("TOOLGLEAN_UNDECLARED", "text")),
    ("trailing_json", "call", ["--trailing-json", "call"], ("TOOLGLEAN_TRAILING_JSON", "call")),
    ("trailing_json", "content", ["--trailing-json", "content"], ("TOOLGLEAN_TRAILING_JSON", "content")),
    ("repair", False, ["--no-repair"], ("TOOLGLEAN_NO_REPAIR", "1")),
    ("strict", True, ["--strict-format"], ("TOOLGLEAN_STRICT_FORMAT", "true")),
]
rows = pytest.mark.parametrize(("option", "value", "flags", "variable"), ROWS)


def parsed(command: str, *flags: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    import_module(f"toolglean.cli.{command}").add_arguments(parser)
    return parser.parse_args([*NEEDED.get(command, []), *flags])


@rows
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_option(
    command: str, option: str, value: Any, flags: list[str], variable: tuple[str, str]
) -> None:
    del variable
    assert options_from(parsed(command, *flags)) == ParserOptions(**{option: value})


@pytest.mark.parametrize("command", COMMANDS)
def test_without_options_every_command_has_the_default_ones(command: str) -> None:
    assert options_from(parsed(command)) == ParserOptions()


@rows
def test_every_plugin_has_the_variable(option: str, value: Any, flags: list[str], variable: tuple[str, str]) -> None:
    del flags
    name, written = variable
    assert options_from_environment({name: written}) == ParserOptions(**{option: value})
    assert options_from_environment({name: ""}) == options_from_environment({}) == ParserOptions()


def test_every_variable_is_tested() -> None:
    assert {variable[0] for *_, variable in ROWS} == set(VARIABLES)


@pytest.mark.parametrize(("name", "value"), [(each, "nonsense") for each in VARIABLES])
def test_a_wrong_variable_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=r"TOOLGLEAN.*'nonsense' is not valid"):
        options_from_environment({name: value})


def test_switches_can_be_off() -> None:
    assert options_from_environment({"TOOLGLEAN_NO_REPAIR": "0", "TOOLGLEAN_STRICT_FORMAT": "off"}) == ParserOptions()


def table() -> list[list[str]]:
    """The rows of the table in the documents."""
    text = (DOCS / "frameworks.md").read_text(encoding="utf-8")
    section = text.partition("## Which calls are read\n")[2].partition("\n## ")[0]
    found = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1:]]


def test_the_table_has_every_option_under_all_of_its_names() -> None:
    names = {option: (flags[0], variable[0]) for option, _, flags, variable in ROWS}
    shown = {}
    for _, _, option, flag, variable in table():
        first = re.findall(r"`(\w+)=", option)[0]
        shown[first] = (flag.strip("`").split()[0], variable.strip("`").split("=")[0])
    assert shown == names


@pytest.mark.parametrize("page", ["proxy", "vllm", "sglang", "openai-client", "ollama-client"])
def test_other_pages_point_to_the_table(page: str) -> None:
    assert "frameworks.md#which-calls-are-read" in (DOCS / f"{page}.md").read_text(encoding="utf-8")


def test_unknown_tools_on_the_command_line(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps(["g"]))
    for flags, names in (((), ["f"]), (("--unknown-tools", "call"), ["f"]), (("--unknown-tools", "content"), [])):
        done = toolglean("parse", "--text", "--tools", str(tools), *flags, stdin=CALL.encode())
        assert [call["name"] for call in lines(done)[0]["calls"]] == names
