# Where SGLang keeps the names of its parsers, and their classes. Does not depend on what a parser does (calls.py,
# thoughts.py).
#
# SGLang loads its plugins in each of its processes, before it reads its arguments. Importing its tables of classes
# takes seconds, so it is not done here: the names are added to the lists that the arguments are checked against, and
# the classes are added when SGLang itself imports the tables.
"""SGLang's plugin: the entry point `sglang.srt.plugins`."""

from __future__ import annotations

import logging
from importlib import import_module
from types import ModuleType

from toolglean.engines.names import classes_of, parser_names
from toolglean.engines.sglang.imports import when_imported

__all__ = ["register"]

CALLS = "sglang.srt.function_call.function_call_parser"
THOUGHTS = "sglang.srt.parser.reasoning_parser"
LISTS = (
    ("sglang.srt.function_call.parser_names", "TOOL_CALL_PARSER_NAMES"),
    ("sglang.srt.parser.reasoning_parser_names", "REASONING_PARSER_NAMES"),
)

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
