# One choice of OpenAI's chat stream: which deltas its text, its reasoning and its calls become.
# Does not depend on the chunks that the deltas are sent in (reader.py), or on any client's objects.
#
# Calls of the text and calls that the server has parsed are numbered in the order in which they are sent, so the
# server's keep their index unless one of ours came before. Reasoning goes where the server has put its own.
"""One choice of OpenAI's chat stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglean.conversation.deltas import ChatDeltas
from toolglean.conversation.openai import CUT_OFF, REASONING_FIELDS, reasoning_of
from toolglean.conversation.reading.parsed import ChatCalls
from toolglean.conversation.reading.text import TurnText, is_all
from toolglean.events import Event, Reasoning

__all__ = ["ChoiceReader", "was_cut"]

DEFAULT = REASONING_FIELDS[:1]
"""The field for reasoning that is found in the text, if the server has shown no other."""


def was_cut(reason: Any) -> bool:
    """Whether a turn that ended for this reason was cut off."""
    return isinstance(reason, str) and reason in CUT_OFF  # a server may send any value


def in_fields(deltas: Iterable[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The deltas, with their reasoning in the fields of these names."""
    (own,) = DEFAULT
    return [dict.fromkeys(names, each[own]) if names != DEFAULT and own in each else each for each in deltas]


class ChoiceReader:
    """Reads one choice of a stream.

    Args:
        turn: reads its text.
        deltas: writes the deltas of the events.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self.turn = turn
        self.over = False
        self.own = ChatCalls(turn)
        self.deltas = deltas
        self._indexes: dict[int, int] = {}  # of the server's calls, by the places of `own`
        self._names = DEFAULT  # of the server's fields for reasoning

    def think(self, delta: Any) -> list[dict[str, Any]] | None:
        """The deltas that the reasoning in the server's own field becomes; None if it is nothing but reasoning."""
        text, names = reasoning_of(delta)
        if not text:
            return None
        self._names = names
        events = self.turn.think(text)
        return None if is_all(events, text, Reasoning) else self._thought(events)

    def stop_thinking(self) -> list[dict[str, Any]]:
        """The deltas of such reasoning that was held back, if content follows, or a call that the server has parsed."""
        return self._thought(self.turn.stop_thinking())

    def _thought(self, events: list[Event]) -> list[dict[str, Any]]:
        return in_fields(self.deltas.deltas(events), self._names)

    def read(self, text: str) -> list[dict[str, Any]] | None:
        """The deltas that the text becomes; None if it is nothing but text."""
        events = self.turn.feed(text)
        return None if is_all(events, text) else self.deltas.deltas(events)

    def numbered(self, fragments: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
        """Fragments of the server's calls, each with its new index instead of the place of its call."""
        found = []
        for fragment, place in fragments:
            if place not in self._indexes:
                self._indexes[place] = self.deltas.next_index
                self.deltas.next_index += 1
            found.append((fragment, self._indexes[place]))
        return found

    def end(self, reason: str | None = None) -> tuple[list[dict[str, Any]], str | None]:
        """The choice is over: the deltas that were held back, and the right finish reason."""
        self.over = True
        self.own.close()
        thought = self._thought(self.turn.end_thinking(cut=reason is None or was_cut(reason)))
        return thought + self.deltas.deltas(self.turn.finish()), self.deltas.finish_reason(reason)
