# A nondeterministic automaton, and how to follow all its paths that fit at once. Does not depend on formats: compile.py
# makes the automaton, and engine/matcher/ walks it.
#
# A state has at most one transition: on one character, on any white space (back to itself), or over a slot; and any
# number of states that are reached from it without reading (epsilon). A walk keeps the set of all states that fit what
# was read, a `StateSet`. Markers with common beginnings, markers that are the beginning of others, and optional white
# space need no special rules: they are sets. Sets are made when they are first reached, and kept.
"""The automaton."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolglean.formats.parameters import Ending
from toolglean.formats.slots import SlotEdge, trail_of
from toolglean.formats.spec import Codec, JsonOrText, Pairs
from toolglean.scan.text import Finder

__all__ = [
    "ACTION", "CLOSED_AGAIN", "EMPTY", "END", "FOLLOWS", "LEFTOVER", "LITERAL", "MARKUP", "NAMED", "NEEDS_FOLLOWER",
    "RAW_SPACES", "START", "STOP", "TAG", "Nfa", "SlotEdge", "StateSet", "Terminals", "trail_of",
]  # fmt: skip

# Flags of a state.
LITERAL = 1  # a complete literal has been read
START = 2  # a call whose name is known may begin here
END = 4  # the call is complete
TAG = 8  # the literal is the next call's opener: it ended this call, and is to be read again
ACTION = 16  # a complete marker with an action has been read
NAMED = 64  # the literal contains the tool's name
MARKUP = 32  # the literal follows the last slot of a call: it is markup
NEEDS_FOLLOWER = 128  # the literal is a marker only if another marker, or the end of the turn, follows it
FOLLOWS = 256  # the literal is that other marker
LEFTOVER = 512  # the literal ends a call or a section that has already ended
EMPTY = 1024  # the literal ends an empty section or call
STOP = 2048  # after this literal, everything is content
CLOSED_AGAIN = 4096  # the literal closes a value that has been closed: what follows shows whether it is markup

RAW_SPACES = frozenset("\u0120\u010a\u2581")
"""What tokenizers write for a space, a line break and a space: some servers leave it in the text between markers."""


@dataclass(frozen=True, slots=True)
class Terminals:
    """What may follow a slot of text: literals, and the first characters of a slot that follows at once.

    Attributes:
        after_words: whether all of these end with a character that cannot be part of a word, and never within one.
        marker: the one literal, if there is nothing else; "" also if it may begin again within itself.
    """

    literals: tuple[str, ...]
    chars: frozenset[str]
    after_words: bool = False
    marker: str = ""


class StateSet:
    """A set of states, with what can be read there. Shared, and never changed except for its caches.

    Attributes:
        inner: the characters that can only follow each other from here on, and the sets after them; None until it is
            needed.
    """

    __slots__ = ("_begun", "action", "chars", "flags", "formats", "inner", "key", "known", "name", "slots", "spaces")

    def __init__(self, nfa: Nfa, core: Iterable[int]) -> None:
        # All states are the automaton's own: see `joined` for those that are not.
        states = nfa.closure(core)
        self.key = tuple(sorted(core))
        self.flags = 0
        self.action = -1
        self.name = ""
        for state in self.key:
            self.flags |= nfa.flags[state]
            self.name = self.name or nfa.names.get(state, "")
            if self.action < 0:
                self.action = nfa.actions.get(state, -1)
        if any(nfa.flags[state] & START for state in states):
            self.flags |= START
        self.formats = tuple(sorted({nfa.formats[state] for state in states if nfa.formats[state] >= 0}))
        self.slots = tuple(nfa.slots[state] for state in states if state in nfa.slots)
        self.spaces = tuple(state for state in states if state in nfa.spaces)
        self.chars: dict[str, list[int]] = {}
        for state in states:
            char = nfa.chars[state]
            if char:
                self.chars.setdefault(char, []).append(state + 1)
        self.known: dict[str, StateSet] = {}
        self._begun: dict[str, tuple[SlotEdge, ...]] = {}
        self.inner: tuple[str, tuple[StateSet, ...]] | None = None

    def joined(self, more: StateSet) -> StateSet:
        """This set and that one, whose states have higher numbers."""
        twin = StateSet.__new__(StateSet)
        twin.key, twin.flags = self.key + more.key, self.flags | more.flags
        twin.action = self.action if self.action >= 0 else more.action
        twin.name = self.name or more.name
        twin.formats = tuple(dict.fromkeys(self.formats + more.formats))
        twin.slots, twin.spaces = self.slots + more.slots, self.spaces + more.spaces
        twin.chars = self.chars | {char: [*self.chars.get(char, ()), *found] for char, found in more.chars.items()}
        twin.known, twin._begun, twin.inner = {}, {}, None
        return twin

    def slot_for(self, char: str) -> tuple[SlotEdge, ...]:
        """The slots of one kind that accept the character; of several kinds, the one that was declared first."""
        if char in self._begun:
            return self._begun[char]
        found = [edge for edge in self.slots if edge.accepts(char)]
        edges = tuple(edge for edge in found if edge.is_like(found[0]))
        if char.isascii():  # the cache stays small, whatever the input is
            self._begun[char] = edges
        return edges

    def find_inner(self, nfa: Nfa) -> tuple[str, tuple[StateSet, ...]]:
        """Find `inner`, and remember it."""
        sets: list[StateSet] = []
        chars, here = "", self
        while len(here.chars) == 1 and not here.slots and not here.spaces and (not sets or not here.flags):
            char = next(iter(here.chars))
            found = nfa.step(here, char)
            if found is None or char.isspace():
                break
            chars, here = chars + char, found
            sets.append(found)
        self.inner = chars, tuple(sets)
        return self.inner


class _Rest(list[Any]):
    """The end of a list: places count from `first`."""

    __slots__ = ("first",)

    def __init__(self, first: int) -> None:
        super().__init__()
        self.first = first

    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(place - self.first)

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place - self.first, value)


class Nfa:
    """States, by number, and what leads from one to another.

    Args:
        base: an automaton whose states this one has, too. They lead to each other only, so they are not copied: that
            would take 2 MB for each set of tools that calls may be named after.
    """

    def __init__(self, base: Nfa | None = None) -> None:
        self.base = base
        self.first: int = 0 if base is None else base.first + len(base.chars)  # of its own states
        # The character that leads from each state to the one with the next number, or "". Most states are inside a
        # literal, and need nothing else.
        self.chars: list[str] = [] if base is None else _Rest(self.first)
        self.epsilon: defaultdict[int, list[int]] = defaultdict(list)
        self.spaces: set[int] = set()
        self.slots: dict[int, SlotEdge] = {}
        self.before: dict[int, int] = {}  # the state before the slot, by the one after it
        self.flags: list[int] = [] if base is None else _Rest(self.first)
        self.formats: list[int] = [] if base is None else _Rest(self.first)
        self.actions: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self._format = -1  # the number of the format for which states are made
        self._call = (False, False, False)  # of the call for which they are made: see `begin_call`
        self._state_sets: dict[tuple[int, ...], StateSet] = {}
        self._terminals: dict[tuple[int, ...], Terminals] = {}
        self._after_slot: dict[tuple[SlotEdge, ...], tuple[StateSet, Terminals]] = {}
        self._finders: dict[tuple[tuple[SlotEdge, ...], bool], Finder] = {}
        self._closers: dict[tuple[int, ...], tuple[str, ...]] = {}

    def _with(self, state: int) -> Nfa:
        # The automaton that the state is in.
        return self if self.base is None or state >= self.first else self.base._with(state)

    def slot_at(self, state: int) -> SlotEdge:
        """The slot that begins at that state."""
        return self._with(state).slots[state]

    def state_before(self, edge: SlotEdge) -> int:
        """The state at which that slot begins."""
        return self._with(edge.target).before[edge.target]

    # -- building ------------------------------------------------------------------------------------------------------

    def begin_format(self, number: int) -> None:
        """The states that are made from here on belong to that format."""
        self._format = number

    def begin_call(self, *, doubtful: bool = False, stripped: bool = False, unmarked: bool = False) -> None:
        """The slots that are made from here on belong to such a call: see `SlotEdge`."""
        self._call = doubtful, stripped, unmarked

    def state(self, flags: int = 0) -> int:
        """A new state."""
        self.chars.append("")
        self.flags.append(flags)
        self.formats.append(self._format)
        return self.first + len(self.chars) - 1

    def literal(self, begin: int, text: str, flags: int = LITERAL) -> int:
        """Add a path that reads `text`, from `begin`; returns its end."""
        here, size = self.first + len(self.chars), len(text)
        self.epsilon[begin].append(here)
        self.chars += text
        self.chars.append("")
        self.flags += [0] * size
        self.flags.append(flags)
        self.formats += [self._format] * (size + 1)
        return here + size

    def space(self, begin: int) -> int:
        """Add a state after `begin` that any white space leads back to."""
        here = self.state()
        self.spaces.add(here)
        self.epsilon[begin].append(here)
        return here

    def slot(
        self,
        begin: int,
        kind: str,
        *,
        codec: Codec | None = None,
        lead: str = "",
        trail: str = "",
        word: bool = False,
        last: bool = False,
        flags: int = 0,
        ending: Ending | None = None,
    ) -> int:
        """Add a slot after `begin`; returns the state after the slot."""
        here, target = self.state(flags), self.state()
        self.epsilon[begin].append(here)
        self.slots[here] = SlotEdge(kind, target, self._format, codec, lead, trail, word, last, *self._call, ending)
        self.before[target] = here
        return target

    # -- walking -------------------------------------------------------------------------------------------------------

    def closure(self, core: Iterable[int]) -> list[int]:
        """The states and all that are reached from them without reading, in the order in which they were declared."""
        seen = dict.fromkeys(core)
        todo = list(seen)
        while todo:
            for state in self.epsilon.get(todo.pop(), ()):
                if state not in seen:
                    seen[state] = None
                    todo.append(state)
        return sorted(seen)

    def state_set(self, core: Iterable[int]) -> StateSet:
        """The set of these states."""
        key = tuple(sorted(set(core)))
        found = self._state_sets.get(key)
        if found is None:  # threads that make it at the same time get one object: sets are compared by identity
            found = self._state_sets.setdefault(key, self._made(key))
        return found

    def _made(self, key: tuple[int, ...]) -> StateSet:
        if self.base is None or key[:1] >= (self.first,):
            return StateSet(self, key)
        own = tuple(state for state in key if state >= self.first)
        others = self.base.state_set(key[: len(key) - len(own)])
        return others.joined(self.state_set(own)) if own else others

    def step(self, state_set: StateSet, char: str) -> StateSet | None:
        """The set after one character; None if nothing fits."""
        found = state_set.known.get(char)
        if found is None:
            core = list(state_set.chars.get(char, ()))
            if char.isspace() or char in RAW_SPACES:
                core += state_set.spaces
            if core:  # a failure is not remembered: what a format accepts is bounded, what the input may contain is not
                found = state_set.known[char] = self.state_set(core)
        return found

    def run(self, state_set: StateSet, text: str, i: int) -> tuple[StateSet, int] | None:
        """The set after the characters from `i` on, and their end, as long as nothing can happen on the way.

        Inside a marker, this reads as much of it as there is at once; elsewhere, one character. None if it does not
        fit.
        """
        chars, sets = state_set.inner or state_set.find_inner(self)
        if chars:
            size = min(len(chars), len(text) - i)
            if text.startswith(chars[:size], i):
                return sets[size - 1], i + size
        found = state_set.known.get(text[i]) or self.step(state_set, text[i])
        return None if found is None else (found, i + 1)

    def after_slot(self, edges: tuple[SlotEdge, ...]) -> tuple[StateSet, Terminals]:
        """The set after a slot, and what may follow the slot."""
        found = self._after_slot.get(edges)
        if found is None:
            targets = [edge.target for edge in edges]
            found = self._after_slot[edges] = self.state_set(targets), self.terminals(targets)
        return found

    def terminals(self, targets: Iterable[int]) -> Terminals:
        """What may follow a slot of text that leads to these states."""
        key = tuple(sorted(targets))
        if key not in self._terminals:
            state_set = self.state_set(key)
            literals = self._literals_after(state_set)
            chars = frozenset(
                char
                for edge in state_set.slots
                if edge.kind == "arguments"
                for char in edge.brackets
                if edge.accepts(char)
            )
            if state_set.spaces and any(isinstance(edge.codec, JsonOrText | Pairs) for edge in state_set.slots):
                chars |= frozenset(" \t\n")  # text may follow
            after_words = not any(each[-1].isalnum() or each[-1] == "_" for each in literals)
            only = next(iter(literals)) if len(literals) == 1 and not chars else ""
            marker = only if only and only.count(only[0]) == 1 and not any(map(str.isspace, only)) else ""
            # Those of equal length are sorted by their text; otherwise reports would change with the hash seed.
            longest_first = tuple(sorted(literals, key=lambda each: (-len(each), each)))
            self._terminals[key] = Terminals(longest_first, chars, after_words, marker)
        return self._terminals[key]

    def _literals_after(self, state_set: StateSet) -> set[str]:
        own = {
            char + self._rest(state)
            for char, states in state_set.chars.items()
            for state in states
            if state >= self.first
        }
        others = tuple(state for state in state_set.key if state < self.first)
        return own.union(self.base.terminals(others).literals) if self.base is not None and others else own

    def finder(self, edges: tuple[SlotEdge, ...], *, paired: bool) -> Finder:
        """Finds what may follow a text value; `paired`: with the white space that belongs to it."""
        found = self._finders.get((edges, paired))
        if found is None:
            literals = self.after_slot(edges)[1].literals
            trail = trail_of(edges) if paired else ""
            with_space = [trail + literal for literal in literals] if trail else []
            found = self._finders[edges, paired] = Finder([*literals, *with_space], exact=True)
        return found

    def closers_at(self, state_set: StateSet) -> tuple[str, ...]:
        """The literals of markup that may still come there, after a call."""
        if (
            state_set.key not in self._closers
        ):  # asked after each call; there is a literal for each tool in some formats
            found = (self.ahead(char, state) for char, states in state_set.chars.items() for state in states)
            texts = {text for text, end in found if self._with(end).flags[end] & MARKUP and any(map(str.isalnum, text))}
            self._closers[state_set.key] = tuple(sorted(texts))
        return self._closers[state_set.key]

    def ahead(self, text: str, state: int) -> tuple[str, int]:
        """The literal that begins with that text, and the state after it."""
        # A literal may contain a tool's name, which may be long: its characters are joined once.
        inside, rest = self._with(state), []
        while not inside.flags[state] & LITERAL and (char := inside.chars[state]):
            rest.append(char)
            state += 1
        return text + "".join(rest), state

    def literals_at(self, state_set: StateSet) -> tuple[str, ...]:
        """The literals that may be read from that set, complete even if their beginning has been read."""
        own = tuple(state for state in state_set.key if state >= self.first)
        states = [state for state in self.closure(own) if self.chars[state]]
        states = [state for state in states if not self.flags[self.ahead("", state)[1]] & CLOSED_AGAIN]
        found = dict.fromkeys(self._begun(state) + self._rest(state) for state in states)
        if self.base is None or len(own) == len(state_set.key):
            return tuple(found)
        others = self.base.literals_at(self.base.state_set(state_set.key[: len(state_set.key) - len(own)]))
        return tuple(dict.fromkeys((*others, *found)))

    def _begun(self, state: int) -> str:
        chars: list[str] = []
        while state > self.first and (char := self.chars[state - 1]):
            chars.append(char)
            state -= 1
        return "".join(reversed(chars))

    def _rest(self, state: int) -> str:
        return self.ahead("", state)[0]
