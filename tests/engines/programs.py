# Where the programs of the small engines are, and how one is loaded.
# Does not depend on any engine.
"""The programs of `examples/engines`, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

__all__ = ["FOLDER", "load"]

FOLDER = Path(__file__).parents[2] / "examples" / "engines"


def load(name: str) -> ModuleType:
    """A fresh copy of that program's module; its imports must be there."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
