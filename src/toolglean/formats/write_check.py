# Checks that what was written into the slots of a pattern will be read back. Does not depend on how it was written, or
# on how the whole turn is parsed.
#
# The check walks the automaton of the compiled format along the text, as a reader will, but knows where every slot must
# end. So each slot has one rule, and the rule needs nothing but the text after it:
#
#   anything          no marker may fit where the slot begins, because a marker takes precedence
#   names, ids, keys  end at the first literal that may be after them: it must be the one that was written
#   values            end at the first closer after which the next marker fits: it must be the one that was written
#   open values       end where something may follow: it must be the one that was written
#   arguments, calls  end by themselves, as JSON does
#   the last one      something must show that the call is complete
"""Checks that what is written can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolglean.errors import UsageError
from toolglean.formats.nfa import END, LITERAL, Nfa, SlotEdge, StateSet, Terminals, trail_of
from toolglean.formats.parameters import Ending, Followers
from toolglean.formats.spellings import spellings_of
from toolglean.scan.names import NAME_CHARS, is_word
from toolglean.scan.text import Finder

__all__ = ["Piece", "check_slots"]

KEY_CHARS = 4096
SPACE_CHARS = 64  # of white space that a pattern may have after a word
VALUES = frozenset({"value", "open value"})
SELF_ENDING = frozenset({"arguments", "keywords", "call", "json"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the turn.

    Attributes:
        kind: the kind of the slot that it fills; "" for text of the pattern.
        text: what is written.
        of: the call and parameter, for messages.
        lead: of a value: the white space before it; `trail` that after it. Both are written.
        opens: whether a call begins here.
        keys: of an open value: the keys of the tool; None if they are not known.
        ending: of an open value: what ends it, if that is written with it, at the end of `trail`.
    """

    kind: str
    text: str
    of: str = ""
    lead: str = ""
    trail: str = ""
    opens: bool = False
    keys: frozenset[str] | None = None
    ending: str = ""

    @property
    def whole(self) -> str:
        """All that is written."""
        return f"{self.lead}{self.text}{self.trail}"


def check_slots(
    nfa: Nfa,
    start: StateSet,
    opening: StateSet,
    pieces: Sequence[Piece],
    *,
    spaced: bool = False,
    followers: Followers,
) -> None:
    """Check every slot.

    Args:
        nfa: the automaton.
        start: the states in which the first piece begins.
        opening: the states in which calls with a marker of their own begin.
        pieces: section, calls, separators, in order.
        spaced: whether names of tools may contain white space.
        followers: what may follow an open value.

    Raises:
        UsageError: what fills a slot would not be read back; the message says what, and why.
    """
    check = _Check(nfa, start, opening, "".join(piece.whole for piece in pieces), followers, spaced=spaced)
    for piece in pieces:
        check.take(piece)
    if not check.complete:
        raise UsageError(f"{pieces[-1].of}: nothing in the pattern shows that the call is complete")


class _Check:
    # Walks along the text: `at` is the position, `here` the states.

    def __init__(
        self, nfa: Nfa, start: StateSet, opening: StateSet, text: str, followers: Followers, *, spaced: bool
    ) -> None:
        self.nfa, self.here, self.opening, self.text, self.spaced = nfa, start, opening, text, spaced
        self.followers = followers
        self.at = 0
        self.parted: StateSet | None = None  # after white space without which no name may follow
        self.complete = True
        self.due = ""  # white space that ends the value before it

    def take(self, piece: Piece) -> None:
        """Walk over the piece; raise an error if that is not possible."""
        if not piece.kind:
            self._literal(piece)
        elif piece.whole or piece.kind not in SELF_ENDING:  # nested tags without parameters are not text at all
            reason = self._slot(piece)
            if reason:
                raise UsageError(f"{piece.of}: {reason}")
        self.at += len(piece.whole)

    def _literal(self, piece: Piece) -> None:
        due, self.due = self.due, ""
        if piece.text.isspace() and not due:  # it matters only before a name that follows a word
            self.parted = self._walked(self.here, piece.text) or self.parted  # or after the space before it
            if self.parted is not None and self.parted.flags & LITERAL:  # the line of a key ends
                self.here = self.parted
            return
        found = self._walked(self.opening, piece.text) if piece.opens else None
        found = found or self._walked(self.here, piece.text) or self._walked(self.parted, piece.text)
        if found is None:
            raise UsageError(f"{piece.of}: {piece.text!r} is not read where the pattern writes it")
        self.here, self.parted = found, None
        self.complete = bool(found.flags & END) or (self.complete and not piece.opens)

    def _walked(self, here: StateSet | None, text: str) -> StateSet | None:
        for char in text:
            here = self.nfa.step(here, char) if here is not None else None
        return here

    def _slot(self, piece: Piece) -> str:
        text = self.text[self.at :][:1]
        edges = self.here.slot_for(text)
        if not edges and self.parted is not None:
            self.here, edges = self.parted, self.parted.slot_for(text)
        self.parted = None
        if not edges or edges[0].kind != piece.kind:
            return f"the {piece.kind} cannot begin with {text!r}"
        if self._beaten():
            return f"a marker of the format is at the beginning of the {piece.kind}"
        after, terminals = self.nfa.after_slot(edges)
        reason = ""
        if piece.kind in VALUES:
            reason = self._value(piece, edges, after, terminals.literals)
        elif piece.kind not in SELF_ENDING:
            reason = self._word(piece, edges[0], terminals)
        self.complete = edges[0].last
        self.here = after
        return reason

    def _beaten(self) -> bool:
        # Whether a marker fits here.
        here = self.here
        for at in range(self.at, len(self.text)):
            found = self.nfa.step(here, self.text[at])
            if found is None:
                return False
            if found.flags & LITERAL or (self.text[at].isspace() and here.slots and not found.slots):
                return True
            here = found
        return False

    # -- words ---------------------------------------------------------------------------------------------------------

    def _word(self, piece: Piece, edge: SlotEdge, terminals: Terminals) -> str:
        word, kind = piece.text, piece.kind
        longest = max(map(len, terminals.literals), default=0)
        if kind == "key" and not edge.word:
            if len(word) + longest > KEY_CHARS:
                return f"a key has at most {KEY_CHARS - longest:,} characters"
        else:
            reason = self._misspelt(word, edge, longest)
            if reason:
                return reason
        read = self._word_read(terminals, len(word))
        exact = kind == "key" and not (edge.word or edge.trail)
        if (read if exact else read.strip()) == word:
            return ""
        return f"the {kind} {word[:40]!r} contains what ends it, and would be read as {read[:40]!r}"

    def _misspelt(self, word: str, edge: SlotEdge, longest: int) -> str:
        spaced = edge.kind == "name" and not edge.word and self.spaced
        if len(word) > (NAME_CHARS - longest if spaced else NAME_CHARS):
            return f"the {edge.kind} has more than {NAME_CHARS - longest if spaced else NAME_CHARS} characters"
        if not word or word != word.strip() or "\n" in word:
            return f"the {edge.kind} is empty, or has white space at its edges or a line break: {word!r}"
        if not spaced and any(char.isspace() for char in word):
            return f"white space in the {edge.kind} {word!r}"
        if edge.kind == "index" and not word.isdigit():
            return f"the index is not a number: {word!r}"
        if edge.word and not all(map(is_word, word)):
            return f"the name {word!r} is not a word (letters, digits, _, -, .)"
        return ""

    def _word_read(self, terminals: Terminals, size: int) -> str:
        # What a reader takes for the word: everything before the first literal that may follow it.
        text, at = self.text, self.at
        longest = max(map(len, terminals.literals), default=1)
        for end in range(at, min(len(text), at + size + longest + SPACE_CHARS)):
            if text[end] in terminals.chars and text[at:end].strip():
                return text[at:end]
            for literal in terminals.literals:
                if text.endswith(literal, at, end + 1):
                    return text[at : end + 1 - len(literal)]
        return ""

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, piece: Piece, edges: tuple[SlotEdge, ...], after: StateSet, literals: tuple[str, ...]) -> str:
        begin, trail = self._value_begin(edges)
        is_open = piece.kind == "open value"
        if begin != self.at + len(piece.lead):
            what = "white space" if is_open else "line break"
            return f"the {what} at the beginning of the value would be taken for the format's own"
        wanted = begin + len(piece.text)
        ending = edges[0].ending or Ending("")
        closer = piece.ending or ending.text
        if is_open:
            wanted += len(piece.trail) - len(piece.ending)
            finder = Finder([closer, *(literals if ending.open else ())])
        else:
            finder = self.nfa.finder(edges, paired=bool(trail))
        at, ends = begin, False
        while not ends:
            at, found = finder.find(self.text, at)
            if not found:
                return "nothing shows where the value ends"
            end = at + len(found)
            if is_open:
                ends = found != closer or bool(self.followers.follow(self.text, end, found, piece.keys, at_end=True))
            else:
                inner = trail if trail and found.startswith(trail) and found not in literals else ""
                ends = self._follows(after, at + len(inner), end)
            at += not ends
        if is_open:
            self.due = closer if closer.isspace() else ""
        elif at == wanted:
            at = self._misread_closer(literals, after, begin, wanted)
        return "" if at == wanted else f"the value contains what ends it: {self.text[at:][:40]!r}"

    def _misread_closer(self, closers: tuple[str, ...], after: StateSet, begin: int, wanted: int) -> int:
        # The place in the value of a closing marker in another spelling that is followed by what must follow a value;
        # or the value's end.
        spellings = spellings_of(closers)
        found = spellings.search(self.text, begin, wanted)
        while found is not None:
            end = spellings.end(self.text, found.start())
            own = end > 0 and spellings.is_own(self.text[found.start() : end])
            closed = self.text[end : end + SPACE_CHARS].lstrip().startswith(closers)  # then it is text, if not its own
            if end > 0 and (own or not closed) and self._follows(after, found.start(), end, closers[-1]):
                return found.start()
            found = spellings.search(self.text, found.start() + 1, wanted)
        return wanted

    def _value_begin(self, edges: tuple[SlotEdge, ...]) -> tuple[int, str]:
        # White space before the value is exact and optional, and that after it is removed only if this was there.
        lead = max((edge.lead for edge in edges), key=len)
        if not self.text.startswith(lead, self.at):
            return self.at, ""
        return self.at + len(lead), trail_of(edges)

    def _follows(self, here: StateSet, begin: int, end: int, closer: str = "") -> bool:
        # Whether the next marker fits after the closer, which ends at `end`. `closer`: the marker that it replaces.
        if closer:
            begin, here = end, self._walked(here, closer) or here
        for at in range(begin, len(self.text)):
            found = self.nfa.step(here, self.text[at])
            if found is None:  # `</{key}>`: a slot follows at once
                return at >= end and bool(here.slot_for(self.text[at]))
            if at >= end and found.flags & LITERAL:
                return True
            here = found
        return False
