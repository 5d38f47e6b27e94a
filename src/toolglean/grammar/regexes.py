# How a node without rules is written as a regular expression, and such a node as a constraint on a text. Does not
# depend on what the text is for.
"""Nodes as regular expressions, and as constraints."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

from toolglean.grammar.nodes import (
    ALL,
    EMPTY,
    Alt,
    Chars,
    Lit,
    Node,
    Repeat,
    Seq,
    Terminal,
    all_but,
    alt,
    chars,
    descendants,
    lengths,
    opt,
    repeat,
    seq,
)
from toolglean.grammar.texts import SPACES, Constraint, escaped

__all__ = ["FirstChar", "MatchesNode", "NodeConstraint", "count", "regex"]

NEVER = Chars(())


class NodeConstraint(Constraint):
    """A condition that a node defines: the text is one of the node's texts, or, if it is `negated`, none of them."""

    __slots__ = ()

    negated = False

    @property
    @abstractmethod
    def form(self) -> Node:
        """The node. It consists of characters, literals, sequences, alternatives and repetitions."""

    @property
    def start(self) -> Node:
        return self.form

    @property
    def edges(self) -> set[int]:
        parts = list(descendants(self.form))
        ranges = [pair for each in parts if isinstance(each, Chars) for pair in each.ranges]
        ranges += [(ord(char), ord(char)) for each in parts if isinstance(each, Lit) for char in each.text]
        return {edge for low, high in ranges for edge in (low, high + 1)}

    def step(self, state: Node, char: str) -> Node | None:
        found = _derivative(state, char)
        return None if found == NEVER and not self.negated else found

    def final(self, state: Node) -> bool:
        return _may_be_empty(state) != self.negated

    @property
    def regex(self) -> str:
        return f"{'~' if self.negated else ''}/{regex(self.form)}/"


@dataclass(frozen=True, slots=True)
class MatchesNode(NodeConstraint):
    """The text is one of the node's texts."""

    node: Node

    @property
    def form(self) -> Node:
        return self.node


@dataclass(frozen=True, slots=True)
class FirstChar(NodeConstraint):
    """The first character is not one of these; with `spaces`, the first one that is not white space."""

    none_of: str
    spaces: bool = False

    @property
    def form(self) -> Node:
        spaces = SPACES if self.spaces else ""
        rest = opt(seq(all_but(self.none_of + spaces), repeat(ALL)))
        return seq(repeat(chars(spaces)), rest) if spaces else rest


@lru_cache(maxsize=4096)
def _derivative(node: Node, char: str) -> Node:
    # The rests of the node's texts that begin with the character (Brzozowski's derivative).
    if isinstance(node, Chars):
        return EMPTY if char in node else NEVER
    if isinstance(node, Lit):
        return Lit(node.text[1:]) if node.text.startswith(char) else NEVER
    if isinstance(node, Seq):
        ways = []
        for at, part in enumerate(node.parts):
            ways.append(_row(_derivative(part, char), node.parts[at + 1 :]))
            if not _may_be_empty(part):
                break
        return _choice(ways)
    if isinstance(node, Alt):
        return _choice([_derivative(way, char) for way in node.ways])
    if isinstance(node, Repeat):
        rest = repeat(node.node, max(node.least - 1, 0), None if node.most is None else node.most - 1)
        return _row(_derivative(node.node, char), (rest,))
    return NEVER


def _row(first: Node, rest: tuple[Node, ...]) -> Node:
    return NEVER if first == NEVER else seq(first, *rest)


def _choice(ways: list[Node]) -> Node:
    found = [each for each in ways if each != NEVER]
    return alt(*found) if found else NEVER


def _may_be_empty(node: Node) -> bool:
    return not lengths(node)[0]


def count(node: Repeat) -> str:
    """The quantifier, as regular expressions, GBNF and Lark write it."""
    sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((node.least, node.most))
    if sign is not None:
        return sign
    most = "" if node.most is None else node.most
    return f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"


def regex(node: Node) -> str:
    """The node as a regular expression."""
    if isinstance(node, Lit):
        return escaped(node.text)
    if isinstance(node, Chars):
        return "[" + "".join(_range(*pair) for pair in node.ranges) + "]"
    if isinstance(node, Seq):
        return "".join(f"({regex(part)})" if isinstance(part, Alt) else regex(part) for part in node.parts)
    if isinstance(node, Alt):
        return "|".join(map(regex, node.ways))
    if isinstance(node, Repeat):
        inner = regex(node.node)
        return (inner if isinstance(node.node, Chars) else f"({inner})") + count(node)
    assert isinstance(node, Terminal)
    return f"({regex(node.node)})"


def _range(low: int, high: int) -> str:
    return f"\\x{{{low:x}}}" if low == high else f"\\x{{{low:x}}}-\\x{{{high:x}}}"
