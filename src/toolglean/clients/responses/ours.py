# The items that toolglean adds to a response, for the calls and the reasoning in its text, and the events by which they
# are sent. Does not depend on how calls are found in text, or on what becomes of the server's own items (reader.py).
"""The items of one response of the Responses API that are ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.responses.items import ADDED, ITEM_DONE, REASONING_TEXT, THOUGHT, THOUGHT_DONE
from toolglean.conversation.fields import unrunnable
from toolglean.events import CallDelta, CallEnd, CallStart, Status

__all__ = ["OurItems"]

ARGUMENTS = "response.function_call_arguments"


@dataclass(slots=True)
class _Item:
    """An item of ours, as far as it has been sent."""

    index: int  # of the output
    place: int | None  # of the server's item in which it was found
    body: dict[str, Any]
    pieces: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "".join(self.pieces)

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self.index, "sequence_number": 0, **fields}

    def filled(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.event(kind, item_id=self.body["id"], **fields)


class OurItems:
    """Numbers the items, and writes their events. One item of ours is open at a time.

    Args:
        id_prefix: what the number in an id begins with.

    Attributes:
        next: the next free output index.
        ended: our items that have ended, by their output index: the output index of the server's item in which each was
            found, and its body.
        open: the one that is being sent.
    """

    def __init__(self, id_prefix: str) -> None:
        self.next = 0
        self.ended: dict[int, tuple[int | None, dict[str, Any]]] = {}
        self.open: _Item | None = None
        self._prefix = id_prefix
        self._made = 0

    def call(self, event: CallStart | CallDelta | CallEnd, place: int | None) -> list[dict[str, Any]]:
        """The events for an event of a call that was found in the server's item at that output index."""
        if type(event) is CallStart:
            call_id = event.id or f"{self._prefix}{event.index}"
            body = {"call_id": call_id, "name": event.name, "arguments": "", "status": "in_progress"}
            return [*self.end_thought(), self._opened(place, "fc", "function_call", body)]
        item = self.open
        if item is None:
            return []
        if type(event) is CallDelta:
            item.pieces.append(event.text)
            return [item.filled(f"{ARGUMENTS}.delta", delta=event.text)]
        return self._end(item, event.call.status) if isinstance(event, CallEnd) else []

    def thought(self, text: str, place: int | None) -> list[dict[str, Any]]:
        """The events for a piece of reasoning that was found there."""
        opened = [] if self.open else [self._opened(place, "rs", "reasoning", {"summary": [], "content": []})]
        assert self.open is not None  # it was opened above
        self.open.pieces.append(text)
        return [*opened, self.open.filled(THOUGHT, content_index=0, delta=text)]

    def end_thought(self) -> list[dict[str, Any]]:
        """The events for the end of the reasoning that is open, if there is any."""
        item = self.open
        if item is None or item.body["type"] != "reasoning":
            return []
        done = item.filled(THOUGHT_DONE, content_index=0, text=item.whole)
        return [done, self._closed(item, content=[{"type": REASONING_TEXT, "text": item.whole}])]

    def _end(self, item: _Item, status: Status) -> list[dict[str, Any]]:
        # A client may ignore the item's status, so the arguments of a call that must not run are not JSON either.
        ok = status == "ok"
        whole = item.whole or "{}" if ok else unrunnable(item.whole, status)
        done = item.filled(f"{ARGUMENTS}.done", name=item.body["name"], arguments=whole)
        over = self._closed(item, arguments=whole, status="completed" if ok else "incomplete")
        return [done, over] if ok else [over]

    def _opened(self, place: int | None, letters: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        self.open = _Item(self.next, place, {"id": f"{letters}_{self._prefix}{self._made}", "type": kind, **body})
        self.next += 1
        self._made += 1
        return self.open.event(ADDED, item=dict(self.open.body))

    def _closed(self, item: _Item, **body: Any) -> dict[str, Any]:
        self.open = None
        self.ended[item.index] = item.place, item.body | body
        return item.event(ITEM_DONE, item=item.body | body)
