# How README.md becomes the description of the package, which is read far from the repository: on a package index, or by
# `pip show`. The build calls this file where nothing but the build backend is installed.
# Does not depend on the project's address, which pyproject.toml has once there is one.
"""Makes the README's links to files absolute or, while the project has no address, leaves their text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!#|\w+:)([^)\s]+)\)")
PICTURE = re.compile(r"<picture\b.*?</picture>|<img\b[^>]*>", re.DOTALL)
ANCHOR = re.compile(r"""<a\b[^>]*\bhref=["'](?!#|\w+:)[^"']*["'][^>]*>(.*?)</a>""", re.DOTALL)
FROM_FILE = re.compile(r"""\b(href|src|srcset)=(["'])(?!#|\w+:|//)([^"']+)\2""")


def absolute(text: str, repository: str | None) -> str:
    """The page with each link to a file as a link into the repository. Code stays as it is.

    Args:
        text: the page, in Markdown, with paths relative to the repository's root.
        repository: the address of the repository; None: it has none, so a link becomes its text, and a picture goes.
    """
    parts = FENCE.split(text)
    parts[::2] = [_into(part, repository) if repository else _without(part) for part in parts[::2]]
    return "".join(parts)


def _into(text: str, repository: str) -> str:
    def html(found: re.Match[str]) -> str:
        kind = "blob" if found[1] == "href" else "raw"  # the page of a file shows a picture in a frame of its own
        return f"{found[1]}={found[2]}{repository}/{kind}/main/{found[3]}{found[2]}"

    def markdown(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{_into(found[2], repository)}]({repository}/{kind}/main/{found[3]})"

    return FROM_FILE.sub(html, LINK.sub(markdown, text))


def _without(text: str) -> str:
    text = PICTURE.sub(lambda found: "" if FROM_FILE.search(found[0]) else found[0], text)
    return ANCHOR.sub(r"\1", LINK.sub(lambda found: "" if found[1] else _without(found[2]), text))


class ReadmeHook(MetadataHookInterface):
    """Fills in the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set it, from README.md and the address in `[project.urls]`, if there is one."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository)}
