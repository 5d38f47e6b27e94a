# How a grammar becomes rules: sequences, alternatives, references. This part is the same in GBNF and in Lark, and does
# not depend on how either writes anything (gbnf.py, lark.py).
"""Nodes as rules."""

from __future__ import annotations

from abc import ABC, abstractmethod

from toolglean.grammar.nodes import Alt, Chars, Lit, Node, Ref, Repeat, Rules, Seq, Terminal, Text

__all__ = ["Writer"]


class Writer(ABC):
    """Writes one grammar.

    Args:
        given: the rules to which the grammar refers.

    Attributes:
        rules: the text of each rule, by its name.
    """

    def __init__(self, given: Rules) -> None:
        self.given = given
        self.rules: dict[str, str] = {}
        self._names: dict[Node, str] = {}
        self._to_write: list[str] = []  # rules may refer to each other deeper than Python can recurse
        self._writes = False

    def whole(self, root: Node, name: str, sign: str) -> str:
        """The grammar.

        Args:
            root: what it describes.
            name: the name of the first rule, which is that node.
            sign: what separates the name of a rule from its text.
        """
        first = self.node(root)  # writes the other rules, too
        return "".join(f"{each}{sign}{text}\n" for each, text in {name: first, **self.rules}.items())

    def node(self, node: Node) -> str:
        """The node, as the whole text of a rule."""
        if isinstance(node, Alt):
            return " | ".join(self.node(way) for way in node.ways)
        if isinstance(node, Seq):
            return " ".join(self.part(part) for part in node.parts)
        return self.part(node)

    def part(self, node: Node) -> str:
        """The node, as a part of a sequence."""
        if isinstance(node, Lit):
            return self.literal(node.text)
        if isinstance(node, Chars):
            return self.chars(node)
        if isinstance(node, Ref):
            return self._rule(node)
        if isinstance(node, Terminal):
            return self.terminal(node.node)
        if isinstance(node, Text):
            return self.text(node)
        if isinstance(node, Repeat):
            return self.repeat(node)
        return f"({self.node(node)})"

    def _rule(self, node: Ref) -> str:
        if node.name not in self.rules:
            self.rules[node.name] = ""  # reserves its place
            self._to_write.append(node.name)
            while not self._writes and self._to_write:
                self._writes = True
                name = self._to_write.pop()
                self.rules[name] = self.node(self.given.nodes[name])
                self._writes = False
        return node.name

    def named(self, node: Node, prefix: str, text: str) -> str:
        """The name of the rule for the node, whose text is `text`: one rule, however often it is requested."""
        if node not in self._names:
            name = self._names[node] = f"{prefix}{len(self._names)}"
            self.rules[name] = text
        return self._names[node]

    @abstractmethod
    def literal(self, text: str) -> str:
        """Literal text."""

    @abstractmethod
    def chars(self, node: Chars) -> str:
        """One character."""

    @abstractmethod
    def terminal(self, node: Node) -> str:
        """A node that a lexer matches as one unit."""

    @abstractmethod
    def text(self, node: Text) -> str:
        """Any text that meets constraints."""

    @abstractmethod
    def repeat(self, node: Repeat) -> str:
        """A repeated node."""
