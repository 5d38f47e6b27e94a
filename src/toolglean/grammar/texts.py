# Constraints on a text, each as an automaton and as a regular expression. Does not depend on where the text appears, or
# on why it is constrained.
#
# GBNF has no "any text without this", so there a constraint is an automaton, whose states become rules. Lark has
# intersections and complements of regular expressions. A constraint is declared once, as a node, from which both forms
# follow (regexes.py). Only what avoids words (`Avoid` here, `NoCall` in prose.py) has both forms of its own: to derive
# a state for everything that may have begun of many words takes too long.
"""Constraints on text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

__all__ = ["SPACES", "Avoid", "Constraint", "automaton", "edges_of", "escaped", "matches", "trie"]

TOP = 0x110000
MOST_STATES = 6000
DEAD = -1  # the number of the state from which nothing meets a constraint
MOST_ROUNDS = 64  # of minimization; each one visits all states
States: TypeAlias = "list[tuple[bool, dict[int, list[tuple[int, int]]]]]"
SPACES = " \t\n\r"


class Constraint(Protocol):
    """A condition on a text. States are hashable values; None: the text can no longer meet the condition."""

    @property
    def start(self) -> Any:
        """The state at the start of the text."""

    @property
    def edges(self) -> set[int]:
        """Where the ranges of characters begin that the constraint treats alike."""

    def step(self, state: Any, char: str) -> Any:
        """The state after the character."""

    def final(self, state: Any) -> bool:
        """Whether the text may end here."""

    @property
    def regex(self) -> str:
        """The constraint as a Lark terminal, with llguidance's operators."""


def edges_of(chars: str) -> set[int]:
    """Where the ranges begin if each of these characters is one, and so is all that is between two of them."""
    return {ord(char) + more for char in chars for more in (0, 1)}


def escaped(text: str) -> str:
    """A regular expression that matches the text, for use between slashes."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\x{{{ord(char):x}}}" for char in text)


@dataclass(frozen=True, slots=True)
class Avoid:
    """The text does not contain any of these texts."""

    words: tuple[str, ...]

    start = 0

    @property
    def edges(self) -> set[int]:
        return edges_of("".join(self.words))

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
    pieces = _pieces(set().union(*(each.edges for each in constraints)))
    steps = [_Steps(each, [low for low, _ in pieces]) for each in constraints]
    states = [(0,) * len(constraints)]
    numbers = {states[0]: 0}
    rows: list[list[int]] = []  # the state after each piece
    for state in states:
        after = [*zip(*(each.row(at) for each, at in zip(steps, state, strict=True)), strict=True)]
        for found in after:
            if DEAD not in found and found not in numbers:
                if len(states) >= MOST_STATES:
                    raise ValueError(f"more than {MOST_STATES} states")
                numbers[found] = len(states)
                states.append(found)
        rows.append([numbers.get(found, DEAD) for found in after])
    finals = [all(each.final(at) for each, at in zip(steps, state, strict=True)) for state in states]
    finals, rows = _without_dead_ends(finals, rows)
    kinds = _kinds(finals, rows)
    order = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    table: States = []
    for place in map(kinds.index, order):
        ways: dict[int, list[tuple[int, int]]] = {}
        for piece, to in zip(pieces, rows[place], strict=True):
            if to != DEAD:
                ways.setdefault(order[kinds[to]], []).append(piece)
        table.append((finals[place], ways))
    return table


class _Steps:
    """The states of one constraint by their numbers, so that each step is taken only once, whatever the others do."""

    def __init__(self, constraint: Constraint, places: Sequence[int]) -> None:
        self._constraint = constraint
        self._states = [constraint.start]
        self._numbers = {constraint.start: 0}
        self._rows: dict[int, list[int]] = {}
        own = sorted({0, *constraint.edges})  # it treats all characters from one edge to the next alike
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


def _without_dead_ends(finals: list[bool], rows: list[list[int]]) -> tuple[list[bool], list[list[int]]]:
    # Remove states from which no accepting state can be reached; keep the start state.
    before: dict[int, set[int]] = {}
    for state, row in enumerate(rows):
        for to in {*row}:
            before.setdefault(to, set()).add(state)
    todo = [state for state, final in enumerate(finals) if final]
    alive: set[int] = set()
    while todo:
        state = todo.pop()
        if state not in alive:
            alive.add(state)
            todo += before.get(state, ())
    kept = sorted(alive | {0})
    numbers = {state: number for number, state in enumerate(kept)}
    return [finals[state] for state in kept], [[numbers.get(to, DEAD) for to in rows[state]] for state in kept]


def _kinds(finals: list[bool], rows: list[list[int]]) -> list[int]:
    # States that accept the same texts are of one kind and are merged, because xgrammar's compile time grows with their
    # number. They are distinguished round by round (Moore). A chain of states that counts characters would take as many
    # rounds, so it is left as it is. Pieces that lead to the same states everywhere are looked at once.
    columns = dict.fromkeys(zip(*rows, strict=True))
    distinct = [*zip(*columns, strict=True)]
    kinds = [int(final) for final in finals]
    for _ in range(MOST_ROUNDS):
        known = [*kinds, DEAD]  # the last one is found at the place DEAD
        numbers: dict[Any, int] = {}
        found = [
            numbers.setdefault((known[state], *map(known.__getitem__, row)), len(numbers))
            for state, row in enumerate(distinct)
        ]
        if len(numbers) == len(set(kinds)):
            return kinds
        kinds = found
    return [*range(len(rows))]


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
