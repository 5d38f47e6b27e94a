# How a reading is undone: with a copy of the whole turn, taken before that reading began. Does not know why it is
# undone, or which text it read (judge/drafts.py, repair/).
#
# A draft, a quotation or a repair reads on, although it may turn out to be wrong. What it changes is not listed
# anywhere: a list would miss a field one day, and what follows would be read differently than after plain text. So the
# whole turn is copied, and the whole turn is put back. Two things stay as they are: the tape, because the place of the
# text and the amount that was read again are facts; and the events that were returned.
#
# The law in fuzz/undo.py: what follows an undone reading is read as after plain text.
"""The checkpoint of a reading that may be undone."""

from __future__ import annotations

from typing import Any

from toolglean.scan.plain import Plain

__all__ = ["Attempt"]


class Attempt(Plain):
    """A reading that may be undone.

    Args:
        turn: the turn.
        payload: the payload that reads on from here if the reading is undone; None: the turn's own, as it is.

    Attributes:
        before: the turn from just before it. It never reads: copies of it do.
    """

    __slots__ = ("before",)

    owned = ("before",)  # it may be adopted, so each copy needs its own

    def __init__(self, turn: Any, payload: Any = None) -> None:
        self.before: Any = turn.copy_for_attempt(payload)  # a TurnState: it is above

    def undo(self, turn: Any) -> None:
        """Restore the turn from before the attempt. The caller puts what was read since somewhere else."""
        turn.adopt(self.before)
