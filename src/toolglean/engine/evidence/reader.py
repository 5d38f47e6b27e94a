# The interface of the machine that evidence is about. Does not depend on who implements it: weighing.py.
"""A machine, as the evidence sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.events import Event

__all__ = ["Reader"]


class Reader(Protocol):
    """Reads text as it is spelled, whatever is known of its tokens."""

    def _feed(self, chunk: str) -> list[Event]:
        """Read one chunk."""

    def _end(self) -> list[Event]:
        """End the turn."""

    def _alone(self) -> Any:
        """A copy that knows nothing of tokens."""

    def fork(self) -> Self:
        """A copy."""

    @property
    def _here(self) -> Turn:
        """The turn, when everything so far was read. Only to be asked."""

    @property
    def _place(self) -> int:
        """The place of what comes next, in characters."""

    def _trust_next(self) -> None:
        """A special token has written the marker that comes next."""

    def _hide_next(self) -> list[Event]:
        """What comes next is a marker that no reader knows. Returns what was kept in case it were one."""
