"""What is loaded by an import, a first parser and a command: an import is slow because of what it loads.

Modules are counted, and nothing is timed, because a busy machine would fail it. The time of an import is a row of
`python -m benchmarks`.

Only our own modules are counted. What the standard library imports for itself differs between versions of Python: since
3.15, `dataclasses` imports `inspect` when it is first used. So of the standard library, a test looks at what our own modules
import, or leaves out what the same Python loads without us.
"""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolglean.cli import COMMANDS

PACKAGE = "toolglean"


def in_python(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    # Modules are loaded, and their bytecode is kept, as they are for users, whatever this environment says.
    env = {key: value for key, value in os.environ.items() if key == "PYTHONPATH" or not key.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=env,
        encoding="utf-8",
    )


CORE = "from toolglean import Parser, parse"
"""What nearly every user imports. `import toolglean` alone loads next to nothing (below)."""


def test_the_core_loads_nothing_foreign() -> None:
    # What was loaded before does not count: an editable install, for instance, has a finder of its own.
    code = (
        f"import sys; before = set(sys.modules); {CORE}; "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    loaded = set(in_python(code).stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {PACKAGE}


# What is loaded only when it is asked for, and what asks for it.
WAITING = {
    "a parser for a format": "toolglean.formats toolglean.engine.matcher toolglean.engine.envelope toolglean.engine.readers fnmatch json",
    "a parser for a tag": "toolglean.engine.discovery toolglean.sources.tag toolglean.engine.envelope",
    "a template": "toolglean.sources.templates jinja2",
    "values from text": "toolglean.scan.coerce toolglean.scan.python toolglean.scan.quoted toolglean.scan.tree",
    "nothing of the core": "toolglean.cli toolglean.kit.conformance toolglean.kit.demo toolglean.kit.explain toolglean.ollama toolglean.kit.testing argparse asyncio logging",
    "formats of third parties": "importlib.metadata email zipfile",
    "a message of an error": "difflib",
}
THIRD_PARTIES = WAITING["formats of third parties"].split()
ERRORS = WAITING["a message of an error"].split()


STANDARD = frozenset(
    {
        *(
            "__future__",
            "codecs",
            "collections.abc",
            "dataclasses",
            "enum",
            "functools",
            "importlib",
            "math",
            "os",
            "re",
            "sys",
        ),
        "typing",
    }
)
"""What of the standard library the core's modules import."""
RECORDER = f"""
import builtins, sys
asked, real = set(), builtins.__import__
def recorded(name, globals=None, locals=None, fromlist=(), level=0):
    found = real(name, globals, locals, fromlist, level)
    if level == 0 and str((globals or {{}}).get("__name__")).partition(".")[0] == "{PACKAGE}":
        asked.update([name, *(whole for each in fromlist or () if (whole := f"{{name}}.{{each}}") in sys.modules)])
    return found
builtins.__import__ = recorded
"""
"""Notes which modules our own modules import, and when they do: an import in a function counts only if it is run."""


_loaded: dict[str, tuple[set[str], set[str]]] = {}


def after(code: str) -> tuple[set[str], set[str]]:
    """The modules that are loaded after that code, and what our own modules have imported."""
    if code not in _loaded:  # several rows ask after the same process
        whole = f"{RECORDER}\n{code}\nprint()\nprint(*sys.modules)\nprint(*asked)"
        modules, asked = in_python(whole).stdout.split("\n")[-3:-1]
        _loaded[code] = set(modules.split()), set(asked.split())
    return _loaded[code]


def loaded_after(code: str, without: str = "pass") -> set[str]:
    """The modules that are loaded after that code, less those that Python itself loads for the standard library's."""
    return after(code)[0] - after(without)[0]


def imported_by_us(code: str) -> set[str]:
    """The modules of others that our own modules import while that code runs."""
    asked = after(code)[1]
    return asked - own(asked)


def own(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.partition(".")[0] == PACKAGE}


def a_bare(modules: frozenset[str]) -> str:
    """Code that does what our modules do with these, but without ours: some of them load others only when they are used."""
    uses = "dataclasses.dataclass(type('A', (), {}))" if "dataclasses" in modules else "pass"
    return f"import {', '.join(sorted(modules))}\n{uses}"


@pytest.mark.parametrize("what", WAITING)
def test_the_core_loads_only_what_every_user_needs(what: str) -> None:
    assert loaded_after(CORE, a_bare(STANDARD)).isdisjoint(WAITING[what].split())


@pytest.mark.parametrize(
    ("code", "waiting"),
    [
        (
            'toolglean.Parser(["f"], format=toolglean.Format.from_tag("<x>")).add("<x>{")',
            [
                "toolglean.formats.library",
                "toolglean.formats.compile",
                "toolglean.engine.matcher",
                "toolglean.scan.coerce",
                *THIRD_PARTIES,
                *ERRORS,
            ],
        ),
        (
            'toolglean.Parser(["f"], format="hermes").add("<tool_call>{")',
            ["toolglean.engine.discovery", "toolglean.sources.templates", *THIRD_PARTIES, *ERRORS],
        ),
        ('toolglean.Parser(["f"]).add("<tool_call>{")', [*THIRD_PARTIES, *ERRORS]),
        ("toolglean.Format", ["toolglean.formats.library", "toolglean.formats.compile", "toolglean.engine.matcher"]),
        ("toolglean.ToolCall, toolglean.UsageError", ["toolglean.parser", "toolglean.engine", "toolglean.formats"]),
        (
            "from toolglean.conversation import Message",
            ["toolglean.conversation.openai", "toolglean.parser", "asyncio"],
        ),
    ],
)
def test_a_user_loads_only_what_he_asks_for(code: str, waiting: list[str]) -> None:
    assert loaded_after(f"import toolglean\n{code}", a_bare(STANDARD)).isdisjoint(waiting)


OWN_MODULES = 51


def test_the_core_loads_little() -> None:
    ours = own(loaded_after("from toolglean import Parser"))
    assert len(ours) <= OWN_MODULES, sorted(ours)
    assert own(loaded_after(CORE)) - ours == {"toolglean.stream"}
    assert imported_by_us(CORE) == STANDARD


# -- the public names, which are imported when they are used ---------------------------------------------------------

LAZY = ("toolglean", "toolglean.conversation")


@pytest.mark.parametrize("package", LAZY)
def test_a_package_alone_loads_no_module(package: str) -> None:
    loaded = own(loaded_after(f"import {package}"))
    assert loaded == {"toolglean", "toolglean._version", package}


@pytest.mark.parametrize("package", LAZY)
def test_every_name_comes_from_where_type_checkers_look(package: str) -> None:
    module = importlib.import_module(package)
    said = {
        alias.name: each.module.removeprefix(f"{package}.")
        for each in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if isinstance(each, ast.ImportFrom) and each.module is not None and each.module.startswith(f"{package}.")
        for alias in each.names
        if not alias.name.startswith("__")
    }
    assert said == module._HOME_OF
    assert set(module.__all__) - {"__version__"} == set(said)


@pytest.mark.parametrize("package", LAZY)
def test_names_are_found_listed_and_missed(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name)
        assert name in vars(module), "the second time, it is an attribute like any other"
    assert set(module.__all__) <= set(dir(module))
    for home in module._HOMES:
        assert "." in home or getattr(module, home).__name__ == f"{package}.{home}"
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


# -- what a command costs ----------------------------------------------------------------------------------------------


def loaded_by_command(arguments: str) -> set[str]:
    """The modules that `toolglean ARGUMENTS` has loaded when it ends, less those of a bare argparse."""
    return loaded_after(running(arguments), "import argparse; argparse.ArgumentParser().format_help()")


def running(arguments: str) -> str:
    return f"from toolglean.cli import main\ntry:\n  main({arguments.split()!r})\nexcept SystemExit:\n  pass"


def test_the_version_loads_nothing() -> None:
    assert own(after(running("--version"))[0]) == {"toolglean", "toolglean._version", "toolglean.cli"}
    assert imported_by_us(running("--version")) == {"__future__", "os", "sys"}


def test_the_help_loads_what_prints_it() -> None:
    assert own(after(running("--help"))[0]) == {"toolglean", "toolglean._version", "toolglean.cli"}
    assert imported_by_us(running("--help")) == {"__future__", "argparse", "importlib", "os", "sys"}


LIBRARY = "toolglean.formats.library"
MATCHER = "toolglean.engine.matcher"
TEMPLATES = "toolglean.sources.templates"
GRAMMAR = "toolglean.grammar"
CONVERSATION = "toolglean.conversation.wire"
PARSER = "toolglean.parser"

# For each command: how many modules of ours its help loads at most, and what it does without.
HELP = {
    "parse": (78, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "doctor": (140, (TEMPLATES, GRAMMAR, CONVERSATION)),
    "explain": (135, (TEMPLATES, GRAMMAR, CONVERSATION)),
    "replay": (141, (TEMPLATES, GRAMMAR, CONVERSATION)),
    "inspect": (161, (GRAMMAR, CONVERSATION)),
    "learn": (211, (CONVERSATION,)),
    "fuzz": (72, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "formats": (24, (PARSER, MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "grammar": (119, (MATCHER, TEMPLATES, CONVERSATION)),
    "demo": (61, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "bench": (80, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "proxy": (70, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "anonymize": (84, (MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
    "conformance": (51, (PARSER, MATCHER, TEMPLATES, GRAMMAR, CONVERSATION)),
}
NEVER = [
    "asyncio",
    "importlib.metadata",
    "multiprocessing",
    "jinja2",
    "httpx",
    "hypothesis",
    "pyarrow",
    "toolglean.clients",
    "toolglean.llm",
]


def test_every_command_is_counted() -> None:
    assert list(HELP) == list(COMMANDS)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", HELP)
def test_a_command_loads_only_its_own(command: str) -> None:
    most, without = HELP[command]
    loaded = loaded_by_command(f"{command} --help")
    assert len(own(loaded)) <= most, sorted(own(loaded))
    assert loaded.isdisjoint([LIBRARY, *without, *NEVER])


@pytest.mark.parametrize(
    ("arguments", "waiting"),
    [
        ("formats hermes", f"{PARSER} {MATCHER} {TEMPLATES} {GRAMMAR} {CONVERSATION}"),
        ("grammar hermes", f"{TEMPLATES} {CONVERSATION}"),
        ("demo", f"{TEMPLATES} {GRAMMAR} {CONVERSATION}"),
        ("parse fixtures/streams/weather.txt", f"{TEMPLATES} {GRAMMAR} {CONVERSATION}"),
        ("explain fixtures/streams/weather.txt", f"{TEMPLATES} {CONVERSATION}"),
    ],
)
def test_a_run_loads_only_what_it_needs(arguments: str, waiting: str) -> None:
    arguments = arguments.replace("fixtures", str(Path(__file__).parents[2] / "fixtures"))
    assert loaded_by_command(arguments).isdisjoint([*waiting.split(), *NEVER])
