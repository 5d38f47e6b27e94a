# How to act on a module when other code imports it. Does not depend on any module.
"""Calls a function once a module has been imported."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

__all__ = ["when_imported"]

_log = logging.getLogger(__name__)

Act = Callable[[ModuleType], None]


def when_imported(name: str, act: Act) -> None:
    """Call `act` with a module: now if it has been imported, otherwise when it is.

    What `act` raises is logged: the import succeeds anyway.

    Args:
        name: the module's full name.
        act: the function.
    """
    module = sys.modules.get(name)
    if module is not None:
        _done(act, module)
    elif not any(isinstance(each, _Finder) and each.name == name for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder(name, act))


def _done(act: Act, module: ModuleType) -> None:
    try:
        act(module)
    except Exception as error:  # noqa: BLE001  # the import must not fail
        _log.warning("toolglean could not extend %s: %s", module.__name__, error)


class _Finder(MetaPathFinder):
    """Finds one module, once: as the other finders do, with a loader that acts after theirs."""

    def __init__(self, name: str, act: Act) -> None:
        self.name = name
        self._act = act

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self]
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._act)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader, act: Act) -> None:
        self._loader = loader
        self._act = act

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _done(self._act, module)
