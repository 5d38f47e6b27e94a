# Moves leaked calls from the text of the Responses API into separate items, on plain dicts.
# Does not depend on the openai package's objects (openai/objects.py), on how calls are written, on what waits for what
# (conversation/reading/sources.py), or on how our items are written (items.py).
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
from dataclasses import dataclass, field
from typing import Any, Unpack, cast

from toolglean.clients.lane import Plain
from toolglean.clients.responses.items import ADDED, ITEM_DONE, PART_ADDED, PARTS_DONE, TEXT, TEXTS, OurItems, events_of
from toolglean.clients.responses.types import ResponseDict, ResponseEventDict
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.fields import listed, text_of
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.conversation.reading.sources import Source, SourceReader, Wire
from toolglean.conversation.reading.text import Tools
from toolglean.events import CallDelta, CallEnd, CallStart

__all__ = ["ResponseReader", "adict_response_events", "dict_response", "dict_response_events"]

NUMBER = "sequence_number"
DELTAS = {delta: kind for kind, _, delta in TEXTS.values()}
"""The events of a piece of text that is read."""
DONE = PARTS_DONE | {ITEM_DONE}
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
WAITS = DONE | {ADDED, TEXT}
"""The events that a message without any text has, too: they wait with its beginning."""


@dataclass(slots=True, eq=False)
class _Item(Source):
    """An item of the server with text; `event` is its last delta. A message waits for its first text.

    Attributes:
        left: what remains of its texts, by their content indexes, written out.
        gave: whether items of ours were found in it.
    """

    left: dict[str, list[str]] = field(default_factory=dict)
    gave: bool = False

    @property
    def left_out(self) -> bool:
        """Whether it is not sent, because there is nothing but items of ours in it."""
        return self.gave and self.held is not None

    def left_in(self, event: Wire) -> list[str]:
        """What remains of the text that the event is about."""
        return self.left.setdefault(str(event.get("content_index")), [])


class ResponseReader(SourceReader):
    """Reads the events of one response.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    _source: _Item | None
    _last: _Item | None

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        super().__init__(tools, parsing)
        self._items: dict[Any, _Item] = {}  # by their ids and output indexes: some servers send other ids at the end
        self._indexes: dict[int, int] = {}  # of the server's items: theirs to ours
        self._ids: dict[tuple[int, str], str] = {}  # of the server's calls, by their output indexes and own ids
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
        if item is None or item is not self._item_of(event) or not isinstance(event.get(NUMBER, 0), int):
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
        kind, place, item = str(event.get("type")), event.get("output_index"), event.get("item")
        if self._number is None and isinstance(event.get(NUMBER), int):
            self._number = event[NUMBER]
        if kind in ENDS:
            return self._end(event, event.get("response"), cut=kind != "response.completed")
        if (own := self._own) is not None and isinstance(place, int):
            ends = kind == ITEM_DONE
            piece = field_of(item, "arguments") if ends else event.get("delta")
            return self._of_own(own, event, place, begins=kind == ADDED, ends=ends, piece=piece)
        if kind in DELTAS and event.get("delta") and isinstance(event["delta"], str):
            return self._delta(DELTAS[kind], event)
        if isinstance(place, int) and place in self._dropped:
            return []
        if field_of(item, "type") == "function_call" and kind in {ADDED, ITEM_DONE} and isinstance(place, int):
            first = event if kind == ADDED else None
            begun = self._begin_own(first, place, field_of(item, "name"), field_of(item, "arguments"))
            return begun if first else begun + self._read(event)
        return self._of_item(kind, event)

    # -- the server's items --------------------------------------------------------------------------------------------

    def _of_item(self, kind: str, event: Wire) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if kind == ADDED:
            text = TEXTS.get(str(field_of(event.get("item"), "type")))
            if text is None:
                return [*self._something_else(), *self._sent(event)]
            self._begin(text[0], event, None if text[0] == "thinking" else [])
            self._last = None
        elif kind in DONE:
            found = self._end_part()
        elif kind.endswith(".delta") and not kind.startswith("response.reasoning") and event.get("delta"):
            found = self._stop_thinking()
        about = self._item_of(event)
        return found + (self._sent(event) if about is None else self._mark(event, about))

    def _begin(self, kind: str, event: Wire, held: list[Wire] | None = None) -> _Item:
        item = _Item(kind, event, held=held)
        self._items |= dict.fromkeys(_keys(event), item)
        return item

    def _item_of(self, event: Wire) -> _Item | None:
        return next((self._items[key] for key in _keys(event) if key in self._items), None)

    def _passed(self, event: Wire, about: _Item) -> list[dict[str, Any]]:
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

    def _settled(self, item: _Item | None) -> list[dict[str, Any]]:
        # Something else follows. A message without any text is the server's own.
        return [] if item is None or item.left_out else self._all_sent(item.released())

    def _left(self) -> list[dict[str, Any]]:
        return [*self._ours.end_thought(), *self._settled(self._source)]

    def _sent(self, event: Wire) -> list[dict[str, Any]]:
        # The event, with our output index, and the text that remains.
        found, kind = dict(event), str(event.get("type"))
        if isinstance(event.get("output_index"), int):
            found["output_index"] = self._index(event["output_index"])
        if kind == ITEM_DONE or (kind == ADDED and field_of(event.get("item"), "call_id")):
            found["item"] = self._repaired_item(event)
        elif kind in PARTS_DONE:
            left = self._left_in(found.get("part", found), event)
            found = {**found, "part": left} if "part" in found else left
        return [found]

    def _index(self, index: int) -> int:
        # A server may leave indexes out. Where we have left out its calls, its own are too high.
        least = 0 if self._dropped else index
        found = self._indexes.setdefault(index, max(self._ours.next, least))
        self._ours.next = max(self._ours.next, found + 1)
        return found

    # -- text ----------------------------------------------------------------------------------------------------------

    @property
    def _holds(self) -> bool:
        return self._source is not None and self._source.held is not None

    def _delta(self, kind: str, event: Wire) -> list[dict[str, Any]]:
        item, place = self._item_of(event), str(event.get("content_index"))
        if item is None or item.kind != kind:
            item = self._begin(kind, event)
        found = self._end_part() if item.left and place not in item.left else []
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
        if not isinstance(source, _Item):
            return math.inf
        source.gave = True
        place = source.event.get("output_index")
        return place if isinstance(place, int) else math.inf

    # -- the end of a response -----------------------------------------------------------------------------------------

    def _end(self, event: Wire, said: Any, *, cut: bool) -> list[dict[str, Any]]:
        if not (self._indexes or self._items or self._own or self._dropped):
            self._whole = True
            for each in events_of(said):
                self._read(each)
        found = self._over(cut=cut)
        whole = {"response": self._repaired(said)} if said and isinstance(said, Mapping) else {}
        return [*found, *self._sent({**event, **whole})]

    def _left_in(self, part: Any, event: Wire) -> Any:
        # The part that the event is about, with the text that remains, if it has come in pieces.
        item = self._item_of(event)
        left = None if item is None else item.left.get(str(event.get("content_index")))
        return part if left is None or not isinstance(part, Mapping) else {**part, "text": "".join(left)}

    def _repaired_item(self, event: Wire) -> Any:
        item, place = event.get("item"), event.get("output_index")
        if isinstance(own := field_of(item, "call_id"), str) and isinstance(place, int):
            if (place, own) not in self._ids:
                self._ids[place, own] = self._turn.parsed_id(own, self._index(place))
            return {**event["item"], "call_id": self._ids[place, own]}
        said = listed(item, "content") if isinstance(item, Mapping) and str(item.get("type")) in TEXTS else ()
        left = [self._left_in(part, {**event, "content_index": place}) for place, part in enumerate(said)]
        return {**event["item"], "content": left} if left else item

    def _repaired(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        output = self._ours.ended.copy()
        for place, item in enumerate(listed(response, "output")):
            event = {"item": item, "output_index": place}
            known = self._item_of(event)
            if place not in self._dropped and not (known is not None and known.left_out):
                output[self._index(place)] = place, 0, self._repaired_item(event)
        # As they were sent; in a whole response, a message has its reasoning before it, and its calls after it.
        order = sorted(output, key=lambda index: (*output[index][:2], index) if self._whole else (index,))
        return _with_output(response, [output[index][2] for index in order]) if output else response


def _keys(event: Wire) -> list[tuple[Any, Any]]:
    # Both together first: some servers repeat an id, others an index. Ignore one that is something else, as a list is.
    name, place = event.get("item_id") or field_of(event.get("item"), "id"), event.get("output_index")
    id = name if isinstance(name, str | int) and name else None  # noqa: A001  # the wire's own word
    index = place if isinstance(place, int) else None
    return [key for key in ((id, index), (id, None), (None, index)) if key != (None, None)]


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
