# How a grammar is written as a structural tag (xgrammar, vLLM, SGLang). Does not depend on formats and schemas.
#
# The tag is one grammar: GBNF, and xgrammar's own `TagDispatch`, which is "any text without these" (`any_text`) as a
# part of a grammar. That includes JSON, although structural tags have an element for JSON schemas: it allows numbers
# that no reader accepts, and endless white space, and it compiles no faster.
"""Structural tags."""

from __future__ import annotations

from typing import Any

from toolglean.grammar.free_text import avoided, simplified
from toolglean.grammar.gbnf import GbnfWriter, quoted
from toolglean.grammar.nodes import ALL, Lit, Node, Repeat, Rules, Text, alt, chars, repeat, seq
from toolglean.grammar.strings import FOUR_HEX, json_body
from toolglean.grammar.texts import Constraint

__all__ = ["structural_tag"]

IN_STRINGS = ('"', *map(chr, range(0x20)))
"""What a JSON string must not contain."""
STRING = json_body()
ESCAPED = alt(chars('"\\/bfnrt'), seq(Lit("u"), FOUR_HEX))


def structural_tag(root: Node, rules: Rules) -> dict[str, Any]:
    """The grammar as a structural tag."""
    return {"type": "structural_tag", "format": {"type": "grammar", "grammar": _Writer(rules.copy()).whole(root)}}


class _Writer(GbnfWriter):
    def __init__(self, given: Rules) -> None:
        super().__init__(given)
        self._simplified: dict[tuple[Constraint, ...], Node | None] = {}

    def repeat(self, node: Repeat) -> str:
        # As repeated characters, a string would compile at once, but take 100 milliseconds for each token.
        return self._any_text(Text((STRING,))) if node == STRING.node else super().repeat(node)

    def text(self, node: Text) -> str:
        if node.constraints not in self._simplified:
            self._simplified[node.constraints] = simplified(node, self.given)
        found = self._simplified[node.constraints]
        if found is None:
            return super().text(node)
        return self.around(node, self._any_text(found) if isinstance(found, Text) else self.part(found))

    def _any_text(self, node: Text) -> str:
        words = [word for each in node.constraints for word in avoided(each) or ()]
        rule = ""
        if STRING in node.constraints:
            words += IN_STRINGS
            rule = f'("\\\\", {self.part(self.given.named(ESCAPED))}), '
        if not words:
            return self.part(repeat(ALL))
        loop = "true" if rule else "false"
        excludes = ", ".join(map(quoted, words))
        return self.named(node, "a", f"TagDispatch({rule}loop_after_dispatch={loop}, excludes=({excludes}))")
