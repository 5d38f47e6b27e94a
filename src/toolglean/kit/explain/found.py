# What this file knows: what the rules of causes.py and almost.py are given, and what they tell.
# What it must not know: how anything was found, and what follows from it.
"""What was found about a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolglean.kit.explain.shapes import Advice, Opener
from toolglean.kit.explain.signs import Bare, Quotes
from toolglean.kit.explain.trials import Asked
from toolglean.kit.explain.turn import Read

__all__ = ["Found", "Story"]


class Found(NamedTuple):
    """What was found about a turn."""

    asked: Asked
    read: Read
    openers: Sequence[Opener]
    bare: Sequence[Bare]
    quotes: Quotes
    advice: Sequence[Advice]
    known_formats: int
    markers: Sequence[str] = ()


class Story(NamedTuple):
    """A cause as a rule tells it: see `Cause`."""

    name: str
    start: int
    text: str
