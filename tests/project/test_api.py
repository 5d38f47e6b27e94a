"""Every public name is described by its docstring: what it is for, its arguments, and its errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from docs.public import FACES, INNER, SOURCE, Definition, PublicName, public_names
from tests.support.shared import ROOT

REFERENCE = re.compile(
    r"\b(?:[Ss]ee|[Aa]s(?: for| in| a plain call)?|of a plain call)[\s(]+((?:`[\w.]+`(?:,| and)?\s?)+)"
)
MADE = re.compile(r"[Mm]ade by|Raised ")
"""Objects that are handed out say by what, instead of how to make one."""
PLAIN = frozenset({"self", "cls", "message"})
"""Arguments that need no words: `message` is that of an error."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=1)
def names() -> list[PublicName]:
    return list(public_names())


@lru_cache(maxsize=1)
def defined() -> dict[tuple[str, str], Definition]:
    return {(each.defined.module, each.defined.name): each.defined for each in names()}


def test_every_module_is_a_face_or_inner() -> None:
    package = SOURCE / "toolglean"
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    modules = {module for module in modules if not module.startswith("_")}
    faces = {face.split(".")[1] for face in FACES[1:]}
    assert modules == faces | INNER, "list the new module in docs/public.py"


def test_names_are_counted() -> None:
    # Fewer would mean that the reader of the source misses some.
    assert len(names()) >= 345
    assert len({each.path for each in names()}) == len(names())


IMPORT = re.compile(r"^ *from (toolglean[\w.]*) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def imported() -> Iterator[tuple[str, str, str]]:
    """What programs for users import: the page or file, the module, and the name."""
    # What the source looks like inside is shown in docs/explanation; upgrade notes show names that are gone.
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "explanation"]
    files = [
        *(path for path in pages if path.name != "toolglean-0.md"),
        *(ROOT / "examples").rglob("*.py"),
        ROOT / "README.md",
    ]
    for path in sorted(files):
        for module, several, one in IMPORT.findall(path.read_text(encoding="utf-8")):
            for each in re.sub(r"#.*", "", several or one).split(","):
                if name := each.strip().partition(" ")[0]:
                    yield path.relative_to(ROOT).as_posix(), module, name


def test_what_documents_and_examples_import_is_public() -> None:
    # `toolglean.clients.chat` was taught on three pages, and in no list of public modules: the reference did not have it.
    public = {(each.module, each.name) for each in names()}
    shown = list(imported())
    assert len(shown) > 200
    private = [each for each in shown if each[1:] not in public and f"{each[1]}.{each[2]}" not in FACES]
    assert private == [], "show a public name, or add the module to FACES in docs/public.py"


def test_docstrings_say_what_a_caller_needs() -> None:
    assert len(defined()) > 200
    assert [f"{'.'.join(key)}: {fault}" for key, each in defined().items() for fault in faults(each)] == []


def faults(name: Definition) -> Iterator[str]:
    statement, text = name.statement, with_references(name.docstring)
    if not text.strip():
        yield "no docstring"
    elif isinstance(statement, ast.ClassDef):
        bases = [said_of(base.id) for base in statement.bases if isinstance(base, ast.Name)]
        yield from faults_of_class(statement, "\n".join([text, *bases]))
    elif isinstance(statement, Function):
        yield from faults_of_function(statement, text)


def with_references(text: str) -> str:
    # "see `Parser`" and "as for `chat_chunks`" say as much as what is said there.
    meant = {name for found in REFERENCE.findall(text) for name in re.findall(r"`([\w.]+)`", found)}
    return "\n".join([text, *map(said_of, meant)])


def said_of(name: str) -> str:
    # The docstring of a public name, with those of its methods.
    found = [each for each in defined().values() if each.name == name.partition(".")[0]]
    return "\n".join(text for each in found for text in [each.docstring, *docstrings_in(each.statement)])


def docstrings_in(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef):
        yield from (ast.get_docstring(each) or "" for each in statement.body if isinstance(each, Function))


def with_methods(text: str, statement: ast.ClassDef) -> str:
    # A method that names another one of its class is a variant of it.
    meant = set(re.findall(r"`(\w+)`", text))
    others = [each for each in statement.body if isinstance(each, Function) and each.name in meant]
    return "\n".join([text, *(ast.get_docstring(each) or "" for each in others)])


def faults_of_class(statement: ast.ClassDef, text: str) -> Iterator[str]:
    # What makes an object is described by the docstring of the class, if a user makes it. What that says of an argument
    # holds for the methods too.
    for each in statement.body:
        match each:
            case ast.FunctionDef(name="__init__" | "__post_init__"):
                if not MADE.search(text):
                    yield from faults_of_function(each, text)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not name.startswith("_"):
                own = with_methods(with_references(ast.get_docstring(each) or ""), statement)
                if own.strip():  # else it is the base's, which describes it
                    yield from (f"{name}: {fault}" for fault in faults_of_function(each, f"{own}\n{text}"))
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_") and not said(name, text):
                if not follows(statement, each):
                    yield f"field {name} is not described"
            case _:
                pass


def follows(statement: ast.ClassDef, field: ast.stmt) -> bool:
    # Whether a docstring follows the field.
    after = statement.body[statement.body.index(field) + 1 :][:1]
    return bool(after) and isinstance(after[0], ast.Expr)


def faults_of_function(statement: Function, text: str) -> Iterator[str]:
    given = statement.args
    for each in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
        if each.arg not in PLAIN and not each.arg.startswith("_") and not said(each.arg, text):
            yield f"argument {each.arg} is not described"
    for error in raised(statement):
        if not said(error, text):
            yield f"{error} is raised, but not described"


def said(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def raised(statement: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(statement):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name))) if not name.startswith("_"):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                pass  # what it raises, its caller gets
            case _:
                yield from raised(node)
