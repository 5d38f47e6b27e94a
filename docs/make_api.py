# What this file knows: how the pages of the API reference are made of the public names, for mkdocstrings to fill.
# What it must not know: what a docstring says, or where the site is built.
"""The pages of the API reference."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from docs.public import FACES, PublicName, public_names, source_of

HEAD = """\
# API

Every public name, described by its docstring. Import a name from the module on whose page it is described. A module
that is not listed here is internal, and may change with any release.

| module | what it is for |
|---|---|
"""


def api_pages() -> dict[str, str]:
    """The text of each page, by the name of its file."""
    names = list(public_names())
    pages = {f"{face}.md": _page(face, [each for each in names if each.module == face]) for face in FACES}
    rows = "".join(f"| [`{face}`]({face}.md) | {_summary(face)} |\n" for face in FACES)
    return {"index.md": HEAD + rows, **pages}


def _page(face: str, names: list[PublicName]) -> str:
    return "\n".join(
        [f"# `{face}`\n", f"{ast.get_docstring(source_of(face))}\n", *_elsewhere(names), *_described(names)]
    )


def _elsewhere(names: list[PublicName]) -> Iterator[str]:
    links = [f"[`{each.name}`]({each.home}.md#{each.home}.{each.name})" for each in names if each.home != each.module]
    if links:
        yield f"Also here, described where they are usually imported from: {', '.join(links)}.\n"


def _described(names: list[PublicName]) -> Iterator[str]:
    for each in names:
        if each.home == each.module:
            yield f"::: {each.path}\n"


def _summary(face: str) -> str:
    return (ast.get_docstring(source_of(face)) or "").split("\n\n")[0].replace("\n", " ")
