# Constraints on a text, each as an automaton and as a regular expression. Does not depend on where the text appears, or
# on why it is constrained.
#
# GBNF has no "any text without this", so there a constraint is an automaton, whose states become rules. Lark has
# intersections and complements of regular expressions. A constraint is declared once, as a node, from which both forms
# follow (regexes.py). Only what avoids words (`Avoid` here, `NoCall` in prose.py) has both forms of its own: to derive
# a state for everything that may have begun of many words takes too long.
"""Constraints on text."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

__all__ = ["SPACES", "Avoid", "Constraint", "automaton", "escaped", "matches", "trie"]

TOP = 0x110000
MOST_STATES = 6000
DEAD = -1  # the number of the state from which nothing meets a constraint
MOST_ROUNDS = 64  # of minimization; each one visits all states
Ways: TypeAlias = "dict[int, list[tuple[int, int]]]"
States: TypeAlias = "list[tuple[bool, Ways]]"
SPACES = " \t\n\r"


class Constraint(Protocol):
    """A condition on a text. States are hashable values; None: the text can no longer meet the condition."""

    @property
    @abstractmethod
    def start(self) -> Any:
        """The state at the start of the text."""

    @property
    @abstractmethod
    def chars(self) -> str:
        """The characters that the constraint distinguishes; it treats all others alike."""

    @abstractmethod
    def step(self, state: Any, char: str) -> Any:
        """The state after the character."""

    @abstractmethod
    def final(self, state: Any) -> bool:
        """Whether the text may end here."""

    @property
    @abstractmethod
    def regex(self) -> str:
        """The constraint as a Lark terminal, with llguidance's operators."""


def escaped(text: str) -> str:
    """A regular expression that matches the text, for use between slashes."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\x{{{ord(char):x}}}" for char in text)


@dataclass(frozen=True, slots=True)
class Avoid:
    """The text does not contain any of these texts."""

    words: tuple[str, ...]

    start = 0

    @property
    def chars(self) -> str:
        return "".join(self.words)

    def step(self, state: int, char: str) -> int | None:
        after, whole = trie(self.words)[state].get(char, (0, False))
        return None if whole else after

    def final(self, state: int) -> bool:
        del state
        return True

    @property
    def regex(self) -> str:
        return "~/(?s:.*)(" + "|".join(map(escaped, self.words)) + ")(?s:.*)/" if self.words else "/(?s:.*)/"


@lru_cache(maxsize=256)
def trie(words: tuple[str, ...]) -> list[dict[str, tuple[int, bool]]]:
    """The Aho-Corasick automaton: for a state and a character, the next state, and whether it completes a word."""
    begins = {"": 0}
    for word in words:
        for end in range(1, len(word) + 1):
            begins.setdefault(word[:end], len(begins))
    table: list[dict[str, tuple[int, bool]]] = []
    for begun in begins:
        row = {}
        for char in dict.fromkeys("".join(words)):
            text = begun + char
            longest = next(begins[text[at:]] for at in range(len(text) + 1) if text[at:] in begins)
            row[char] = (longest, text.endswith(words))
        table.append(row)
    return table


@lru_cache(maxsize=128)
def automaton(constraints: tuple[Constraint, ...]) -> States:
    """The automaton of the texts that meet all constraints; the first state is the start.

    Returns:
        For each state, whether the text may end there, and the ranges of characters that lead to each next state.

    Raises:
        ValueError: there would be more than MOST_STATES states.
    """
    pieces = _pieces(set().union(*map(_edges_of, constraints)))
    steps = [_Steps(each, [low for low, _ in pieces]) for each in constraints]
    states = [(0,) * len(constraints)]
    known = {states[0]: 0}
    table: States = []
    for state in states:
        ways: dict[int, list[tuple[int, int]]] = {}
        rows = zip(*(each.row(at) for each, at in zip(steps, state, strict=True)), strict=True)
        for piece, found in zip(pieces, rows, strict=True):
            if DEAD in found:
                continue
            if found not in known:
                if len(states) >= MOST_STATES:
                    raise ValueError(f"more than {MOST_STATES} states")
                known[found] = len(states)
                states.append(found)
            ways.setdefault(known[found], []).append(piece)
        table.append((all(each.final(at) for each, at in zip(steps, state, strict=True)), ways))
    return _minimal(_without_dead_ends(table))


class _Steps:
    """The states of one constraint by their numbers, so that each step is taken only once, whatever the others do."""

    def __init__(self, constraint: Constraint, places: Sequence[int]) -> None:
        self._constraint = constraint
        self._states = [constraint.start]
        self._numbers = {constraint.start: 0}
        self._rows: dict[int, list[int]] = {}
        own = sorted({0, *_edges_of(constraint)})  # it treats all characters from one edge to the next alike
        self._places = [own[bisect_right(own, place) - 1] for place in places]

    def row(self, number: int) -> list[int]:
        """The state after a character of each of the places; `DEAD`: none."""
        if number not in self._rows:
            known = {place: self._after(number, chr(place)) for place in dict.fromkeys(self._places)}
            self._rows[number] = [known[place] for place in self._places]
        return self._rows[number]

    def _after(self, number: int, char: str) -> int:
        found = self._constraint.step(self._states[number], char)
        if found is None:
            return DEAD
        if found not in self._numbers:
            self._numbers[found] = len(self._states)
            self._states.append(found)
        return self._numbers[found]

    def final(self, number: int) -> bool:
        """Whether the text may end in that state."""
        return self._constraint.final(self._states[number])


def _edges_of(constraint: Constraint) -> set[int]:
    edges: set[int] = getattr(constraint, "edges", set())
    return edges | {ord(char) + more for char in constraint.chars for more in (0, 1)}


def _without_dead_ends(table: States) -> States:
    # Remove states from which no accepting state can be reached; keep the start state.
    before: dict[int, list[int]] = {}
    for state, (_, ways) in enumerate(table):
        for to in ways:
            before.setdefault(to, []).append(state)
    alive = {state for state, (final, _) in enumerate(table) if final}
    todo = list(alive)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in alive:
                alive.add(state)
                todo.append(state)
    numbers = {state: number for number, state in enumerate(sorted(alive | {0}))}
    return [
        (table[state][0], {numbers[to]: ranges for to, ranges in table[state][1].items() if to in alive})
        for state in numbers
    ]


def _minimal(table: States) -> States:
    # Merge states that accept the same texts, because xgrammar's compile time grows with their number. States are
    # distinguished round by round (Moore). A chain of states that counts characters would take as many rounds, so it is
    # left as it is.
    kinds = [int(final) for final, _ in table]
    for _ in range(MOST_ROUNDS):
        numbers: dict[Any, int] = {}
        found = [
            numbers.setdefault((kind, _seen(ways, kinds)), len(numbers))
            for kind, (_, ways) in zip(kinds, table, strict=True)
        ]
        if len(numbers) == len(set(kinds)):
            break
        kinds = found
    else:
        return table
    return _of_kinds(table, kinds)


def _seen(ways: Ways, kinds: Sequence[int]) -> frozenset[tuple[int, tuple[tuple[int, int], ...]]]:
    return frozenset((kind, tuple(ranges)) for kind, ranges in _by_kind(ways, kinds).items())


def _by_kind(ways: Ways, kinds: Sequence[int]) -> Ways:
    found: Ways = {}
    for to, ranges in ways.items():
        found.setdefault(kinds[to], []).extend(ranges)
    return {kind: sorted(ranges) for kind, ranges in found.items()}


def _of_kinds(table: States, kinds: Sequence[int]) -> States:
    # One state for each kind, in order of appearance, so that the start stays first.
    first = {kind: place for place, kind in reversed([*enumerate(kinds)])}
    order = sorted(first, key=first.__getitem__)
    numbers = {kind: number for number, kind in enumerate(order)}
    renamed = [numbers[kind] for kind in kinds]
    return [(table[first[kind]][0], _by_kind(table[first[kind]][1], renamed)) for kind in order]


def _pieces(edges: Iterable[int]) -> list[tuple[int, int]]:
    # All characters, in ranges that begin at the edges, without halves of surrogate pairs.
    places = sorted({0, 0xD800, 0xE000, TOP, *edges})
    found = [(low, high - 1) for low, high in pairwise(places)]
    return [(low, high) for low, high in found if not 0xD800 <= low <= 0xDFFF]


def matches(constraints: Sequence[Constraint], text: str) -> bool:
    """Whether the text meets all constraints."""
    for each in constraints:
        state = each.start
        for char in text:
            state = each.step(state, char)
            if state is None:
                return False
        if not each.final(state):
            return False
    return True
