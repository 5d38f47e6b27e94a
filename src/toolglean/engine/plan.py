# The interface of what the machine looks for. Does not depend on who implements it: discovery.py for a tag, matcher/
# for formats, sources/response/ for response templates.
"""What the machine looks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglean.engine.followed_call import FollowedCall
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.tape import Piece
    from toolglean.engine.turn import Payload, Turn
    from toolglean.formats.compile import Program
    from toolglean.formats.origin import Source
    from toolglean.formats.spec import Format
    from toolglean.scan.text import Finder

__all__ = ["Plan"]


class Plan:
    """What to look for, and what it opens. Shared by parsers, never changed.

    Attributes:
        bare: whether a call may begin the turn without a marker.
        spaced: whether a marker may begin with white space, so that white space at the start of a turn waits for what
            follows.
        stops_after_bare: whether all text is content once something else has come (Done).
        by_schema: whether calls in undeclared spellings are read too: see by_schema/.
        marked: whether a marker may come where a call needs none; then it is tried first.
        drafts: whether calls inside reasoning are held back: see judge/drafts.py.
        route: the program whose calls may be followed where they are written as declared: see straight/.
        formats: the formats that are read; empty if something other than their patterns is read.
        thoughts: the markers that open reasoning: the rest of a malformed call ends there.
    """

    bare = False
    spaced = False
    stops_after_bare = False
    drafts = False
    by_schema = False
    marked = False
    route: Program | None = None
    formats: tuple[Format, ...] = ()
    thoughts: tuple[str, ...] = ()

    @property
    def described(self) -> Source | None:
        """What is read, if not the patterns of formats."""
        return None

    def finder(self, channel: int, only: tuple[int, ...]) -> Finder:
        """Finds the tags of a channel: content, or a kind of reasoning. `only`: see `TurnState.narrowed_to`."""
        raise NotImplementedError

    def text_finder(self, turn: Turn) -> Finder:
        """Finds everything that may begin in the text, at the turn's place."""
        return self.finder(turn.channel, turn.narrowed_to)

    def quotes(self, *, heeded: bool) -> Quotes | None:
        """What finds quotations, and the end of the turn, in a new turn; None if neither is looked for.

        Args:
            heeded: whether calls in quotations are content, and a fence around the calls of a turn is markup.
        """
        return None

    def reasoning_channel(self) -> int:
        """The channel in which a turn starts if the prompt has opened the reasoning; 0 if no reasoning is known."""
        return 0

    def is_header(self, text: str) -> bool:
        """Whether the text begins a message's header, which is not shown if the turn is cut off in it."""
        return False

    def marks(self, channel: int) -> tuple[str, ...]:
        """The markers that show that reasoning of that channel continues or ends: see judge/drafts.py."""
        return ()

    def may_begin(self, turn: Turn, found: str) -> bool:
        """Whether that tag, which was found at the turn's place, is accepted there."""
        return True

    def opens_call(self, found: str) -> bool:
        """Whether that tag opens a call, or a section of calls: other markers are reasoning, headers, ends."""
        return True

    def read_behind_word(self, turn: Turn, text: str, piece: Piece | None) -> None:
        """A tool's own tag, with which that text begins, is a word. Unless the next piece begins with a call,
        it may quote some: none is read up to the tag's closer.
        """
        place, found = (-1, "") if piece is None else self.text_finder(turn).find(piece[0], piece[1], "\n")
        if piece is None or place > piece[1] or not (found and self.opens_call(found)):
            turn.ignore_calls_until((f"</{text[1:].partition('>')[0]}>",))

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """A tag was found at that place: the payload, and how much of the tag it has read."""
        raise NotImplementedError

    def begins(self, char: str) -> bool:
        """Whether the calls of the one format that is read begin with that character."""
        return False

    def behind(self, payload: Payload | None, other: Payload, landed: FollowedCall, *, begun_anew: bool) -> Payload:
        """What reads on after a call that was followed: see straight/.

        Args:
            payload: what would have read the call; None at the start of the turn.
            other: what reads on after another call of the same kind.
            landed: the call.
            begun_anew: whether it had a line of its own, whatever was before the first.
        """
        raise NotImplementedError

    def waits_at_start(self, turn: Turn, text: str, i: int) -> bool:
        """Whether more text is needed to tell what begins the turn at `i`."""
        return False

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The turn begins with what is at `i`: the payload and how much of it was read, or None."""
        raise NotImplementedError
