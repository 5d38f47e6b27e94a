# The classes and settings of vLLM that the parsers use, wherever this release has them (places.py).
# Does not depend on what is done with them.
"""vLLM's interface for plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engines.modules import EngineError
from toolglean.engines.vllm.places import base_class, vllm_module

__all__ = [
    "DelegatingParser",
    "DeltaFunctionCall",
    "DeltaMessage",
    "DeltaToolCall",
    "ExtractedToolCallInformation",
    "FunctionCall",
    "ReasoningParser",
    "ToolCall",
    "ToolParser",
    "envs",
    "get_function_tools",
]

if TYPE_CHECKING:
    from vllm import envs
    from vllm.entrypoints.generate.base.protocol import (
        DeltaFunctionCall,
        DeltaMessage,
        DeltaToolCall,
        ExtractedToolCallInformation,
        FunctionCall,
        ToolCall,
    )
    from vllm.parser.abstract_parser import DelegatingParser
    from vllm.reasoning.abs_reasoning_parsers import ReasoningParser
    from vllm.tool_parsers.abstract_tool_parser import ToolParser
else:
    _deltas = vllm_module("deltas")
    DeltaFunctionCall = _deltas.DeltaFunctionCall
    DeltaMessage = _deltas.DeltaMessage
    DeltaToolCall = _deltas.DeltaToolCall
    ExtractedToolCallInformation = _deltas.ExtractedToolCallInformation
    FunctionCall = _deltas.FunctionCall
    ToolCall = _deltas.ToolCall
    ToolParser = base_class("tool parser")
    ReasoningParser = base_class("reasoning parser")
    DelegatingParser = vllm_module("parser").DelegatingParser
    envs = vllm_module("settings")


def _function_tools() -> Any:
    try:
        return vllm_module("tools").get_function_tools
    except EngineError:  # it is not part of the interface for plugins
        return list


get_function_tools: Any = _function_tools()
"""Expands tools in namespaces."""
