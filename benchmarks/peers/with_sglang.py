# How SGLang's parsers are timed: those that the adapter of the conformance kit (targets/sglang.py) uses.
# Does not depend on what is right.
"""SGLang."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser

from toolglean.kit.conformance.targets.flags import parsers_of

__all__ = ["maker", "reader"]


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    known = [Tool.model_validate(tool) for tool in tools]
    name, _ = parsers_of("sglang", "SGLang", format, reasons=False)
    return lambda: FunctionCallParser(known, name)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], reasons: bool) -> Callable[[], Any]:
    """What reads a turn."""
    make = maker(format, tools)
    _, name = parsers_of("sglang", "SGLang", format, reasons=reasons)

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
