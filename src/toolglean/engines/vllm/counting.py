# Which token ids of an answer belong to its reasoning. Does not depend on vLLM, or on how reasoning is found.
#
# vLLM may ask after each piece of a stream, with all ids so far: those that were read before are not read again.
"""How many tokens the reasoning took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolglean.engines.syntax import ModelSyntax
from toolglean.engines.vllm.tokens import Tokens
from toolglean.events import Event, Reasoning
from toolglean.parser import Parser

__all__ = ["ReasoningCount"]


class ReasoningCount:
    """Counts the tokens of one answer.

    Args:
        syntax: how the model writes.
        begin: where the answer begins: `prompt` or `in_reasoning`, as for `TurnReader`.
    """

    __slots__ = ("_certain", "_last", "_parser", "_places", "_read", "_seen")

    def __init__(self, syntax: ModelSyntax, begin: Mapping[str, Any]) -> None:
        prompt = begin.get("prompt", "")
        start: dict[str, Any] = {"prompt": prompt} if prompt else {}
        if begin.get("in_reasoning"):
            start["start"] = "reasoning"
        self._parser = Parser(**start, **syntax.arguments)
        self._places: list[int] = []  # where the tokens begin that are not yet known to be one or the other
        self._seen = 0  # the end of the text that was read
        self._read = 0  # how many ids were read
        self._last: Any = None
        self._certain = 0

    def goes_on(self, ids: Sequence[Any]) -> bool:
        """Whether these ids continue the last ones."""
        return len(ids) >= self._read and (not self._read or ids[self._read - 1] == self._last)

    def read(self, tokens: Tokens, ids: Sequence[Any]) -> int:
        """How many of these ids belong to the reasoning. Those that were read before are not read again."""
        for text in tokens.texts(ids[self._read :]):
            self._places.append(self._seen)
            self._seen += len(text)
            self._certain += self._counted(self._parser.feed(text))
        self._read = len(ids)
        self._last = ids[-1] if len(ids) else None
        held = self._places.copy()
        found = self._certain + self._counted(self._parser.fork().finish())
        self._places = held
        return found

    def _counted(self, events: Iterable[Event]) -> int:
        found = 0
        for event in events:
            end = event.start
            if type(event) is Reasoning:
                end += len(event.text)
                found += sum(event.start <= place < end for place in self._places)
            self._places = [place for place in self._places if place >= end]
        return found
