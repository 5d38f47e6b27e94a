# SGLang's parsers as its own server uses them (entrypoints/openai/serving_chat.py): reasoning,
# then calls; at the end of a stream both are flushed, and arguments that were not streamed yet are sent.
# Does not depend on what is right.
#
# TOOLGLEAN_SGLANG_SOURCE is the unpacked wheel, where it is not installed.
"""SGLang."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

SOURCE = os.environ.get("TOOLGLEAN_SGLANG_SOURCE", "")
if SOURCE:
    sys.path.insert(0, SOURCE)
logging.disable(logging.CRITICAL)

from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: E402
from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: E402
from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: E402

from benchmarks.peers.tokens import markers_of, pieces  # noqa: E402
from toolglean.formats.registry import find_format  # noqa: E402

REASONING = {"hermes": "qwen3", "qwen3-coder": "qwen3", "deepseek-v3.1": "deepseek-v3", "kimi-k2": "kimi_k2"}
LEFT_OUT = {"gpt-oss", "response_template"}
"""harmony is read from ids; a response template is the model's own."""


@cache
def tool_parsers() -> dict[str, str]:
    """By the name of our format: the first of SGLang's parsers with a name that means it."""
    found = {"hermes": "qwen25"}  # the one that its documents name for Qwen's models
    for name in FunctionCallParser.ToolCallParserEnum:
        declared = find_format(name)
        if declared is not None and name not in LEFT_OUT:
            found.setdefault(declared.name, name)
    return found


@cache
def reasoning_parser(name: str) -> str | None:
    """Its parser of reasoning for that format."""
    same = (each for each in ReasoningParser.DetectorMap if getattr(find_format(each), "name", "") == name)
    return REASONING.get(name) or next(same, None)


class Sglang:
    """A turn, read as `sglang serve --tool-call-parser NAME` reads it."""

    reasons = False

    def __init__(self, tools: list[dict[str, Any]], format: str | None = None, start: str | None = None) -> None:
        name = tool_parsers().get(format or "")
        reasoning = reasoning_parser(format or "") if self.reasons else None
        if name is None or (self.reasons and reasoning is None):
            raise NotImplementedError
        self.markers = markers_of(format, ("<think>", "</think>"))
        self._calls = FunctionCallParser([Tool.model_validate(tool) for tool in tools], name)
        self._reasoning: Any = None
        if reasoning is not None:
            self._reasoning = ReasoningParser(reasoning, force_reasoning=start == "reasoning")
        self._streamed: dict[int, str] = {}

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self.markers)

    def whole(self, text: str) -> dict[str, Any]:
        reasoning = ""
        if self._reasoning is not None:
            reasoning, text = self._reasoning.parse_non_stream(text)
        if not self._calls.has_tool_call(text or ""):
            return {"content": text, "reasoning": reasoning}
        content, calls = self._calls.parse_non_stream(text or "")
        return {
            "content": content,
            "reasoning": reasoning,
            "calls": [{"name": call.name, "arguments": call.parameters} for call in calls],
        }

    def feed(self, chunk: str) -> dict[str, Any] | None:
        if not chunk:
            return None
        reasoning = ""
        if self._reasoning is not None:
            reasoning, chunk = self._reasoning.parse_stream_chunk(chunk)
        return self._delta(reasoning, *(self._calls.parse_stream_chunk(chunk) if chunk else ("", [])))

    def finish(self) -> dict[str, Any]:
        reasoning, chunk = self._reasoning.parse_stream_end() if self._reasoning is not None else ("", "")
        found = [self._delta(reasoning, *(self._calls.parse_stream_chunk(chunk) if chunk else ("", [])))]
        found.append(self._delta("", *self._calls.parse_stream_end()))
        return {
            "content": "".join(each["content"] for each in found),
            "reasoning": found[0]["reasoning"],
            "calls": [*found[0]["calls"], *found[1]["calls"], *self._rest()],
        }

    def _delta(self, reasoning: str | None, content: str | None, calls: list[Any]) -> dict[str, Any]:
        rows = [{"index": call.tool_index, "name": call.name, "arguments": call.parameters} for call in calls]
        return {"content": content or "", "reasoning": reasoning or "", "calls": rows}

    def _rest(self) -> list[dict[str, Any]]:
        # What the server sends at the end: `_check_for_unstreamed_tool_args`.
        detector = self._calls.detector
        known = getattr(detector, "prev_tool_call_arr", None) or []
        streamed = getattr(detector, "streamed_args_for_tool", None) or []
        last = len(known) - 1
        if not 0 <= last < len(streamed):
            return []
        wanted = known[last].get("arguments", {})
        wanted = wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)
        if not wanted.startswith(streamed[last]):
            return []
        return [{"index": last, "name": None, "arguments": wanted[len(streamed[last]) :]}]


class SglangReasoning(Sglang):
    """The same with `--reasoning-parser`."""

    reasons = True


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    known, name = [Tool.model_validate(tool) for tool in tools], tool_parsers()[format]
    return lambda: FunctionCallParser(known, name)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], reasons: bool) -> Callable[[], Any]:  # noqa: FBT001
    """What reads a turn."""
    make = maker(format, tools)
    name = reasoning_parser(format)

    def read() -> None:
        feed = make().parse_stream_chunk
        if not reasons:
            for chunk in chunks:
                feed(chunk)
            return
        think = ReasoningParser(name).parse_stream_chunk
        for chunk in chunks:
            _, rest = think(chunk)
            if rest:
                feed(rest)

    return read
