# What this file knows: how leaked calls are moved from the text of the Responses API's stream into items of their own,
# on plain dicts.
# What it must not know: the openai package's objects (openai.py), how calls are written.
#
#   the server's event                             what becomes of it
#   response.output_text.delta                     text without calls; or other events in its place (below)
#   response.output_text.done, content_part.done,
#   output_item.done (a message)                   with the text that remained
#   response.completed, .incomplete, .failed       with that text, and the items of the calls behind the server's own
#   all others                                     as they are
#
#   our events for a call                          response.output_item.added (a function_call, in progress),
#                                                  response.function_call_arguments.delta …, .done,
#                                                  response.output_item.done
#
# Every event is numbered anew, for there are more of them. An item of a call gets the next free output index, so those
# of the server that come later move on.
"""Leaked calls in the Responses API's stream, on plain dicts."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.chat import Tools, is_all, parser_for
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Reasoning
from toolglean.parser import Parser

__all__ = ["ResponseReader", "adict_response_events", "dict_response_events"]

TEXT = "response.output_text.delta"
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


@dataclass(slots=True)
class _Part:
    """One part of text of a message: its parser, and what remained text."""

    parser: Parser
    event: Mapping[str, Any]  # the last delta: what is held back goes out in its likeness
    text: list[str] = field(default_factory=list)
    over: bool = False

    @property
    def left(self) -> str:
        return "".join(self.text)


class ResponseReader:
    """Reads the events of one response.

    Args:
        tools, options: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Tools, options: Mapping[str, Any]) -> None:
        self._parser, self._prefix = parser_for(tools, options)
        self._parts: dict[tuple[Any, Any], _Part] = {}
        self._indexes: dict[int, int] = {}  # of the server's items: theirs to ours
        self._next = 0
        self._number = 0
        self._items: dict[int, dict[str, Any]] = {}  # of our calls that have ended, by their output index
        self._open: dict[str, Any] = {}
        self._open_index = 0
        self._arguments: list[str] = []
        self._calls = 0

    def read(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events that an event becomes, numbered."""
        return [self._numbered(each) for each in self._read(event)]

    def finish(self) -> list[dict[str, Any]]:
        """The stream is over: what was held back of parts that were not ended."""
        parts = [part for part in self._parts.values() if not part.over]
        return [self._numbered(each) for part in parts for each in self._ended(part)]

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        if "sequence_number" in event:
            event["sequence_number"] = self._number
            self._number += 1
        return event

    def _read(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        kind = event.get("type")
        if self._number == 0 and isinstance(event.get("sequence_number"), int):
            self._number = event["sequence_number"]
        found = dict(event)
        if isinstance(event.get("output_index"), int):
            found["output_index"] = self._moved(event["output_index"])
        if kind == TEXT:
            return self._text(event, found)
        if kind == "response.output_text.done":
            return self._text_done(event, found)
        if kind == "response.content_part.done":
            found["part"] = self._mended_part(event, event.get("content_index"), event.get("part"))
        elif kind == "response.output_item.done":
            found["item"] = self._mended_item(event.get("item"))
        elif kind in ENDS:
            return [*self._rest(), found | {"response": self._mended_response(event.get("response"))}]
        return [found]

    def _moved(self, index: int) -> int:
        if index not in self._indexes:
            self._indexes[index] = max(self._next, index)
            self._next = self._indexes[index] + 1
        return self._indexes[index]

    # -- text ----------------------------------------------------------------------------------------------------------

    def _text(self, event: Mapping[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
        key = (event.get("item_id"), event.get("content_index"))
        if key not in self._parts:
            self._parts[key] = _Part(self._parser.fork(), found)
        part = self._parts[key]
        part.event = found
        delta = event.get("delta")
        if not isinstance(delta, str):
            return [found]
        events = part.parser.feed(delta)
        if is_all(events, delta):
            part.text.append(delta)
            return [found]
        return self._told(part, events)

    def _text_done(self, event: Mapping[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
        part = self._parts.get((event.get("item_id"), event.get("content_index")))
        if part is None:
            return [found]
        return [*self._ended(part), found | {"text": part.left}]

    def _ended(self, part: _Part) -> list[dict[str, Any]]:
        part.over = True
        return self._told(part, part.parser.finish())

    def _rest(self) -> list[dict[str, Any]]:
        return [each for part in self._parts.values() if not part.over for each in self._ended(part)]

    def _told(self, part: _Part, events: Iterable[Event]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for event in events:
            if type(event) is Content:
                part.text.append(event.text)
                found.append({**part.event, "delta": event.text})
            elif type(event) is CallStart:
                found.append(self._start(event))
            elif type(event) is CallDelta:
                found.append(self._delta(event.text))
            elif type(event) is CallEnd:
                found += self._end(event)
            elif type(event) is Reasoning:
                found.append(self._reasoning(part, event))
        return found

    def _reasoning(self, part: _Part, event: Reasoning) -> dict[str, Any]:
        like = {key: value for key, value in part.event.items() if key != "logprobs"}
        return like | {"type": "response.reasoning_text.delta", "delta": event.text}

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _start(self, event: CallStart) -> dict[str, Any]:
        self._open = {
            "id": f"fc_{self._prefix}{self._calls}",
            "type": "function_call",
            "call_id": event.id or f"{self._prefix}{self._calls}",
            "name": event.name,
            "arguments": "",
            "status": "in_progress",
        }
        self._calls += 1
        self._arguments = []
        self._open_index = self._next
        self._next += 1
        return self._event("response.output_item.added", item=dict(self._open))

    def _delta(self, text: str) -> dict[str, Any]:
        self._arguments.append(text)
        return self._event("response.function_call_arguments.delta", item_id=self._open["id"], delta=text)

    def _end(self, event: CallEnd) -> list[dict[str, Any]]:
        ok = event.call.status == "ok"
        whole = "".join(self._arguments) or ("{}" if ok else "")
        item = self._open | {"arguments": whole, "status": "completed" if ok else "incomplete"}
        self._items[self._open_index] = item
        done = self._event(
            "response.function_call_arguments.done", item_id=item["id"], name=item["name"], arguments=whole
        )
        return [*([done] if ok else []), self._event("response.output_item.done", item=dict(item))]

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self._open_index, "sequence_number": 0, **fields}

    # -- what is said again at the end ---------------------------------------------------------------------------------

    def _mended_part(self, event: Mapping[str, Any], index: Any, part: Any) -> Any:
        known = self._parts.get((event.get("item_id"), index))
        return {**part, "text": known.left} if known is not None and isinstance(part, Mapping) else part

    def _mended_item(self, item: Any) -> Any:
        if not isinstance(item, Mapping) or item.get("type") != "message":
            return item
        content = item.get("content") or []
        parts = [self._mended_part({"item_id": item.get("id")}, place, part) for place, part in enumerate(content)]
        return {**item, "content": parts}

    def _mended_response(self, response: Any) -> Any:
        if not isinstance(response, Mapping):
            return response
        output = {
            self._moved(place): self._mended_item(item) for place, item in enumerate(response.get("output") or ())
        } | copy.deepcopy(self._items)
        return {**response, "output": [output[place] for place in sorted(output)]}


def dict_response_events(
    events: Iterable[Mapping[str, Any]], tools: Tools = None, **options: Any
) -> Iterator[dict[str, Any]]:
    """Move the calls that a model leaked into its text into items of their own: for proxies.

    Args:
        events: the events of the Responses API's stream, as dicts.
        tools, options: as for `toolglean.Parser`.

    Yields:
        Such events, numbered anew: a call as `response.output_item.added`, `response.function_call_arguments.delta` and
        `.done`, `response.output_item.done`; the message's text without it, everywhere. A call that was cut off ends
        with the status "incomplete", and has no `.done` of its arguments.

    Raises:
        What `Parser` raises for wrong arguments, at once; what `events` raises, once the text that was held back
        is out.
    """
    return _read(events, ResponseReader(tools, options))


def _read(events: Iterable[Mapping[str, Any]], reader: ResponseReader) -> Iterator[dict[str, Any]]:
    try:
        for event in events:
            yield from reader.read(event)
    except Exception:
        yield from reader.finish()
        raise
    yield from reader.finish()


def adict_response_events(
    events: AsyncIterable[Mapping[str, Any]], tools: Tools = None, **options: Any
) -> AsyncIterator[dict[str, Any]]:
    """The same for an asynchronous stream: see `dict_response_events`."""
    return _aread(events, ResponseReader(tools, options))


async def _aread(events: AsyncIterable[Mapping[str, Any]], reader: ResponseReader) -> AsyncIterator[dict[str, Any]]:
    try:
        async for event in events:
            for each in reader.read(event):
                yield each
    except Exception:
        for each in reader.finish():
            yield each
        raise
    for each in reader.finish():
        yield each
