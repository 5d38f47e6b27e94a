# The items of one response: ours, with the parts of text that they come from; and which events of the function calls
# that the server has parsed are sent, and when.
# Does not depend on what becomes of the server's other events (reader.py), on how calls are found in text, on how
# events are numbered, or on any client's objects.
#
#   the text has given no call of that name     its events are sent as they come
#   the text has given one                      they wait until its item is done: if both are the same call, none of
#                                               them is sent, otherwise all are
"""The items of one response of the Responses API: ours, and the function calls that the server has parsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.turn.duplicates import SentCall
from toolglean.clients.turn.text import TurnText
from toolglean.conversation.fields import arguments_of
from toolglean.conversation.fields import field as field_of

__all__ = ["ADDED", "ITEM_DONE", "Item", "Part", "ServerItems"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
Event = Mapping[str, Any]


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
        self._duplicates = turn.duplicates
        self._take = turn.take
        self._open: dict[int, SentCall] = {}  # those being sent, by their output indexes
        self._undecided: dict[int, list[Event]] = {}

    def read(self, kind: str, place: int, event: Event) -> list[Event] | None:
        """The events that can be sent after this one; None if it does not belong to a function call."""
        item = event.get("item")
        if kind in {ADDED, ITEM_DONE} and field_of(item, "type") == "function_call" and place not in self.dropped:
            return self._begun(place, event) if kind == ADDED else self._done(place, event, item)
        if place in self._undecided:
            self._undecided[place].append(event)
            return []
        return [] if place in self.dropped else None

    def finish(self) -> list[Event]:
        """No more will arrive: the events that waited."""
        for sent in self._open.values():
            self._duplicates.drop(sent)
        self._open.clear()
        undecided, self._undecided = self._undecided, {}
        return [event for events in undecided.values() for event in events]

    def _begun(self, place: int, event: Event) -> list[Event]:
        name = field_of(event.get("item"), "name")
        if self._duplicates.was_written(name) is None:
            self._undecided[place] = [event]
            return []
        self._take()
        self._open[place] = self._duplicates.add_parsed(name)
        return [event]

    def _done(self, place: int, event: Event, item: Any) -> list[Event]:
        sent = self._open.pop(place, None)
        if sent is not None:
            arguments, unread = arguments_of(field_of(item, "arguments"))
            sent.arguments = arguments
            if unread:
                self._duplicates.drop(sent)
            return [event]
        waited = self._undecided.pop(place, [])
        if self._duplicates.was_call_written(item):
            self.dropped.add(place)
            return []
        self._take()
        self._duplicates.add_parsed_call(item)
        return [*waited, event]
