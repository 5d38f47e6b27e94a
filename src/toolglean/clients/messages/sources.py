# Which block of the server a piece of its text comes from, and when its other events are sent.
# Does not depend on what is found in the text, or on how blocks are numbered (blocks.py).
#
# An event between two pieces of text has a position: the number of characters that the server has written before it. It
# waits until all of that text is decided. Then the beginning of a block waits for the first text that remains of it.
# The block is left out if there was text, but nothing remains: clients send it back, and servers refuse an empty text.
"""The text and thinking blocks of the Messages API that a server has sent, and the events between their texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolglean.clients.messages.blocks import START, STOP, Blocks, Event

__all__ = ["FIELDS", "Source", "Sources"]

FIELDS: Mapping[str, str] = {"text": "text_delta", "thinking": "thinking_delta"}
"""The blocks that are read: their type, which is also the name of their text, and the type of their deltas."""


@dataclass(slots=True, eq=False)
class Source:
    """A text or a thinking of the server.

    Attributes:
        kind: which of the two.
        event: with which it begins.
        said: whether there was any text in it.
        more: its other deltas (citations, signatures), until its block is open.
    """

    kind: str
    event: Event
    said: bool = False
    more: list[Event] = field(default_factory=list)


class _Mark(NamedTuple):
    """An event of the server at a position; for the beginning of a block, with the source that it begins."""

    at: int
    event: Event
    source: Source | None


class Sources:
    """The events of those blocks.

    Args:
        blocks: numbers the blocks that are sent.

    Attributes:
        read: how many characters the server has written.
        told: how many of them are decided.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.read = self.told = 0
        self._blocks = blocks
        self._marks: deque[_Mark] = deque()
        self._source: Source | None = None  # from which the text comes

    @property
    def waits(self) -> bool:
        """Whether events are held back."""
        return bool(self._marks) or (self._source is not None and self._blocks.owner is not self._source)

    def reach(self, position: int) -> None:
        """The server has written more text, up to that position."""
        self.read = position

    def mark(self, event: Event, source: Source | None = None) -> None:
        """The server has sent this event; `source`: which block it begins."""
        self._marks.append(_Mark(self.read, event, source))

    def leave(self) -> None:
        """A block of another kind begins."""
        self._source = None

    def text(self, text: str, at: int) -> list[Event]:
        """The events of a text that remains text, from its position on."""
        found = self.up_to(at) if self._marks else []
        while self._marks and self._marks[0].at < at + len(text):
            size = self._marks[0].at - at
            found += [*self._piece(text[:size]), *self.up_to(at + size)]
            text, at = text[size:], at + size
        self.told = at + len(text)
        return [*found, *self._piece(text)] if found else self._piece(text)

    def up_to(self, position: int) -> list[Event]:
        """The events that the server has sent before that position."""
        found: list[Event] = []
        while self._marks and self._marks[0].at <= position:
            found += self._passed(self._marks.popleft())
        return found

    def all(self) -> list[Event]:
        """Nothing is held back: the events that waited."""
        self.told = self.read
        return self.up_to(self.read)

    def _piece(self, text: str) -> list[Event]:
        source = self._source
        if source is None:  # it has ended already
            source = self._source = Source("text", {"type": START, "content_block": {"type": "text", "text": ""}})
        found = [] if self._blocks.owner is source else self._opened(source)
        return [*found, self._blocks.delta(FIELDS[source.kind], source.kind, text)]

    def _opened(self, source: Source) -> list[Event]:
        block = source.event.get("content_block")
        empty = {**(block if isinstance(block, Mapping) else {}), source.kind: ""}
        found = self._blocks.start(source, empty, source.event)
        more, source.more = source.more, []
        return [*found, *map(self._blocks.moved, more)]

    def _passed(self, mark: _Mark) -> list[Event]:
        source, kind = self._source, mark.event.get("type")
        if kind == START:
            self._source = mark.source
            return self._blocks.stop()
        if source is None:
            return []
        is_open = self._blocks.owner is source
        if kind == STOP:
            self._source = None
            opened = [] if is_open or source.said else self._opened(source)  # it is empty, and the server's own
            return [*opened, *self._blocks.stop(mark.event)] if is_open or opened else []
        if not is_open:
            source.more.append(mark.event)
        return [self._blocks.moved(mark.event)] if is_open else []
