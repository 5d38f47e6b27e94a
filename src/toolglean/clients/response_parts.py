# What this file knows: how far a part of a message, and an item of ours, has come in a stream of the Responses API.
# What it must not know: what becomes of the server's events (responses.py), how calls are written.
"""Parts of messages, and items that came out of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.reading import TurnText

__all__ = ["Item", "Part"]


@dataclass(slots=True)
class Item:
    """An item of ours, as far as it has come."""

    index: int  # of the output
    body: dict[str, Any]
    pieces: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "".join(self.pieces)

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": self.index, "sequence_number": 0, **fields}

    def filled(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.event(kind, item_id=self.body["id"], **fields)


@dataclass(slots=True)
class Part:
    """One part of text of a message: its parser, what remained text, and the item that is open in it."""

    turn: TurnText
    place: int | None  # the server's output index
    event: Mapping[str, Any]  # the last delta: what is held back goes out in its likeness
    text: list[str] = field(default_factory=list)
    item: Item | None = None
    thinks: bool = False
    over: bool = False
    gave: bool = False  # whether an item came of it

    @property
    def left(self) -> str:
        return "".join(self.text)
