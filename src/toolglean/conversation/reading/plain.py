# What a reader says about an item that is nothing but a piece of text. Does not depend on what follows from it
# (repair/lane.py), or on any wire format.
"""Items of a stream that are nothing but a piece of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toolglean.conversation.reading.text import TurnText

__all__ = ["Plain", "Sent"]

Sent: TypeAlias = Callable[[str, int | None], int | None]


class Plain(NamedTuple):
    """An item that is nothing but a piece of text.

    Attributes:
        name: of the field with the text.
        text: the piece.
        turn: reads it. For another item that differs in nothing but the text, this is all that must be done.
        number: the name of a field that counts the items; "" if there is none.
        sent: called for such an item once it is sent, with its text, and with its number if it keeps that. Returns the
            number that it has; None if it has none.
    """

    name: str
    text: str
    turn: TurnText
    number: str = ""
    sent: Sent | None = None
