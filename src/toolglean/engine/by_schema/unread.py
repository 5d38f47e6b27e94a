# Content that was not kept, and may name a call all the same. Does not know what names one (reading.py).
"""Content of which a `Problem` may tell in the end that it names a call."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Self

from toolglean.scan.plain import Rope, grown, joined

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["CALL", "FIRST", "LINE", "NAME_WITHIN", "Kind", "Unread", "first_of_turn"]

MOST_FIRST = 512  # characters of a turn that are noted because of how it opens
NAME_WITHIN = 64  # of which so many have a tool's name
_SIGNS = ("`", "<", '"', "\u201c", "\ufeff")  # prose does not open so; one character each, since that alone may come


class Kind(IntEnum):
    """Why content is noted."""

    FIRST = 0
    """The turn opens with it, and it with a sign."""
    LINE = 1
    """A line that may begin a call was refused."""
    CALL = 2
    """The same, and it is a call in JSON."""


FIRST, LINE, CALL = Kind


class Unread(NamedTuple):
    """What is noted: from a place of the turn, up to another. Never changed."""

    place: int
    rope: Rope
    until: int
    kind: Kind

    @property
    def text(self) -> str:
        """The text, without white space around it."""
        return joined(self.rope).strip()

    def may_call(self, names: Collection[str], start: int) -> bool:
        """Whether it may name a call, if the text ends at that place."""
        begun = self.text[:NAME_WITHIN] if self.kind is FIRST and start >= self.place + NAME_WITHIN else None
        return begun is None or any(each in begun for each in names)

    def with_text(self, text: str, start: int) -> Self:
        """The same with that text, which is at that place."""
        if start >= self.until:
            return self
        return self._replace(rope=grown(self.rope, text[: self.until - start]))


def first_of_turn(text: str, start: int) -> Unread | None:
    """What is noted of the first text of a turn; None for nothing."""
    first = text.lstrip()
    if not first.startswith(_SIGNS):
        return None
    place = start + len(text) - len(first)
    return Unread(place, (), place + MOST_FIRST, FIRST).with_text(first, place)
