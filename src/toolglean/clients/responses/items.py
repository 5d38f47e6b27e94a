# The items of a response, and the events by which they are sent: how a whole response is written as them, and the items
# that toolglean adds for the calls and the reasoning in its text. Does not depend on how calls are found in text, or on
# what becomes of the server's own items (reader.py).
"""The items of one response of the Responses API, as a stream sends them."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any

from toolglean.conversation.fields import field, listed, refused_end
from toolglean.events import CallDelta, CallEnd, CallStart, Status

__all__ = [
    "ADDED",
    "ARGUMENTS",
    "CALL",
    "DELTAS",
    "ITEM_DONE",
    "PARTS_DONE",
    "PART_ADDED",
    "TEXT",
    "TEXTS",
    "OurItems",
    "events_of",
]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
PART_ADDED = "response.content_part.added"
TEXT = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
THOUGHT_DONE = "response.reasoning_text.done"
PARTS_DONE = frozenset({"response.output_text.done", THOUGHT_DONE, "response.content_part.done"})
ARGUMENTS = "response.function_call_arguments"
CALL = "function_call"
REASONING_TEXT = "reasoning_text"
TEXTS = {"message": ("text", "output_text", TEXT), "reasoning": ("thinking", REASONING_TEXT, THOUGHT)}
"""The items with text: what their text is, the type of the parts that contain it, and that of the events of a piece."""
DELTAS = {delta: kind for kind, _, delta in TEXTS.values()}
"""The events of a piece of text that is read."""


def events_of(response: Any) -> Iterator[Mapping[str, Any]]:
    """The events by which a server would have sent the items of this response, as far as they are read."""
    for place, item in enumerate(listed(response, "output") if isinstance(response, Mapping) else ()):
        _, kind, delta = TEXTS.get(str(field(item, "type")), ("", "", ""))
        yield {"type": ADDED, "output_index": place, "item": item}
        for index, part in enumerate(listed(item, "content") if kind and isinstance(item, Mapping) else ()):
            text = field(part, "text") if field(part, "type") == kind else None
            at = {"output_index": place, "content_index": index}
            if not isinstance(text, str):
                yield {"type": PART_ADDED, "part": part, **at}
                continue
            yield {"type": PART_ADDED, "part": {"type": kind, "text": ""}, **at}
            yield {"type": delta, "delta": text, **at}
        yield {"type": ITEM_DONE, "output_index": place, "item": item}


# -- ours --------------------------------------------------------------------------------------------------------------


class OurItems:
    """Numbers the items, and writes their events. One item of ours is open at a time.

    Args:
        id_prefix: what the number in an id begins with.

    Attributes:
        next: the next free output index.
        ended: our items that have ended, by their output index: the output index of the server's item in which each was
            found (infinite, if in none), whether it comes before it (-1) or after it (1) in a whole response, its body.
        open: the one that is being sent, as it began.
    """

    def __init__(self, id_prefix: str) -> None:
        self.next = 0
        self.ended: dict[int, tuple[float, int, dict[str, Any]]] = {}
        self.open: dict[str, Any] = {}
        self._index, self._place = 0, math.inf  # of that item, and of the server's in which it was found
        self._pieces: list[str] = []  # of its text
        self._prefix = id_prefix

    def call(self, event: CallStart | CallDelta | CallEnd, place: float) -> list[dict[str, Any]]:
        """The events for an event of a call that was found in the server's item at that output index."""
        if type(event) is CallStart:
            call_id = event.id or f"{self._prefix}{event.index}"
            body = {"call_id": call_id, "name": event.name, "arguments": "", "status": "in_progress"}
            return [*self.end_thought(), self._opened(place, "fc", CALL, body)]
        if self.open and type(event) is CallDelta:
            return [self._said(f"{ARGUMENTS}.delta", event.text)]
        return self._end(event.call.status) if self.open and isinstance(event, CallEnd) else []

    def thought(self, text: str, place: float) -> list[dict[str, Any]]:
        """The events for a piece of reasoning that was found there."""
        opened = [] if self.open else [self._opened(place, "rs", "reasoning", {"summary": [], "content": []})]
        return [*opened, self._said(THOUGHT, text, content_index=0)]

    def end_thought(self) -> list[dict[str, Any]]:
        """The events for the end of the reasoning that is open, if there is any."""
        if self.open.get("type") != "reasoning":
            return []
        text = "".join(self._pieces)
        done = self._event(THOUGHT_DONE, item_id=self.open["id"], content_index=0, text=text)
        return [done, self._closed(-1, content=[{"type": REASONING_TEXT, "text": text}])]

    def _end(self, status: Status) -> list[dict[str, Any]]:
        # A client may ignore the item's status, and join the pieces itself: of a call that must not run, they are not
        # JSON either.
        text = "".join(self._pieces)
        if status != "ok":
            broken = refused_end(text, status)
            last = [self._said(f"{ARGUMENTS}.delta", broken)] if broken else []
            return [*last, self._closed(1, arguments=text + broken, status="incomplete")]
        whole = text or "{}"
        done = self._event(f"{ARGUMENTS}.done", item_id=self.open["id"], name=self.open["name"], arguments=whole)
        return [done, self._closed(1, arguments=whole, status="completed")]

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self._index, "sequence_number": 0, **fields}

    def _said(self, kind: str, text: str, **at: int) -> dict[str, Any]:
        self._pieces.append(text)
        return self._event(kind, item_id=self.open["id"], **at, delta=text)

    def _opened(self, place: float, letters: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        self.open = {"id": f"{letters}_{self._prefix}{len(self.ended)}", "type": kind, **body}
        self._index, self._place, self._pieces = self.next, place, []
        self.next += 1
        return self._event(ADDED, item=self.open)

    def _closed(self, side: int, **body: Any) -> dict[str, Any]:
        item, self.open = self.open | body, {}
        self.ended[self._index] = self._place, side, copy.deepcopy(item)
        return self._event(ITEM_DONE, item=item)
