# The events of a response, and how a whole response is written as them. Does not depend on what becomes of an event
# (reader.py), on how calls are found in text, on how events are numbered, or on any client's objects.
"""The items of one response of the Responses API, as a stream sends them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolglean.conversation.fields import field, listed

__all__ = [
    "ADDED",
    "DELTAS",
    "DONE",
    "ENDS",
    "ITEM_DONE",
    "KINDS",
    "PARTS_DONE",
    "PART_ADDED",
    "REASONING_TEXT",
    "TEXT",
]
__all__ += ["THOUGHT", "THOUGHT_DONE", "Event", "events_of", "with_output"]

ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
PART_ADDED = "response.content_part.added"
TEXT = "response.output_text.delta"
THOUGHT = "response.reasoning_text.delta"
THOUGHT_DONE = "response.reasoning_text.done"
PARTS_DONE = frozenset({"response.output_text.done", THOUGHT_DONE, "response.content_part.done"})
DONE = PARTS_DONE | {ITEM_DONE}
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
REASONING_TEXT = "reasoning_text"
DELTAS = {TEXT: "text", THOUGHT: "thinking"}
"""The events of a piece of text that is read."""
KINDS = {"message": "text", "reasoning": "thinking"}
"""The items that contain it."""
PARTS = {"message": ("output_text", TEXT), "reasoning": (REASONING_TEXT, THOUGHT)}
"""The type of their parts with text, and of the events of a piece."""
Event = Mapping[str, Any]


def events_of(response: Any) -> Iterator[Event]:
    """The events by which a server would have sent the items of this response."""
    for place, item in enumerate(listed(response, "output") if isinstance(response, Mapping) else ()):
        at = {"output_index": place}
        kind, delta = PARTS.get(str(field(item, "type")), ("", ""))
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
