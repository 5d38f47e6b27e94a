# Which item of the server an event is about, and what is known of that item.
# Does not depend on how calls are found in text, or on what becomes of an event (reader.py).
#
#   OpenAI              every event has an item_id and an output_index, every part a content_index
#   llama.cpp           no index at all, and a call has only a call_id: items are counted as they are added
#   Ollama              a call has the output_index of the message before it: so the type must agree
#   vLLM 0.10 to 0.12   content_index grows with every delta, and a message is added with the id and the output_index of
#                       the reasoning before it: what comes next is about the item that was added last
#   others              repeat ids, or send other ids at the end, or other ids and indexes in each event of a call: what
#                       names no item is about the call that is open, if it is a piece of arguments, or the same call
"""The items of the server, by their ids and output indexes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.responses.items import ADDED, ARGUMENTS, CALL, DELTAS, ITEM_DONE, PART_ADDED, TEXTS
from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.reading.sources import Source, Wire

__all__ = ["ServerItem", "ServerItems", "is_call", "keys_of"]

KINDS = {delta.rpartition(".")[0]: kind for delta, kind in DELTAS.items()} | {ARGUMENTS: CALL}
"""What an event is about, by the beginning of its type."""


@dataclass(slots=True, eq=False)
class ServerItem(Source):
    """An item of the server. Its `kind` may also be the type of an item without text; `event` is its last delta, or
    the last event that has the item. A message waits for its first text.

    Attributes:
        place: its output index.
        begun: whether its first event was read.
        left: what remains of its texts, by their content indexes, written out.
        part: the content index of the part that was added last; None: the server does not say.
        gave: whether items of ours were found in it.
    """

    place: int = 0
    begun: bool = False
    left: dict[int, list[str]] = field(default_factory=dict)
    part: int | None = None
    gave: bool = False

    @property
    def has_text(self) -> bool:
        """Whether it is a message or a reasoning."""
        return self.kind in DELTAS.values()

    @property
    def left_out(self) -> bool:
        """Whether it is not sent, because there is nothing but items of ours in it."""
        return self.gave and self.held is not None

    def follows(self, event: Wire) -> bool:
        """Whether the part that the event adds follows another text."""
        return bool(self.left) and _index_in(event) not in self.left

    def add_part(self, event: Wire) -> None:
        """The event adds a part."""
        self.part = _index_in(event)

    def place_in(self, event: Wire) -> int:
        """The content index of the text that the event is about."""
        index = _index_in(event)
        return index if self.part is None or index in self.left else self.part

    def left_in(self, event: Wire) -> list[str]:
        """What remains of that text."""
        return self.left.setdefault(self.place_in(event), [])

    def may_be(self, event: Wire, arguments: Any) -> bool:
        """Whether the event, if it names no other item, is about this call, which is open and has these arguments."""
        item = event.get("item")
        is_whole = event.get("type") == ITEM_DONE and is_call(item)
        same = is_whole and _call_in(item) == (field_of(self.event.get("item"), "name"), arguments)
        return same or str(event.get("type")).startswith(ARGUMENTS)

    def is_the_call(self, item: Any) -> bool:
        """Whether this call of the server is that one."""
        own = self.event.get("item")
        ids = [(field_of(own, name), field_of(item, name)) for name in ("id", "call_id")]
        return any(one and one == other for one, other in ids) or _call_in(own) == _call_in(item)


class ServerItems:
    """The items of one response, in the order in which they came."""

    def __init__(self) -> None:
        self._all: list[ServerItem] = []
        self._named: dict[Any, ServerItem] = {}
        self._fresh: ServerItem | None = None  # that was added last, if nothing else has come of it

    def __iter__(self) -> Iterator[ServerItem]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, event: Wire) -> ServerItem | None:
        """The item that the event is about."""
        for key in keys_of(event):
            if key in self._named:
                return self._named[key]
        return None

    def read(self, event: Wire) -> ServerItem | None:
        """The same for an event that has just come, which may begin an item."""
        kind = event.get("type")
        if kind == ADDED:
            key = next(keys_of(event), None)
            found = None if key is None else self._named.get(key)
            if key is not None and (found is None or found.begun):  # not one that waits
                found = self._fresh = self.begin(event)
            return found
        if (found := self.of(event)) is None and (key := next(keys_of(event), None)) is not None:
            if kind == ITEM_DONE and is_call(event.get("item")):
                return self.begin(event)
            fresh = self._fresh
            if fresh is not None and key[0] in {"", fresh.kind} and (kind == PART_ADDED or kind in DELTAS):
                found, fresh.place = fresh, _place_in(event, fresh.place)
                self._name(fresh, event)
        if found is not None:
            self._fresh = None
        return found

    def rename(self, item: ServerItem, event: Wire) -> None:
        """An event that names no item is about this one: some servers have other ids and indexes in each event."""
        if self.of(event) is None:
            self._name(item, event)

    def begin(self, event: Wire) -> ServerItem:
        """Another item, which the event is about."""
        found = ServerItem(_kind_in(event), event, place=_place_in(event, len(self._all)))
        self._all.append(found)
        self._name(found, event)
        return found

    def _name(self, item: ServerItem, event: Wire) -> None:
        for key in keys_of(event, item.kind):
            self._named[key] = self._named["", *key[1:]] = item


def is_call(item: Any) -> bool:
    """Whether the item is a call of a function."""
    return bool(field_of(item, "type") == CALL)


def keys_of(event: Wire, kind: str | None = None) -> Iterator[tuple[str, Any, Any]]:
    """The keys by which an item is found, with its kind.

    An id and an index together come first: some servers repeat an id, others an index. One that is something else, as a
    list is, is ignored.
    """
    kind, item, index = _kind_in(event) if kind is None else kind, event.get("item"), _place_in(event, None)
    ids: list[str | int] = []
    for name in (event.get("item_id"), field_of(item, "id"), field_of(item, "call_id")):
        if isinstance(name, str | int) and name:
            yield kind, name, index
            ids.append(name)
    yield from ((kind, name, None) for name in ids)
    if index is not None:
        yield kind, None, index


def _kind_in(event: Wire) -> str:
    # What the event is about: "" if it does not say.
    if isinstance(kind := field_of(event.get("item"), "type"), str):
        return TEXTS[kind][0] if kind in TEXTS else kind
    return KINDS.get(str(event.get("type")).rpartition(".")[0], "")


def _place_in(event: Wire, other: Any) -> Any:
    return index if isinstance(index := event.get("output_index"), int) else other


def _index_in(event: Wire) -> int:
    return index if isinstance(index := event.get("content_index"), int) else 0


def _call_in(item: Any) -> tuple[Any, Any]:
    return field_of(item, "name"), read_arguments(field_of(item, "arguments"))
