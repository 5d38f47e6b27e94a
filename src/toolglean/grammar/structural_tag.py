# How a grammar is written as a structural tag (xgrammar, vLLM, SGLang). Does not depend on formats and schemas.
#
# Structural tags have their own elements for literals, sequences, alternatives and free text; for free text these are
# much faster than rules. Everything else is a GBNF grammar inside the tag. That includes JSON, although structural tags
# have an element for JSON schemas: it allows numbers that no reader accepts, and endless white space.
"""Structural tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolglean.grammar.gbnf import gbnf
from toolglean.grammar.nodes import Alt, Lit, Node, Ref, Repeat, Rules, Seq, Text, descendants, seq
from toolglean.grammar.texts import Avoid

__all__ = ["structural_tag"]


def structural_tag(root: Node, rules: Rules) -> dict[str, Any]:
    """The grammar as a structural tag."""
    return {"type": "structural_tag", "format": _Writer(rules).node(root)}


MOST_NODES, DEEPEST = 2000, 50


class _Writer:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def node(self, node: Node) -> dict[str, Any]:
        """The node as an element of the tag."""
        if isinstance(node, Lit):
            return {"type": "const_string", "value": node.text}
        if not self._has_text(node):
            return {"type": "grammar", "grammar": gbnf(node, self.rules)}
        if isinstance(node, Seq):
            return {"type": "sequence", "elements": [self.node(each) for each in self._runs(node.parts)]}
        if isinstance(node, Alt):
            return {"type": "or", "elements": [self.node(way) for way in node.ways]}
        if isinstance(node, Repeat):
            return self._repeat(node)
        if isinstance(node, Ref):
            return self.node(self.rules.nodes[node.name])
        assert isinstance(node, Text)
        return _any_text(node)

    def _repeat(self, node: Repeat) -> dict[str, Any]:
        inner = self.node(node.node)
        word = {(0, 1): "optional", (0, None): "star", (1, None): "plus"}.get((node.least, node.most))
        if word is not None:
            return {"type": word, "content": inner}
        return {"type": "repeat", "min": node.least, "max": -1 if node.most is None else node.most, "content": inner}

    def _runs(self, parts: Sequence[Node]) -> list[Node]:
        # Adjacent parts without free text become one grammar.
        found: list[Node] = []
        run: list[Node] = []
        for part in parts:
            if self._has_text(part):
                found += [seq(*run)] if run else []
                found.append(part)
                run = []
            else:
                run.append(part)
        return found + ([seq(*run)] if run else [])

    def _has_text(self, node: Node) -> bool:
        """Whether it contains text for which the tag has an element, and is small even with its rules written out."""
        used = self.rules.used(node)
        texts = any(_is_any_text(each) for inner in (node, *used.values()) for each in descendants(inner))
        recursive = texts and any(name in self.rules.used(inner) for name, inner in used.items())
        return texts and not recursive and self._is_small(node)

    def _is_small(self, node: Node) -> bool:
        # A rule is counted wherever it is used, because tags have no rules.
        found, todo = 0, [(node, 0)]
        while todo:
            here, depth = todo.pop()
            if depth > DEEPEST:
                return False
            for each in descendants(here):
                found += 1
                if isinstance(each, Ref):
                    todo.append((self.rules.nodes[each.name], depth + 1))
            if found > MOST_NODES:
                return False
        return True


def _is_any_text(node: Node) -> bool:
    return isinstance(node, Text) and all(isinstance(each, Avoid) for each in node.constraints)


def _any_text(node: Text) -> dict[str, Any]:
    words = tuple(word for each in node.constraints if isinstance(each, Avoid) for word in each.words)
    content = {"type": "any_text", "excludes": [word for word in words if word != node.tail]}
    if not node.tail:
        return (
            content
            if not node.head
            else {"type": "sequence", "elements": [{"type": "const_string", "value": node.head}, content]}
        )
    return {"type": "tag", "begin": node.head, "content": content, "end": node.tail}
