# Where leaked calls and reasoning go in a whole response of the Responses API, on plain dicts.
# Does not depend on streams (reader.py), on the openai package's objects (openai/objects.py), or on how calls are
# written.
#
# A message becomes the reasoning that was in it, the message with the remaining text, and its calls: OpenAI's own
# order. A message that ends up empty is left out, as OpenAI leaves it out.
"""Leaked calls in whole answers of the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from toolglean.clients.responses.items import call_item, reasoning_item
from toolglean.clients.responses.reasoning import reasoning_texts, with_texts
from toolglean.clients.responses.types import ResponseDict
from toolglean.conversation.fields import field
from toolglean.conversation.reading.arguments import TurnArguments, text_for
from toolglean.conversation.reading.text import Tools, listed, whole_turn
from toolglean.events import ToolCall, fold
from toolglean.options import options_of

__all__ = ["dict_response", "is_empty", "with_output"]


def is_empty(parts: Iterable[Any]) -> bool:
    """Whether the parts of a message are all text, and all empty."""
    return all(
        isinstance(part, Mapping) and part.get("type") == "output_text" and not part.get("text") for part in parts
    )


def dict_response(response: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]) -> ResponseDict:
    """The same for a response that was not streamed: see `dict_response_events`. The argument is not changed.

    Reasoning in a message's text becomes an item before the message, its calls become items after it. A message that
    ends up empty is left out. Calls that were cut off, or cannot be read, stay in the text.
    """
    reader = _WholeReader(tools, parsing)
    output = listed(response, "output")
    for item in output:
        if field(item, "type") == "function_call":
            reader.turn.take_whole(item)
    places = reader.places_of_calls(output)
    cut = response.get("status") in ("incomplete", "failed")  # a server may send any value
    found = [
        each
        for place, item in enumerate(output)
        for each in (reader.reasoning(item, cut=cut) if place in places else reader.read(item))
    ]
    repaired: Any = with_output(response, found) if found else dict(response)
    typed: ResponseDict = repaired  # it has whatever fields the server sent
    return typed


def with_output(response: Mapping[str, Any], output: list[Any]) -> dict[str, Any]:
    """The response with other items. Some servers repeat the text in `output_text`."""
    found = {**response, "output": output}
    if isinstance(response.get("output_text"), str) and output != response.get("output"):
        parts = [part for item in output if field(item, "type") == "message" for part in listed(item, "content")]
        texts = [field(part, "text") for part in parts if field(part, "type") == "output_text"]
        found["output_text"] = "".join(text for text in texts if isinstance(text, str))
    return found


def _says_nothing(item: Any) -> bool:
    kind = field(item, "type")
    return (kind == "message" and is_empty(listed(item, "content"))) or kind == "reasoning"


class _WholeReader:
    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self.turn = text_for(tools, {**parsing, "whole_calls": True})
        self._at_once = options_of(parsing.get("options")).calls_in_reasoning == "call"
        self._prefix = self.turn.id_prefix
        self._made = 0

    def places_of_calls(self, output: Iterable[Any]) -> set[int]:
        """Where there is reasoning of the server's own whose calls are the turn's: at the end, or anywhere if the user
        wants so.
        """
        found: list[int] = []
        for place, item in enumerate(output):
            if reasoning_texts(item):
                found = [*found, place] if self._at_once else [place]
            elif not (self._at_once or _says_nothing(item)):
                found = []
        return set(found)

    def reasoning(self, item: Mapping[str, Any], *, cut: bool) -> list[Any]:
        """The items that a reasoning item becomes: itself, without its calls, and these.

        Args:
            item: the item.
            cut: whether the response was cut off.
        """
        texts = reasoning_texts(item)
        last = max(texts)
        left: dict[int, str] = {}
        calls: list[ToolCall] = []
        for place, text in texts.items():
            events = self.turn.think(text)
            events += self.turn.end_thinking(cut=cut) if place == last else self.turn.stop_thinking()
            output = fold(events)
            left[place] = output.reasoning
            calls += output.calls
        return [with_texts(item, left) if calls else item, *map(self._call, calls)]

    def read(self, item: Any) -> list[Any]:
        """The items that an item of the output becomes."""
        if not isinstance(item, Mapping) or item.get("type") != "message" or not listed(item, "content"):
            return [item]
        thoughts: list[Any] = []
        calls: list[Any] = []
        parts = [self._part(part, thoughts, calls) for part in listed(item, "content")]
        repaired = [] if (thoughts or calls) and is_empty(parts) else [{**item, "content": parts}]
        return [*thoughts, *repaired, *calls]

    def _part(self, part: Any, thoughts: list[Any], calls: list[Any]) -> Any:
        text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "output_text" else None
        if not isinstance(text, str) or not text:
            return part
        left, output = whole_turn(text, self.turn.part())
        if output.reasoning:
            thoughts.append(reasoning_item(self._id(), output.reasoning))
        calls += map(self._call, output.calls)
        return {**part, "text": left}

    def _call(self, call: ToolCall) -> dict[str, Any]:
        return call_item(self._id(), call.id, call.name, call.arguments_text or "{}", "completed")

    def _id(self) -> str:
        self._made += 1
        return f"{self._prefix}{self._made - 1}"
