# What this file knows: what the machine asks of that which it looks for.
# What it must not know: who answers (discovery.py for a tag, places/ for formats, response/ for response templates).
"""What the machine looks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.judge.strings import JsonStrings
    from toolglean.engine.turn import Payload, Turn
    from toolglean.formats.origin import Source
    from toolglean.formats.spec import Format
    from toolglean.scan.text import Finder

__all__ = ["Plan"]


class Plan:
    """What to look for, and what it opens. Shared by parsers, never changed.

    Attributes:
        bare: whether a call may begin the turn without a marker.
        spaced: whether a marker may begin with white space, so that such at the start of a turn waits for what follows.
        stops_after_bare: whether all text is content once something else has come (Done).
        marked: whether a marker may stand where a call needs none; then it comes first.
        drafts: whether calls inside reasoning are kept back: see judge/drafts.py.
        formats: the formats that are read; empty where something else than their patterns is.
    """

    bare = False
    spaced = False
    stops_after_bare = False
    drafts = False
    marked = False
    formats: tuple[Format, ...] = ()

    @property
    def described(self) -> Source | None:
        """What is read where it is not the patterns of formats."""
        return None

    def finder(self, channel: int, only: tuple[int, ...]) -> Finder:
        """Finds the tags of a channel: content, or a kind of reasoning. `only`: the formats that count, () for all."""
        raise NotImplementedError

    def text_finder(self, turn: Turn) -> Finder:
        """Finds all that may begin in the text where the turn stands."""
        return self.finder(turn.channel, turn.narrowed_to)

    def quotes(self, *, heeded: bool) -> Quotes | None:
        """What finds quotations, and the end of the turn, in a new turn; None where neither is looked for.

        Args:
            heeded: whether calls in quotations are content, and a fence around the calls of a turn is markup.
        """
        return None

    def strings(self, max_depth: int) -> JsonStrings | None:
        """What tells whether content is in a string of JSON, of at most that depth; None where that does not matter."""
        return None

    def reasoning_channel(self) -> int:
        """The channel in which a turn starts whose prompt has opened the reasoning; 0 where no reasoning is known."""
        return 0

    def is_header(self, text: str) -> bool:
        """Whether the text begins a message's header, which a turn that is cut off in it does not show."""
        return False

    def marks(self, channel: int) -> tuple[str, ...]:
        """The markers that show that reasoning of that channel goes on, or ends: see draft.py."""
        return ()

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """A tag was found at that place: the payload, and how much of the tag it has read."""
        raise NotImplementedError

    def waits_at_start(self, turn: Turn, text: str, i: int) -> bool:
        """Whether more text than stands at `i` is needed to tell what begins the turn."""
        return False

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The turn begins with what stands at `i`: the payload and how much of it was read, or None."""
        raise NotImplementedError
