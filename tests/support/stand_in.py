# Packages that need not be installed: how a test puts something in their places.
# Does not depend on what is put there.
"""A module that stands in for another one, for one test."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

__all__ = ["stand_in"]


def stand_in(patch: pytest.MonkeyPatch, name: str, **members: Any) -> ModuleType:
    """A module of that name with these members; the packages around it are made where they are missing.

    Args:
        patch: what takes it away again.
        name: what is imported.
        members: what is in it.
    """
    for end in [place for place, char in enumerate(name) if char == "."]:
        if name[:end] not in sys.modules:
            patch.setitem(sys.modules, name[:end], ModuleType(name[:end]))
    module = ModuleType(name)
    vars(module).update(members)
    patch.setitem(sys.modules, name, module)
    return module
