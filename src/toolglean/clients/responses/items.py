# The items of a response, and the events by which they are sent: how a whole response is written as them, and the items
# that toolglean adds for the calls and the reasoning in its text. Does not depend on how calls are found in text, or on
# what becomes of the server's own items (reader.py).
"""The items of one response of the Responses API, as a stream sends them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.conversation.fields import field as field_of
from toolglean.conversation.fields import listed, unrunnable
from toolglean.events import CallDelta, CallEnd, CallStart, Status

__all__ = ["ADDED", "DONE", "ENDS", "ITEM_DONE", "PARTS_DONE", "PART_ADDED", "TEXT", "TEXTS", "Event", "OurItems"]
__all__ += ["events_of", "with_output"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
PART_ADDED = "response.content_part.added"
TEXT = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
THOUGHT_DONE = "response.reasoning_text.done"
PARTS_DONE = frozenset({"response.output_text.done", THOUGHT_DONE, "response.content_part.done"})
DONE = PARTS_DONE | {ITEM_DONE}
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
ARGUMENTS = "response.function_call_arguments"
REASONING_TEXT = "reasoning_text"
TEXTS = {"message": ("text", "output_text", TEXT), "reasoning": ("thinking", REASONING_TEXT, THOUGHT)}
"""The items with text: what their text is, the type of the parts that contain it, and that of the events of a piece."""
Event = Mapping[str, Any]


def events_of(response: Any) -> Iterator[Event]:
    """The events by which a server would have sent the items of this response, as far as they are read."""
    for place, item in enumerate(listed(response, "output") if isinstance(response, Mapping) else ()):
        _, kind, delta = TEXTS.get(str(field_of(item, "type")), ("", "", ""))
        yield {"type": ADDED, "output_index": place, "item": item}
        for index, part in enumerate(listed(item, "content") if kind and isinstance(item, Mapping) else ()):
            text = field_of(part, "text") if field_of(part, "type") == kind else None
            said = {"type": delta, "delta": text} if isinstance(text, str) else {"type": PART_ADDED, "part": part}
            yield {**said, "output_index": place, "content_index": index}
        yield {"type": ITEM_DONE, "output_index": place, "item": item}


def with_output(response: Mapping[str, Any], output: list[Any]) -> dict[str, Any]:
    """The response with other items. Some servers repeat the text in `output_text`."""
    found = {**response, "output": output}
    if isinstance(response.get("output_text"), str) and output != response.get("output"):
        parts = [part for item in output if field_of(item, "type") == "message" for part in listed(item, "content")]
        texts = [field_of(part, "text") for part in parts if field_of(part, "type") == "output_text"]
        found["output_text"] = "".join(text for text in texts if isinstance(text, str))
    return found


# -- ours --------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Item:
    """An item of ours, as far as it has been sent."""

    index: int  # of the output
    place: float  # of the server's item in which it was found
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
            found (infinite, if in none), whether it comes before it (-1) or after it (1) in a whole response, its body.
        open: the one that is being sent.
    """

    def __init__(self, id_prefix: str) -> None:
        self.next = 0
        self.ended: dict[int, tuple[float, int, dict[str, Any]]] = {}
        self.open: _Item | None = None
        self._prefix = id_prefix

    def call(self, event: CallStart | CallDelta | CallEnd, place: float) -> list[dict[str, Any]]:
        """The events for an event of a call that was found in the server's item at that output index."""
        item = self.open
        if type(event) is CallStart:
            call_id = event.id or f"{self._prefix}{event.index}"
            body = {"call_id": call_id, "name": event.name, "arguments": "", "status": "in_progress"}
            return [*self.end_thought(), self._opened(place, "fc", "function_call", body)]
        if item is not None and type(event) is CallDelta:
            item.pieces.append(event.text)
            return [item.filled(f"{ARGUMENTS}.delta", delta=event.text)]
        return [] if item is None or not isinstance(event, CallEnd) else self._end(item, event.call.status)

    def thought(self, text: str, place: float) -> list[dict[str, Any]]:
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
        return [done, self._closed(item, -1, content=[{"type": REASONING_TEXT, "text": item.whole}])]

    def _end(self, item: _Item, status: Status) -> list[dict[str, Any]]:
        # A client may ignore the item's status, so the arguments of a call that must not run are not JSON either.
        ok = status == "ok"
        whole = item.whole or "{}" if ok else unrunnable(item.whole, status)
        done = item.filled(f"{ARGUMENTS}.done", name=item.body["name"], arguments=whole)
        over = self._closed(item, 1, arguments=whole, status="completed" if ok else "incomplete")
        return [done, over] if ok else [over]

    def _opened(self, place: float, letters: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        own = f"{letters}_{self._prefix}{len(self.ended)}"
        self.open = _Item(self.next, place, {"id": own, "type": kind, **body})
        self.next += 1
        return self.open.event(ADDED, item=dict(self.open.body))

    def _closed(self, item: _Item, side: int, **body: Any) -> dict[str, Any]:
        self.open = None
        self.ended[item.index] = item.place, side, copy.deepcopy(item.body | body)
        return item.event(ITEM_DONE, item=item.body | body)
