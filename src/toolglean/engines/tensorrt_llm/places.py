# Where TensorRT-LLM keeps what a parser of calls needs. Does not depend on what is done with it.
"""TensorRT-LLM's modules."""

from __future__ import annotations

from types import ModuleType

from toolglean.engines.modules import first_module

__all__ = ["NEEDED", "trt_module"]

NEEDED = "a TensorRT-LLM whose tool parsers are told when a stream ends"


def trt_module(name: str, *members: str) -> ModuleType:
    """The module of `tensorrt_llm.serve.tool_parser` with that name.

    Args:
        name: the last part of its name.
        members: what is needed of it.

    Raises:
        EngineError: there is none, or something is missing in it.
    """
    return first_module([f"tensorrt_llm.serve.tool_parser.{name}"], members, NEEDED)
