# The classes and settings of vLLM that the parsers use, wherever this release has them (places.py).
# Does not depend on what is done with them.
"""vLLM's interface for plugins."""

from __future__ import annotations

from typing import Any

from toolglean.engines.modules import EngineError
from toolglean.engines.vllm.places import base_class, vllm_module

__all__ = ["DelegatingParser", "ReasoningParser", "ToolParser", "deltas", "envs", "get_function_tools"]

ToolParser: Any = base_class("tool parser")
ReasoningParser: Any = base_class("reasoning parser")
DelegatingParser: Any = vllm_module("parser").DelegatingParser
deltas: Any = vllm_module("deltas")
"""The classes of what a parser returns."""
envs: Any = vllm_module("settings")


def _function_tools() -> Any:
    try:
        return vllm_module("tools").get_function_tools
    except EngineError:  # it is not part of the interface for plugins
        return list


get_function_tools: Any = _function_tools()
"""Expands tools in namespaces."""
