# Transformers' `ResponseParser` with the response templates that `transformers serve` falls back
# to for models without one of their own (cli/serving/utils.py).
# Does not depend on what is right.
"""transformers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from transformers.utils.chat_parsing import ResponseParser

MODELS = {"hermes": "qwen3", "qwen3-coder": "qwen3_5", "gemma-4": "gemma4"}
"""The formats for which it has a template, by the type of a model that writes so."""


@cache
def templates() -> Any:
    """The table, read from its source: the module itself imports torch."""
    spec = importlib.util.find_spec("transformers")
    assert spec is not None
    assert spec.origin is not None
    source = (Path(spec.origin).parent / "cli" / "serving" / "utils.py").read_text(encoding="utf-8")
    begin = source.index("_RESPONSE_TEMPLATE_FALLBACKS = {")
    end = source.index("\n}\n", begin) + 2
    names: dict[str, Any] = {}
    exec(source[begin:end], names)  # noqa: S102  # transformers' own table
    return names["_RESPONSE_TEMPLATE_FALLBACKS"]


class Transformers:
    """A turn, read as `transformers serve` reads it."""

    def __init__(self, tools: list[dict[str, Any]], format: str | None = None, start: str | None = None) -> None:
        model = MODELS.get(format or "")
        if model is None:
            raise NotImplementedError
        template = next(template for types, template in templates().items() if model in types)
        anchor = template["start_anchor"]
        prefix = (anchor if isinstance(anchor, str) else anchor[0]) + ("<think>\n" if start == "reasoning" else "")
        self._parser = ResponseParser(template, prefix=prefix, tools=tools)

    def feed(self, chunk: str) -> None:
        self._parser.feed(chunk)

    def finish(self) -> dict[str, Any]:
        message, _ = self._parser.finalize()
        return {
            "content": message.get("content"),
            "reasoning": message.get("reasoning_content"),
            "calls": [
                {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
                for call in message.get("tool_calls") or ()
            ],
        }


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    return lambda: Transformers(tools, format)._parser


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:  # noqa: FBT001
    """What reads a turn."""
    make = maker(format, tools)

    def read() -> None:
        parser = make()
        feed = parser.feed
        for chunk in chunks:
            feed(chunk)
        parser.finalize()

    return read
