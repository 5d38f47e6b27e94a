# How a plugin finds the modules of an engine that has moved them between its releases, and what it says if it cannot.
# Does not depend on any engine.
"""The modules of an engine, by the names that its releases have given them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from toolglean.errors import ToolgleanError

__all__ = ["EngineError", "first_module"]


class EngineError(ToolgleanError, ImportError):
    """This release of the engine does not have what the plugin needs. Install one that the message names."""


def first_module(names: Sequence[str], members: Sequence[str], needed: str) -> ModuleType:
    """The first of these modules that exists, with these members.

    Args:
        names: the module's names, the newest first.
        members: what is needed of it.
        needed: what to install, such as "vLLM 0.24 or later".

    Raises:
        EngineError: there is none. Its cause is the error of the last module that could not be imported.
    """
    cause: Exception | None = None
    for name in names:
        try:
            module = import_module(name)
        except ImportError as error:
            cause = error
            continue
        if all(hasattr(module, member) for member in members):
            return module
    raise EngineError(
        f"toolglean needs {needed}{_found(names[0].partition('.')[0])}: none of the modules {', '.join(names)} "
        f"can be imported with {', '.join(members)}"
    ) from cause


def _found(package: str) -> str:
    try:
        return f", and {package} {version(package)} is installed"
    except PackageNotFoundError:
        return ""
