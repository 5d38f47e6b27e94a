# Where TensorRT-LLM keeps the names of its parsers of calls. Does not depend on what a parser does (parsers.py).
#
# trtllm-serve loads no plugins, and reads the names when its module is imported. So `python -m
# toolglean.engines.tensorrt_llm` (__main__.py) registers toolglean's first, and then is trtllm-serve.
"""toolglean as the tool parser of TensorRT-LLM."""

from __future__ import annotations

from toolglean.engines.environment import options_from_environment
from toolglean.engines.names import classes_of
from toolglean.engines.tensorrt_llm.places import trt_module

__all__ = ["register"]


def register() -> None:
    """Make `toolglean` and `toolglean-<format>` choices of `--tool_parser`.

    Call it before `tensorrt_llm.commands.serve` is imported.

    Raises:
        EngineError: TensorRT-LLM is not installed, or this release has no such tool parsers.
        UsageError: an option in the environment is wrong.
    """
    options_from_environment()
    factory = trt_module("tool_parser_factory", "ToolParserFactory").ToolParserFactory
    from toolglean.engines.tensorrt_llm.parsers import CallParser  # noqa: PLC0415  # it imports TensorRT-LLM's classes

    factory.parsers.update(classes_of(CallParser))
