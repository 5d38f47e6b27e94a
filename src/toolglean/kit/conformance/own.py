# toolglean's own parser, in the protocol of the kit. Uses only what users can use.
"""`toolglean conformance --parser toolglean.kit.conformance.own:Own`: the default."""

from __future__ import annotations

from typing import Any

from toolglean.errors import UsageError
from toolglean.events import Event, fold
from toolglean.parser import Parser

__all__ = ["Auto", "Own"]


class Own:
    """A parser that gets the format, or otherwise the model, of each case, as a server would pass it."""

    def __init__(
        self,
        tools: list[dict[str, Any]],
        format: str | None = None,  # noqa: A002  # the field's own word
        model: str | None = None,
        start: Any = None,
        atomic: list[str] | None = None,
    ) -> None:
        try:
            self._parser = Parser(tools, format=format, model=None if format else model, start=start, atomic=atomic)
        except UsageError:  # a model whose format is not known
            self._parser = Parser(tools, start=start, atomic=atomic)
        self._chunks: list[str] = []

    def feed(self, chunk: str, special: Any = None) -> dict[str, Any]:
        """The answer to a chunk, of which special tokens wrote these spans."""
        self._chunks.append(chunk)
        return self._answer(self._parser.feed(chunk, special))

    def finish(self) -> dict[str, Any]:
        """The answer to the end of the turn."""
        return self._answer(self._parser.finish())

    def _answer(self, events: list[Event]) -> dict[str, Any]:
        output = fold(events)
        return {
            "content": output.content,
            "reasoning": output.reasoning,
            "calls": [{"name": call.name, "arguments": call.arguments} for call in output.calls],
            "unfinished": ["".join(self._chunks)[slice(*call.span)] for call in output.unfinished],
        }


class Auto(Own):
    """A parser that gets only the tools, and whether the prompt has opened the reasoning."""

    def __init__(self, tools: list[dict[str, Any]], start: Any = None, atomic: list[str] | None = None) -> None:
        super().__init__(tools, start=start, atomic=atomic)
