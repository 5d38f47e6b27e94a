# Which events of the Messages API may follow which, as its official clients rely on it: they find a block by counting
# those that began, join what belongs to it, and send the message back. Does not depend on toolglean.
"""A checker of the Messages API's stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["faults"]

DELTAS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"text_delta", "citations_delta"}),
    "thinking": frozenset({"thinking_delta", "signature_delta"}),
    "tool_use": frozenset({"input_json_delta"}),
    "server_tool_use": frozenset({"input_json_delta"}),
}
"""Which deltas a block may have, by its type."""


class _Checker:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.begun = self.reason = None
        self.open: dict[str, Any] | None = None
        self.pieces: list[str] = []
        self.blocks = 0
        self.ids: set[str] = set()
        self.over = False

    def read(self, event: Mapping[str, Any]) -> None:
        kind = event["type"]
        if kind == "ping":
            return
        self._is(not self.over, f"{kind} after the end")
        self._is((kind == "message_start") == (self.begun is None), f"{kind} at the wrong place")
        if kind == "message_start":
            self.begun = event["message"]
        elif kind == "content_block_start":
            self._start(event)
        elif kind == "content_block_delta":
            self._delta(event)
        elif kind == "content_block_stop":
            self._stop(event)
        elif kind == "message_delta":
            self._is(self.open is None, "the message ends within a block")
            self.reason = event["delta"]["stop_reason"]
            self._is(self.reason != "end_turn" or not self.ids, "end_turn, although there are calls")
        elif kind == "message_stop":
            self._is(self.reason is not None, "no reason")
            self.over = True

    def _start(self, event: Mapping[str, Any]) -> None:
        self._is(self.open is None, "a block begins within another")
        self._is(self.reason is None, "a block after the reason")
        self._is(event["index"] == self.blocks, f"index {event['index']} instead of {self.blocks}")
        self.open, self.pieces = event["content_block"], []
        self.blocks += 1
        if self.open["type"] == "tool_use":
            self._is(self.open["id"] not in self.ids, "an id twice")
            self._is(bool(self.open["id"] and self.open["name"]), "no id, or no name")
            self.ids.add(self.open["id"])

    def _delta(self, event: Mapping[str, Any]) -> None:
        delta = event["delta"]
        if self.open is None or event["index"] != self.blocks - 1:
            self.found.append("a delta of no open block")
            return
        kind = self.open["type"]
        self._is(delta["type"] in DELTAS.get(kind, frozenset()), f"{delta['type']} in a block of type {kind}")
        self.pieces += [str(text) for name, text in delta.items() if name != "type"]

    def _stop(self, event: Mapping[str, Any]) -> None:
        if self.open is None or event["index"] != self.blocks - 1:
            self.found.append("the end of no open block")
            return
        whole, kind = "".join(self.pieces), self.open["type"]
        self._is(kind != "text" or bool(whole), "an empty text")
        if kind == "tool_use":
            try:
                self._is(isinstance(json.loads(whole or "{}"), dict), "arguments that are no object")
            except ValueError:
                self.found.append("a call that is not complete, and ends")
        self.open = None

    def _is(self, so: bool, otherwise: str) -> None:
        self.found += [] if so else [otherwise]


def faults(events: Iterable[Mapping[str, Any]], *, ended: bool = True) -> list[str]:
    """What is wrong with a stream; [] if nothing is.

    Args:
        events: their data.
        ended: whether the stream came to its end; if not, it must be the beginning of one.
    """
    checker = _Checker()
    for event in events:
        checker.read(event)
    if ended and not checker.over:
        checker.found.append("no message_stop")
    return checker.found
