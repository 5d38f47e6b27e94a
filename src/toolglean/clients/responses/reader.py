# Moves leaked calls from the text of the Responses API into separate items, on plain dicts.
# Does not depend on the openai package's objects (openai/objects.py), or on how calls are written.
#
#   the server's event                             what becomes of it
#   those of a function_call                       unchanged, unless the text has given it already (items.py)
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

import copy
from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any, Unpack

from toolglean.clients.responses.items import (
    ADDED,
    ITEM_DONE,
    PART_ADDED,
    REASONING_TEXT,
    TEXT,
    THOUGHT,
    THOUGHT_DONE,
    ServerItems,
    events_of,
    with_output,
)
from toolglean.clients.responses.ours import OurItems, Part
from toolglean.clients.responses.reasoning import ENDS, ServerReasoning
from toolglean.clients.responses.types import ResponseEventDict
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.fields import field, listed
from toolglean.conversation.reading.arguments import TurnArguments, text_for
from toolglean.conversation.reading.plain import Plain
from toolglean.conversation.reading.text import Tools, is_all
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Reasoning

__all__ = ["ResponseReader", "adict_response_events", "dict_response_events"]

TEXT_DONE = "response.output_text.done"
PARTS_DONE = frozenset({TEXT_DONE, THOUGHT_DONE, "response.content_part.done"})


class ResponseReader:
    """Reads the events of one response.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._turn = text_for(tools, parsing)
        self._parts: dict[tuple[Any, ...], Part] = {}  # by the ids of their items
        self._places: dict[tuple[Any, ...], Part] = {}  # by output index: some servers send other ids at the end
        self._held: dict[int, list[Mapping[str, Any]]] = {}  # the first events of messages that have no text yet
        self._left_out: set[int] = set()  # the output indexes of those that never had any
        self._indexes: dict[int, int] = {}  # of the server's items: theirs to ours
        self._number: int | None = None  # of the next event: the server's first, then counted from there
        self._ours = OurItems(self._turn.id_prefix)
        self._came = False  # whether any event of an item has come
        self._whole = False  # whether all items came in the last event
        self._own = ServerItems(self._turn)
        self._reasoning = ServerReasoning(self._turn)
        self._thought_of = Part(self._turn, None, {})  # the calls in it

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it."""
        return self._turn.pristine and all(part.turn.pristine for part in self._parts.values())

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back, the beginning of a message, or reasoning."""
        return bool(self._held) or self._reasoning.waits or any(part.turn.waits for part in self._parts.values())

    def read(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events that an event becomes, numbered. What is not an event is passed through."""
        if not isinstance(event, Mapping):
            return [event]
        if str(event.get("type")) in ENDS and not self._came:
            self._whole = True
            for each in events_of(event.get("response")):
                self._read(each)
        self._came = self._came or "output_index" in event or "item_id" in event
        return [self._numbered(each) for each in self._read(event)]

    def passed(self, event: Mapping[str, Any]) -> None:
        """All events up to this one were sent unchanged: continue from its number."""
        if isinstance(event.get("sequence_number"), int):
            self._number = event["sequence_number"] + 1

    def plain(self, event: dict[str, Any]) -> Plain | None:
        """What an event that was sent unchanged is, if it is nothing but a piece of the text of one part."""
        part = self._known(event.get("item_id"), event.get("output_index"), event.get("content_index"))
        text = event.get("delta")
        if event.get("type") != TEXT or part is None or part.over or part.item is not None or self._reasoning.waits:
            return None
        if self._held or not isinstance(text, str) or not text:
            return None

        def sent(text: str, number: int | None) -> None:
            part.text.append(text)
            self._number = self._number if number is None else number + 1

        return Plain("delta", text, part.turn, "sequence_number", sent)

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        if "sequence_number" in event:
            event["sequence_number"] = self._number or 0
            self._number = event["sequence_number"] + 1
        return event

    def _read(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        if self._number is None and isinstance(event.get("sequence_number"), int):
            self._number = event["sequence_number"]
        if event.get("type") == THOUGHT:
            self._part_of(event, THOUGHT)
        return self._after_reasoning(self._reasoning.read(event))

    def _after_reasoning(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for event in events:
            found += self._read_on(event) if isinstance(event, Mapping) else self._told(self._thought_of, [event])
        return found

    def _read_on(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        kind, place, item = str(event.get("type")), event.get("output_index"), event.get("item")
        if kind == TEXT:
            return self._text(event)
        if kind == THOUGHT and isinstance(event.get("delta"), str):
            self._part_of(event, THOUGHT).text.append(event["delta"])
        if not isinstance(place, int):
            return self._passed(kind, event)
        if (own := self._own.read(kind, place, event)) is not None:
            return [*self._all_passed(own), *self._settled_parts()]
        if kind == ADDED and isinstance(item, Mapping) and item.get("type") == "message":
            self._held[place] = [event]
            return []
        if place not in self._held:
            return self._passed(kind, event)
        return self._waiting(kind, place, event)

    def _all_passed(self, events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [each for event in events for each in self._passed(str(event.get("type")), event)]

    def _settled_parts(self) -> list[dict[str, Any]]:
        return [each for part in self._parts.values() for each in self._told(part, part.turn.settle())]

    def _waiting(self, kind: str, place: int, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        # An event of a message that has no text yet.
        before: list[dict[str, Any]] = []
        if kind in PARTS_DONE:
            if part := self._known(event.get("item_id"), place, event.get("content_index")):
                before = self._ended(part)
        elif kind == ITEM_DONE:
            before = [each for part in self._parts_at(place) for each in self._ended(part)] + self._settled(place)
            return before if place in self._left_out else [*before, *self._passed(kind, event)]
        elif kind != PART_ADDED or not _is_text(event.get("part")):
            before = self._released(place)
        if place not in self._held:
            return [*before, *self._passed(kind, event)]
        self._held[place].append(event)
        return before

    def _settled(self, place: int) -> list[dict[str, Any]]:
        # The message is over.
        held = self._held.get(place)
        if held is None:
            return []
        parts = self._parts_at(place)
        if any(part.gave for part in parts) and not any(part.text for part in parts):
            del self._held[place]
            self._left_out.add(place)
            return []
        return self._released(place)

    def _released(self, place: int | None) -> list[dict[str, Any]]:
        held = () if place is None else self._held.pop(place, ())
        return self._all_passed(held)

    def _parts_at(self, place: Any) -> list[Part]:
        return [part for part in self._parts.values() if part.place == place]

    def _passed(self, kind: str, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = dict(event)
        if isinstance(event.get("output_index"), int):
            found["output_index"] = self._moved(event["output_index"])
        if kind in ENDS:
            said = event.get("response")
            return [*self._rest(), found | ({"response": self._repaired_response(said)} if said else {})]
        if kind in PARTS_DONE:
            return self._done(kind, event, found)
        return self._item_done(event, found) if kind == ITEM_DONE else [found]

    def _moved(self, index: int) -> int:
        if index not in self._indexes:
            self._indexes[index] = max(self._ours.next, index)
            self._ours.next = self._indexes[index] + 1
        return self._indexes[index]

    def finish(self) -> list[dict[str, Any]]:
        """The stream is over: what was held back in parts that have not ended."""
        return [self._numbered(each) for each in self._rest()]

    def _rest(self) -> list[dict[str, Any]]:
        """What was held back, not numbered."""
        before = self._after_reasoning(self._reasoning.release())
        waited = self._own.finish()
        ended = [each for part in self._parts.values() for each in self._ended(part)]
        ended += [each for place in list(self._held) for each in self._settled(place)]
        return before + ended + self._all_passed(waited)

    # -- text ----------------------------------------------------------------------------------------------------------

    def _part_of(self, event: Mapping[str, Any], kind: str = TEXT) -> Part:
        # The part that a delta belongs to.
        place, index = event.get("output_index"), event.get("content_index")
        key = _key(event.get("item_id"), index, kind)
        if key not in self._parts:
            at = place if isinstance(place, int) else None
            made = Part(self._turn.part(), at, event) if kind == TEXT else Part(self._turn, at, event, over=True)
            self._parts[key] = made
            self._places.setdefault(_key(at, index, kind), made)
        return self._parts[key]

    def _text(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        delta, part = event.get("delta"), self._part_of(event)
        place = part.place
        if part.over or not isinstance(delta, str):
            part.text += [delta] if isinstance(delta, str) else []
            return [*self._released(place), *self._passed(TEXT, event)]
        part.event = event
        events = part.turn.feed(delta)
        if not delta and place in self._held:
            self._held[place].append(event)
            return []
        if part.item is None and is_all(events, delta):
            return self._said(part, delta)
        return self._told(part, events)

    def _said(self, part: Part, text: str) -> list[dict[str, Any]]:
        part.text.append(text)
        before = self._released(part.place)
        return [*before, *({**each, "delta": text} for each in self._passed(TEXT, part.event))]

    def _ended(self, part: Part) -> list[dict[str, Any]]:
        if part.over:
            return []
        part.over = True
        return [*self._told(part, part.turn.finish()), *self._ours.end_thought(part)]

    def _told(self, part: Part, events: Iterable[Event]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for event in events:
            if type(event) is Reasoning:
                found += self._ours.thought(part, event.text)
            elif type(event) is Content:
                found += [*self._ours.end_thought(part), *self._said(part, event.text)]
            elif isinstance(event, CallStart | CallDelta | CallEnd):
                found += self._ours.call(part, event)
        return found

    # -- what the end of a response repeats ----------------------------------------------------------------------------

    def _done(self, kind: str, event: Mapping[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
        is_thought = kind == THOUGHT_DONE or field(event.get("part"), "type") == REASONING_TEXT
        at = event.get("item_id"), event.get("output_index"), event.get("content_index")
        part = self._known(*at, THOUGHT if is_thought else TEXT)
        if part is None:
            return [found]
        before = self._ended(part)
        said = {"part": _with_text(event.get("part"), part)} if "part" in event else {"text": part.left}
        return [*before, found | said]

    def _item_done(self, event: Mapping[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
        item, place = event.get("item"), event.get("output_index")
        before = [each for _, part in self._parts_of(item, place) if part for each in self._ended(part)]
        return [*before, found | {"item": self._repaired_item(item, place)}]

    def _known(self, id: Any, place: Any, index: Any, kind: str = TEXT) -> Part | None:  # noqa: A002  # the wire's own word
        if kind == THOUGHT and not self._reasoning.rewrites:
            return None
        return self._parts.get(_key(id, index, kind)) or self._places.get(_key(place, index, kind))

    def _parts_of(self, item: Any, place: Any) -> list[tuple[Any, Part | None]]:
        kind = {"message": TEXT, "reasoning": THOUGHT}.get(str(field(item, "type")), "")
        parts = enumerate(listed(item, "content") if kind and isinstance(item, Mapping) else ())
        return [(said, self._known(item.get("id"), place, index, kind)) for index, said in parts]

    def _repaired_item(self, item: Any, place: Any) -> Any:
        parts = self._parts_of(item, place)
        return {**item, "content": [_with_text(said, part) for said, part in parts]} if parts else item

    def _repaired_response(self, response: Any) -> Any:
        if not isinstance(response, Mapping):
            return response
        output = [
            (self._moved(place), place, 0, self._repaired_item(item, place))
            for place, item in enumerate(listed(response, "output"))
            if place not in self._left_out | self._own.dropped
        ]
        for index, (at, body) in self._ours.ended.items():
            place, rank = len(output) if at is None else at, -1 if body["type"] == "reasoning" else 1
            output.append((index, place, rank, copy.deepcopy(body)))
        # As they were sent; in a whole response, a message has its reasoning before it, and its calls after it.
        output.sort(key=lambda each: (*each[1:3], each[0]) if self._whole else (each[0],))
        return with_output(response, [item for *_, item in output]) if output else response


def _key(*names: Any) -> tuple[Any, ...]:
    # Ignore an id or a number that is something else, such as a list.
    return tuple(name if isinstance(name, str | int) else None for name in names)


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "output_text" and not part.get("text")


def _with_text(said: Any, part: Part | None) -> Any:
    return {**said, "text": part.left} if part is not None and isinstance(said, Mapping) else said


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
