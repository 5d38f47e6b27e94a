# What this file knows: how text is kept that may become a call, and how much of a turn may be read a second time.
# What it must not know: what becomes of the text.
#
# From a tag on, and until a call is certain, the text is kept as the *region*. If a call comes of it, the region is the
# beginning of the call's span. If not, its opener is text and the rest is read again, for it may hide a real call.
# Re-read characters stay below those read, plus 4 KB (REREAD_GRACE): that keeps the whole linear. The rule depends on
# positions alone, so it is the same for every chunking.
"""Text that may become a call, and text that is read again."""

from __future__ import annotations

from toolglean.scan.rope import Rope, flat, grown, joined

__all__ = ["Again", "Region"]

REREAD_GRACE = 4096


class Region:
    """Text that may become a call.

    Attributes:
        open: whether text is kept.
        bare: whether no marker opened it, so that an unknown name does not count.
        start: its place in the turn.
        kept: how many characters at its beginning are not read again if no call comes of it.
        lead: how many characters at its beginning are the line of a fence, before the opener.
        at_once: whether a call that comes of it is handed out at once, also inside reasoning.
    """

    __slots__ = ("_chars", "_text", "at_once", "bare", "kept", "lead", "open", "start")

    def __init__(self) -> None:
        self.open = self.bare = self.at_once = False
        self.start = self.kept = self.lead = self._chars = 0
        self._text: Rope = ()

    def copy(self) -> Region:
        """The same region."""
        twin = Region()
        twin.open, twin.bare, twin.start, twin.kept = self.open, self.bare, self.start, self.kept
        twin._text, twin._chars, twin.at_once, twin.lead = self._text, self._chars, self.at_once, self.lead
        return twin

    def begin(self, start: int, kept: int, *, bare: bool) -> None:
        """From `start` on, text is kept."""
        self.open, self.bare, self.start, self.kept, self._text, self._chars = True, bare, start, kept, (), 0
        self.at_once, self.lead = False, 0

    def begin_before(self, text: str) -> None:
        """It begins with that text, the line of a fence, which was not said yet."""
        self.start, self.kept, self.lead = self.start - len(text), self.kept + len(text), len(text)
        self.keep(text)

    def keep(self, text: str) -> None:
        """Add to it."""
        self._text = grown(self._text, text)
        self._chars += len(text)

    def doubt(self, *, bare: bool) -> None:
        """Whether an unknown name does not count."""
        self.bare = bare

    def hand_out(self, *, at_once: bool) -> None:
        """Whether a call that comes of it is handed out at once."""
        self.at_once = at_once

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.start + self._chars

    @property
    def ends_with_space(self) -> bool:
        """Whether its last character is white space."""
        return joined(self._text)[-1:].isspace()

    def settle(self) -> None:
        """What is kept so far is whole JSON, in whose strings no call is looked for: none of it is read again."""
        self.kept = self._chars

    def shorten(self, chars: int) -> None:
        """Its last characters are read again, and kept again then."""
        text = joined(self._text)
        self._text = ((), text[: len(text) - chars])
        self._chars -= chars

    @property
    def text(self) -> str:
        """Its text so far."""
        self._text = flat(self._text)
        return joined(self._text)

    def taken(self) -> tuple[str, int]:
        """Its text and place; nothing is kept any more."""
        text, self.open, self._text = joined(self._text), False, ()
        return text, self.start

    def __getstate__(self) -> tuple[object, ...]:
        return (
            self.open,
            self.bare,
            self.start,
            self.kept,
            self._chars,
            self.at_once,
            self.lead,
            flat(self._text),
        )  # a long rope is too deep for pickle

    def __setstate__(self, state: tuple[bool, bool, int, int, int, bool, int, Rope]) -> None:
        self.open, self.bare, self.start, self.kept, self._chars, self.at_once, self.lead, self._text = state


class Again:
    """Text that is to be read again before what follows.

    Attributes:
        waiting: the text and its place, or None.
        chars: how many characters were read again so far.
        others: how many were read again by others than those who read them first.
    """

    __slots__ = ("chars", "others", "waiting")

    def __init__(self, chars: int = 0, waiting: tuple[str, int] | None = None, others: int = 0) -> None:
        self.chars = chars
        self.waiting = waiting
        self.others = others

    def copy(self) -> Again:
        """The same."""
        return Again(self.chars, self.waiting, self.others)

    def read(self, text: str, start: int, *, always: bool) -> bool:
        """Read that text, which stands at `start`, once more. False: too much was read again.

        `always`: the text is the beginning of a marker, short and at a place of its own.
        """
        if not always and self.chars + len(text) > start + len(text) + REREAD_GRACE:
            return False
        self.chars += len(text)
        if text:
            self.waiting = (text, start)
        return True

    def put(self, text: str, start: int) -> None:
        """Read that text next, without an account of it; "": nothing."""
        self.waiting = (text, start) if text else None

    def take(self) -> tuple[str, int] | None:
        """What is to be read again; it does not wait any more."""
        waiting, self.waiting = self.waiting, None
        return waiting

    def interrupt(self) -> None:
        """Stop reading for a moment, without anything to read again: the machine has something else to do."""
        if self.waiting is None:
            self.waiting = ("", 0)

    def read_otherwise(self, text: str, start: int) -> bool:
        """Have that text read by another reader. False: too much was. It has an account of its own.

        So what a failed reading hides is found all the same: it may be read again whoever has tried it.
        """
        if self.others + len(text) > 2 * (start + len(text)) + REREAD_GRACE:
            return False
        self.others += len(text)
        self.waiting = (text, start)
        return True

    def __getstate__(self) -> tuple[int, tuple[str, int] | None, int]:
        return self.chars, self.waiting, self.others

    def __setstate__(self, state: tuple[int, tuple[str, int] | None, int]) -> None:
        self.chars, self.waiting, self.others = state
