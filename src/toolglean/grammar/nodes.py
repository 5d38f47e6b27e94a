# The nodes of a grammar, and what follows from them alone. Does not depend on formats, schemas, or the notations
# (gbnf.py, lark.py).
#
# A grammar is a node and the rules to which it refers. One kind of node exists because llguidance's lexer is greedy and
# never backtracks: a `Terminal` is matched as one unit, so it must not contain a rule.
"""The nodes of a grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias

from toolglean.grammar.texts import Constraint

__all__ = [
    "ALL", "EMPTY", "Alt", "Chars", "Lit", "Node", "Ref", "Repeat", "Rules", "Seq", "Terminal", "Text", "all_but",
    "alt", "between", "chars", "complement", "descendants", "intersected", "lengths", "opt", "repeat", "seq",
]  # fmt: skip

TOP = 0x10FFFF
HALVES = (0xD800, 0xDFFF)
"""Halves of surrogate pairs, which no text contains."""


@dataclass(frozen=True, slots=True)
class Lit:
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of these ranges, which are sorted and do not touch."""

    ranges: tuple[tuple[int, int], ...]

    def __contains__(self, char: str) -> bool:
        return any(low <= ord(char) <= high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Seq:
    """A sequence of nodes."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of several nodes."""

    ways: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The node, `least` to `most` times; None: any number of times."""

    node: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A node that a lexer matches as one unit; it contains no `Ref`."""

    node: Node


@dataclass(frozen=True, slots=True)
class Text:
    """Any text that meets all the constraints, with `head` before it and `tail` after it; also one terminal."""

    constraints: tuple[Constraint, ...]
    tail: str = ""
    head: str = ""


Node: TypeAlias = "Lit | Chars | Seq | Alt | Repeat | Ref | Terminal | Text"
EMPTY = Lit("")


def seq(*parts: Node) -> Node:
    """A sequence of nodes; adjacent literals become one."""
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
    """One of several nodes; duplicates are removed."""
    flat = (each for way in ways for each in (way.ways if isinstance(way, Alt) else (way,)))
    found = tuple(dict.fromkeys(flat))
    return found[0] if len(found) == 1 else Alt(found)


def repeat(node: Node, least: int = 0, most: int | None = None) -> Node:
    """The node, `least` to `most` times."""
    if most == 0 or node == EMPTY:
        return EMPTY
    return node if least == most == 1 else Repeat(node, least, most)


def opt(node: Node) -> Node:
    """The node, or nothing."""
    return repeat(node, 0, 1)


def between(head: str, node: Node, tail: str) -> Node:
    """The node between two literals; a terminal or a text takes them in, and stays one unit of a lexer."""
    if isinstance(node, Terminal):
        return Terminal(seq(Lit(head), node.node, Lit(tail)))
    if isinstance(node, Text):
        return replace(node, head=head + node.head, tail=node.tail + tail)
    return seq(Lit(head), node, Lit(tail))


def chars(*given: str | tuple[str, str]) -> Chars:
    """One of these characters; each argument is a string of characters, or a pair of the first and last of a range."""
    found: list[tuple[int, int]] = []
    for each in given:
        pairs = [each] if isinstance(each, tuple) else zip(each, each, strict=True)
        found += ((ord(low), ord(high)) for low, high in pairs)
    return Chars(_merged(found))


def all_but(*given: str | tuple[str, str]) -> Chars:
    """Any one character except these."""
    return complement(chars(*given))


def complement(given: Chars) -> Chars:
    """Any one character that is not one of these."""
    found, here = [], 0
    for low, high in (*_merged([*given.ranges, HALVES]), (TOP + 1, TOP + 1)):
        if low > here:
            found.append((here, low - 1))
        here = high + 1
    return Chars(tuple(found))


def intersected(one: Chars, other: Chars) -> Chars:
    """The characters that are in both sets."""
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
    """The node and all nodes within it; rules are not followed."""
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


def lengths(node: Node) -> tuple[int, float]:
    """How many characters the node's texts have at least and at most. It contains no rule and no terminal."""
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Repeat):
        low, high = lengths(node.node)
        most = inf if node.most is None else node.most
        return low * node.least, high and high * most  # endlessly nothing is nothing
    if isinstance(node, Seq | Alt):
        lows, highs = zip(*map(lengths, node.parts if isinstance(node, Seq) else node.ways), strict=True)
        return (sum(lows), sum(highs)) if isinstance(node, Seq) else (min(lows), max(highs))
    size = len(node.text) if isinstance(node, Lit) else 0
    return size, size


class Rules:
    """The rules of one grammar, by name. Each key has one rule, however often it is requested."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._names: dict[object, str] = {}
        self._to_make: list[tuple[str, Callable[[], Node]]] = []
        self._makes = False

    def copy(self) -> Rules:
        """A copy, to which rules can be added without changing this one."""
        found = Rules()
        found.nodes, found._names = dict(self.nodes), dict(self._names)
        return found

    def ref(self, key: object, make: Callable[[], Node]) -> Ref:
        """The rule of that key, created by `make`; it may refer to itself.

        A rule that is requested while another one is created is created after it, because a schema may be nested deeper
        than Python can recurse.
        """
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"r{len(self._names)}"
            self.nodes[name] = EMPTY  # reserves its place
            self._to_make.append((name, make))
            while self._to_make and not self._makes:
                self._makes = True
                waiting, make = self._to_make.pop()
                try:
                    self.nodes[waiting] = make()
                finally:
                    self._makes = False
        return Ref(name)

    def named(self, node: Node) -> Node:
        """The node as a separate rule, unless it is a literal, a terminal or a reference."""
        return node if isinstance(node, Lit | Ref | Terminal) else self.ref(node, lambda: node)
