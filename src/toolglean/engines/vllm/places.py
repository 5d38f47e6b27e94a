# Where the releases of vLLM keep what a plugin needs. Does not depend on what is done with it.
#
#   vllm.frontend              the names of a later release, in which the old ones lead to them
#   vllm.tool_parsers          0.16 to 0.33; the classes of deltas moved in 0.29
#   vllm.entrypoints.openai    0.12: too old, but the error should say so
"""vLLM's modules, by the names that its releases have given them."""

from __future__ import annotations

from types import ModuleType

from toolglean.engines.modules import EngineError, first_module

__all__ = ["NEEDED", "base_class", "vllm_module"]

NEEDED = "vLLM 0.24 or later"

PLACES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tool parsers": (
        ("vllm.frontend.processing.tool_parsers", "vllm.tool_parsers", "vllm.entrypoints.openai.tool_parsers"),
        ("ToolParserManager",),
    ),
    "reasoning parsers": (("vllm.frontend.processing.reasoning", "vllm.reasoning"), ("ReasoningParserManager",)),
    "tool parser": (
        (
            "vllm.frontend.processing.tool_parsers.abstract_tool_parser",
            "vllm.tool_parsers.abstract_tool_parser",
            "vllm.entrypoints.openai.tool_parsers.abstract_tool_parser",
        ),
        ("ToolParser",),
    ),
    "reasoning parser": (
        ("vllm.frontend.processing.reasoning.abs_reasoning_parsers", "vllm.reasoning.abs_reasoning_parsers"),
        ("ReasoningParser",),
    ),
    "parser": (
        ("vllm.frontend.processing.parser.abstract_parser", "vllm.parser.abstract_parser"),
        ("DelegatingParser",),
    ),
    "deltas": (
        (
            "vllm.frontend.entrypoints.generate.base.protocol",
            "vllm.entrypoints.generate.base.protocol",
            "vllm.entrypoints.openai.engine.protocol",
            "vllm.entrypoints.openai.protocol",
        ),
        (
            *("DeltaFunctionCall", "DeltaMessage", "DeltaToolCall", "ExtractedToolCallInformation", "FunctionCall"),
            "ToolCall",
        ),
    ),
    "settings": (("vllm.foundation.system.envs", "vllm.envs"), ("VLLM_ENFORCE_STRICT_TOOL_CALLING",)),
    "tools": (
        ("vllm.frontend.processing.tool_parsers.utils", "vllm.tool_parsers.utils"),
        ("get_function_tools",),
    ),
}
"""For each thing: its modules, the newest first, and the names in it."""


def vllm_module(what: str) -> ModuleType:
    """The module of vLLM that has these things.

    Args:
        what: a key of `PLACES`.

    Raises:
        EngineError: this release has none.
    """
    return first_module(*PLACES[what], NEEDED)


def base_class(what: str) -> type:
    """The base class of parsers: "tool parser" or "reasoning parser".

    Raises:
        EngineError: this release has none that can tell a parser that its stream has ended: text would be lost.
    """
    module, name = vllm_module(what), PLACES[what][1][0]
    found: type = getattr(module, name)
    if not hasattr(found, "engine_based_streaming"):
        raise EngineError(
            f"toolglean needs {NEEDED}: {module.__name__}.{name} has no `engine_based_streaming`, so this release does "
            "not tell a parser when a stream ends, and the end of the text would be lost"
        )
    return found
