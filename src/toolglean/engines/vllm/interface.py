# The classes and settings of vLLM that the parsers use, wherever this release has them (places.py).
# Does not depend on what is done with them.
"""vLLM's interface for plugins."""

from __future__ import annotations

from contextlib import suppress
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

get_function_tools: Any = list
"""Expands tools in namespaces."""
with suppress(EngineError):  # it is not part of the interface for plugins
    get_function_tools = vllm_module("tools").get_function_tools
