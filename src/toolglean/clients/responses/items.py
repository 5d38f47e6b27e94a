# The items of one response that are the server's: which events of the function calls that it has parsed are sent, and
# the events that would have sent a whole response.
# Does not depend on when they are sent (conversation/reading/parsed.py), on what becomes of the server's other events
# (reader.py), on how calls are found in text, on how events are numbered, or on any client's objects.
"""The items of one response of the Responses API that are the server's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import field, listed
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["ADDED", "ITEM_DONE", "PART_ADDED", "REASONING_TEXT", "TEXT", "THOUGHT", "THOUGHT_DONE"]
__all__ += ["ServerItems", "events_of", "with_output"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
PART_ADDED = "response.content_part.added"
TEXT = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
THOUGHT_DONE = "response.reasoning_text.done"
REASONING_TEXT = "reasoning_text"
TEXTS = {"message": ("output_text", TEXT), "reasoning": (REASONING_TEXT, THOUGHT)}
"""The items with text that is read: the type of their parts, and of the events of a piece."""
Event = Mapping[str, Any]


class ServerItems:
    """The server's function calls in one response.

    Args:
        turn: the response's text.

    Attributes:
        dropped: the output indexes of those that the text has given, and which are not sent again.
    """

    def __init__(self, turn: TurnText) -> None:
        self.dropped: set[int] = set()
        self._turn = turn
        self._calls: dict[int, ParsedCall] = {}  # those that are not over, by their output indexes

    def read(self, kind: str, place: int, event: Event) -> list[Event] | None:
        """The events that can be sent after this one; None if it does not belong to a function call that waits."""
        item = event.get("item")
        if kind in {ADDED, ITEM_DONE} and field(item, "type") == "function_call" and place not in self.dropped:
            return self._begun(place, event, item) if kind == ADDED else self._done(place, event, item)
        if place in self._calls and self._calls[place].waits:
            return self._calls[place].add(event)
        return [] if place in self.dropped else None

    def finish(self) -> list[Event]:
        """No more will arrive: the events that waited."""
        calls, self._calls = self._calls, {}
        return [event for call in calls.values() for event in call.release()]

    def _begun(self, place: int, event: Event, item: Any) -> list[Event]:
        call = self._calls[place] = ParsedCall(self._turn)
        return [*call.add(event), *call.decide(field(item, "name"))]

    def _done(self, place: int, event: Event, item: Any) -> list[Event]:
        call = self._calls.pop(place, None) or ParsedCall(self._turn)
        arguments = read_arguments(field(item, "arguments"))
        found = [*call.add(event), *call.decide(field(item, "name"), arguments, over=True)]
        call.note(arguments, over=True)
        if call.dropped:
            self.dropped.add(place)
        return found


def events_of(response: Any) -> Iterator[Event]:
    """The events by which a server would have sent the items of this response."""
    for place, item in enumerate(listed(response, "output") if isinstance(response, Mapping) else ()):
        at = {"output_index": place}
        kind, delta = TEXTS.get(str(field(item, "type")), ("", ""))
        parts = listed(item, "content") if kind and isinstance(item, Mapping) else ()
        yield {"type": ADDED, **at, "item": {**item, "content": []} if parts else item}
        for index, part in enumerate(parts):
            own = {"item_id": -1 - place, **at, "content_index": index}  # some items have no id
            text = field(part, "text") if field(part, "type") == kind else None
            yield {"type": PART_ADDED, **own, "part": {**part, "text": ""} if isinstance(text, str) else part}
            if text and isinstance(text, str):
                yield {"type": delta, **own, "delta": text}
        yield {"type": ITEM_DONE, **at, "item": item}


def with_output(response: Mapping[str, Any], output: list[Any]) -> dict[str, Any]:
    """The response with other items. Some servers repeat the text in `output_text`."""
    found = {**response, "output": output}
    if isinstance(response.get("output_text"), str) and output != response.get("output"):
        parts = [part for item in output if field(item, "type") == "message" for part in listed(item, "content")]
        texts = [field(part, "text") for part in parts if field(part, "type") == "output_text"]
        found["output_text"] = "".join(text for text in texts if isinstance(text, str))
    return found
