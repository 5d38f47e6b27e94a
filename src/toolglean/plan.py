# What this file knows: what the machine asks of that which it looks for, and of what a tag opens.
# What it must not know: who answers (discovery.py for a tag, places.py for formats).
#
# These are types only: nothing imports this file when it runs, for protocols are slow to make.
"""What the machine runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.scan.text import Finder

__all__ = ["Payload", "Plan"]


class Payload(Protocol):
    """What a tag opened: reads on until it calls `leave`, `give_up` or `stop` on the machine."""

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""

    def skip(self, machine: Machine, text: str, i: int) -> int:
        """Pass over the rest of a malformed call, from `i`; returns the place reached."""

    def stops(self) -> str:
        """Inside a string of the arguments: characters that may end it, besides quotes, backslashes and controls.

        A chunk without any of these is passed on as it stands. "" where the text must be read.
        """

    def finish(self, machine: Machine) -> None:
        """The turn is over, and no call is open."""

    def copy(self) -> Self:
        """The same place."""


class Plan(Protocol):
    """What to look for, and what it opens. Shared by parsers, never changed.

    Attributes:
        bare: whether a call may begin the turn without a marker.
        spaced: whether a marker may begin with white space, so that such at the start of a turn waits for what follows.
        stops_after_bare: whether all text is content once something else has come (Done).
    """

    bare: bool
    spaced: bool
    stops_after_bare: bool

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the tags of a lane (content, or reasoning of one kind); `only`: the formats that count, () for all."""

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning; 0 where no reasoning is known."""

    def begin(self, machine: Machine, found: str, start: int) -> tuple[Payload, int]:
        """A tag was found at that place: the payload, and how much of the tag it has read."""

    def begin_bare(self, machine: Machine, char: str, start: int) -> tuple[Payload, int] | None:
        """The turn begins with that character: the payload and how much of it was read, or None."""
