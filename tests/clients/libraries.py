# The HTTP libraries that are installed here.
# Does not depend on what is asked of them.
"""A test with each of httpx and httpx2."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

__all__ = ["each_library"]


def _libraries() -> list[ModuleType]:
    found = []
    for name in ("httpx", "httpx2"):
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            continue
    return found


each_library = pytest.mark.parametrize("library", _libraries(), ids=lambda each: each.__name__)
