# The items that toolglean adds to a response, for the calls and the reasoning in its text, and the events by which they
# are sent. Does not depend on how calls are found in text, or on what becomes of the server's own items (reader.py).
"""The items of one response of the Responses API that are ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.responses.items import ADDED, ITEM_DONE, REASONING_TEXT, THOUGHT, THOUGHT_DONE
from toolglean.conversation.fields import unrunnable
from toolglean.conversation.reading.text import TurnText
from toolglean.events import CallDelta, CallEnd, CallStart, Status

__all__ = ["OurItems", "Part"]

ARGUMENTS = "response.function_call_arguments"


@dataclass(slots=True)
class _Item:
    """An item of ours, as far as it has been sent."""

    index: int  # of the output
    body: dict[str, Any]
    pieces: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "".join(self.pieces)

    @property
    def thinks(self) -> bool:
        return bool(self.body["type"] == "reasoning")

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self.index, "sequence_number": 0, **fields}

    def filled(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.event(kind, item_id=self.body["id"], **fields)


@dataclass(slots=True)
class Part:
    """One text of an item of the server: its reader, what remained text, and the item of ours that is open in it."""

    turn: TurnText
    place: int | None  # the server's output index
    event: Mapping[str, Any]  # the last delta: what was held back is sent in a copy of it
    text: list[str] = field(default_factory=list)
    item: _Item | None = None
    over: bool = False
    gave: bool = False  # whether it gave an item

    @property
    def left(self) -> str:
        return "".join(self.text)


class OurItems:
    """Numbers the items, and writes their events.

    Args:
        id_prefix: what the number in an id begins with.

    Attributes:
        next: the next free output index.
        ended: our items that have ended, by their output index: the output index of the server's item in which each was
            found, and its body.
    """

    def __init__(self, id_prefix: str) -> None:
        self.next = 0
        self.ended: dict[int, tuple[int | None, dict[str, Any]]] = {}
        self._prefix = id_prefix
        self._made = 0

    def call(self, part: Part, event: CallStart | CallDelta | CallEnd) -> list[dict[str, Any]]:
        """The events for an event of a call in that part."""
        if type(event) is CallStart:
            call_id = event.id or f"{self._prefix}{event.index}"
            body = {"call_id": call_id, "name": event.name, "arguments": "", "status": "in_progress"}
            return [*self.end_thought(part), self._opened(part, "fc", "function_call", body)]
        item = part.item
        if item is None:
            return []
        if type(event) is CallDelta:
            item.pieces.append(event.text)
            return [item.filled(f"{ARGUMENTS}.delta", delta=event.text)]
        return self._end(part, item, event.call.status) if isinstance(event, CallEnd) else []

    def thought(self, part: Part, text: str) -> list[dict[str, Any]]:
        """The events for a piece of reasoning in that part."""
        opened = [] if part.item else [self._opened(part, "rs", "reasoning", {"summary": [], "content": []})]
        item = part.item
        assert item is not None  # it was opened above
        item.pieces.append(text)
        return [*opened, item.filled(THOUGHT, content_index=0, delta=text)]

    def end_thought(self, part: Part) -> list[dict[str, Any]]:
        """The events for the end of the reasoning that is open in that part, if there is any."""
        item = part.item
        if item is None or not item.thinks:
            return []
        done = item.filled(THOUGHT_DONE, content_index=0, text=item.whole)
        return [done, self._closed(part, item, content=[{"type": REASONING_TEXT, "text": item.whole}])]

    def _end(self, part: Part, item: _Item, status: Status) -> list[dict[str, Any]]:
        # A client may ignore the item's status, so the arguments of a call that must not run are not JSON either.
        ok = status == "ok"
        whole = item.whole or "{}" if ok else unrunnable(item.whole, status)
        done = item.filled(f"{ARGUMENTS}.done", name=item.body["name"], arguments=whole)
        over = self._closed(part, item, arguments=whole, status="completed" if ok else "incomplete")
        return [done, over] if ok else [over]

    def _opened(self, part: Part, letters: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        part.gave = True
        part.item = _Item(self.next, {"id": f"{letters}_{self._prefix}{self._made}", "type": kind, **body})
        self.next += 1
        self._made += 1
        return part.item.event(ADDED, item=dict(part.item.body))

    def _closed(self, part: Part, item: _Item, **body: Any) -> dict[str, Any]:
        part.item = None
        self.ended[item.index] = part.place, item.body | body
        return item.event(ITEM_DONE, item=item.body | body)
