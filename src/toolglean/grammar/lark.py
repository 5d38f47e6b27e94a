# How a grammar is written in Lark for llguidance. Does not depend on formats and schemas.
#
# llguidance reads text as terminals: the longest that matches, without backtracking. So each `Terminal` and each `Text`
# becomes one terminal. llguidance does not treat special tokens as text: they are written by number, between the
# terminals.
"""Lark, as llguidance reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from toolglean.grammar.nodes import Chars, Lit, Node, Repeat, Rules, Seq, Text, seq
from toolglean.grammar.regexes import count, regex
from toolglean.grammar.writer import Writer

__all__ = ["lark"]


def lark(root: Node, rules: Rules, special_tokens: Mapping[str, int] | None = None) -> str:
    """The grammar as Lark, with the rule `start` first."""
    return "%llguidance {}\n" + _Writer(rules, special_tokens or {}).whole(root, "start", ": ")


class _Writer(Writer):
    def __init__(self, given: Rules, special: Mapping[str, int]) -> None:
        super().__init__(given)
        self.special = special
        words = sorted(filter(None, special), key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, words))})") if words else None

    def literal(self, text: str) -> str:
        return " ".join(self._literals(text)) or '""'

    def chars(self, node: Chars) -> str:
        return self._terminal(node)

    def repeat(self, node: Repeat) -> str:
        inner = self.part(node.node)
        return (inner if re.fullmatch(r"\w+|\([^()]*\)", inner) else f"({inner})") + count(node)

    def _literals(self, text: str) -> Iterator[str]:
        for piece in self._cut.split(text) if self._cut else [text]:
            if piece:
                yield f"<[{self.special[piece]}]>" if piece in self.special else json.dumps(piece, ensure_ascii=False)

    def _from_special(self, text: str) -> tuple[str, str]:
        # The text before the first special token, and the rest.
        found = self._cut.search(text) if self._cut else None
        return (text, "") if found is None else (text[: found.start()], text[found.start() :])

    def _up_to_special(self, text: str) -> tuple[str, str]:
        # The text up to and including the last special token, and the rest.
        ends = [found.end() for found in self._cut.finditer(text)] if self._cut else []
        return (text[: ends[-1]], text[ends[-1] :]) if ends else ("", text)

    def terminal(self, node: Node) -> str:
        # A special token at an edge is written outside the terminal.
        parts = list(node.parts) if isinstance(node, Seq) else [node]
        before = after = ""
        if isinstance(parts[-1], Lit):
            rest, after = self._from_special(parts[-1].text)
            parts[-1:] = [Lit(rest)] if rest else []
        if parts and isinstance(parts[0], Lit):
            before, rest = self._up_to_special(parts[0].text)
            parts[:1] = [Lit(rest)] if rest else []
        inner = [self._terminal(seq(*parts))] if parts else []
        return " ".join([*self._literals(before), *inner, *self._literals(after)])

    def _terminal(self, node: Node) -> str:
        if isinstance(node, Lit):
            return json.dumps(node.text, ensure_ascii=False)
        return self.named(node, "W", f"/{regex(node)}/")

    def text(self, node: Text) -> str:
        before, head = self._up_to_special(node.head)
        tail, after = self._from_special(node.tail)
        # A complement may match bytes that are not UTF-8: intersected with any text, it ends where it must.
        inside = " & ".join(["/(?s:.*)/", *_merged(each.regex for each in node.constraints)])
        if head or tail:
            body = self.named(Text(node.constraints), "W", inside)
            parts = [json.dumps(each, ensure_ascii=False) if each else "" for each in (head, tail)]
            inside = " ".join(filter(None, [parts[0], body, parts[1]]))
        name = self.named(Text(node.constraints, tail, head), "W", inside)
        return " ".join([*self._literals(before), name, *self._literals(after)])


def _merged(regexes: Iterable[str]) -> list[str]:
    # All forbidden texts become one complement: the lexer limits what it builds, and complements cost most.
    found = list(regexes)
    forbidden = [each[2:-1] for each in found if each.startswith("~/")]
    allowed = [each for each in found if not each.startswith("~/")]
    return [*allowed, f"~/{'|'.join(forbidden)}/"] if forbidden else allowed
