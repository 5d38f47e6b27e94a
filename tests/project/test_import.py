"""Imports point down (docs/explanation/structure.md)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

import toolglean

PACKAGE = "toolglean"
SOURCE = Path(toolglean.__file__).parent

# The packages, from the bottom up. A package may import what is below it, and its neighbours on the same level.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"_child", "_functions", "_install", "_version", "events", "errors", "limits", "options", "scan"}),
    frozenset({"tools", "formats"}),
    frozenset({"engine"}),
    frozenset({"grammar"}),
    frozenset({"sources"}),
    frozenset({"parser", "ollama"}),
    frozenset({"stream"}),
    frozenset({"conversation"}),
    frozenset({"clients"}),
    frozenset({"engines"}),
    frozenset({"llm"}),
    frozenset({"batch"}),
    frozenset({"kit"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
FACADE = "__init__"
"""The public names. It imports up to `stream`; what lies above may import it."""
FACADE_FLOOR = 6

# Same level, but neither of these two depends on the other.
STRANGERS = [("tools", "formats"), ("formats", "tools")]

OPTIONAL = {
    "jinja2": "sources.templates",  # extra [jinja]
    "markupsafe": "sources.templates",
    "regex": "sources.response",  # extra [regex]
    "hypothesis": "kit.testing",  # extra [fuzz]
    "pyarrow": "batch",  # extra [batch]
}
"""What is not part of the standard library, and the only package that may import it."""


class Import(NamedTuple):
    """One import statement: who, what, where, and how."""

    module: str
    target: str
    line: int
    in_function: bool
    for_types: bool


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        parts = list(path.relative_to(SOURCE).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        yield ".".join([PACKAGE, *parts]), path


MODULES = dict(modules())


class Imports(ast.NodeVisitor):
    """Collects the imports of one module."""

    def __init__(self, module: str, path: Path) -> None:
        self.module = module
        self.package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        self.found: list[Import] = []
        self.functions = 0
        self.for_types = 0

    def visit_If(self, node: ast.If) -> None:
        typing_only = "TYPE_CHECKING" in ast.unparse(node.test)
        self.for_types += typing_only
        for each in node.body:
            self.visit(each)
        self.for_types -= typing_only
        for each in node.orelse:
            self.visit(each)

    def generic_visit(self, node: ast.AST) -> None:  # imports are statements: no expression contains one
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            within = getattr(node, name, ())
            for each in within if isinstance(within, list) else ():
                self.visit(each)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions += 1
        self.generic_visit(node)
        self.functions -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  # the name that ast looks for

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            up = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
            base = ".".join([*up, *filter(None, [base])])
        for alias in node.names:  # `from package import module` imports the module
            whole = f"{base}.{alias.name}"
            self._add(whole if whole in MODULES else base, node.lineno)

    def _add(self, target: str, line: int) -> None:
        self.found.append(Import(self.module, target, line, self.functions > 0, self.for_types > 0))


def imports_of(module: str, path: Path) -> list[Import]:
    visitor = Imports(module, path)
    visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
    return visitor.found


@lru_cache(maxsize=1)
def all_imports() -> list[Import]:
    return [found for module, path in MODULES.items() for found in imports_of(module, path)]


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else FACADE


def floor(name: str) -> int:
    if name == FACADE:
        return FACADE_FLOOR
    return next(number for number, rooms in enumerate(FLOORS) if name in rooms)


def wrong(found: Import) -> str:
    """What is wrong with an import; "" if it is right."""
    own, other = room(found.module), room(found.target)
    if own == other:
        return {"formats": wrong_in_formats, "sources": wrong_in_sources}.get(own, right)(found)
    if FACADE in {own, other} and floor(own) == floor(other):
        return "the facade and `stream` would import each other" if other == FACADE else ""
    if floor(other) > floor(own):
        return f"{own} (floor {floor(own)}) looks up to {other} (floor {floor(other)})"
    if (own, other) in STRANGERS:
        return f"{own} and {other} know nothing of each other"
    return ""


def right(_: Import) -> str:
    return ""


def wrong_in_sources(found: Import) -> str:
    choose, heavy = f"{PACKAGE}.sources.choose", (f"{PACKAGE}.sources.templates", f"{PACKAGE}.sources.response")
    at_once = not (found.in_function or found.for_types)
    if found.module.startswith(choose) and found.target.startswith(heavy) and at_once:
        return "choose imports templates inside the function that needs them"
    return ""


def wrong_in_formats(found: Import) -> str:
    inside = f"{PACKAGE}.formats.library."
    allowed = found.target.startswith((inside, f"{PACKAGE}.formats.spec"))
    return (
        ""
        if allowed or not found.module.startswith(inside)
        else "the library is data: it imports the words of spec only"
    )


def test_every_module_has_its_place() -> None:
    placed = {FACADE}.union(*FLOORS)
    assert [module for module in MODULES if room(module) not in placed] == [], "add these packages to FLOORS"


def test_arrows_point_down() -> None:
    faults = [
        f"{found.module}, line {found.line}: {fault}"
        for found in all_imports()
        if found.target.split(".")[0] == PACKAGE and (fault := wrong(found))
    ]
    assert not faults


def test_foreign_packages_stay_in_their_room() -> None:
    for found in all_imports():
        top = found.target.split(".")[0]
        if top == PACKAGE or top in sys.stdlib_module_names:
            continue
        # The adapters of the conformance kit run in the Python of the project that they adapt.
        allowed = {OPTIONAL.get(top, "clients"), "clients", "engines", "llm", "kit.conformance.targets"}
        assert any(f"{found.module}.".startswith(f"{PACKAGE}.{each}.") for each in allowed), (
            f"{found.module}, line {found.line}: {top}"
        )


def circle(arrows: dict[str, set[str]]) -> set[str]:
    """The modules that import each other, or themselves by way of others."""
    left = dict(arrows)
    while free := {module for module, targets in left.items() if not targets & left.keys()}:
        left = {module: targets for module, targets in left.items() if module not in free}
    while idle := left.keys() - {target for targets in left.values() for target in targets}:
        left = {module: targets for module, targets in left.items() if module not in idle}
    return set(left)


def test_no_circles() -> None:
    """Not through types, and not through imports inside functions either."""
    arrows: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in all_imports():
        if found.target in MODULES and found.target != found.module:
            arrows[found.module].add(found.target)
    assert not circle(arrows), "these import each other"


BY_NAME = {("toolglean.formats.spec", "toolglean.sources.choose.constructors")}
"""The only module of a higher package that is imported by its name, when `Format.from_…` is called: who asks, and for what."""


def test_no_arrow_hides_in_a_text() -> None:
    found = {
        (module, named[1])
        for module, path in MODULES.items()
        for named in re.finditer(r'import_module\("(toolglean[\w.]*)"', path.read_text(encoding="utf-8"))
    }
    assert found == BY_NAME


def test_circles_are_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"b", "c"}
    assert not circle({"a": {"b", "c"}, "b": {"c"}, "c": set()})


# The test is tested: each of these must be seen.
@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("toolglean.events", "from toolglean.engine.machine import Machine", "looks up"),
        ("toolglean.events", "def f():\n  from toolglean.cli import main", "looks up"),
        ("toolglean.scan.json", "from toolglean import tools", "looks up"),
        ("toolglean.scan.json", "import toolglean", "looks up"),
        ("toolglean.scan.json", "from ..parser import Parser", "looks up"),
        ("toolglean.engine.machine", "if TYPE_CHECKING:\n  from toolglean.parser import Parser", "looks up"),
        ("toolglean.engine.machine", "if TYPE_CHECKING:\n  from toolglean.engine.envelope import Envelope", ""),
        ("toolglean.engine.machine", "from toolglean.tools import ToolSet", ""),
        ("toolglean.tools", "from toolglean.formats import spec", "know nothing"),
        ("toolglean.sources.choose", "from toolglean.sources.templates import tag_of", "inside the function"),
        ("toolglean.sources.choose", "def f():\n  from toolglean.sources.templates import tag_of", ""),
        ("toolglean.stream", "from toolglean import Parser", "each other"),
        ("toolglean", "from toolglean.stream import parse", ""),
        ("toolglean.formats.library.qwen", "from toolglean.formats.spec import Format", ""),
        ("toolglean.formats.library.qwen", "from toolglean.formats.compile import compile", "is data"),
        ("toolglean.formats.compile", "from toolglean.formats.registry import find", ""),
        ("toolglean.llm", "from toolglean.cli import main", "looks up"),
        ("toolglean.clients.httpx", "from toolglean.engines.reading import TurnReader", "looks up"),
        ("toolglean.cli.parse", "from toolglean.llm import chat", ""),
    ],
)
def test_wrong_arrows_are_seen(module: str, source: str, fault: str) -> None:
    visitor = Imports(module, Path(f"{module}.py"))
    visitor.visit(ast.parse(source))
    found = [wrong(each) for each in visitor.found]
    assert found == [""] if not fault else fault in found[0]
