# The parser of calls that SGLang and TensorRT-LLM have in common: TensorRT-LLM's interface began as a copy of SGLang's.
# Does not depend on the classes of either: their adapters (sglang/calls.py, tensorrt_llm/parsers.py) add them. Does not
# depend on how calls are found (reading.py).
#
# The server makes a parser for each answer. It calls either `parse_streaming_increment` for each delta, then `finish`;
# or `has_tool_call`, then `detect_and_parse`, with the whole text. Reasoning has been removed before, if the server has
# a parser for it.
#
# At the end of a stream SGLang compares the last entry of `prev_tool_call_arr` with that of `streamed_args_for_tool`,
# and sends what is missing in the second. So both contain the same text, which is empty while the call is being
# written, because appending to it with each delta would take quadratic time. The server sends "tool_calls" as the
# finish reason unless `incomplete_tool_call_indices` has an entry.
"""A parser of calls for servers whose parsers are modelled on SGLang's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from toolglean.conversation.fields import json_of
from toolglean.engine.by_schema.beginnings import begins
from toolglean.engines.environment import options_from_environment
from toolglean.engines.reading import TurnDelta, TurnReader
from toolglean.engines.syntax import ModelSyntax, tools_of
from toolglean.options import ParserOptions, changed
from toolglean.tools import ToolSet

__all__ = ["Detector"]

NAME = re.compile(r"[\w-]{1,256}(?:[.:/][\w.:/-]{1,256})?")
"""Text that may be the name of a tool."""
STRING = re.compile(r'"(?:[^"\\\n]|\\.){1,256}"')
"""A string of JSON, which may be any name."""
_line = re.compile(r"(?:^|</\w{1,64}>)[ \t]*(?=\S)", re.MULTILINE).finditer  # content begins behind the reasoning, too
_named_first = re.compile(  # a turn that begins with a name and pairs
    r"\s*[^\W\d][\w.-]*+(?:[(<]|[ \t]*[\n{\[|=:\"-]|[ \t]+-{0,2}[\w-]+[ \t]*[=:]|[ \t]+<[\w-]+>[^<\n]*</)"
).match


class _AnyName(frozenset[str]):
    """The names of tools that are not known: any word may be one."""

    def __contains__(self, name: object) -> bool:
        return bool(name)

    def isdisjoint(self, words: Iterable[object], /) -> bool:
        return not any(words)


_ANY_NAME = _AnyName()


class Detector:
    """Reads calls from a turn whose reasoning has been removed. A subclass has the server's base class as well.

    Attributes:
        result_class: the server's class for what a delta makes certain, with `normal_text` and `calls`.
        item_class: its class for a part of a call, with `tool_index`, `name` and `parameters`.
        prev_tool_call_arr, streamed_args_for_tool, current_tool_id: of the server's base class.
        incomplete_tool_call_indices: the calls that were streamed and did not end well.
    """

    result_class: ClassVar[Any]
    item_class: ClassVar[Any]
    prev_tool_call_arr: list[dict[str, Any]]
    streamed_args_for_tool: list[str]
    current_tool_id: int
    incomplete_tool_call_indices: set[int]

    def begin(self, syntax: ModelSyntax) -> None:
        """Begin a turn.

        Args:
            syntax: how the model writes.
        """
        self._syntax = syntax
        self._reader: TurnReader | None = None
        self._arguments: list[list[str]] = []  # of each call, in pieces
        self.incomplete_tool_call_indices = set()

    def options(self) -> ParserOptions:
        """How calls are read."""
        return options_from_environment()

    def has_tool_call(self, text: str) -> bool:
        """Whether a whole text contains a call."""
        # The request's tools are not known here, and the server reads the text only if this is true. Calls by their
        # schema are not read without one, so a line that may begin one is enough. Some other calls are read only for a
        # known tool, so let every word be one.
        if _named_first(text) or any(_may_begin(text, line.end()) for line in _line(text)):
            return True
        names = {name for found in NAME.findall(text) for name in _names_in(found)}
        names |= {name for name in map(json_of, STRING.findall(text)) if isinstance(name, str)}
        options = changed(self.options(), unknown_tools="call")
        return bool(self._new(ToolSet(sorted(names - {""})) if names else None, options, whole=True).read(text).calls)

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        """A whole text. A call that was cut off, or cannot be read, stays text."""
        return self._result(self._new(tools_of(tools), whole=True).read(text))

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        """What a piece of a stream makes certain."""
        if self._reader is None:
            self._reader = self._new(tools_of(tools))
        return self._sent(self._reader.feed(new_text))

    def finish(self, tools: list[Any]) -> Any:  # noqa: ARG002  # the server's interface
        """The stream is over: what was held back."""
        if self._reader is None:
            return self.result_class()
        found = self._sent(self._reader.finish())
        self.incomplete_tool_call_indices = self._reader.broken
        self.streamed_args_for_tool = ["".join(parts) for parts in self._arguments]
        for call, arguments in zip(self.prev_tool_call_arr, self.streamed_args_for_tool, strict=True):
            call["arguments"] = arguments
        return found

    def _new(self, tools: ToolSet | None, options: ParserOptions | None = None, *, whole: bool = False) -> TurnReader:
        options = options or self.options()
        return TurnReader(self._syntax, tools, reasoning=False, whole_calls=whole, options=options)

    def _sent(self, piece: TurnDelta) -> Any:
        for part in piece.calls:
            if part.name:
                self.prev_tool_call_arr.append({"name": part.name, "arguments": ""})
                self.streamed_args_for_tool.append("")
                self._arguments.append([])
                self.current_tool_id = part.index
            self._arguments[part.index].append(part.arguments)
        return self._result(piece)

    def _result(self, piece: TurnDelta) -> Any:
        calls = [
            self.item_class(tool_index=part.index, name=part.name or None, parameters=part.arguments)
            for part in piece.calls
        ]
        return self.result_class(normal_text=piece.content, calls=calls)


def _may_begin(text: str, place: int) -> bool:
    return bool(begins(text, place, _ANY_NAME, opens_content=False, at_end=False))


def _names_in(word: str) -> list[str]:
    # Each part, and each end: a namespace or a marker may come before the name.
    return [word, *re.split("[.:/]", word), *(word[sign.end() :] for sign in re.finditer("[.:/]", word))]
