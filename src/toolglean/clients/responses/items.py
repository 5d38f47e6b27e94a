# The items of one response: ours, with the parts of text that they come from; which events of the function calls that
# the server has parsed are sent; and the events that would have sent a whole response.
# Does not depend on when they are sent (conversation/reading/parsed.py), on what becomes of the server's other events
# (reader.py), on how calls are found in text, on how events are numbered, or on any client's objects.
"""The items of one response of the Responses API: ours, and the function calls that the server has parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import TurnText, listed

__all__ = ["ADDED", "ITEM_DONE", "PART_ADDED", "TEXT", "Item", "Part", "ServerItems", "call_item", "events_of"]
__all__ += ["reasoning_item", "with_output"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
PART_ADDED = "response.content_part.added"
TEXT = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
TEXTS = {"message": ("output_text", TEXT), "reasoning": ("reasoning_text", THOUGHT)}
"""The items with text that is read: the type of their parts, and of the events of a piece."""
Event = Mapping[str, Any]


def call_item(number: str, call_id: str, name: str, arguments: str = "", status: str = "in_progress") -> dict[str, Any]:
    """An item of ours with a call; `number`: what its own id ends with."""
    found = {"id": f"fc_{number}", "type": "function_call", "call_id": call_id, "name": name}
    return found | {"arguments": arguments, "status": status}


def reasoning_item(number: str, *texts: str) -> dict[str, Any]:
    """An item of ours with reasoning; `number`: as for `call_item`."""
    content = [{"type": "reasoning_text", "text": text} for text in texts]
    return {"id": f"rs_{number}", "type": "reasoning", "summary": [], "content": content}


@dataclass(slots=True)
class Item:
    """An item of ours, as far as it has been sent."""

    index: int  # of the output
    body: dict[str, Any]
    pieces: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "".join(self.pieces)

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self.index, "sequence_number": 0, **fields}

    def filled(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.event(kind, item_id=self.body["id"], **fields)


@dataclass(slots=True)
class Part:
    """One text part of a message: its parser, what remained text, and the item that is open in it."""

    turn: TurnText
    place: int | None  # the server's output index
    event: Mapping[str, Any]  # the last delta: what was held back is sent in a copy of it
    text: list[str] = field(default_factory=list)
    item: Item | None = None
    thinks: bool = False
    over: bool = False
    gave: bool = False  # whether it gave an item

    @property
    def left(self) -> str:
        return "".join(self.text)


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
        if kind in {ADDED, ITEM_DONE} and field_of(item, "type") == "function_call" and place not in self.dropped:
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
        return [*call.add(event), *call.decide(field_of(item, "name"))]

    def _done(self, place: int, event: Event, item: Any) -> list[Event]:
        call = self._calls.pop(place, None) or ParsedCall(self._turn)
        arguments = read_arguments(field_of(item, "arguments"))
        found = [*call.add(event), *call.decide(field_of(item, "name"), arguments, over=True)]
        call.note(arguments, over=True)
        if call.dropped:
            self.dropped.add(place)
        return found


def events_of(response: Any) -> Iterator[Event]:
    """The events by which a server would have sent the items of this response."""
    for place, item in enumerate(listed(response, "output") if isinstance(response, Mapping) else ()):
        at = {"output_index": place}
        kind, delta = TEXTS.get(str(field_of(item, "type")), ("", ""))
        parts = listed(item, "content") if kind and isinstance(item, Mapping) else ()
        yield {"type": ADDED, **at, "item": {**item, "content": []} if parts else item}
        for index, part in enumerate(parts):
            own = {"item_id": -1 - place, **at, "content_index": index}  # some items have no id
            text = field_of(part, "text") if field_of(part, "type") == kind else None
            yield {"type": PART_ADDED, **own, "part": {**part, "text": ""} if isinstance(text, str) else part}
            if text and isinstance(text, str):
                yield {"type": delta, **own, "delta": text}
        yield {"type": ITEM_DONE, **at, "item": item}


def with_output(response: Mapping[str, Any], output: list[Any]) -> dict[str, Any]:
    """The response with other items. Some servers repeat the text in `output_text`."""
    found = {**response, "output": output}
    if isinstance(response.get("output_text"), str) and output != response.get("output"):
        parts = [part for item in output if field_of(item, "type") == "message" for part in listed(item, "content")]
        texts = [field_of(part, "text") for part in parts if field_of(part, "type") == "output_text"]
        found["output_text"] = "".join(text for text in texts if isinstance(text, str))
    return found
