# What a reader says about an item that is nothing but a piece of text. Does not depend on what follows from it
# (repair/lane.py), or on any wire format.
"""Items of a stream that are nothing but a piece of text."""

from __future__ import annotations

from typing import NamedTuple

from toolglean.clients.turn.text import TurnText

__all__ = ["Plain"]


class Plain(NamedTuple):
    """An item that is nothing but a piece of text.

    Attributes:
        name: of the field with the text.
        text: the piece.
        turn: reads it. For another item that differs in nothing but the text, this is all that must be done.
    """

    name: str
    text: str
    turn: TurnText
