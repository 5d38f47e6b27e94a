# What this file knows: how README.md becomes the description of the package, whose links must hold far from the
# repository. The build calls it; it runs where nothing but the build backend is installed.
# What it must not know: the project's address, which pyproject.toml has.
"""Makes the links of the README absolute, for a package index."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()(?!#|\w+:)([^)\s]+\))")


def absolute(text: str, repository: str) -> str:
    """The page with each link to a file as a link into the repository. Code stays as it is."""
    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(rf"\g<1>{repository}/blob/main/\2", part) for part in parts[::2]]
    return "".join(parts)


class ReadmeHook(MetadataHookInterface):
    """Fills in the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set it, from README.md and the address in `[project.urls]`."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, metadata["urls"]["Repository"]),
        }
