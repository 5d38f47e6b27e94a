# SGLang's interface for parsers of calls. Does not depend on how calls are found, or on what a server reads from a
# parser (../detector.py), or on how grammars are made (toolglean.grammar).
"""Calls, for SGLang."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sglang.srt.environ import envs
from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem

from toolglean.engines.detector import Detector
from toolglean.engines.syntax import syntax_of
from toolglean.errors import UsageError
from toolglean.grammar import grammar_of
from toolglean.options import ParserOptions, changed

__all__ = ["CallDetector"]


class CallDetector(Detector, BaseFormatDetector):  # type: ignore[misc]  # SGLang has no types for us
    """Reads calls from a turn whose reasoning has been removed.

    Attributes:
        format_name: the format in the parser's name; "" if it is learned from the tokenizer.
    """

    format_name = ""
    result_class = StreamingParseResult
    item_class = ToolCallItem

    def __init__(self, tokenizer: Any = None) -> None:
        super().__init__()
        self.begin(syntax_of(self.format_name, tokenizer))

    def options(self) -> ParserOptions:
        options = super().options()
        # SGLang has a variable of its own for its own parsers.
        if options.unknown_tools is None and envs.SGLANG_FORWARD_UNKNOWN_TOOLS.get():
            options = changed(options, unknown_tools="call")
        return options

    def supports_structural_tag(self) -> bool:
        # If true, the server expects the format's own calls with tool_choice, instead of a list in JSON.
        return self._syntax.format is not None

    def structure_info(self) -> Any:
        raise UsageError(
            "structure_info() is not supported, as a call has no fixed begin and end: use get_structural_tag()"
        )

    def get_structural_tag(
        self,
        tools: list[Any] | None = None,
        tool_choice: Any = "auto",
        thinking_mode: bool = False,  # noqa: FBT001, FBT002  # SGLang's interface
        parallel_tool_calls: bool = True,  # noqa: FBT001, FBT002
    ) -> Any:
        # What the model may write, as xgrammar's object. SGLang logs what this raises, and then asks for calls in JSON,
        # which are read as well. A schema is enforced only for a tool that asks for it (`strict`), as everywhere in
        # SGLang; its option `SGLANG_TOOL_STRICT_LEVEL` asks for all.
        declared = self._syntax.format
        if declared is None:
            return None
        try:
            kind = import_module("xgrammar").StructuralTag
        except (ImportError, AttributeError) as error:
            raise UsageError(f"structural tags need xgrammar 0.1.30 or later: {error}") from error
        name = getattr(getattr(tool_choice, "function", None), "name", None)
        grammar = grammar_of(
            declared,
            [_tool(each.function) for each in tools or ()],
            choice=str(name or tool_choice) if tools else "none",
            parallel=parallel_tool_calls,
            reasoning=thinking_mode and bool(declared.reasoning[0]),  # unless another part of SGLang handles that
            strict=False,  # what a tag cannot express of a schema is allowed
        )
        return kind.model_validate(grammar.structural_tag())


def _tool(function: Any) -> dict[str, Any]:
    return {"name": function.name, "parameters": (function.parameters or {}) if function.strict else {}}
