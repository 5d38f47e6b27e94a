# Where a walk over the states of a program is, and how it advances along literals. Does not depend on what a call is,
# on how the contents of a slot are read, or on what is done if nothing fits.
#
# This is the automaton alone. What was read since the last literal or slot of an open call, or since the opener, is
# *pending*: it may have to be read in another way. A marker takes precedence over a slot, so a slot that could have
# begun where a marker did is remembered until that marker is certain.
"""The walk over a format's states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.formats.nfa import ACTION, FOLLOWS, LITERAL, NEEDS_FOLLOWER, SlotEdge, StateSet, trail_of
from toolglean.formats.parameters import Ending
from toolglean.formats.words import Tree
from toolglean.scan.plain import Plain, Rope, grown, joined

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.formats.compile import Program

__all__ = ["OpenSlot", "Walk", "open_slot"]


class OpenSlot:
    """A slot that is being filled. Made once, shared, never changed.

    Attributes:
        edges: the slot, in each of the formats that fit; `formats`: their numbers.
        kind: what fills it.
        after: the states after it.
        terminals: what may come there.
        lead, trail: the white space before and after a value.
        ending: what ends a value that no marker of its own ends.
        is_doubtful: whether what is read is a call only if it has a tool's name.
        is_unmarked: whether it is JSON that may also be data.
        is_stripped: whether the call's special tokens were removed.
        is_python: whether the call is a line of Python without a marker.
        is_tree: whether the arguments are elements, which any closing tag ends.
    """

    __slots__ = (
        *("_after_literals", "_program", "after", "edges", "ending", "formats", "is_doubtful", "is_python"),
        *("is_stripped", "is_tree", "is_unmarked", "kind", "lead", "terminals", "trail"),
    )

    def __init__(self, program: Program, edges: tuple[SlotEdge, ...]) -> None:
        declared = program.formats
        self._program, self.edges, self.kind = program, edges, edges[0].kind
        self.after, self.terminals = program.nfa.after_slot(edges)
        self._after_literals: dict[str, StateSet] = {}  # see `states_after`
        self.formats = tuple(sorted({edge.format for edge in edges}))
        self.lead, self.trail = max((edge.lead for edge in edges), key=len), trail_of(edges)
        self.ending = edges[0].ending or Ending("")
        self.is_doubtful = all(edge.doubtful or declared[edge.format].registered_only for edge in edges)
        self.is_unmarked = all(edge.unmarked for edge in edges)
        self.is_stripped = any(edge.stripped for edge in edges)
        self.is_tree = isinstance(edges[0].codec, Tree)
        self.is_python = all(edge.doubtful and edge.is_python for edge in edges)

    def states_after(self, literal: str) -> StateSet:
        """The states after that literal, one of those that may follow the slot."""
        states = self._after_literals.get(literal)
        if states is None:
            states, step = self.after, self._program.nfa.step
            for char in literal:
                states = step(states, char) or states
            self._after_literals[literal] = states
        return states

    def __reduce__(self) -> tuple[Any, ...]:
        # Edges belong to the program: the pickle contains the numbers of their states.
        return _restored, (self._program, tuple(map(self._program.nfa.state_before, self.edges)))


def open_slot(program: Program, edges: tuple[SlotEdge, ...]) -> OpenSlot:
    """The slot of that program with these edges."""
    found: OpenSlot | None = program.kept.get(edges)
    if found is None:
        found = program.kept[edges] = OpenSlot(program, edges)
    return found


def _restored(program: Program, states: tuple[int, ...]) -> OpenSlot:
    return open_slot(program, tuple(map(program.nfa.slot_at, states)))


class Walk(Plain):
    """Where a walk is.

    Attributes:
        program, states: the automaton, and the set of states that was reached.
        pending: the text that is pending, `pending_chars` its length, `pending_start` its place in the turn.
        others: states with a slot that was passed over, and where in the pending text it would begin.
        pending_action: an action, and where its marker ended; needs_follower: where a marker ended that is accepted if
            another one follows it.
    """

    __slots__ = (
        *("needs_follower", "others", "pending", "pending_action", "pending_chars", "pending_start", "program"),
        *("states",),
    )

    ropes = frozenset({"pending"})

    def __init__(self, program: Program, states: StateSet, start: int) -> None:
        self.program, self.states = program, states
        self.pending: Rope = ()
        self.pending_chars, self.pending_start = 0, start
        self.others: tuple[tuple[StateSet, int], ...] = ()
        self.pending_action: tuple[int, int] | None = None
        self.needs_follower = 0

    def __getstate__(self) -> dict[str, Any]:
        # Sets of states belong to the program: the pickle contains their members.
        others = tuple((states.key, chars) for states, chars in self.others)
        return super().__getstate__() | {"states": self.states.key, "others": others}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at = state["program"].nfa.state_set
        others = tuple((at(key), chars) for key, chars in state["others"])
        super().__setstate__(state | {"states": at(state["states"]), "others": others})

    # -- on ------------------------------------------------------------------------------------------------------------

    def advance(self, text: str, i: int) -> int:
        """Walk on from `i`, to where something may happen. Returns the end; `i` if nothing fits."""
        read = self.program.nfa.run(self.states, text, i)
        if read is None:
            return i
        self.states, j = read
        self.pending = grown(self.pending, text[i:j])
        self.pending_chars += j - i
        return j

    def step(self, turn: Turn, text: str, i: int) -> int:
        """The same where a slot could begin instead, or a marker with an action may end."""
        run, states, j, end = self.program.nfa.run, self.states, i, len(text)
        while j < end and (read := run(states, text, j)) is not None:
            if states.slots and not text[j].isspace():
                self.others = (*self.others, (states, self.pending_chars + j - i))
            states, j = read
            if states.flags:
                break
        if j == i:
            return i
        piece, flags = text[i:j], states.flags
        self.states, self.pending = states, grown(self.pending, piece)
        self.pending_chars += j - i
        if turn.region.open:
            turn.region.keep(piece)
        if flags & LITERAL:
            # A word may be the beginning of a longer one: of a name. A bracket may be that of a list of objects.
            if turn.emit.open or not (text[j - 1].isalnum() or (turn.region.bare and text[j - 1] == "[")):
                self.others = ()
            if flags & ACTION:
                self.pending_action, self.needs_follower = (states.action, self.pending_chars), 0
            elif flags & NEEDS_FOLLOWER and not flags & FOLLOWS:
                self.needs_follower = self.pending_chars
        return j

    def wait(self, char: str) -> None:
        """That character follows, and does not decide anything."""
        self.pending = grown(self.pending, char)
        self.pending_chars += 1

    def leave_call(self, states: StateSet) -> None:
        """A call is complete: continue in these states."""
        self.states, self.pending_action = states, None
        self.pending, self.pending_start, self.pending_chars = (), self.pending_start + self.pending_chars, 0
        self.others = ()

    def close_slot(self, slot: OpenSlot, literal: str, here: int, lead: int = 0) -> None:
        """A slot was filled, and that literal, which follows it at `here`, was found: walk along all of it except its
        `lead`.
        """
        self.pending, self.pending_chars, self.pending_start, self.others = (), 0, here, ()
        self.states = slot.after
        if literal:
            self.pending, self.pending_chars = ((), literal), len(literal)
            self.states = slot.states_after(literal[lead:])

    # -- what is pending -----------------------------------------------------------------------------------------------

    @property
    def unsettled(self) -> tuple[str, int]:
        """The text that is pending, and its place."""
        return joined(self.pending), self.pending_start

    def settle(self, here: int) -> None:
        """What was read before the place `here` is certain."""
        self.pending, self.pending_chars, self.pending_start, self.others = (), 0, here, ()

    @property
    def ends_with_space(self) -> bool:
        """Whether the last character that is pending is white space."""
        return self.pending[1][-1:].isspace() if self.pending else False

    def take_back(self, chars: int) -> tuple[str, int]:
        """What waits behind these first characters is read again: returns it, and its place."""
        text = joined(self.pending)
        self.pending, self.pending_chars = ((), text[:chars]), chars
        return text[chars:], self.pending_start + chars

    def settle_all(self) -> None:
        """What was read so far is certain."""
        self.settle(self.pending_start + self.pending_chars)

    # -- alternatives --------------------------------------------------------------------------------------------------

    def set_out(self, start: int) -> None:
        """From that place of the turn on, the walk may turn out to be wrong: then it goes back here."""
        self.pending_start, self.others = start, ((self.states, 0),)

    def origin(self) -> StateSet:
        """The states of the first alternative."""
        return self.others[0][0] if self.others else self.states

    def go_back_to(self, place: int) -> None:
        """Stand where it set out, which is at that place."""
        self.states = self.origin()
        self.settle(place)

    def back(self) -> tuple[StateSet, int] | None:
        """The last alternative, which is not tried again; None if none is left."""
        if not self.others:
            return None
        found, self.others = self.others[-1], self.others[:-1]
        return found
