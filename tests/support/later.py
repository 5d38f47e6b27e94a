# A large package that few tests need: each process of the tests collects all of them, and runs only some.
# Does not depend on what is imported.
"""Packages that are imported when a test first uses them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

__all__ = ["later"]


class _Later:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(
            "_"
        ):  # so pytest asks everything in a file whether it is a fixture: that is no use of the package
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def later(name: str, *, reason: str) -> Any:
    """What is used like the package; where it is not installed, the file is skipped for that reason."""
    try:
        found = find_spec(name) is not None
    except ModuleNotFoundError:  # it is hidden: see alone.py
        found = False
    return _Later(name) if found else pytest.skip(reason, allow_module_level=True)
