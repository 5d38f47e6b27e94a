# What the rules of causes.py and near_misses.py get. Does not depend on how anything was found.
"""The evidence about a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolglean.kit.explain.explanation import Opener
from toolglean.kit.explain.names_and_code import Bare, Quotes
from toolglean.kit.explain.openers import Known
from toolglean.kit.explain.reading import Read
from toolglean.kit.explain.trials import Asked

__all__ = ["Evidence"]


class Evidence(NamedTuple):
    """Everything that was found about a turn; `hints`: about misspelt markers, once each of them was tried."""

    asked: Asked
    read: Read
    openers: Sequence[Opener]
    bare: Sequence[Bare]
    quotes: Quotes
    known: Known
    hints: dict[str, str]
