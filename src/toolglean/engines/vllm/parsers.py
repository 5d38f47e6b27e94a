# The classes of parsers, by the names that __init__.py registers. Does not depend on what they do.
#
# vLLM looks up a class in this module when a flag names it. The class is made then. Its format is a class attribute,
# because vLLM makes the objects itself.
"""Parser classes of vLLM, by name."""

from __future__ import annotations

from functools import cache
from typing import Any

from toolglean.engines.environment import options_from_environment
from toolglean.engines.names import format_of
from toolglean.engines.vllm import APPEND_THINK
from toolglean.engines.vllm.reasoning_parser import AppendThinkParser, ToolgleanReasoningParser
from toolglean.engines.vllm.tool_parser import ToolgleanToolParser

__all__ = ["AppendThinkParser", "ToolgleanReasoningParser", "ToolgleanToolParser"]

KINDS: dict[str, type[Any]] = {"tool": ToolgleanToolParser, "reasoning": ToolgleanReasoningParser}


@cache
def _class_of(kind: str, name: str) -> type[Any]:
    if name == APPEND_THINK:
        return AppendThinkParser
    options_from_environment()  # if a variable is wrong, the server does not start
    base = KINDS[kind]
    format_name = format_of(name)
    return type(base.__name__, (base,), {"format_name": format_name, "__module__": __name__}) if format_name else base


def __getattr__(name: str) -> Any:
    kind, _, parser_name = name.partition(":")
    if kind not in KINDS or not parser_name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _class_of(kind, parser_name)
