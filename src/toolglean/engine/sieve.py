# What may change the events of a machine on their way to the caller. Does not know what is changed: unknown.py turns
# calls into text, trailing/ turns text into calls.
"""What lies between a machine and its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.events import Event

__all__ = ["Sieve"]


class Sieve(Protocol):
    """Changes the events of a turn.

    Attributes:
        sees_all: whether every chunk must be sifted. If not, chunks of plain content may be returned without it.
        seen: the end of what was sifted.
    """

    sees_all: bool
    seen: int

    def sift(self, events: list[Event], chunk: str, place: int) -> list[Event]:
        """The events of the chunk at that place."""

    def finish(self, events: list[Event], place: int, turn: Turn) -> list[Event]:
        """The last events of a turn that ends there."""

    def copy(self) -> Self:
        """An independent copy."""
