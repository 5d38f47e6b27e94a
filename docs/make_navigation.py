# What this file knows: the five groups of the navigation, and what belongs to each. The titles of the pages, and the
# sections of the how-to, are those of docs/README.md: its order there is the order here.
# A page that no list names comes at the end of its group, so that nothing is lost if somebody forgets it here.
# What it must not know: what a page says, or how the site is built.
"""The navigation of the site, and the page that each group begins with."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docs.make_formats import TITLES as FAMILIES
from docs.public import FACES

ROOT = Path(__file__).parents[1]

GROUPS = {
    "Start": ("tutorial", "coming-from"),
    "How-to": ("how-to",),
    "Reference": ("reference",),
    "API": ("api",),
    "Background": ("explanation", "project"),
}
"""The groups, and the folders of their pages."""

SECTIONS = {
    "a stream of text": "Streams of text",
    "a client, or a framework": "Clients and frameworks",
    "an engine, or a server": "Engines and servers",
    "to enforce calls": "Enforced calls",
    "a call that was not found": "Calls that were not found",
    "large logs, or a parser to check or measure": "Logs, checks and figures",
    "another tool, and want to migrate": "Coming from another tool",
}
"""Rows of the table ("you have …") of docs/README.md that need another title here; the others are capitalised."""

TOPICS = {
    "reference": {
        "Parser": ("parser", "stream", "events", "problems", "routing", "objects"),
        "Formats": ("formats", *(f"formats/{name}" for name in FAMILIES), "grammar"),
        "Models and messages": ("llm", "llm-errors", "messages"),
        "Tools": ("cli", "conformance", "conformance-results", "ollama", "extras"),
    },
    "explanation": {
        "How the parser works": (
            *("structure", "engine", "states-and-regions", "straight-way", "matching", "performance", "compiled"),
        ),
        "What is read": (
            *("discovery", "repairs", "by-schema", "calls-in-json", "special-tokens", "response-templates", "grammars"),
        ),
        "Decisions and figures": ("guarantees", "faq", "choices", "figures"),
    },
}
"""In these folders, the sections and their pages."""

TITLES = {
    "reference/conformance-results.md": "Conformance results",
    "reference/llm-errors.md": "Errors of language models",
    "explanation/grammars.md": "How grammars are made",
    "explanation/figures.md": "Figures, with other parsers",
}
"""Titles for the navigation where neither that of docs/README.md nor the page's own would do."""

NAMES = frozenset(
    {"instructor", "json-repair", "litellm", "llama-cpp-python", "llama.cpp", "llguidance", "mlx-lm", "openai"}
    | {"toolglean", "transformers", "vLLM"}
)
"""Names that begin with a small letter wherever they are."""

LEADS = {
    "tutorial": "Two tutorials, and what to change if you come from another tool.",
    "how-to": "Each page does one job. Choose by what you have.",
    "reference": "What each part takes, returns and raises.",
    "explanation": "How it works, why it is as it is, and the project itself.",
}

Entry = dict[str, Any]


class Named(NamedTuple):
    """What docs/README.md says of the pages: its table, row by row, and the text of each link, in its order."""

    rows: list[tuple[str, list[str]]]
    titles: dict[str, str]

    @property
    def tutorials(self) -> list[str]:
        """The tutorials, in its order."""
        return [name for name in self.titles if name.startswith("tutorial/")]


def navigation(pages: Path) -> list[Entry]:
    """The groups, for the site's settings.

    Args:
        pages: the folder of the pages, as they are laid out for the build.
    """
    found = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")} - {"index.md"}
    named = read_pages()
    groups: list[Entry] = []
    for group, folders in GROUPS.items():
        own = [name for name in found if name.split("/")[0] in folders]
        found -= {*own}
        groups.append({group: [*_in_order(group, sorted(own), pages, named)]})
    if found:
        raise SystemExit(f"in no group of the navigation: {', '.join(sorted(found))}: add the folder to GROUPS")
    return groups


def index_pages(pages: Path) -> dict[str, str]:
    """The page that each group begins with, by its place: a list of what is in it. API and project have their own."""
    found = navigation(pages)
    return {
        f"{folders[0]}/index.md": "\n".join(_listed(group, folders[0], entries))
        for (group, folders), entry in zip(GROUPS.items(), found, strict=True)
        for entries in entry.values()
        if folders[0] in LEADS
    }


def read_pages(text: str | None = None) -> Named:
    """What docs/README.md says; or another text, if one is given."""
    text = text or (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    rows = [
        (label, [*_linked(cells)])
        for label, cells in re.findall(r"^\| ([^|]+?) \| (.+) \|$", text, re.MULTILINE)
        if "](" in cells
    ]
    titles: dict[str, str] = {}
    for title, place in re.findall(LINK, text.replace("\n", " ")):
        titles.setdefault(place, title)
    return Named(rows, titles)


LINK = r"\[([^\]]+)\]\(([^.)#][^)#]*\.md)\)"


def _linked(text: str) -> Iterator[str]:
    yield from (place for _, place in re.findall(LINK, text))


def _in_order(group: str, own: list[str], pages: Path, named: Named) -> Iterator[Entry]:
    left = dict.fromkeys(own)
    for index in [name for name in own if name.count("/") == 1 and name.endswith("/index.md")][:1]:
        yield {"Overview": left.pop(index) or index}
    for title, names in _sections(group, own, named):
        inside = [{_title(name, pages, named): name} for name in names if name in left]
        for name in names:
            left.pop(name, None)
        yield from [{title: inside}] if title and inside else inside
    yield from ({_title(name, pages, named): name} for name in left)


def _sections(group: str, own: list[str], named: Named) -> Iterator[tuple[str, list[str]]]:
    # The sections of a group, with the pages that they would like to have; without a title: pages of the group itself.
    if group == "API":
        yield from _packages()
    if group == "Start":
        yield "", [name for name in named.tutorials if name in own]
    for folder in GROUPS[group]:
        for title, topics in TOPICS.get(folder, {}).items():
            yield title, [f"{folder}/{name}.md" for name in topics]
        if folder == "project":
            yield "The project", [name for name in own if name.startswith("project/")]
    if group in {"Start", "How-to"}:
        for label, names in named.rows:
            folder = GROUPS[group][-1]
            yield SECTIONS.get(label, label.capitalize()), [name for name in names if name.startswith(f"{folder}/")]


def _packages() -> Iterator[tuple[str, list[str]]]:
    # Modules of one package are one section, with its face; the package's own name is that of the modules beside it.
    sections: dict[str, list[str]] = {}
    packages = {face.rpartition(".")[0] for face in FACES if face.count(".") == 2}
    for face in FACES:
        package = face if face in packages else face.rpartition(".")[0] or "toolglean"
        sections.setdefault(package, []).append(f"api/{face}.md")
    yield from sections.items()


def _title(name: str, pages: Path, named: Named) -> str:
    if name.startswith("api/"):
        return name.removesuffix(".md").rpartition(".")[2].removeprefix("api/")
    if name in TITLES:
        return TITLES[name]
    title = named.titles.get(name, "").replace("`", "")
    if title:
        return title if title.split()[0].removesuffix("'s") in NAMES else title[0].upper() + title[1:]
    head = re.search(r"^# (.+)$", (pages / name).read_text(encoding="utf-8"), re.MULTILINE)
    return head[1].replace("`", "") if head else Path(name).stem


def _listed(group: str, folder: str, entries: list[Entry]) -> Iterator[str]:
    yield f"# {group}\n\n{LEADS[folder]}\n"
    for entry in entries:
        for title, inside in entry.items():
            if not isinstance(inside, list):
                yield _item(folder, title, inside)
                continue
            yield f"\n## {title}\n"
            yield from (_item(folder, name, place) for each in inside for name, place in each.items())
    yield ""


def _item(folder: str, title: str, place: str) -> str:
    return f"- [{title}]({os.path.relpath(place, folder).replace(os.sep, '/')})"
