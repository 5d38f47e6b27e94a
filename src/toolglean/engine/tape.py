# The text of a turn: what is being read, what waits for the next chunk, what is read again, and what is kept because it
# may be read again. Does not know what the text means.
#
# Text is read once, from the front. Three things put text before what follows:
#
# - the end of a chunk may be the beginning of a marker: it is *held*, and joined to the next chunk;
# - a region that is not a call: its opener is text, and the rest is read again, because it may hide a real call;
# - a reading that was undone (attempt.py): what follows it is read again.
#
# No more characters are read again than were read, plus 4 KB (REREAD_GRACE), so the work stays linear. Fallback formats
# and drafts that are read again have a budget of their own each, of twice as many, and use up nobody else's. The rule
# depends on places only, so it is the same for every chunking.
#
# The tape is the one part of a turn that an undone reading leaves as it is: where the text is, what waits, and how much
# was read again are facts, whatever the text turns out to mean.
"""The text of a turn."""

from __future__ import annotations

import sys
from typing import TypeAlias

from toolglean.scan.plain import Plain, Rope, flat, grown, joined

__all__ = ["UNBOUND", "WINDOW", "Bound", "Kept", "Piece", "Region", "Tape"]

NEVER = sys.maxsize
REREAD_GRACE = 4096
WINDOW = 256  # how much text is joined to held text at once: joining to all of a long text would copy it each time

Piece: TypeAlias = "tuple[str, int, int]"
"""Text that is still to be read: the text, the index at which to begin, and the place of its first character."""


def _is_too_much(read: int, size: int, start: int) -> bool:
    # Whether a budget of its own does not allow so many characters from `start` on, after those that were read by it.
    return read + size > 2 * (start + size) + REREAD_GRACE


class Tokens(Plain):
    """What is known of the tokens that wrote the text: see evidence/.

    Attributes:
        hides: whether the text contains a marker that no reader knows, because it was spelled out.
    """

    __slots__ = ("_from", "_places", "hides")

    def __init__(self) -> None:
        self.hides = False
        self._places: set[int] = set()  # of markers that special tokens wrote
        self._from = 0  # those before it are forgotten

    def copy(self) -> Tokens:
        """The same, for a fork."""
        twin = super().copy()
        twin._places = {*self._places}
        return twin

    def trust(self, place: int, within: int) -> None:
        """A special token has written the marker that begins at that place.

        `within`: how far back text in a quotation may still be read again.
        """
        if place - self._from > 2 * within:
            self._from = place - within
            self._places = {each for each in self._places if each >= self._from}
        self._places.add(place)

    def has_written(self, place: int) -> bool:
        """Whether a special token has written the marker at that place."""
        return place in self._places

    def hide(self) -> None:
        """What comes next contains a marker that no reader knows."""
        self.hides = True


class Tape(Plain):
    """What is read, and what is read next.

    Attributes:
        ahead: what is read after the current text, the last one first; empty between chunks.
        base: the place in the turn of the first character of the text that is being read.
        held: the end of the text, which waits for the next chunk.
        in_prompt: whether the prompt is being read: its places are below 0.
        waiting: what is read next, text and place; with the text "", the machine must do something else first. None if
            nothing is.
    """

    __slots__ = ("_by_fallbacks", "_drafts", "_reread", "_tokens", "ahead", "base", "held", "in_prompt", "waiting")

    def __init__(self) -> None:
        self.base = 0
        self.held = ""
        self.in_prompt = False
        self.ahead: list[Piece] = []
        self.waiting: tuple[str, int] | None = None
        self._reread = 0  # how many characters were read again
        self._by_fallbacks = self._drafts = 0  # the same, by fallback formats, and of drafts
        self._tokens: Tokens | None = None  # None as long as nothing is known of them

    def copy(self) -> Tape:
        """The same place for another reader: what is ahead of this one is not ahead of that one."""
        twin = Tape.__new__(Tape)
        twin.base, twin.held, twin.in_prompt, twin.ahead = self.base, self.held, self.in_prompt, []
        twin.waiting, twin._reread, twin._by_fallbacks = self.waiting, self._reread, self._by_fallbacks
        twin._drafts, twin._tokens = self._drafts, self._tokens and self._tokens.copy()
        return twin

    # -- what is known of the text: see evidence/ ----------------------------------------------------------------------

    @property
    def tokens(self) -> Tokens:
        """What is known of the tokens, to add to it."""
        if self._tokens is None:
            self._tokens = Tokens()
        return self._tokens

    @property
    def hides(self) -> bool:
        """Whether the text contains a marker that no reader knows, because it was spelled out."""
        return self._tokens is not None and self._tokens.hides

    def is_trusted(self, place: int) -> bool:
        """Whether a special token has written the marker at that place."""
        return self._tokens is not None and self._tokens.has_written(place)

    def read_prompt(self, *, reads: bool) -> None:
        """Whether the prompt is read from here on."""
        self.in_prompt = reads

    # -- what waits for the next chunk ---------------------------------------------------------------------------------

    def hold(self, text: str) -> None:
        """Hold that text, the end of what is being read."""
        self.held = text

    def release(self) -> str:
        """Release what waits, and return it."""
        held, self.held = self.held, ""
        return held

    # -- what is read again --------------------------------------------------------------------------------------------

    def read_again(self, text: str, start: int, *, always: bool) -> bool:
        """Read that text, which is at `start`, once more. False: too much was read again already.

        `always`: the text is the beginning of a marker, so it is short.
        """
        if not always and not self.may_read_again(len(text), start):
            return False
        self._reread += len(text)
        if text:
            self.waiting = (text, start)
        return True

    def may_read_again(self, size: int, start: int) -> bool:
        """Whether so many characters from `start` on may be read once more: too much may have been read again."""
        return self._reread + size <= start + size + REREAD_GRACE

    def read_by_fallback(self, text: str, start: int) -> bool:
        """Have that text read by another reader. False: too much was read so already. Each reader has its own budget,
        so one that failed does not use up another's.
        """
        if _is_too_much(self._by_fallbacks, len(text), start):
            return False
        self._by_fallbacks += len(text)
        self.waiting = (text, start)
        return True

    def read_draft_again(self, size: int, start: int) -> bool:
        """Count so many characters of a draft, from `start` on, as read once more. False: there were too many."""
        if _is_too_much(self._drafts, size, start):
            return False
        self._drafts += size
        return True

    def read_instead(self, text: str, start: int) -> None:
        """Read that text next, instead of anything that was to be read again; "" for nothing. It is not counted."""
        self.waiting = (text, start) if text else None

    def interrupt(self) -> None:
        """Interrupt the loop, with nothing to read again."""
        if self.waiting is None:
            self.waiting = ("", 0)

    def count_as(self, other: Tape) -> None:
        """Count as much as read again as that tape does."""
        self._reread = other._reread

    @property
    def reread(self) -> int:
        """How many characters were read again."""
        return self._reread

    def count_again(self, chars: int) -> None:
        """Count that many characters as read again."""
        self._reread += chars

    def take_waiting(self) -> tuple[str, int] | None:
        """Take what is to be read again, with its place; None if there is none."""
        waiting, self.waiting = self.waiting, None
        return waiting

    # -- the order of reading ------------------------------------------------------------------------------------------

    def open(self, piece: Piece) -> tuple[str, int]:
        """Begin to read that piece, after what was held. Returns the text, and the index at which to begin."""
        text, i, self.base = piece
        if not self.held or i >= len(text):
            return text, i
        if len(text) - i > WINDOW:
            self.ahead.append((text, i + WINDOW, self.base))
        held = self.release()
        self.base += i - len(held)
        return held + text[i : i + WINDOW], 0

    def join(self, text: str, base: int) -> str:
        """Begin to read all of that text, which is at `base`, after what was held."""
        held, self.base = "", base
        if text:
            held = self.release()
            self.base -= len(held)
        return held + text

    def next(self, text: str = "", i: int = 0) -> Piece | None:
        """What to read next, if that text was read up to `i`; None if nothing is left."""
        if i < len(text):
            self.ahead.append((text, i, self.base))
        if self.waiting is not None:
            (again, place), self.waiting = self.waiting, None
            if again:
                return again, 0, place
        return self.ahead.pop() if self.ahead else None

    def lay(self, piece: Piece | None) -> None:
        """Read that piece before all that is ahead."""
        if piece is not None:
            self.ahead.append(piece)

    def lay_in_order(self, piece: Piece, first: Piece | None = None) -> None:
        """Read that piece after those that precede it in the turn. `first`: what would otherwise be read next."""
        self.lay(first)
        if piece[0]:
            after = sum(1 for _, i, base in self.ahead if base + i >= piece[2])
            self.ahead.insert(after, piece)

    def drop_up_to(self, place: int) -> None:
        """Drop what is ahead up to that place."""
        self.ahead[:] = [each for each in self.ahead if each[2] + len(each[0]) > place]


class Kept(Plain):
    """Text that is kept, from a place on.

    Attributes:
        start: its place in the turn.
        end: the place after it.
    """

    __slots__ = ("_text", "end", "start")

    ropes = frozenset({"_text"})

    def __init__(self, start: int, text: str = "") -> None:
        self.start, self.end = start, start + len(text)
        self._text: Rope = ((), text) if text else ()

    @property
    def text(self) -> str:
        """All of it."""
        self._text = flat(self._text)
        return joined(self._text)

    def keep(self, text: str) -> None:
        """Add to it."""
        self._text = grown(self._text, text)
        self.end += len(text)

    def before(self, place: int) -> str:
        """The text up to that place."""
        return self.text[: place - self.start]

    def after(self, place: int) -> str:
        """The text from that place on."""
        return self.text[place - self.start :]


class Region(Kept):
    """Text that may become a call, beginning with its opener. If it does, it is the beginning of the call's span.

    Attributes:
        open: whether text is kept.
        bare: whether no marker opened it, so that an unknown name is not accepted.
        opener_length: how many characters at its beginning are not read again if it is not a call.
        fence_line: how many characters at its beginning are the line of a fence, before the opener.
        stream_in_reasoning: whether its call is returned at once, also inside reasoning.
    """

    __slots__ = ("bare", "fence_line", "open", "opener_length", "stream_in_reasoning")

    def __init__(self) -> None:
        super().__init__(0)
        self.open = self.bare = self.stream_in_reasoning = False
        self.opener_length = self.fence_line = 0

    def begin(self, start: int, kept: int, *, bare: bool) -> None:
        """From `start` on, text is kept."""
        self.start = self.end = start
        self._text, self.stream_in_reasoning, self.fence_line = (), False, 0
        self.open, self.bare, self.opener_length = True, bare, kept

    def begin_before(self, text: str) -> None:
        """It begins with that text, the line of a fence, which was not emitted yet."""
        self.fence_line = len(text)
        self.start, self.opener_length = self.start - self.fence_line, self.opener_length + self.fence_line
        self._text = grown(self._text, text)

    def doubt(self, *, bare: bool) -> None:
        """Whether an unknown name is not accepted."""
        self.bare = bare

    def hand_out(self, *, stream_in_reasoning: bool) -> None:
        """Whether its call is returned at once."""
        self.stream_in_reasoning = stream_in_reasoning

    @property
    def ends_with_space(self) -> bool:
        """Whether its last character is white space."""
        return joined(self._text)[-1:].isspace()

    def settle(self) -> None:
        """What is kept so far is complete JSON, whose strings are not searched for calls: none of it is read again."""
        self.opener_length = self.end - self.start

    def shorten(self, chars: int) -> None:
        """Its last characters are read again, and then kept again."""
        text = self.text
        self._text = ((), text[: len(text) - chars])
        self.end -= chars

    def taken(self) -> tuple[str, int]:
        """Take its text and place; nothing is kept after that."""
        text, self.open, self._text = self.text, False, ()
        return text, self.start


class Bound(Plain):
    """The limit that is in force, for a region or for an open call. Never changed.

    Attributes:
        at: the place in the turn of the first character beyond it; NEVER if none is in force.
        name: the limit's name.
    """

    __slots__ = ("at", "name")  # not a NamedTuple: its fields are read with each piece of text, and are slower there

    def __init__(self, at: int = NEVER, name: str = "") -> None:
        self.at, self.name = at, name


UNBOUND = Bound()
