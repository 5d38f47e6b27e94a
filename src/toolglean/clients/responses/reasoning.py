# The reasoning items that a server sends itself, and the calls in them: which of their events are sent, when, and with
# which text. Does not depend on how a call is found (conversation/reading), or on the items that calls become.
#
#   nothing in the text may begin a call    its events are sent as they come
#   something may                           they wait, with all events after them, until it is clear whether it is one
#   text of a message, or a call follows    it was none: they are sent as they came
#   the response is complete                it was one: they are sent with the text that remains
"""The reasoning items of one response of the Responses API that the server has parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.clients.responses.items import ADDED, ITEM_DONE
from toolglean.conversation.fields import field
from toolglean.conversation.reading.text import TurnText, listed
from toolglean.events import Event, Reasoning

__all__ = ["ENDS", "ServerReasoning"]

DELTA = "response.reasoning_text.delta"
DONE = "response.reasoning_text.done"
PART_DONE = "response.content_part.done"
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
REASONING_TEXT = "reasoning_text"

Wire = Mapping[str, Any]
Key = tuple[Any, Any]


class ServerReasoning:
    """The reasoning in one response.

    Args:
        turn: reads it.
    """

    def __init__(self, turn: TurnText) -> None:
        self._turn = turn
        self._held: list[Wire] = []
        self._told: list[str] = []  # what is certain to be text, of the events that wait
        self._rewrites = False  # whether a call was taken out, so that the events no longer have the server's text
        self._last: Wire = {}  # the last delta
        self._left: dict[Key, list[str]] = {}  # the text of each part that was sent

    @property
    def waits(self) -> bool:
        """Whether events are held back."""
        return bool(self._held)

    def read(self, event: Wire) -> list[Wire | Event]:
        """What an event of the response becomes: events of the server, and those of calls."""
        kind = event.get("type")
        if kind == DELTA and isinstance(event.get("delta"), str):
            return self._delta(event)
        if self._rewrites:
            return [*self._said(self._turn.stop_thinking()), self._with_left(event)]
        if not self._held:
            return [event]
        if kind in ENDS:
            return [*self._over(cut=kind != "response.completed"), self._with_left(event)]
        if _goes_on(str(kind), event):
            return [*self.release(), event]
        self._held.append(event)
        return []

    def release(self) -> list[Wire | Event]:
        """The turn goes on, or has broken off: the events that were held back, as they came."""
        self._turn.stop_thinking()
        self._told.clear()
        held, self._held = self._held, []
        for each in held:
            self._note(each)
        return [*held]

    def _delta(self, event: Wire) -> list[Wire | Event]:
        self._last = event
        events = self._turn.think(event["delta"])
        if self._rewrites:
            return self._said(events)
        self._held.append(event)
        if any(type(each) is not Reasoning for each in events):
            return self._taken_out(events)
        self._told += [each.text for each in events if type(each) is Reasoning]
        if self._turn.waits:
            return []
        return self.release()

    def _over(self, *, cut: bool) -> list[Wire | Event]:
        events = self._turn.end_thinking(cut=cut)
        calls = [each for each in events if type(each) is not Reasoning]
        if not calls:
            return self.release()
        # The reasoning items end before the calls begin.
        return [*self._taken_out([each for each in events if type(each) is Reasoning]), *calls]

    def _taken_out(self, events: list[Event]) -> list[Wire | Event]:
        # A call is the turn's: from here on, each event has the text that remains.
        self._rewrites = True
        held, self._held = self._held, []
        first = next(each for each in held if each.get("type") == DELTA)
        found: list[Wire | Event] = []
        for each in held:
            if each is first:
                self._last = first
                before = [Reasoning("".join(self._told), 0)] if self._told else []
                found += self._said([*before, *events])
            elif each.get("type") != DELTA:
                found.append(self._with_left(each))
        self._told.clear()
        return found

    def _said(self, events: Iterable[Event]) -> list[Wire | Event]:
        found: list[Wire | Event] = []
        for event in events:
            if type(event) is Reasoning:
                delta = {**self._last, "delta": event.text}
                self._note(delta)
                found.append(delta)
            else:
                found.append(event)
        return found

    # -- what later events repeat --------------------------------------------------------------------------------------

    def _note(self, event: Wire) -> None:
        if event.get("type") == DELTA:
            for key in _keys(event):
                self._left.setdefault(key, []).append(event["delta"])

    def _with_left(self, event: Wire) -> Wire:
        kind, item = event.get("type"), event.get("item")
        if kind == DONE or (kind == PART_DONE and field(event.get("part"), "type") == REASONING_TEXT):
            text = next(("".join(self._left[key]) for key in _keys(event) if key in self._left), "")
            return {**event, "text": text} if kind == DONE else {**event, "part": {**event["part"], "text": text}}
        if kind == ITEM_DONE and isinstance(item, Mapping):
            return {**event, "item": self._item(item, event.get("output_index"))}
        said = event.get("response")
        if kind in ENDS and isinstance(said, Mapping) and isinstance(said.get("output"), list):
            output = [self._item(each, place) for place, each in enumerate(said["output"])]
            return {**event, "response": {**said, "output": output}}
        return event

    def _item(self, item: Any, place: Any) -> Any:
        if field(item, "type") != "reasoning" or not listed(item, "content"):
            return item
        return {**item, "content": [self._part(*each, item.get("id"), place) for each in enumerate(item["content"])]}

    def _part(self, index: int, part: Any, *names: Any) -> Any:
        if field(part, "type") != REASONING_TEXT:
            return part
        return {
            **part,
            "text": next(("".join(self._left[key, index]) for key in names if (key, index) in self._left), ""),
        }


def _goes_on(kind: str, event: Wire) -> bool:
    # Whether something other than reasoning follows it: text, or an item of another kind with content.
    if kind == ADDED:
        return field(event.get("item"), "type") not in {"message", "reasoning"}
    return kind.endswith(".delta") and not kind.startswith("response.reasoning") and bool(event.get("delta"))


def _keys(event: Wire) -> list[Key]:
    # Some servers send other ids at the end.
    index = event.get("content_index")
    names = (event.get("item_id"), event.get("output_index"))
    return [(name, index) for name in names if isinstance(name, str | int) and isinstance(index, int | None)]
