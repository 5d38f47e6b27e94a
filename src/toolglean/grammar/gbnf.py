# How a grammar is written in GBNF, for llama.cpp, and as a structural tag, for xgrammar, vLLM and SGLang. Does not
# depend on formats and schemas.
#
# Characters in brackets are escaped by number wherever a reader could take them for syntax, because llama.cpp knows no
# other escape for `-` and `^`. It also counts only to 2,000, so larger counts are written in hundreds.
#
# A structural tag is one grammar: GBNF, and xgrammar's own `TagDispatch`, which is "any text without these"
# (`_any_text`) as a part of a grammar. That includes JSON, although structural tags have an element for JSON schemas:
# it allows numbers that no reader accepts, and endless white space, and it compiles no faster.
"""GBNF, and structural tags."""

from __future__ import annotations

from itertools import count as counter
from typing import Any

from toolglean.grammar.free_text import avoided, simplified
from toolglean.grammar.nodes import ALL, Alt, Chars, Lit, Node, Repeat, Rules, Text, alt, chars, repeat, seq
from toolglean.grammar.regexes import count
from toolglean.grammar.strings import FOUR_HEX, json_body
from toolglean.grammar.texts import Constraint, automaton
from toolglean.grammar.writer import Writer

__all__ = ["gbnf", "structural_tag"]

HUNDRED = 100
MOST = 1000  # the largest count that is written directly

IN_STRINGS = ('"', *map(chr, range(0x20)))
"""What a JSON string must not contain."""
STRING = json_body()
ESCAPED = alt(chars('"\\/bfnrt'), seq(Lit("u"), FOUR_HEX))

_QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def gbnf(root: Node, rules: Rules) -> str:
    """The grammar as GBNF."""
    return _Writer(rules).whole(root, "root", " ::= ")


def structural_tag(root: Node, rules: Rules) -> dict[str, Any]:
    """The grammar as a structural tag."""
    grammar = _TagWriter(rules.copy()).whole(root, "root", " ::= ")
    return {"type": "structural_tag", "format": {"type": "grammar", "grammar": grammar}}


class _Writer(Writer):
    def __init__(self, given: Rules) -> None:
        super().__init__(given)
        self._texts: dict[tuple[Constraint, ...], str] = {}
        self._automata = counter()

    def literal(self, text: str) -> str:
        return _quoted(text)

    def chars(self, node: Chars) -> str:
        # Always the characters that are included, never those that are excluded (`[^…]`): in the latter, xgrammar
        # 0.2.7, which SGLang 0.5.23 requires, loses everything beyond ASCII.
        return "[" + "".join(map(_range, node.ranges)) + "]"

    def terminal(self, node: Node) -> str:
        return _quoted(node.text) if isinstance(node, Lit) else self.named(node, "w", self.node(node))

    def repeat(self, node: Repeat) -> str:
        least, most = node.least, node.most
        if max(least, most or 0) > MOST:
            return self._hundreds(node.node, least, most)
        inner = self.part(node.node)
        return (f"({inner})" if inner.endswith(tuple("*+?}")) else inner) + count(node)

    def _hundreds(self, node: Node, least: int, most: int | None) -> str:
        hundred = repeat(node, HUNDRED, HUNDRED)
        parts = [repeat(hundred, least // HUNDRED, least // HUNDRED), repeat(node, least % HUNDRED, least % HUNDRED)]
        if most is None:
            parts.append(repeat(node))
        else:
            left, odd = divmod(most - least, HUNDRED)
            full = seq(repeat(hundred, left, left), repeat(node, 0, odd))
            ways = Alt((seq(repeat(hundred, 0, left - 1), repeat(node, 0, HUNDRED - 1)), full)) if left else full
            parts.append(ways)
        return f"({self.node(seq(*parts))})"

    def text(self, node: Text) -> str:
        if node.constraints not in self._texts:
            self._texts[node.constraints] = self.inside(node)
        head, tail = (_quoted(each) if each else "" for each in (node.head, node.tail))
        return " ".join(filter(None, (head, self._texts[node.constraints], tail)))

    def inside(self, node: Text) -> str:
        """The text without its head and its tail, as the rules of an automaton."""
        base = f"t{next(self._automata)}"
        for number, (final, ways) in enumerate(automaton(node.constraints)):
            arms = ['""'] if final else []
            arms += [f"{self.chars(Chars(tuple(ranges)))} {base}-{to}" for to, ranges in ways.items()]
            self.rules[f"{base}-{number}"] = " | ".join(arms)
        return f"{base}-0"


class _TagWriter(_Writer):
    def repeat(self, node: Repeat) -> str:
        # As repeated characters, a string would compile at once, but take 100 milliseconds for each token.
        return self._any_text(Text((STRING,))) if node == STRING.node else super().repeat(node)

    def inside(self, node: Text) -> str:
        """The text without its head and its tail, made of texts that only avoid others if it can be."""
        found = simplified(node, self.given)
        if found is None:
            return super().inside(node)
        return self._any_text(found) if isinstance(found, Text) else self.part(found)

    def _any_text(self, node: Text) -> str:
        words = [word for each in node.constraints for word in avoided(each) or ()]
        rule = ""
        if STRING in node.constraints:
            words += IN_STRINGS
            rule = f'("\\\\", {self.part(self.given.named(ESCAPED))}), '
        if not words:
            return self.part(repeat(ALL))
        loop = "true" if rule else "false"
        excludes = ", ".join(map(_quoted, words))
        return self.named(node, "a", f"TagDispatch({rule}loop_after_dispatch={loop}, excludes=({excludes}))")


def _quoted(text: str) -> str:
    """The text between quotes."""
    return '"' + "".join(_QUOTED.get(char, char if char >= " " else f"\\u{ord(char):04X}") for char in text) + '"'


def _range(pair: tuple[int, int]) -> str:
    low, high = pair
    return _char(low) if low == high else f"{_char(low)}-{_char(high)}"


def _char(code: int) -> str:
    if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_ <>{}(),.:;/|!@#$%&*+=?~'`"):
        return chr(code)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"  # not `\\x`: xgrammar reads more than two digits
