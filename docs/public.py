# Which modules are the public face of the package, and where each of their names is defined and described. It reads the
# source, and imports nothing, so that no extra has to be installed.
# Does not depend on how the description looks (docs/make_api.py), or on what is tested (tests/project/test_api.py).
"""The public names, as the API reference and the tests count them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src"

# In the order of the reference: a name is described on the page of the first module that exports it.
FACES = (
    "toolglean",
    "toolglean.parser",
    "toolglean.stream",
    "toolglean.events",
    "toolglean.tools",
    "toolglean.errors",
    "toolglean.limits",
    "toolglean.options",
    "toolglean.sources.tag",
    "toolglean.formats",
    "toolglean.sources.templates",
    "toolglean.sources.response",
    "toolglean.grammar",
    "toolglean.conversation",
    "toolglean.clients.chat",
    "toolglean.clients.responses",
    "toolglean.clients.messages",
    "toolglean.clients.openai",
    "toolglean.clients.ollama",
    "toolglean.clients.httpx",
    "toolglean.clients.mcp",
    "toolglean.clients.proxy",
    "toolglean.clients.proxy.telemetry",
    "toolglean.clients.repair",
    "toolglean.llm",
    "toolglean.kit.explain",
    "toolglean.kit.replay",
    "toolglean.batch",
    "toolglean.kit.anonymize",
    "toolglean.kit.conformance",
    "toolglean.engines",
    "toolglean.engines.vllm",
    "toolglean.engines.sglang",
    "toolglean.engines.tensorrt_llm",
    "toolglean.kit.testing",
    "toolglean.kit.demo",
    "toolglean.ollama",
)
"""The modules to import from. Of `clients`, each package with the name of an extra is one, and what they share that
needs no package: three APIs as plain dicts (`chat`, `responses`, `messages`), and `repair`."""

INNER = frozenset({"clients", "engine", "scan", "cli"})
"""The packages that export only to other packages, and the folder of the clients."""

Statement = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


class Definition(NamedTuple):
    """Where a name is defined: the module, the name there, the statement, and its docstring."""

    module: str
    name: str
    statement: Statement
    docstring: str


class PublicName(NamedTuple):
    """A public name: the module that exports it, its definition, and the module on whose page it is described."""

    module: str
    name: str
    defined: Definition
    home: str

    @property
    def path(self) -> str:
        """The name, as it is imported."""
        return f"{self.module}.{self.name}"


def public_names() -> Iterator[PublicName]:
    """Every name of every face."""
    homes: dict[tuple[str, str, str], str] = {}
    for face in FACES:
        for name in exported(face):
            defined = definition(face, name)
            # Two faces may export two things of one name (`toolglean.Parser`, `toolglean.ollama.Parser`).
            home = homes.setdefault((name, defined.module, defined.name), face)
            yield PublicName(face, name, defined, home)


def exported(module: str) -> list[str]:
    """What `__all__` of the module says."""
    for node in source_of(module).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                names: list[str] = ast.literal_eval(value)
                return names
    raise LookupError(f"{module} has no __all__: the face of a module is written by hand")


def definition(module: str, name: str) -> Definition:
    """Follow a name through the imports to where it is defined."""
    for statement, following in _statements(source_of(module).body):
        match statement:
            case ast.ImportFrom(module=str(source), names=names):
                for each in names:
                    if (each.asname or each.name) == name:
                        return definition(source, each.name)
            case ast.ClassDef(name=found) | ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found):
                if found == name and "overload" not in map(ast.unparse, statement.decorator_list):
                    return Definition(module, name, statement, ast.get_docstring(statement) or "")
            case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
                if found == name:
                    return Definition(module, name, statement, _string(following))
            case _:
                pass
    raise LookupError(f"{module} exports {name}, but does not define it")


@functools.cache
def source_of(module: str) -> ast.Module:
    """The syntax tree of a module or of a package's face."""
    path = SOURCE.joinpath(*module.split("."))
    face = path / "__init__.py"
    file = face if face.is_file() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def _statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    # Each with the one after it, which is a constant's docstring if it is text; also those of `if` and `try`.
    for number, statement in enumerate(body):
        yield statement, body[number + 1] if number + 1 < len(body) else None
        for inner in ("body", "orelse"):
            if isinstance(statement, ast.If | ast.Try):
                yield from _statements(getattr(statement, inner))


def _string(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""
