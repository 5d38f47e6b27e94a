# What this file knows: which links a built site may have, and how Markdown that was not understood, and an address that
# is still to be filled in, look.
# What it must not know: how the site was built, or the network: only what lies in the folder is looked at.
"""Checks the links of a built site, with their anchors, and looks for Markdown and placeholders that were left."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
VERBATIM = frozenset({"code", "pre", "script", "style"})
LEFT_OVER = re.compile(r"^ *(?:[-*] |\d+\. |\|.*\|$|```|#+ |:::)|\]\([^)\s]+\)", re.MULTILINE)
"""What begins a list, a table, a fence, a title or a directive, and what ends a link: no paragraph contains any of
it."""

PLACEHOLDER = re.compile(r"https?://[\w.-]*example\.invalid\b|\bgit\+URL\b|\blorem ipsum\b", re.IGNORECASE)
"""What is written where something is not known yet. It is looked for in links and code, too."""


class _Page(HTMLParser):
    """The links, the anchors, and the text of the paragraphs of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.paragraphs: list[str] = []
        self.placeholders: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := given.get(key)))
        self.placeholders += PLACEHOLDER.findall(" ".join(filter(None, given.values())))
        self.links += [value for key in ("href", "src") if (value := given.get(key)) is not None]
        if tag == "p":
            self.paragraphs.append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.placeholders += PLACEHOLDER.findall(data)
        if "p" in self._open and not VERBATIM & {*self._open}:
            self.paragraphs[-1] += data


def check(site: Path, base: str = "/") -> int:
    """Print what is wrong, and how much was looked at. The result is an exit code.

    Args:
        site: the folder of the built site.
        base: the path below which it will be served: links that begin with it start at the folder.
    """
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    faults = []
    inner = outer = 0
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for link in page.links:
            outside = bool(urlsplit(link).scheme or urlsplit(link).netloc)
            outer += outside
            inner += not outside
            near, path_from = (link, path) if not link.startswith(base) else (link.removeprefix(base), site / "any")
            if not outside and (fault := _fault(near, path_from, pages)):
                faults.append(f"{name}: the link {link!r} leads to {fault}")
        faults += [f"{name}: the placeholder {found!r} is to be filled in" for found in page.placeholders]
        faults += [
            f"{name}: Markdown left as it was: {found[0]!r}"
            for text in page.paragraphs
            for found in LEFT_OVER.finditer(text)
        ]
    print("\n".join(faults) or "no faults")
    print(
        f"{len(pages)} pages, {inner} links within the site, with their anchors; {outer} that leave it are not followed"
    )
    return bool(faults) or not pages


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def _fault(link: str, path: Path, pages: dict[Path, _Page]) -> str:
    parts = urlsplit(link)
    meant = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if meant.is_dir():
        meant /= "index.html"
    if not meant.exists():
        return f"{meant}, which does not exist"
    if parts.fragment and meant in pages and unquote(parts.fragment) not in pages[meant].anchors:
        return f"an anchor that {meant.name} does not have"
    return ""


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
