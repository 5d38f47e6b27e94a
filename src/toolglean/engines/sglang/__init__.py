# Where SGLang keeps the names of its parsers, and their classes. Does not depend on what a parser does (calls.py,
# thoughts.py).
#
# SGLang loads its plugins in each of its processes, before it reads its arguments. Importing its tables of classes
# takes seconds, so it is not done here: the names are added to the lists that the arguments are checked against, and
# the classes are added when SGLang itself imports the tables.
"""SGLang's plugin: the entry point `sglang.srt.plugins`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TypeAlias

from toolglean.engines.names import classes_of, parser_names

__all__ = ["register"]

CALLS = "sglang.srt.function_call.function_call_parser"
THOUGHTS = "sglang.srt.parser.reasoning_parser"
LISTS = (
    ("sglang.srt.function_call.parser_names", "TOOL_CALL_PARSER_NAMES"),
    ("sglang.srt.parser.reasoning_parser_names", "REASONING_PARSER_NAMES"),
)

Act: TypeAlias = Callable[[ModuleType], None]
_log = logging.getLogger(__name__)


def register() -> None:
    """Make `toolglean` and `toolglean-<format>` choices of `--tool-call-parser` and `--reasoning-parser`.

    Never raises: if SGLang is not as expected, a warning is logged, and SGLang has only its own parsers.
    """
    for module, name in LISTS:
        try:
            listed: list[str] = getattr(import_module(module), name)
            listed += [each for each in parser_names() if each not in listed]
        except Exception as error:  # noqa: BLE001  # a plugin must not stop the server
            _log.warning("toolglean: %s.%s cannot be extended: %s", module, name, error)
    for module, function in ((CALLS, _add_calls), (THOUGHTS, _add_thoughts)):
        when_imported(module, function)


def _add_calls(module: ModuleType) -> None:
    from toolglean.engines.sglang.calls import CallDetector  # noqa: PLC0415  # it imports SGLang's classes

    module.FunctionCallParser.ToolCallParserEnum.update(classes_of(CallDetector))


def _add_thoughts(module: ModuleType) -> None:
    from toolglean.engines.sglang.thoughts import ThoughtDetector  # noqa: PLC0415

    module.ReasoningParser.DetectorMap.update(classes_of(ThoughtDetector))


# -- when SGLang imports a table ---------------------------------------------------------------------------------------


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
