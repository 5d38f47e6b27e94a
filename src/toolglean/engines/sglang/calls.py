# SGLang's interface for parsers of calls, and what its server reads from one.
# Does not depend on how calls are found (../reading.py), or on how grammars are made (toolglean.grammar).
#
# SGLang makes a parser for each answer, and several while it checks a request. For an answer it calls either
# `parse_streaming_increment` for each delta, then `finish`; or `has_tool_call`, then `detect_and_parse`, with the whole
# text. If `--reasoning-parser` is set, the reasoning has been removed before.
#
# At the end of a stream the server compares the last entry of `prev_tool_call_arr` with that of
# `streamed_args_for_tool`, and sends what is missing in the second. So both contain the same text, which is empty while
# the call is being written, because appending to it with each delta would take quadratic time. The server sends
# "tool_calls" as the finish reason unless `incomplete_tool_call_indices` has an entry.
"""Calls, for SGLang."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sglang.srt.environ import envs
from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem

from toolglean.engines.environment import options_from_environment
from toolglean.engines.reading import TurnDelta, TurnReader
from toolglean.engines.sglang.model import syntax_of
from toolglean.engines.sglang.tags import structural_tag
from toolglean.engines.syntax import tools_of
from toolglean.errors import UsageError
from toolglean.options import changed
from toolglean.tools import ToolSet

__all__ = ["CallDetector"]

NAME = re.compile(r"[\w-]{1,256}(?:[.:/][\w.:/-]{1,256})?")
"""Text that may be the name of a tool."""


class CallDetector(BaseFormatDetector):  # type: ignore[misc]  # SGLang has no types for us
    """Reads calls from a turn whose reasoning has been removed.

    Attributes:
        format_name: the format in the parser's name; "" if it is learned from the tokenizer.
        incomplete_tool_call_indices: the calls that were streamed and did not end well.
    """

    format_name = ""

    def __init__(self, tokenizer: Any = None) -> None:
        super().__init__()
        self._syntax = syntax_of(self.format_name, tokenizer)
        self._reader: TurnReader | None = None
        self._arguments: list[list[str]] = []  # of each call, in pieces
        self.incomplete_tool_call_indices: set[int] = set()

    def has_tool_call(self, text: str) -> bool:
        # The request's tools are not known here. Some calls are read only for a known tool, so let every word be one.
        words = {word for found in NAME.findall(text) for word in (found, *re.split("[.:/]", found)) if word}
        return bool(self._new(ToolSet(sorted(words)) if words else None, whole=True).read(text).calls)

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        # A call that was cut off, or cannot be read, stays text.
        return _result(self._new(tools_of(tools), whole=True).read(text))

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        if self._reader is None:
            self._reader = self._new(tools_of(tools))
        return self._sent(self._reader.feed(new_text))

    def finish(self, tools: list[Any]) -> Any:  # noqa: ARG002  # SGLang's interface
        if self._reader is None:
            return StreamingParseResult()
        found = self._sent(self._reader.finish())
        self.incomplete_tool_call_indices = self._reader.broken
        self.streamed_args_for_tool = ["".join(parts) for parts in self._arguments]
        for call, arguments in zip(self.prev_tool_call_arr, self.streamed_args_for_tool, strict=True):
            call["arguments"] = arguments
        return found

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
        # SGLang logs what this raises, and then asks for calls in JSON, which are read as well.
        if self._syntax.format is None:
            return None
        name = getattr(getattr(tool_choice, "function", None), "name", None)
        return structural_tag(
            self._syntax.format,
            tools or [],
            str(name or tool_choice),
            parallel=parallel_tool_calls,
            reasoning=thinking_mode,
        )

    def _new(self, tools: ToolSet | None, *, whole: bool = False) -> TurnReader:
        options = options_from_environment()
        # SGLang has a variable of its own for its own parsers.
        if options.unknown_tools is None and envs.SGLANG_FORWARD_UNKNOWN_TOOLS.get():
            options = changed(options, unknown_tools="call")
        return TurnReader(self._syntax, tools, reasoning=False, whole_calls=whole, options=options)

    def _sent(self, piece: TurnDelta) -> Any:
        for part in piece.calls:
            if part.name:
                self.prev_tool_call_arr.append({"name": part.name, "arguments": ""})
                self.streamed_args_for_tool.append("")
                self._arguments.append([])
                self.current_tool_id = part.index
            self._arguments[part.index].append(part.arguments)
        return _result(piece)


def _result(piece: TurnDelta) -> Any:
    return StreamingParseResult(normal_text=piece.content, calls=list(_items(piece)))


def _items(piece: TurnDelta) -> Iterable[Any]:
    for part in piece.calls:
        yield ToolCallItem(tool_index=part.index, name=part.name or None, parameters=part.arguments)
