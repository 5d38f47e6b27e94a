# What this file knows: which events of the function calls that the server has parsed go out in the Responses API, and
# when.
# What it must not know: how calls are found in text, how events are numbered, any client's objects.
#
#   no call of that name came out of the text       its events go out as they come
#   one did                                         they wait until its item is done: if both are the same call, none of
#                                                   them goes out, else all do
"""The function calls of the Responses API that the server has parsed itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolglean.clients.both_ways import BothWays, Met
from toolglean.conversation.fields import arguments_of, field

__all__ = ["ADDED", "ITEM_DONE", "OwnItems"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
Event = Mapping[str, Any]


class OwnItems:
    """The server's function calls in one response.

    Args:
        both: the calls of the response that came one way only so far.
        take: called for each call that goes out.

    Attributes:
        dropped: the output indexes of those that came out of the text, and do not go out again.
    """

    def __init__(self, both: BothWays, take: Callable[[], None]) -> None:
        self.dropped: set[int] = set()
        self._both = both
        self._take = take
        self._open: dict[int, Met] = {}  # those that go out, by their output indexes
        self._undecided: dict[int, list[Event]] = {}

    def read(self, kind: str, place: int, event: Event) -> list[Event] | None:
        """The events that go out after this one came; None: it is no function call's."""
        item = event.get("item")
        if kind in {ADDED, ITEM_DONE} and field(item, "type") == "function_call" and place not in self.dropped:
            return self._begun(place, event) if kind == ADDED else self._done(place, event, item)
        if place in self._undecided:
            self._undecided[place].append(event)
            return []
        return [] if place in self.dropped else None

    def finish(self) -> list[Event]:
        """No more will come: what waited."""
        for met in self._open.values():
            self._both.drop(met)
        self._open.clear()
        undecided, self._undecided = self._undecided, {}
        return [event for events in undecided.values() for event in events]

    def _begun(self, place: int, event: Event) -> list[Event]:
        name = field(event.get("item"), "name")
        if self._both.was_written(name) is None:
            self._undecided[place] = [event]
            return []
        self._take()
        self._open[place] = self._both.parsed(name)
        return [event]

    def _done(self, place: int, event: Event, item: Any) -> list[Event]:
        met = self._open.pop(place, None)
        if met is not None:
            arguments, unread = arguments_of(field(item, "arguments"))
            met.arguments = arguments
            if unread:
                self._both.drop(met)
            return [event]
        waited = self._undecided.pop(place, [])
        if self._both.was_written_whole(item):
            self.dropped.add(place)
            return []
        self._take()
        self._both.parsed_whole(item)
        return [*waited, event]
