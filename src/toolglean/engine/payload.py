# What the machine asks of a payload: what a tag opened, while it is read.
# Does not depend on who answers: discovery.py for a tag, places/ for formats, response/ for response templates.
#
# A turn is Any here: it is above, and knows payloads.
"""Payloads, as the machine sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from toolglean.engine.repair.suspended import Repairable

if TYPE_CHECKING:
    from toolglean.scan.reader import Search

__all__ = ["Payload", "Stops"]

Stops: TypeAlias = "tuple[Search, Callable[[str], str] | None]"
"""Finds something in text that must be read; and what writes other text as a JSON string, None if it is JSON."""


class Payload(Repairable):
    """What a tag opened: it reads on until it calls `leave`, `give_up` or `stop` on the turn."""

    __slots__ = ()

    def read(self, turn: Any, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""
        raise NotImplementedError

    def skip(self, turn: Any, text: str, i: int) -> int:
        """Pass over the rest of a malformed call, from `i`; returns the place reached."""
        raise NotImplementedError

    def finish(self, turn: Any) -> None:
        """The turn is over, and no call is open."""
        raise NotImplementedError

    def copy(self) -> Self:
        """The same place."""
        raise NotImplementedError

    def is_too_long(self, turn: Any) -> bool:
        """The turn's region has passed the limit `held`. Whether the payload was only a try, and has given way."""
        return False

    def completes(self, turn: Any) -> bool:
        """The text is over, and a call is open. Whether it was whole but for what might have followed: then it ends."""
        return False

    def forget_calls(self, calls: int) -> None:
        """The prompt is over, and so many of its calls are not counted any more."""

    def stops(self) -> Stops | None:
        """Inside a string of the arguments: what text may go out without being read. None where all must be read."""
        return None

    def passed(self, turn: Any, text: str) -> tuple[str, bool] | None:
        """The same for text in which a stop was found: it is read, if the string goes on to its end.

        Returns:
            The text as JSON, and whether the next characters must be passed in any case, because an escape, or what may
            be a marker, has begun. None: nothing was read.
        """
        return None
