# Who is told how far payloads read. Does not depend on who that is (explain/), or on how a payload is written.
#
# The machine tells it, at the one place where it gives text to a payload. Text that a fast path passes is not told: the
# payload has not looked at it. A fork and a pickle have no watch, and nor has the trial of a repair, which is a copy.
"""What is told to those who explain a reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["Watch"]


class Watch(Protocol):
    """Is told how far payloads read. It changes nothing in what it is given."""

    def read(self, turn: Turn, payload: Any, here: int) -> None:
        """A payload has read a piece of the text.

        Args:
            turn: shows what came of that: whether the payload reads on, and which events there are.
            payload: of the kind that the machine's plan begins.
            here: the place that it has reached.
        """
        ...
