# The blocks of one message as they are sent: one is open at a time, and they are numbered without gaps, because the
# clients find a block by counting those that began. Does not depend on where their contents come from.
#
# A block belongs to its owner, an object that the caller chooses; `owner` is None where no block is open.
"""The blocks of one message of the Messages API, as they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolglean.conversation.fields import field, never_whole
from toolglean.events import CallDelta, CallEnd, CallStart

__all__ = ["DELTA", "FIELDS", "START", "STOP", "Blocks", "Event"]

START, DELTA, STOP = "content_block_start", "content_block_delta", "content_block_stop"
FIELDS: Mapping[str, str] = {"text": "text_delta", "thinking": "thinking_delta"}
"""The blocks with text: their type, which is also the name of their text, and the type of their deltas."""
Event: TypeAlias = Mapping[str, Any]


class Blocks:
    """Numbers the blocks.

    Args:
        id_prefix: what the id of a call begins with, if the model has not written one yet.

    Attributes:
        owner: that of the open block; None if there is none.
        index: of the block that began last; -1 before the first.
        calls: how many calls of the text were completed.
        as_sent: whether the server has begun and ended all blocks itself, one after the other, with these indexes.
    """

    def __init__(self, id_prefix: str) -> None:
        self.owner: Any = None
        self.calls = 0
        self.index = -1
        self.as_sent = True
        self._id_prefix = id_prefix
        self._ids: set[Any] = set()  # of calls
        self._held = ""  # the last piece of a call's arguments: its end decides whether they may be complete

    def start(self, owner: Any, block: Any, like: Event | None = None) -> list[Event]:
        """Begin a block; the one that is open ends.

        Args:
            owner: to whom it belongs.
            block: the block, as it begins.
            like: the server's event, whose other fields are kept.
        """
        found = self.stop()
        self.owner = owner
        self.index += 1
        self.as_sent = self.as_sent and like is not None and like.get("index") == self.index
        if isinstance(own := field(block, "id"), str):
            self._ids.add(own)
        return [*found, {**(like or {"type": START}), "index": self.index, "content_block": block}]

    def delta(self, kind: str, name: str, text: str) -> Event:
        """A piece of the open block: text in the field of that name."""
        return {"type": DELTA, "index": self.index, "delta": {"type": kind, name: text}}

    def say(self, owner: Any, kind: str, text: str) -> list[Event]:
        """A piece of text or of reasoning in a block of ours, which begins if its owner has none open."""
        found: list[Event] = []
        if self.owner is not owner:
            signed = {"signature": ""} if kind == "thinking" else {}  # only a server can sign it
            found = self.start(owner, {"type": kind, kind: "", **signed})
        return [*found, self.delta(FIELDS[kind], kind, text)]

    def moved(self, event: Event) -> Event:
        """An event of the server about the open block, with the index of ours."""
        return event if event.get("index") == self.index else {**event, "index": self.index}

    def stop(self, like: Event | None = None) -> list[Event]:
        """End the block that is open, if there is one. `like`: as for `start`."""
        if self.owner is None:
            return []
        self.owner = None
        self.as_sent = self.as_sent and like is not None
        return [self.moved(like) if like else {"type": STOP, "index": self.index}]

    def leave_open(self) -> None:
        """Nobody knows whether the block that is open is complete: it does not end."""
        self.owner = None

    def differ(self) -> None:
        """The server's blocks are not as the protocol has them."""
        self.as_sent = False

    # -- calls of the text ---------------------------------------------------------------------------------------------

    def call(self, event: CallStart | CallDelta | CallEnd, *, cut: bool) -> list[Event]:
        """The events for an event of a call in the text.

        Args:
            event: the event.
            cut: whether the connection broke, so that a call which is incomplete must not look finished: its block does
                not end. One that is malformed ends, because more may follow it.
        """
        if type(event) is CallStart:
            own = event.id is None or event.id in self._ids  # a model may write one twice
            id = f"{self._id_prefix}{event.index}" if own else event.id  # noqa: A001  # the wire's own word
            return self.start(event, {"type": "tool_use", "id": id, "name": event.name, "input": {}})
        if type(event) is CallDelta:
            return self._pieces(event.text)
        return self._end(event, cut=cut) if isinstance(event, CallEnd) else []

    def _end(self, event: CallEnd, *, cut: bool) -> list[Event]:
        if event.call.status == "ok":
            self.calls += 1
            return [*self._pieces(""), *self.stop()]
        self._held = _broken(self._held, event.call.status)
        found = self._pieces("")
        if cut and event.call.status == "incomplete":
            self.leave_open()
        return [*found, *self.stop()]

    def _pieces(self, text: str) -> list[Event]:
        held, self._held = self._held, text
        return [self.delta("input_json_delta", "partial_json", held)] if held else []


def _broken(text: str, status: str) -> str:
    end = text.rfind("}") if text.rstrip().endswith("}") else len(text)
    return text[:end] + never_whole(status) + text[end:]
