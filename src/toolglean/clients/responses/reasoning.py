# The reasoning items that a server sends itself, and the calls in them: which of their events are sent, and when.
# Does not depend on how a call is found (conversation/reading), on the items that calls become, or on what later events
# repeat of the text (reader.py).
#
#   nothing in the text may begin a call    its events are sent as they come
#   something may                           they wait, with all events after them, until it is clear whether it is one
#   text of a message, or a call follows    it was none: they are sent as they came
#   the response is complete                it was one: they are sent with the text that remains
"""The reasoning items of one response of the Responses API that the server has parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.clients.responses.items import ADDED, THOUGHT
from toolglean.conversation.fields import field
from toolglean.conversation.reading.text import TurnText
from toolglean.events import Event, Reasoning

__all__ = ["ENDS", "ServerReasoning"]

ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})

Wire = Mapping[str, Any]


class ServerReasoning:
    """The reasoning in one response.

    Args:
        turn: reads it.

    Attributes:
        rewrites: whether a call was taken out, so that the events no longer have the server's text.
    """

    def __init__(self, turn: TurnText) -> None:
        self._turn = turn
        self._held: list[Wire] = []
        self._told: list[str] = []  # what is certain to be text, of the events that wait
        self.rewrites = False
        self._last: Wire = {}  # the last delta

    @property
    def waits(self) -> bool:
        """Whether events are held back."""
        return bool(self._held)

    def read(self, event: Wire) -> list[Wire | Event]:
        """What an event of the response becomes: events of the server, and those of calls."""
        kind = event.get("type")
        if kind == THOUGHT and isinstance(event.get("delta"), str):
            return self._delta(event)
        if self.rewrites:
            return [*self._said(self._turn.stop_thinking()), event]
        if not self._held:
            return [event]
        if str(kind) in ENDS:
            return [*self._over(cut=kind != "response.completed"), event]
        if _goes_on(str(kind), event):
            return [*self.release(), event]
        self._held.append(event)
        return []

    def release(self) -> list[Wire | Event]:
        """The turn goes on, or has broken off: the events that were held back, as they came."""
        self._turn.stop_thinking()
        self._told.clear()
        held, self._held = self._held, []
        return [*held]

    def _delta(self, event: Wire) -> list[Wire | Event]:
        self._last = event
        events = self._turn.think(event["delta"])
        if self.rewrites:
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
        self.rewrites = True
        held, self._held = self._held, []
        first = next(each for each in held if each.get("type") == THOUGHT)
        found: list[Wire | Event] = []
        for each in held:
            if each is first:
                self._last = first
                before = [Reasoning("".join(self._told), 0)] if self._told else []
                found += self._said([*before, *events])
            elif each.get("type") != THOUGHT:
                found.append(each)
        self._told.clear()
        return found

    def _said(self, events: Iterable[Event]) -> list[Wire | Event]:
        return [{**self._last, "delta": each.text} if type(each) is Reasoning else each for each in events]


def _goes_on(kind: str, event: Wire) -> bool:
    # Whether something other than reasoning follows it: text, or an item of another kind with content.
    if kind == ADDED:
        return field(event.get("item"), "type") not in {"message", "reasoning"}
    return kind.endswith(".delta") and not kind.startswith("response.reasoning") and bool(event.get("delta"))
