# TensorRT-LLM's interface for parsers of calls. Does not depend on how calls are found, or on what a server reads from
# a parser (../detector.py).
#
# A parser is made from its class alone: it knows neither the tokenizer nor the model. So the format is in its name, or
# is detected in each turn.
"""Calls, for TensorRT-LLM."""

from __future__ import annotations

from typing import Any

from toolglean.engines.detector import Detector
from toolglean.engines.modules import EngineError
from toolglean.engines.syntax import model_syntax
from toolglean.engines.tensorrt_llm.places import NEEDED, trt_module
from toolglean.errors import UsageError

__all__ = ["CallParser"]

_types = trt_module("core_types", "StreamingParseResult", "ToolCallItem")
_base: Any = trt_module("base_tool_parser", "BaseToolParser").BaseToolParser
if not hasattr(_base, "finish"):
    raise EngineError(
        f"toolglean needs {NEEDED}: BaseToolParser has no `finish` here, so the end of the text would be lost. Put "
        "`toolglean proxy` in front of the server instead"
    )


class CallParser(Detector, _base):  # type: ignore[misc]  # the class is known only when this runs
    """Reads calls from a turn whose reasoning has been removed.

    Attributes:
        format_name: the format in the parser's name; "" if it is detected in each turn.
        needs_raw_special_tokens: most markers are special tokens, so the server must leave them in the text.
    """

    format_name = ""
    needs_raw_special_tokens = True
    result_class = _types.StreamingParseResult
    item_class = _types.ToolCallItem

    def __init__(self) -> None:
        super().__init__()
        self.begin(model_syntax(self.format_name))

    def supports_structural_tag(self) -> bool:
        return False  # its tags need a fixed begin and end of a call

    def structure_info(self) -> Any:
        raise UsageError("structure_info() is not supported, as a call has no fixed begin and end")
