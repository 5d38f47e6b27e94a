# transformers' `ResponseParser` with the response templates that `transformers serve` uses for models without one of
# their own (cli/serving/utils.py). Runs in a Python that has transformers; torch is not needed. Tried with transformers
# 5.23.0.
#
#   a stream      ResponseParser.feed for each chunk, then finalize, with their events as the server streams them; what
#                 finalize cannot read is left out, as there
#   a whole turn  feed and finalize, with the message that they give
#   format        the type of a model that writes so (MODELS); its template reads reasoning and calls
#
# Not claimed: formats without a template in that table. By design it raises an error for a call that is not JSON:
# without streaming, and in the middle of a stream, the request fails. Does not depend on what is right.
"""`toolglean conformance --target transformers`."""

from __future__ import annotations

import ast
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

from transformers.utils.chat_parsing import ResponseParser

from toolglean.kit.conformance.targets.tokens import Adapter

__all__ = ["MODELS", "Transformers"]

MODELS = {"hermes": "qwen3", "qwen3-coder": "qwen3_5", "gemma-4": "gemma4"}
"""For each format: the type of a model that has a template in the table."""

TABLE = "_RESPONSE_TEMPLATE_FALLBACKS"


@cache
def templates() -> dict[tuple[str, ...], Any]:
    """The table, evaluated from its source: the module itself imports torch."""
    spec = importlib.util.find_spec("transformers")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "cli" / "serving" / "utils.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = [getattr(each, "id", "") for each in getattr(node, "targets", [getattr(node, "target", None)])]
        if TABLE in names:
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            assert node.value is not None
            found: dict[tuple[str, ...], Any] = eval(compile(ast.Expression(node.value), path, "eval"))  # noqa: S307
            return found
    raise NotImplementedError(f"{path} has no {TABLE}")


class Transformers(Adapter):
    """A turn, read as `transformers serve` reads it."""

    def open(self) -> None:
        """See `Adapter`."""
        model = MODELS.get(self.format or "")
        if model is None:
            raise NotImplementedError(
                f"transformers has no response template for {self.format or 'turns of no known format'}"
            )
        template = next(template for types, template in templates().items() if model in types)
        anchor = template["start_anchor"]
        prefix = (anchor if isinstance(anchor, str) else anchor[0]) + ("<think>\n" if self.opened else "")
        self.parser = ResponseParser(template, prefix=prefix, tools=self.tools)

    def whole(self, text: str) -> dict[str, Any]:
        """The answer to a whole turn."""
        self.parser.feed(self._tokens.passed(text))
        message, _ = self.parser.finalize()
        return {
            "content": message.get("content"),
            "reasoning": message.get("reasoning_content"),
            "calls": [_call(value) for value in message.get("tool_calls") or ()],
        }

    def feed(self, chunk: str) -> dict[str, Any]:
        """The answer to a chunk."""
        return _answer(self.parser.feed(self._tokens.passed(chunk)))

    def finish(self) -> dict[str, Any]:
        """The answer to the end. What cannot be read there is left out, as by the server's streamer."""
        try:
            _, events = self.parser.finalize()
        except (ValueError, RuntimeError):
            events = []
        return _answer(events)


def _call(value: dict[str, Any]) -> dict[str, Any]:
    arguments = value["function"]["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"name": value["function"]["name"], "arguments": text}


def _answer(events: list[dict[str, Any]]) -> dict[str, Any]:
    # As `response_events_to_chunks`: text as it comes, and calls once they are whole.
    answer: dict[str, Any] = {"content": "", "reasoning": "", "calls": []}
    places = {"content": "content", "reasoning_content": "reasoning"}
    for event in events:
        if event["type"] == "region_chunk" and not event.get("dirty") and event.get("field") in places:
            answer[places[event["field"]]] += event.get("text") or ""
        elif event["type"] == "region_close" and event.get("field") == "tool_calls":
            answer["calls"].append(_call(event["value"]))
    return answer
