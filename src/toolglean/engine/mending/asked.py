# What this file knows: what mending asks of a payload.
# What it must not know: who answers (places/payload.py).
"""What can be mended, as mending sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglean.scan.text import Finder

__all__ = ["Mendable"]


class Mendable:
    """What is read behind a tag. Where nothing of it can be mended, all of this stays as it is here."""

    def relented(self) -> Self | None:
        """A copy that stands before the character that it has just refused; None where that cannot be."""
        return None

    def brackets(self) -> str:
        """What closes the containers of the arguments, and those around them, innermost first."""
        return ""

    def is_whole(self) -> bool:
        """Whether the arguments have closed, and only what stands around them is open."""
        return False

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """The marker around strings, and the parameters that the schema knows."""
        return "", ()

    def end_finder(self) -> Finder:
        """Finds what ends the call: its closers, and what opens the next."""
        raise NotImplementedError

    def is_closer(self, found: str) -> bool:
        """Whether that is one of its closers."""
        raise NotImplementedError

    def is_markup(self, text: str) -> bool:
        """Whether the text is nothing but what closes calls and sections."""
        raise NotImplementedError

    def goes_on(self, before: str, behind: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        """Whether what follows a call's closer can only follow a call; None: that is still to be seen.

        Args:
            before: the text up to where the call ended, its closer included.
            behind: the text from there on.
            is_name: whether a call of that name counts.
            at_end: whether the turn ends there.
        """
        raise NotImplementedError

    def refuse(self, turn: Any) -> None:
        """What was read is no call."""
        raise NotImplementedError

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """Nothing can be mended at that place. `doubtful`: the call must not count as it is written."""
        raise NotImplementedError
