# The interface of a payload: what a tag opened, while it is being read. Does not depend on who implements it:
# discovery.py for a tag, matcher/ for formats, sources/response/ for response templates.
#
# A turn is Any here, because turn.py imports this file.
"""Payloads, as the machine sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from toolglean.engine.repair.suspended import Repairable

if TYPE_CHECKING:
    from toolglean.scan.reader import Search

__all__ = ["Payload", "Stops"]

Stops: TypeAlias = "tuple[Search, Callable[[str], str] | None]"
"""Finds out whether text must be read; and writes other text as a JSON string, None if it is JSON already."""


class Payload(Repairable):
    """What a tag opened: it reads on until it calls `leave`, `give_up` or `stop` on the turn."""

    __slots__ = ()

    def read(self, turn: Any, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""
        raise NotImplementedError

    def reads_for(self, program: Any) -> bool:
        """Whether it reads the own calls of that program, which may be followed then: see straight/."""
        return False

    def skip(self, turn: Any, text: str, i: int, thoughts: tuple[str, ...]) -> int:
        """Skip the rest of a malformed call, from `i`; returns the place reached. `thoughts`: see `Plan`."""
        raise NotImplementedError

    def finish(self, turn: Any) -> None:
        """The turn is over, and no call is open."""
        raise NotImplementedError

    def copy(self) -> Self:
        """The same place."""
        raise NotImplementedError

    def is_too_long(self, turn: Any) -> bool:
        """The turn's region exceeds the limit `held`. Returns whether the payload was only tried, and has given way."""
        return False

    def completes(self, turn: Any) -> bool:
        """The text is over, and a call is open. Returns whether it was complete apart from what might have followed:
        then it ends.
        """
        return False

    def is_behind_call(self) -> bool:
        """Whether a call has ended, and nothing has begun since."""
        return False

    def is_in_value(self) -> bool:
        """Whether what comes next is text of a value, where no marker must be: see evidence/."""
        return True

    def forget_calls(self, calls: int) -> None:
        """The prompt is over, and so many of its calls are no longer counted."""

    def is_data(self) -> bool:
        """Whether what comes next is JSON that is text, whatever it is: then what has no sign goes to `pass_data`."""
        return False

    def pass_data(self, turn: Any, text: str) -> bool:
        """Read that text, outside the loop. False: more than text is in it; then `read` must go on there."""
        raise NotImplementedError

    def data_passed(self, turn: Any, text: str, start: int) -> None:
        """That text, of one or more `pass_data`, was emitted without the turn."""
        raise NotImplementedError

    def stops(self) -> Stops | None:
        """Inside a string of the arguments: tells which text may be passed on without being read. None if all must be
        read.
        """
        return None

    def passed(self, turn: Any, text: str) -> tuple[str, bool] | None:
        """The same for text in which a stop was found: it is read, if the string continues up to its end.

        Returns:
            The text as JSON, and whether the next characters must be given to `passed` too, because an escape, or what
            may be a marker, has begun. None: nothing was read.
        """
        return None
