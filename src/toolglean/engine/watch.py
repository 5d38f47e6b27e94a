# An observer of how far payloads read. Does not depend on who observes (kit/explain/), or on how a payload is written.
#
# The machine calls it at the one place where it gives text to a payload. It does not see text on a fast path, because
# no payload makes a call of it. A fork, a pickle and the trial of a repair, which is a copy, have no watch.
"""What an explanation of a reading is made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["Watch"]


class Watch(Protocol):
    """An observer of how far payloads read. It must not change what it is given."""

    def read(self, turn: Turn, payload: Any, here: int) -> None:
        """A payload has read a piece of the text.

        Args:
            turn: the turn, which shows the result: whether the payload reads on, and which events there are.
            payload: the payload, of the kind that the machine's plan begins.
            here: the place that it has reached.
        """
        ...
