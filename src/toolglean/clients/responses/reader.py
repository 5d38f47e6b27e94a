# Moves leaked calls from the text of the Responses API into separate items, on plain dicts.
# Does not depend on the openai package's objects (openai/objects.py), on how calls are written, on what waits for what
# (conversation/reading/sources.py), on how our items are written (items.py), or on how a server names its own
# (places.py).
#
#   the server's event                             what becomes of it
#   those of a function_call                       unchanged, unless the text has given it already
#   response.output_item.added (a message),
#   content_part.added                             unchanged, with the first text that remains; left out if there was
#                                                  reasoning or a call, and no text remains
#   response.output_text.delta                     text without calls, or other events instead (below)
#   response.output_text.done, content_part.done,
#   output_item.done (a message)                   with the text that remains
#   response.completed, .incomplete, .failed       with that text, and our items in their places
#   all others                                     unchanged
#
#   our events for a call                          response.output_item.added (a function_call, in progress),
#                                                  response.function_call_arguments.delta …, .done,
#                                                  response.output_item.done
#   our events for reasoning in the text           response.output_item.added (a reasoning),
#                                                  response.reasoning_text.delta …, .done, response.output_item.done
#
# Every event is renumbered, because there are more of them. An item of ours gets the next free output index, so the
# server's later items move up. A message waits for its first text, because OpenAI sends reasoning first.
"""Leaked calls in the Responses API, streamed and whole, on plain dicts."""

from __future__ import annotations

import math
from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any, Unpack, cast

from toolglean.clients.lane import Plain
from toolglean.clients.responses.items import (
    ADDED,
    CALL,
    DELTAS,
    ITEM_DONE,
    PART_ADDED,
    PARTS_DONE,
    TEXT,
    OurItems,
    events_of,
)
from toolglean.clients.responses.places import ServerItem, ServerItems, is_call, keys_of
from toolglean.clients.responses.types import ResponseDict, ResponseEventDict
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.fields import listed, text_of
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.conversation.reading.sources import Source, SourceReader, Wire
from toolglean.conversation.reading.text import Tools
from toolglean.events import CallDelta, CallEnd, CallStart

__all__ = ["ResponseReader", "adict_response_events", "dict_response", "dict_response_events"]

NUMBER = "sequence_number"
DONE = PARTS_DONE | {ITEM_DONE}
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
WAITS = DONE | {ADDED, TEXT}
"""The events that a message without any text has, too: they wait with its beginning."""


class ResponseReader(SourceReader):
    """Reads the events of one response.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    _source: ServerItem | None
    _last: ServerItem | None

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        super().__init__(tools, parsing)
        self._items = ServerItems()
        self._indexes: dict[
            ServerItem | int, int
        ] = {}  # ours, of the server's items; of an unknown one, by the server's
        self._ids: dict[tuple[ServerItem, str], str] = {}  # of the server's calls, by their own ids
        self._number: int | None = None  # of the next event: the server's first, then counted from there
        self._ours = OurItems(self._turn.id_prefix)
        self._whole = False  # whether no event of an item came before the last event

    def passed(self, event: Mapping[str, Any]) -> None:
        """All events up to this one were sent unchanged: continue from its number."""
        if isinstance(event.get(NUMBER), int):
            self._count(event[NUMBER])

    def plain(self, event: dict[str, Any]) -> Plain | None:
        """What an event that was sent unchanged is, if it is nothing but a piece of the text that is being read."""
        item, turn, text = self._last, self._flows, event.get("delta")
        if event.get("type") != TEXT or not isinstance(text, str) or not text or turn is None or self._ours.open:
            return None
        if item is None or item is not self._items.of(event) or not isinstance(event.get(NUMBER, 0), int):
            return None
        left, counted = item.left_in(event), NUMBER in event

        def sent(text: str, number: int | None) -> int | None:
            left.append(text)
            return self._count(number) if counted else None

        return Plain("delta", text, turn, NUMBER if counted else "", sent)

    def _count(self, number: int | None = None) -> int:
        # The number of an event that is sent: the server's, or the next one.
        found = (self._number or 0) if number is None else number
        self._number = found + 1
        return found

    def _as_written(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [event | {NUMBER: self._count()} if NUMBER in event else event for event in events]

    def _read(self, event: Wire) -> list[dict[str, Any]]:
        kind, item = str(event.get("type")), event.get("item")
        if self._number is None and isinstance(event.get(NUMBER), int):
            self._number = event[NUMBER]
        if kind in ENDS:
            return self._end(event, event.get("response"), cut=kind != "response.completed")
        if (own := self._own) is not None and own.place.may_be(event, own.arguments):
            self._items.rename(own.place, event)
        about = self._items.read(event)
        if own is not None and (key := next(keys_of(event), None)):
            place, ends = about or key, kind == ITEM_DONE
            if about is own.place and ends:
                about.event = event
            if kind == ADDED and about is not None and about.place == own.place.place:  # that one's end is missing
                place = own.place
            begins = kind == ADDED or (ends and place is not own.place)  # some servers end all items at the end
            piece = field_of(item, "arguments") if ends else event.get("delta")
            return self._of_own(own, event, place, begins=begins, ends=ends, piece=piece)
        if kind in DELTAS and event.get("delta") and isinstance(event["delta"], str):
            return self._delta(event, about)
        if about in self._dropped:
            return []
        if about is not None and is_call(item) and not about.begun:
            about.begun, first = True, event if kind == ADDED else None
            begun = self._begin_own(first, about, field_of(item, "name"), field_of(item, "arguments"))
            return begun if first else begun + self._read(event)
        return self._of_item(kind, event, about)

    # -- the server's items --------------------------------------------------------------------------------------------

    def _of_item(self, kind: str, event: Wire, about: ServerItem | None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if about is not None and not about.has_text:
            about = None
        if kind == ADDED:
            if about is None:
                return [*self._something_else(), *self._sent(event)]
            about.begun = True
            about.held = None if about.kind == "thinking" else []
            self._last = None
        elif kind in DONE:
            found = self._end_part()
        elif kind == PART_ADDED and about is not None:
            found = self._end_part() if about.follows(event) else []
            about.add_part(event)
        elif kind.endswith(".delta") and not kind.startswith("response.reasoning") and event.get("delta"):
            found = self._stop_thinking()
        return found + (self._sent(event) if about is None else self._mark(event, about))

    def _passed(self, event: Wire, about: ServerItem) -> list[dict[str, Any]]:
        kind, part = str(event.get("type")), event.get("part")
        found = self._ours.end_thought() if kind in DONE or kind == ADDED else []
        if kind == ADDED or not event:  # its text follows
            found += self._settled(None if self._source is about else self._source)
            self._source = about
        elif kind == ITEM_DONE:
            found += self._settled(about)
        no_text = kind == PART_ADDED and field_of(part, "type") == "output_text" and not field_of(part, "text")
        if about.held is not None and (no_text or kind in WAITS):
            about.hold(event)
        elif event:
            found += self._all_sent([*about.released(), event])
        return found

    def _settled(self, item: ServerItem | None) -> list[dict[str, Any]]:
        # Something else follows. A message without any text is the server's own.
        return [] if item is None or item.left_out else self._all_sent(item.released())

    def _left(self) -> list[dict[str, Any]]:
        return [*self._ours.end_thought(), *self._settled(self._source)]

    def _sent(self, event: Wire) -> list[dict[str, Any]]:
        # The event, with our output index, and the text that remains.
        found, kind, about = dict(event), str(event.get("type")), self._items.of(event)
        if isinstance(index := event.get("output_index"), int):
            found["output_index"] = self._index(about or index, index)
        elif about is not None:
            self._index(about, about.place)
        if kind == ITEM_DONE or (kind == ADDED and field_of(event.get("item"), "call_id")):
            found["item"] = self._repaired_item(event.get("item"), about)
        elif kind in PARTS_DONE and about is not None:
            left = _with_text(found.get("part", found), about.left.get(about.place_in(event)))
            found = {**found, "part": left} if "part" in found else left
        return [found]

    def _index(self, item: ServerItem | int, index: int) -> int:
        if self._ours.ended or self._ours.open or self._dropped:
            # A server may leave indexes out. Where we have left out its calls, its own are too high.
            least = 0 if self._dropped else index
            index = self._indexes.get(item, max(self._ours.next, least))
        self._indexes[item] = index
        self._ours.next = max(self._ours.next, index + 1)
        return index

    # -- text ----------------------------------------------------------------------------------------------------------

    @property
    def _holds(self) -> bool:
        return self._source is not None and self._source.held is not None

    def _delta(self, event: Wire, item: ServerItem | None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if item is None:
            item = self._items.begin(event)
            item.begun = True
        if item is not self._last:
            found += self._mark({}, item)
        item.left_in(event)
        self._last, item.event = item, event
        return found + self._text(item, event["delta"])

    def _piece(self, text: str) -> list[dict[str, Any]]:
        item = self._source
        assert item is not None  # a text has one
        item.left_in(item.event).append(text)
        return [*self._ours.end_thought(), *self._all_sent([*item.released(), {**item.event, "delta": text}])]

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._ours.thought(text, self._gives(self._source))

    def _call(self, event: CallStart | CallDelta | CallEnd, source: Source | None) -> list[dict[str, Any]]:
        return self._ours.call(event, self._gives(source))

    def _gives(self, source: Source | None) -> float:
        if not isinstance(source, ServerItem):
            return math.inf
        source.gave = True
        return source.place

    # -- the end of a response -----------------------------------------------------------------------------------------

    def _end(self, event: Wire, said: Any, *, cut: bool) -> list[dict[str, Any]]:
        if not self._items:
            self._whole = True
            for each in events_of(said):
                self._read(each)
        found = self._over(cut=cut)
        whole = {"response": self._repaired(said)} if said and isinstance(said, Mapping) else {}
        return [*found, *self._sent({**event, **whole})]

    def _repaired_item(self, item: Any, about: ServerItem | None) -> Any:
        if about is None or not isinstance(item, Mapping):
            return item
        if isinstance(own := item.get("call_id"), str):
            if (about, own) not in self._ids:
                self._ids[about, own] = self._turn.parsed_id(own, self._index(about, about.place))
            return {**item, "call_id": self._ids[about, own]}
        parts = [_with_text(part, about.left.get(place)) for place, part in enumerate(listed(item, "content"))]
        return {**item, "content": parts} if parts and about.has_text else item

    def _repaired(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        # In the server's order, ours where they were sent; in a whole response, a message has its reasoning before it,
        # and its calls after it.
        ours = self._ours.ended.items()
        output = [((place, side, index) if self._whole else (index, 0, 0), item) for index, (place, side, item) in ours]
        last, untold = -1, dict.fromkeys(self._items)
        for place, item in enumerate(listed(response, "output")):
            about = self._streamed(item, place, untold)
            if about is None and self._was_written(item):
                continue
            new, about = about is None, about or self._items.begin({"item": item})
            untold.pop(about, None)
            if about in self._dropped or about.left_out:
                continue
            last = last if new else max(last, self._index(about, about.place))
            output.append(((place, 0, last) if self._whole else (last, 1, place), self._repaired_item(item, about)))
        output.sort(key=lambda each: each[0])
        return _with_output(response, [item for _, item in output]) if output else response

    def _streamed(self, item: Any, place: int, untold: Mapping[ServerItem, None]) -> ServerItem | None:
        # What was sent of an item of the whole response, where its place in the list may be another, and its ids, too.
        found = self._items.of({"item": item, "output_index": place})
        found = found if found in untold else None
        if self._whole or not is_call(item) or (found is not None and found.is_the_call(item)):
            return found
        return next((each for each in untold if each.kind == CALL and each.is_the_call(item)), None)

    def _was_written(self, item: Any) -> bool:
        # Some servers parse the text of a stream only here.
        arguments = read_arguments(field_of(item, "arguments")) if is_call(item) else None
        return arguments is not None and self._turn.duplicates.was_written(field_of(item, "name"), arguments) is True


def _with_text(part: Any, left: list[str] | None) -> Any:
    # The part with the text that remains, if it has come in pieces.
    return part if left is None or not isinstance(part, Mapping) else {**part, "text": "".join(left)}


def _with_output(response: Mapping[str, Any], output: list[Any]) -> dict[str, Any]:
    # Some servers repeat the text in `output_text`.
    found = {**response, "output": output}
    if isinstance(response.get("output_text"), str) and output != response.get("output"):
        parts = [part for item in output if field_of(item, "type") == "message" for part in listed(item, "content")]
        found["output_text"] = text_of(parts, "output_text")
    return found


def dict_response_events(
    events: Iterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> Reading[ResponseEventDict]:
    """Move the calls that a model leaked into its text into separate items: for proxies.

    Args:
        events: the events of the Responses API's stream, as dicts.
        tools, parsing: as for `toolglean.clients.chat.dict_chunks`.

    Yields:
        The events, renumbered: a call as `response.output_item.added`,
        `response.function_call_arguments.delta` and `.done`, `response.output_item.done`; reasoning in the text as an
        item, too; and the message's text without them. A call that was cut off ends with the status "incomplete", and
        its arguments have no `.done`. With `whole_calls=True` it stays text, and calls are sent once they are complete.

    Raises:
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what `events` raises, after the text that was held back. The source is closed at the end, and when
            the iterator is closed.
    """
    return Reading(events, ResponseReader(tools, parsing))


def adict_response_events(
    events: AsyncIterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> AsyncReading[ResponseEventDict]:
    """The same for an asynchronous stream: see `dict_response_events`."""
    return AsyncReading(events, ResponseReader(tools, parsing))


def dict_response(response: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]) -> ResponseDict:
    """The same for a response that was not streamed: see `dict_response_events`. The argument is not changed.

    Reasoning in a message's text becomes an item before the message, its calls become items after it. A message that
    ends up empty is left out. Calls that were cut off, or cannot be read, stay in the text.
    """
    cut = response.get("status") in ("incomplete", "failed")  # a server may send any value
    end = {"type": "response.incomplete" if cut else "response.completed", "response": response}
    [*_, found] = ResponseReader(tools, {**parsing, "whole_calls": True}).read(end)
    return cast("ResponseDict", dict(found["response"]))  # it has whatever fields the server sent
