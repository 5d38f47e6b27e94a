# The end of the content since the last call, which is read once more when the turn is over (by_schema/telling.py). Does
# not know what is looked for in it.
#
# Pieces are kept as they come, and joined now and then: most turns end without a look at them. How much is kept is
# counted in characters, so it does not depend on chunks.
"""What was said."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TypeAlias

from toolglean.events import CallStart, Content, Event
from toolglean.scan.plain import Plain
from toolglean.scan.text import KEPT

__all__ = ["MOST", "Fresh", "Said", "add_reasoning", "end_of"]

Fresh: TypeAlias = "deque[tuple[str, int]]"
"""Pieces of text, each with its place, that the turn has not seen."""

MOST = 8192  # characters of the content that are kept, and of what was between them
_PIECES = 256  # are joined


class Said(Plain):
    """The end of the content.

    Args:
        heeds: whether it will be read; if not, nothing is kept.

    Attributes:
        heeds: the same.
    """

    __slots__ = ("_pieces", "heeds")

    owned = ("_pieces",)

    def __init__(self, *, heeds: bool) -> None:
        self.heeds = heeds
        self._pieces: list[tuple[str, int]] = []  # in order, each with its place

    def fresh(self) -> Fresh:
        """What takes pieces on the fastest paths, which are added later: no more than may matter."""
        return deque(maxlen=MOST if self.heeds else KEPT)

    def add(self, pieces: Iterable[tuple[str, int]]) -> None:
        """These pieces of content, each with its place, were said."""
        if self.heeds:
            self._pieces += pieces
            if len(self._pieces) > _PIECES:
                self._pieces = [self.text()]

    def heard(self, events: list[Event]) -> list[Event]:
        """These events are returned. Returns them."""
        if self.heeds:
            for event in events:
                kind = type(event)
                if kind is Content:
                    self.add(((event.text, event.start),))  # type: ignore[union-attr]
                elif kind is CallStart:
                    self._pieces = []
        return events

    def forget(self) -> None:
        """A call came."""
        self._pieces = []

    def text(self) -> tuple[str, int]:
        """All of it, and its place. A marker is line breaks, as many as it had characters: a line may begin behind."""
        parts: list[str] = []
        start = end = self._pieces[0][1] if self._pieces else 0
        for text, place in self._pieces:
            if place > end:
                parts.append("\n" * min(place - end, MOST))
            parts.append(text)
            end = place + len(text)
        whole = "".join(parts)[-MOST:]
        return whole, max(start, end - len(whole))


def end_of(fresh: Fresh, before: str) -> str:
    """The end of these pieces, which come behind that text; "" if there are none."""
    if not fresh:
        return ""
    end = fresh[-1][0]
    if len(end) < KEPT:  # a short text has what came before
        end = "".join(fresh[k][0] for k in range(-min(len(fresh), KEPT), 0))
        end = end if len(end) >= KEPT else before + end
    return end[-KEPT:]


def add_reasoning(fresh: Fresh, text: str, start: int) -> None:
    """Of reasoning, no more is asked for than its end."""
    fresh.append((text, start))
    if len(fresh) > KEPT:
        fresh.popleft()
