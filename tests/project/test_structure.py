"""Rules about the source itself: who may write a field, and how long a file may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "toolglean"
CORE = ("engine", "sources/response", "kit/explain", "scan", "formats", "parser.py")
WRITING = {
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.NamedExpr),
    *(ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Call),
}
SETTERS = {"setattr", "delattr", "__setattr__"}
MOST_LINES = 400


def files() -> list[Path]:
    found = [SOURCE / each for each in CORE]
    assert all(each.exists() for each in found), "a package was moved: say where"
    return sorted(path for each in found for path in ([each] if each.is_file() else each.rglob("*.py")))


def _own(function: ast.FunctionDef, name: str) -> set[str]:
    """The names in a method of a class of that name under which it writes: `self`, and copies that it has just made."""
    found = {"self"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            made = ast.unparse(node.value.func)
            if made in {
                name,
                "type(self)",
                f"{name}.__new__",
                "type(self).__new__",
                "cls.__new__",
                "super().copy",
                "super().copy_for",
                "super().fork",
            }:
                found.add(node.targets[0].id)
    return found


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign | ast.Delete):
        return node.targets
    if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        return [node.target]
    if isinstance(node, ast.With):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return []


def _written(node: ast.AST) -> Iterator[ast.expr]:
    """The objects of which that statement or call writes a field."""
    for target in _targets(node):
        for each in ast.walk(target):
            if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load):
                yield each.value
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in SETTERS:
        yield node.args[0]


def written_from_outside(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each write to a field of an object that is not the writer's own: its line, and the object."""

    def walk(node: ast.AST, owner: str, own: set[str]) -> Iterator[tuple[int, str]]:
        if isinstance(node, ast.ClassDef):
            owner, own = node.name, set()
        elif isinstance(node, ast.FunctionDef):
            own = own | _own(node, owner) if owner else set()
        for written in _written(node) if type(node) in WRITING else ():
            if not (isinstance(written, ast.Name) and written.id in own):
                yield written.lineno, ast.unparse(written)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, owner, own)

    yield from walk(tree, "", set())


def test_no_field_is_written_from_outside_its_class() -> None:
    found = {
        str(path.relative_to(SOURCE)): written
        for path in files()
        if (written := list(written_from_outside(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert not found, "give the class a method that says what happens, and call it"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("class A:\n def f(self):\n  self.x = 1\n  self.y += 1", []),
        ("class A:\n def copy(self):\n  twin = A.__new__(A)\n  twin.x, twin.y = 1, 2\n  return twin", []),
        ("class A:\n def f(self, other):\n  other.x = 1", [(3, "other")]),
        ("class A:\n def f(self):\n  self.b.x = 1", [(3, "self.b")]),
        ("def f(a):\n a.x, b = 1, 2", [(2, "a")]),
        ("def f(a):\n a.x += 1", [(2, "a")]),
        ("def f(a):\n for a.x in y: pass", [(2, "a")]),
        ("def f(a):\n setattr(a, 'x', 1)", [(2, "a")]),
        ("def f():\n a = A()\n a.x = 1", [(3, "a")]),
        ("class A:\n def f(self):\n  b = B()\n  b.x = 1", [(4, "b")]),
        ("class A:\n def f(self):\n  def g():\n   self.x = 1", []),
    ],
)
def test_what_counts_as_a_write_from_outside(source: str, found: list[tuple[int, str]]) -> None:
    assert list(written_from_outside(ast.parse(source))) == found


def test_files_can_be_read_in_one_go() -> None:
    lines = {str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    assert {path: count for path, count in lines.items() if count >= MOST_LINES} == {}
