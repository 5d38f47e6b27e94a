"""What the pages name exists: modules, names, arguments, commands, options, sessions, files, codes, variables.

Looked at is what is between backticks outside the blocks (which are run) of README.md, docs/ and the other pages. Names of other
projects are not ours to check: what cannot be told from ours by its form is in `OTHERS`.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import re
import subprocess
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import toolglean
from docs.public import public_names
from tests.project.test_docs import BLOCK, OTHER_PAGES, PAGES, name_of
from toolglean import cli
from toolglean.formats import get_format

ROOT = Path(__file__).parents[2]
OLD = {"CHANGELOG.md", "toolglean-0.md"}  # they name what is gone; for the second, see test_upgrade.py
ALL = [page for page in [*PAGES, *OTHER_PAGES] if page.name not in OLD]

OTHERS = frozenset(
    """
    --chat-template --color --count --exclude-tools-when-tool-choice-none --grammar-backend --grammar-file --help --jinja --mode
    --reasoning-parser --reasoning_parser --special --structured-outputs-config.backend --tool-call-parser --tool-strict-level
    --tool_parser --largest --no-venv
    --key mlx_lm/tool_parsers/ turn.txt stream.jsonl log.jsonl turns.parquet tools.json my_formats.py FILE.rows.jsonl LLM.generate
    AsyncLLMEngine JsonOutputParser JsonOutputToolsParser ModelBehaviorError NewParser NewParserWithTag OutputFixingParser
    PydanticOutputParser PydanticToolsParser extra_body get_format_instructions previous_response_id nemotron_deci
    response_metadata invalid_tool_calls usage_metadata model_copy run_stream AnthropicModel ChatAnthropic
    """.split()  # noqa: SIM905  # four dozen names
)
"""Options, files and folders of other programs, and of the reader's own project."""


class Code(NamedTuple):
    """What is between backticks, and where."""

    page: Path
    text: str

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}: `{self.text}`"


def _codes() -> Iterator[Code]:
    for page in ALL:
        text = re.sub(BLOCK, "", page.read_text(encoding="utf-8"))
        yield from (Code(page, found) for found in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text))


CODES = list(_codes())
TEXTS = [(page, page.read_text(encoding="utf-8")) for page in ALL]


def test_there_is_something_to_check() -> None:
    assert len(CODES) > 3000
    assert any(each.text == "toolglean.clients.openai" for each in CODES)


# -- Python ------------------------------------------------------------------------------------------------------------


def found(dotted: str) -> Any:
    """What a dotted name means.

    Raises:
        pytest.skip.Exception: it is in a module for which a package is missing.
        AssertionError: there is no such thing.
    """
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("toolglean"):
                pytest.skip(f"{error.name} is not installed")
            continue
        for part in parts[length:]:
            value = attribute(value, part)
        return value
    raise AssertionError(dotted)


def attribute(value: Any, name: str) -> Any:
    if hasattr(value, name):
        return getattr(value, name)
    assert isinstance(value, type), name
    fields = {each for kind in value.__mro__ for each in getattr(kind, "__annotations__", {})}
    assert name in fields, f"{value.__name__} has no {name}"
    return None


@pytest.mark.parametrize(
    "name", sorted({got[0] for each in CODES if (got := re.match(r"toolglean(?:\.\w+)+(?![\w/])", each.text))})
)
def test_a_dotted_name_exists(name: str) -> None:
    found(name)


@functools.cache
def ours() -> dict[str, list[str]]:
    """Where each public name can be imported from."""
    homes: dict[str, list[str]] = {}
    for each in public_names():
        homes.setdefault(each.name, []).append(each.module)
    return homes


def meanings(name: str) -> Iterator[Any]:
    for module in ours()[name]:
        try:
            yield getattr(importlib.import_module(module), name)
        except ModuleNotFoundError:
            pytest.skip(f"a package of {module} is not installed")


ATTRIBUTES = sorted(
    {got[0] for each in CODES if (got := re.match(r"([A-Z]\w+)\.[a-z]\w+", each.text)) and got[1] in ours()} - OTHERS
)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_exists(name: str) -> None:
    (of, _, what) = name.partition(".")
    assert any(has(value, what) for value in meanings(of)), f"{of} has no {what}"


def has(value: Any, name: str) -> bool:
    try:
        attribute(value, name)
    except AssertionError:
        return name in inspect.getsource(value)  # an attribute that __init__ sets
    return True


CALLS = sorted(
    {
        (got[1], keyword)
        for each in CODES
        for got in re.finditer(r"(?<![\w.])(\w+)\(([^()]*)", each.text)
        if got[1] in ours()
        for keyword in re.findall(r"(?:^|[ ,])(\w+)=", got[2])
    }
)


@pytest.mark.parametrize(("name", "keyword"), CALLS)
def test_an_argument_exists(name: str, keyword: str) -> None:
    assert any(takes(value, keyword) for value in meanings(name)), f"{name} takes no {keyword}"


def takes(value: Any, keyword: str) -> bool:
    signature = inspect.signature(value)
    if keyword in signature.parameters:
        return True
    if all(each.kind is not each.VAR_KEYWORD for each in signature.parameters.values()):
        return False
    return keyword in toolglean.ParserArguments.__annotations__ or "options" in inspect.getsource(value)


# -- the command line --------------------------------------------------------------------------------------------------


@functools.cache
def options_of(command: str) -> frozenset[str]:
    return frozenset(name for action in actions(command) for name in action.option_strings)


def actions(command: str) -> Iterator[argparse.Action]:
    for action in cli._parser(command)._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices[command]._actions


COMMANDS = sorted(
    {
        (got[1], option)
        for page, text in TEXTS
        for line in re.sub(r"\\\n", " ", text).splitlines()
        for got in re.finditer(r"(?:(?<=`)|(?<=\$ )|^|(?<=; )|(?<=\| ))toolglean ([a-z]+)((?: [^`|;<>&]*)?)", line)
        if got[1] in cli.COMMANDS
        or (not got[2] and line[got.start() - 1 : got.start()] == line[got.end() : got.end() + 1] == "`")
        for option in ["", *re.findall(r"(?<=[ ])(--[\w-]+)", got[2])]
    }
)


@pytest.mark.parametrize(("command", "option"), COMMANDS)
def test_a_command_and_its_options_exist(command: str, option: str) -> None:
    assert command in cli.COMMANDS
    assert not option or option in options_of(command)


@functools.cache
def known_options() -> frozenset[str]:
    """The options of our commands, and those that a script of the repository reads."""
    own = {option for command in cli.COMMANDS for option in options_of(command)}
    for folder in ("benchmarks", "fuzz", "tests", "docs", "fixtures"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != Path(__file__):
                own.update(re.findall(r'"(--[\w-]+)"', path.read_text(encoding="utf-8")))
    for path in (ROOT / ".ci").iterdir():
        own.update(re.findall(r" = (--[\w-]+) ]", path.read_text(encoding="utf-8")))
    return frozenset(own)


@pytest.mark.parametrize("option", sorted({got[0] for each in CODES if (got := re.match(r"--\w[\w.-]*", each.text))}))
def test_an_option_exists(option: str) -> None:
    assert option in known_options() | OTHERS


SESSIONS = re.findall(
    r"^def (\w+)\(session: nox\.Session", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.MULTILINE
)


def test_every_session_exists() -> None:
    named = {name for page, text in TEXTS for name in re.findall(r"nox (?:--no-venv )?-s (\w+)", text)}
    assert len(named) > 10
    assert named <= {*SESSIONS}


def test_every_module_that_is_run_exists() -> None:
    named = {
        name for page, text in TEXTS for name in re.findall(r"python -m ((?:benchmarks|fuzz|tests|docs)[\w.]*)", text)
    }
    assert len(named) > 10
    for name in named:
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), name


def test_every_extra_exists() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(
        r"^(\w+) = \[", project.partition("[project.optional-dependencies]")[2].partition("\n[")[0], re.MULTILINE
    )
    named = {
        extra
        for page, text in TEXTS
        for some in re.findall(r"(?:'\.|toolglean|`)\[([a-z]+(?:,[a-z]+)*)\]", text)
        for extra in some.split(",")
    }
    assert len(named) > 8
    assert named <= {*extras}


def test_every_variable_is_read_somewhere() -> None:
    named = {name for page, text in TEXTS for name in re.findall(r"\bTOOLGLEAN_[A-Z_]+", text)}
    read = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("src", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    )
    beginnings = tuple(set(re.findall(r"TOOLGLEAN_(?:[A-Z]+_)?(?=[{\"])", read)))
    for name in named:
        assert name in read or name.startswith(beginnings), name


# -- files, codes, formats -----------------------------------------------------------------------------------------------


@functools.cache
def paths() -> str:
    """All paths of the repository, one on a line, each after a slash."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return "\n" + "".join(f"/{path}\n" for path in listed.splitlines())


PATHS = sorted(
    {each.text for each in CODES if re.fullmatch(r"[\w.-]+(/[\w.-]+)*(/|\.(py|md|toml|tsv|jsonl|svg|yml))", each.text)}
    - OTHERS
)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_a_file_exists() -> None:
    assert [path for path in PATHS if (f"/{path}" if path.endswith("/") else f"/{path}\n") not in paths()] == []


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_every_page_that_a_program_names_exists() -> None:
    named = {
        page
        for path in paths().split()
        if path.endswith(".py") and path.startswith(("/src/", "/benchmarks/", "/fuzz/", "/examples/"))
        for page in re.findall(r"\bdocs/[\w/-]+\.md\b", (ROOT / path[1:]).read_text(encoding="utf-8"))
    }
    assert len(named) > 4
    assert [page for page in named - {"docs/api.md"} if f"/{page}\n" not in paths()] == []


@functools.cache
def sources() -> str:
    """All programs of the repository but this one, and the cases of the kit."""
    listed = [ROOT / path[1:] for path in paths().split() if path.endswith((".py", ".toml")) or "/cases/" in path]
    return "".join(path.read_text(encoding="utf-8") for path in listed if path != Path(__file__))


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_every_name_is_one_of_the_sources() -> None:
    # Of any other form, a name cannot be told from a word.
    form = re.compile(r"(?:[A-Z][a-z]+(?:[A-Z]\w*)+|[a-z]+(?:_[a-z]+)+)(?:\(\))?")
    named = {each.text.removesuffix("()"): each.place for each in CODES if form.fullmatch(each.text)}
    assert len(named) > 200
    assert [place for name, place in named.items() if name not in sources() and name not in OTHERS] == []


def test_every_code_of_a_problem_is_on_its_page() -> None:
    codes = set(typing.get_args(toolglean.ProblemCode))
    page = (ROOT / "docs" / "reference" / "problems.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == codes


def test_a_code_that_a_page_names_exists() -> None:
    codes = set(typing.get_args(toolglean.ProblemCode))
    named = {
        name
        for page, text in TEXTS
        for name in re.findall(r"(?:Problem`?,? ?\(|with the code |of the code )`([a-z-]+)`", text)
    }
    assert len(named) > 4
    assert named <= codes


def test_every_cause_that_the_page_describes_exists() -> None:
    page = (ROOT / "docs" / "how-to" / "troubleshooting.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^### ([a-z-]+)$|^\| `([a-z-]+)` \|", page, re.MULTILINE))
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/toolglean/kit/explain").glob("*.py"))
    assert len(named) > 20
    for name in ("".join(each) for each in named):
        assert f'"{name}"' in source, name


def test_every_format_that_a_page_names_exists() -> None:
    named = {name for _, text in TEXTS for name in re.findall(r"(?:\bformat=\"|--format )([a-z][\w.-]+)", text)}
    named -= {"auto", "hermez", "passthrough", "nova", "nova.json"}  # the last two are one that a page declares
    assert len(named) > 10
    for name in named:
        get_format(name)


# -- what is not in the repository -------------------------------------------------------------------------------------

NOT_HERE = re.compile(
    r"\b[Ss]ections? \d|\bDESIGN\b(?:\.md)?(?! =)|\bHOUSE(?:\.md)?\b|\b(?:STYLE|SEEDS)\.md|\b[Ii]ssue #?\d|\b[Ss]eed 0\d\d"
)
"""A section, a design, an issue: of documents that a reader does not have."""


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_nothing_cites_what_a_reader_does_not_have() -> None:
    for path in paths().split():
        file = ROOT / path[1:]
        if (
            file.suffix in {".py", ".md", ".toml", ".yml", ""}
            and file != Path(__file__)
            and file.stat().st_size < 400_000
        ):
            text = file.read_text(encoding="utf-8", errors="replace")
            for cited in NOT_HERE.finditer(text):
                line = text.count("\n", 0, cited.start()) + 1
                pytest.fail(f"{path[1:]}, line {line}: {cited[0]}")
