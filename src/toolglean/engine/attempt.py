# What this file knows: how a reading is undone: by a copy of the whole turn, taken before that reading began.
# What it must not know: why it is undone, and which text it read (draft.py, repair/).
#
# A draft, a quotation or a repair reads on although it may turn out to be wrong. What it changes is not listed
# anywhere: a list would miss a field one day, and what follows would be read differently than after plain text. So the
# whole turn is copied, and the whole turn is put back. Two things stay as they are. The text is one of them: what was
# taken in, where the turn is, and how much was read again are facts, whatever the text turns out to mean. The events
# that were handed out are the other, and so the copy keeps those that were not.
#
# The law in fuzz/undo.py: what follows an undone reading is read as after plain text.
"""The checkpoint of a reading that may be undone."""

from __future__ import annotations

from typing import Any

__all__ = ["Attempt"]


class Attempt:
    """A reading that may be undone.

    Attributes:
        before: the turn (of turn.py, which is above) from just before it. It is never fed: copies of it are.
        start: the place in the turn where the reading began.
    """

    __slots__ = ("before", "start")

    def __init__(self, turn: Any, start: int) -> None:
        told, turn.emit.out = turn.emit.out, []  # the copy needs none of them, and they may be many
        self.before: Any = turn.copy()
        turn.emit.out = told
        self.before.payload = turn.payload and turn.payload.copy()
        self.start = start

    def copy(self) -> Attempt:
        """The same attempt. The turn from before it may be given out, so each has a copy of its own."""
        twin = Attempt.__new__(Attempt)
        twin.before, twin.start = self.before.copy(), self.start
        twin.before.payload = self.before.payload and self.before.payload.copy()
        return twin

    def undo(self, turn: Any) -> None:
        """The turn is what it was before the attempt. What was read since is the caller's to put somewhere else."""
        turn.adopt(self.before)

    def __getstate__(self) -> tuple[Any, int]:
        return self.before, self.start

    def __setstate__(self, state: tuple[Any, int]) -> None:
        self.before, self.start = state
