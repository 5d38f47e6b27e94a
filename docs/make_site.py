# What this file knows: which pages the site has, and how links that leave docs/ are written there.
#   make_home.py, make_api.py, make_playground.py    make pages; make_navigation.py says where each page is listed
#   finish_site.py, check_site.py                    change what Zensical wrote, and look for faults in it
#   python -m docs.make_site    lays the sources in build/site, builds them into build/site/html, and checks the links
#   PYODIDE=FILE                with Pyodide's archive from npm, fetched before, for the playground
# What it must not know: how Markdown becomes HTML (Zensical, with docs/site.toml), or what any page says.
"""Builds the site. Every warning is an error."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from docs.check_site import check
from docs.finish_site import finish
from docs.make_api import api_pages
from docs.make_home import home_page, style
from docs.make_navigation import index_pages, navigation
from docs.make_playground import make as make_playground
from docs.public import public_names

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "site"

# The pages that lie elsewhere than on the site, and where they are there. README.md is in the home page (make_home.py).
OUTSIDE = {
    "README.md": "index.md",
    "docs/README.md": "project/pages.md",  # beside index.md it would be a second one
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "SECURITY.md": "project/security.md",
    "SUPPORT.md": "project/support.md",
}
PLAYGROUND = "playground"
"""The folder of the playground, which is put together by a script of its own."""

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
COMPLAINT = re.compile(r"^(griffe:|mkdocstrings:|warning|error)", re.MULTILINE | re.IGNORECASE)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|(\]\()([^)\s]+)\)")
"""A link, with its text; or the end of one, as of an image or of a link around an image."""


def main() -> int:
    """Lay out, build, check."""
    shutil.rmtree(BUILD, ignore_errors=True)
    pages = BUILD / "pages"
    _lay_out(pages)
    archive = os.environ.get("PYODIDE")
    make_playground(pages / PLAYGROUND, Path(archive) if archive else None, home="../index.html")
    config = BUILD / "mkdocs.yml"  # JSON is YAML
    config.write_text(json.dumps(_settings(pages), indent=1), encoding="utf-8")
    failed = _build(config)
    if not failed:
        base = urlsplit(urls().get("Documentation", "/")).path
        finish(BUILD / "html", base)
        failed = check(BUILD / "html", base)
    return failed or _names_are_there(BUILD / "html")


def _names_are_there(site: Path) -> int:
    # Each has its anchor on the page of the module that it is described for.
    names = {(each.home, each.name) for each in public_names()}
    pages = {home: (site / "api" / f"{home}.html").read_text(encoding="utf-8") for home, _ in names}
    missing = [f"{home}.{name}" for home, name in sorted(names) if f'id="{home}.{name}"' not in pages[home]]
    print(f"{len(names)} public names; not described: {', '.join(missing) or 'none'}")
    return bool(missing)


def _build(config: Path) -> int:
    # Strict as it is, Zensical lets what the reader of docstrings complains of pass.
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(config)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    print(done.stdout)
    return done.returncode or bool(COMPLAINT.search(done.stdout))


def _lay_out(pages: Path) -> None:
    # The pages as they are in the repository, but for their links; what the pages show comes along as it is.
    for source in sorted(_sources()):
        name = source.relative_to(ROOT).as_posix()
        target = pages / (place_of(name) or name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            text = home_page(text) if name == "README.md" else text
            target.write_text(with_links(text, name), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    (pages / "api").mkdir()
    for name, text in api_pages().items():
        (pages / "api" / name).write_text(text, encoding="utf-8")
    (pages / "style" / "home.css").write_text(style(), encoding="utf-8")
    for name, text in index_pages(pages).items():
        (pages / name).write_text(text, encoding="utf-8")


def _sources() -> Iterator[Path]:
    yield from (ROOT / name for name in OUTSIDE)
    for path in (ROOT / "docs").rglob("*"):
        if path.is_file() and path.suffix not in {".py", ".pyc", ".toml"} and path.parent.name != PLAYGROUND:
            yield path


def place_of(name: str) -> str | None:
    """Where a file of the repository is on the site; None: it is not there."""
    if name in OUTSIDE:
        return OUTSIDE[name]
    return name.removeprefix("docs/") if name.startswith("docs/") and not name.endswith((".py", ".toml")) else None


def with_links(text: str, name: str) -> str:
    """The page of that name with links as the site needs them.

    What is not on the site is linked in the repository; if the project has no address yet, it is named instead.
    """
    parts = []
    position = 0
    for fence in FENCE.finditer(text):
        parts += [_relinked(text[position : fence.start()], name), fence[0]]
        position = fence.end()
    return "".join([*parts, _relinked(text[position:], name)])


def _relinked(text: str, name: str) -> str:
    return LINK.sub(lambda found: _link(found, name), text)


def _link(found: re.Match[str], name: str) -> str:
    words, link = (found[1], found[2]) if found[2] else (None, found[4])
    target = _target(link, name)
    if target is not None:
        return f"{found[3]}{target})" if words is None else f"[{_relinked(words, name)}]({target})"
    meant = _meant(link, name)
    if words is None:
        raise SystemExit(f"{name}: {meant} is not on the site, and the project has no address in pyproject.toml")
    return words if meant in words else f"{words}, in `{meant}`"


def _target(link: str, name: str) -> str | None:
    # None: it is neither on the site nor at any address.
    path, mark, anchor = link.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return link
    meant = _meant(link, name)
    if not (ROOT / meant).exists():
        raise SystemExit(f"{name}: the link {link!r} leads to {meant}, which does not exist")
    place = place_of(meant)
    if place is None or (ROOT / meant).is_dir():
        repository = urls().get("Repository")
        return f"{repository}/blob/main/{meant}{mark}{anchor}" if repository else None
    here = PurePosixPath(place_of(name) or "").parent
    return os.path.relpath(place, here).replace(os.sep, "/") + mark + anchor


def _meant(link: str, name: str) -> str:
    path = link.partition("#")[0]
    return os.path.normpath(PurePosixPath(name).parent / path).replace(os.sep, "/")


def urls() -> dict[str, str]:
    """The project's addresses: `[project.urls]` of pyproject.toml alone has them. There may be none yet."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, str] = tomllib.load(file)["project"].get("urls", {})
    return found


def _settings(pages: Path) -> dict[str, Any]:
    with (ROOT / "docs" / "site.toml").open("rb") as file:
        settings = tomllib.load(file)
    settings["plugins"]["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT / "src")]
    addresses = {"site_url": urls().get("Documentation"), "repo_url": urls().get("Repository")}
    return {
        **settings,
        **{name: address for name, address in addresses.items() if address},
        "docs_dir": "pages",
        "site_dir": "html",
        "nav": navigation(pages),  # without the home page, to which the logo leads
    }


if __name__ == "__main__":
    sys.exit(main())
