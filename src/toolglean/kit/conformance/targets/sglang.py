# SGLang's parsers as its server uses them (entrypoints/openai/serving_chat.py). Runs in a Python that has SGLang, on
# any processor: no model is loaded. Tried with SGLang 0.5.23 (the unpacked wheel and what its parsers import are
# enough).
#
#   a stream      ReasoningParser.parse_stream_chunk, and what it leaves to FunctionCallParser.parse_stream_chunk; at
#                 the end parse_stream_end of both, and the arguments that were not streamed yet
#   a whole turn  parse_non_stream of both; if reading calls raises an error, the text is content, as in the server
#   format        the names for --tool-call-parser and, where reasoning matters, for --reasoning-parser (flags.json)
#
# Not claimed: harmony (it is read from token ids) and formats without a parser. Does not depend on what is right.
"""`toolglean conformance --target sglang`."""

from __future__ import annotations

import json
import logging
from typing import Any

logging.disable(logging.CRITICAL)

from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest, Tool  # noqa: E402  # after the setting
from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: E402
from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: E402

from toolglean.kit.conformance.targets.flags import parsers_of  # noqa: E402
from toolglean.kit.conformance.targets.tokens import Adapter  # noqa: E402

__all__ = ["Sglang"]


class Sglang(Adapter):
    """A turn, read as `sglang serve --tool-call-parser NAME` reads it."""

    def open(self) -> None:
        """See `Adapter`."""
        name, reasoning = parsers_of("sglang", "SGLang", self.format, id=self.id, reasons=self.reasons)
        self._calls = FunctionCallParser([Tool.model_validate(tool) for tool in self.tools], name)
        self._reasoning: Any = None
        if self.reasons:
            messages = [{"role": "user", "content": "hi"}]
            self._reasoning = ReasoningParser(
                reasoning,
                force_reasoning=self.opened,
                request=ChatCompletionRequest(model="m", messages=messages, tools=self.tools),
                tool_call_parser_active=True,
            )

    def whole(self, text: str) -> dict[str, Any]:
        """The answer to a whole turn."""
        reasoning, text = "", self._tokens.passed(text)
        if self._reasoning is not None:
            reasoning, text = self._reasoning.parse_non_stream(text)
        text = text or ""
        if not self._calls.has_tool_call(text):
            return {"content": text, "reasoning": reasoning}
        try:
            content, calls = self._calls.parse_non_stream(text)
        except Exception:  # noqa: BLE001  # as `_process_tool_calls` of the server
            return {"content": text, "reasoning": reasoning}
        return {
            "content": content,
            "reasoning": reasoning,
            "calls": [{"name": call.name, "arguments": call.parameters} for call in calls],
        }

    def feed(self, chunk: str) -> dict[str, Any] | None:
        """The answer to a chunk."""
        chunk = self._tokens.passed(chunk)
        if not chunk:
            return None
        reasoning: str | None = ""
        if self._reasoning is not None:
            reasoning, chunk = self._reasoning.parse_stream_chunk(chunk)
        return _delta(reasoning, *(self._calls.parse_stream_chunk(chunk) if chunk else ("", [])))

    def finish(self) -> dict[str, Any]:
        """The answer to the end."""
        reasoning, chunk = self._reasoning.parse_stream_end() if self._reasoning is not None else ("", "")
        last = _delta(reasoning, *(self._calls.parse_stream_chunk(chunk) if chunk else ("", [])))
        end = _delta("", *self._calls.parse_stream_end())
        return {
            "content": last["content"] + end["content"],
            "reasoning": last["reasoning"],
            "calls": [*last["calls"], *end["calls"], *self._rest()],
        }

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


def _delta(reasoning: str | None, content: str | None, calls: list[Any]) -> dict[str, Any]:
    rows = [{"index": call.tool_index, "name": call.name, "arguments": call.parameters} for call in calls]
    return {"content": content or "", "reasoning": reasoning or "", "calls": rows}
