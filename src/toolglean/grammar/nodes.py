# The nodes of a grammar, and what follows from them alone. Does not depend on formats, schemas, or the notations
# (gbnf.py, lark.py, structural_tag.py).
#
# A grammar is a node and the rules to which it refers. One kind of node exists because llguidance's lexer is greedy and
# never backtracks: a `Terminal` is matched as one unit, so it must not contain a rule.
"""The nodes of a grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from toolglean.grammar.texts import Constraint

__all__ = [
    "ALL",
    "EMPTY",
    "Alt",
    "Chars",
    "Lit",
    "Node",
    "Ref",
    "Repeat",
    "Rules",
    "Seq",
    "Terminal",
    "Text",
    "all_but",
    "alt",
    "chars",
    "descendants",
    "intersected",
    "listed",
    "opt",
    "repeat",
    "seq",
]  # fmt: skip

TOP = 0x10FFFF
HALVES = (0xD800, 0xDFFF)
"""Halves of surrogate pairs: no text holds them."""


@dataclass(frozen=True, slots=True)
class Lit:
    """Text, as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of these ranges, which are in order and do not touch."""

    ranges: tuple[tuple[int, int], ...]

    def __contains__(self, char: str) -> bool:
        return any(low <= ord(char) <= high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Seq:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of them."""

    ways: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The node, from `least` to `most` times; None: any number of times."""

    node: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a lexer reads in one go: there is no `Ref` in it."""

    node: Node


@dataclass(frozen=True, slots=True)
class Text:
    """Any text that meets all the constraints, with `head` before it and `tail` behind it: one word, too."""

    constraints: tuple[Constraint, ...]
    tail: str = ""
    head: str = ""


Node: TypeAlias = "Lit | Chars | Seq | Alt | Repeat | Ref | Terminal | Text"
EMPTY = Lit("")


def seq(*parts: Node) -> Node:
    """One after the other; neighbouring texts become one."""
    found: list[Node] = []
    for part in parts:
        for each in part.parts if isinstance(part, Seq) else (part,):
            last = found[-1] if found else EMPTY
            if isinstance(each, Lit) and isinstance(last, Lit):
                found[-1:] = [Lit(last.text + each.text)]
            elif each != EMPTY:
                found.append(each)
    found = [each for each in found if each != EMPTY]
    return found[0] if len(found) == 1 else Seq(tuple(found)) if found else EMPTY


def alt(*ways: Node) -> Node:
    """One of them, each only once."""
    flat = (each for way in ways for each in (way.ways if isinstance(way, Alt) else (way,)))
    found = tuple(dict.fromkeys(flat))
    return found[0] if len(found) == 1 else Alt(found)


def repeat(node: Node, least: int = 0, most: int | None = None) -> Node:
    """The node, that many times."""
    if most == 0 or node == EMPTY:
        return EMPTY
    return node if least == most == 1 else Repeat(node, least, most)


def opt(node: Node) -> Node:
    """The node, or nothing."""
    return repeat(node, 0, 1)


def chars(*given: str | tuple[str, str]) -> Chars:
    """One character of these: each a string of characters, or a pair, from the first to the last."""
    found: list[tuple[int, int]] = []
    for each in given:
        found += (
            [(ord(each[0]), ord(each[1]))] if isinstance(each, tuple) else [(ord(char), ord(char)) for char in each]
        )
    return Chars(_merged(found))


def all_but(*given: str | tuple[str, str]) -> Chars:
    """Any one character but these."""
    return complement(chars(*given))


def complement(given: Chars) -> Chars:
    """Any one character but these."""
    found, here = [], 0
    for low, high in (*_merged([*given.ranges, HALVES]), (TOP + 1, TOP + 1)):
        if low > here:
            found.append((here, low - 1))
        here = high + 1
    return Chars(tuple(found))


def intersected(one: Chars, other: Chars) -> Chars:
    """The characters that are in both."""
    found = [
        (max(low, other_low), min(high, other_high))
        for low, high in one.ranges
        for other_low, other_high in other.ranges
        if max(low, other_low) <= min(high, other_high)
    ]
    return Chars(_merged(found))


def _merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


ALL = Chars(((0, HALVES[0] - 1), (HALVES[1] + 1, TOP)))
"""Any one character."""


def descendants(node: Node) -> Iterator[Node]:
    """The node, and all that it is made of, without what rules say."""
    todo = [node]
    while todo:
        each = todo.pop()
        yield each
        if isinstance(each, Seq):
            todo += each.parts
        elif isinstance(each, Alt):
            todo += each.ways
        elif isinstance(each, Repeat | Terminal):
            todo.append(each.node)


class Rules:
    """The rules of one grammar, by name. What is asked for twice under one key is one rule."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._names: dict[object, str] = {}
        self._to_make: list[tuple[str, Callable[[], Node]]] = []
        self._makes = False

    def ref(self, key: object, make: Callable[[], Node]) -> Ref:
        """The rule of that key, which `make` makes; it may refer to itself.

        A rule that is asked for while another one is made is made after it: a schema may nest deeper than Python does.
        """
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"r{len(self._names)}"
            self.nodes[name] = EMPTY  # it keeps its place
            self._to_make.append((name, make))
            if not self._makes:
                self._make_all()
        return Ref(name)

    def _make_all(self) -> None:
        self._makes = True
        try:
            while self._to_make:
                name, make = self._to_make.pop()
                self.nodes[name] = make()
        finally:
            self._makes = False

    def named(self, node: Node) -> Node:
        """The node as a rule of its own, where it is more than a text or a name."""
        return node if isinstance(node, Lit | Ref | Terminal) else self.ref(node, lambda: node)

    def used(self, root: Node) -> Mapping[str, Node]:
        """The rules to which the node leads."""
        found: dict[str, Node] = {}
        todo = [root]
        while todo:
            for each in descendants(todo.pop()):
                if isinstance(each, Ref) and each.name not in found:
                    found[each.name] = self.nodes[each.name]
                    todo.append(found[each.name])
        return {name: self.nodes[name] for name in self.nodes if name in found}


def listed(
    items: list[tuple[bool, Node]], comma: Node, rules: Rules, more: Node | None = None
) -> tuple[Node | None, bool]:
    """The items in order, with commas between those that are there.

    Args:
        items: whether each must be there, and what it is.
        comma: what stands between two of them.
        rules: where the rules go that this needs.
        more: what may follow them, any number of times.

    Returns:
        At least one of them (None where there is none to choose from), and whether there may be none.
    """
    rest = EMPTY if more is None else repeat(seq(comma, more))
    some = None if more is None else seq(more, rest)
    for needed, item in reversed(items):
        first = seq(item, rest)
        some = rules.named(first if needed or some is None else alt(first, some))
        rest = rules.named(seq(comma, item, rest) if needed else seq(opt(seq(comma, item)), rest))
    return some, not any(needed for needed, _ in items)
