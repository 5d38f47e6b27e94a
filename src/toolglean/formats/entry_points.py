# The entry points of installed packages, without importlib.metadata where there are none: importing that (with email,
# zipfile and socket) takes as long as loading the parser, and hardly anybody has a package with formats of its own.
#
# The files are those that importlib.metadata reads (`entry_points.txt` of each installed package), and the group's name
# is searched for in their bytes. Two cases are left to importlib.metadata: archives on `sys.path`, and import hooks
# that know packages of their own. Without pathlib, which is one of its slow imports.
# Does not depend on what the entry points give.
"""Entry points of installed packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["entry_points"]


def entry_points(*, group: str) -> Iterable[EntryPoint]:
    """The entry points of that group, as `importlib.metadata.entry_points` returns them."""
    if not (_other_finders() or any(_may_name(folder, group.encode()) for folder in sys.path)):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow: see above

    return entry_points(group=group)


def _other_finders() -> bool:
    from importlib.machinery import PathFinder  # noqa: PLC0415

    return any(each is not PathFinder and hasattr(each, "find_distributions") for each in sys.meta_path)


def _may_name(folder: str, group: bytes) -> bool:
    try:
        packages = os.listdir(folder or ".")  # noqa: PTH208
    except OSError:
        return os.path.isfile(folder)  # noqa: PTH113  # an archive
    return any(
        group in _content(f"{folder or '.'}/{each}/entry_points.txt")
        for each in packages
        if each.lower().endswith((".dist-info", "egg-info"))
    )


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:  # it has none
        return b""
