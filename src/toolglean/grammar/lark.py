# What this file knows: how Lark spells a grammar for llguidance.
# What it must not know: formats and schemas.
#
# llguidance reads a text in words (terminals): the longest that fits, without going back. So a `Word` and a `Text`
# become one terminal each. Special tokens are no text for it: they are written by their number, between the words.
"""Lark, as llguidance reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from toolglean.grammar.nodes import Alt, Chars, Lit, Many, Node, Ref, Rules, Seq, Text, Word, seq
from toolglean.grammar.regexes import count, regex

__all__ = ["lark"]


def lark(root: Node, rules: Rules, special_tokens: Mapping[str, int] | None = None) -> str:
    """The grammar as Lark, with the rule `start` first."""
    writer = _Writer(rules, special_tokens or {})
    lines = [f"start: {writer.node(root)}"]
    return "\n".join(["%llguidance {}", *lines, *(f"{name}: {text}" for name, text in writer.rules.items())]) + "\n"


class _Writer:
    def __init__(self, given: Rules, special: Mapping[str, int]) -> None:
        self.given, self.special = given, special
        self.rules: dict[str, str] = {}
        self._names: dict[Node, str] = {}
        words = sorted(filter(None, special), key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, words))})") if words else None

    def node(self, node: Node) -> str:
        """The node, as the whole of a rule."""
        if isinstance(node, Alt):
            return " | ".join(self.node(way) for way in node.ways)
        if isinstance(node, Seq):
            return " ".join(self._part(part) for part in node.parts)
        return self._part(node)

    def _part(self, node: Node) -> str:
        if isinstance(node, Lit):
            return self._literal(node.text)
        if isinstance(node, Ref):
            return self._rule(node)
        if isinstance(node, Word):
            return self._word(node.node)
        if isinstance(node, Text):
            return self._text(node)
        if isinstance(node, Many):
            inner = self._part(node.node)
            inner = inner if re.fullmatch(r"\w+|\([^()]*\)", inner) else f"({inner})"
            return inner + count(node)
        if isinstance(node, Chars):
            return self._terminal(node)
        return f"({self.node(node)})"

    def _rule(self, node: Ref) -> str:
        if node.name not in self.rules:
            self.rules[node.name] = ""
            self.rules[node.name] = self.node(self.given.nodes[node.name])
        return node.name

    def _literal(self, text: str) -> str:
        return " ".join(self._literals(text)) or '""'

    def _literals(self, text: str) -> Iterator[str]:
        for piece in self._cut.split(text) if self._cut else [text]:
            if piece:
                yield f"<[{self.special[piece]}]>" if piece in self.special else json.dumps(piece, ensure_ascii=False)

    def _parted(self, text: str) -> tuple[str, str]:
        # What stands before the first special token, and the rest.
        found = self._cut.search(text) if self._cut else None
        return (text, "") if found is None else (text[: found.start()], text[found.start() :])

    def _behind(self, text: str) -> tuple[str, str]:
        # What stands up to the last special token, and the rest.
        ends = [found.end() for found in self._cut.finditer(text)] if self._cut else []
        return (text[: ends[-1]], text[ends[-1] :]) if ends else ("", text)

    def _word(self, node: Node) -> str:
        # A special token at its edge stands outside the terminal.
        parts = list(node.parts) if isinstance(node, Seq) else [node]
        before = behind = ""
        if isinstance(parts[-1], Lit):
            rest, behind = self._parted(parts[-1].text)
            parts[-1:] = [Lit(rest)] if rest else []
        if parts and isinstance(parts[0], Lit):
            before, rest = self._behind(parts[0].text)
            parts[:1] = [Lit(rest)] if rest else []
        inner = [self._terminal(seq(*parts))] if parts else []
        return " ".join([*self._literals(before), *inner, *self._literals(behind)])

    def _terminal(self, node: Node) -> str:
        if isinstance(node, Lit):
            return json.dumps(node.text, ensure_ascii=False)
        return self._named(node, f"/{regex(node)}/")

    def _named(self, key: Node, text: str) -> str:
        if key not in self._names:
            self._names[key] = f"W{len(self._names)}"
            self.rules[self._names[key]] = text
        return self._names[key]

    def _text(self, node: Text) -> str:
        before, head = self._behind(node.head)
        tail, behind = self._parted(node.tail)
        # What a complement matches need not be UTF-8: only beside any text does it end where it must.
        inside = " & ".join(["/(?s:.*)/", *_merged(each.regex for each in node.constraints)])
        if head or tail:
            body = self._named(Text(node.constraints), inside)
            parts = [json.dumps(each, ensure_ascii=False) if each else "" for each in (head, tail)]
            inside = " ".join(filter(None, [parts[0], body, parts[1]]))
        name = self._named(Text(node.constraints, tail, head), inside)
        return " ".join([*self._literals(before), name, *self._literals(behind)])


def _merged(regexes: Iterable[str]) -> list[str]:
    # What is forbidden, as one complement: the lexer has a limit for what it builds, and complements cost most.
    found = list(regexes)
    forbidden = [each[2:-1] for each in found if each.startswith("~/")]
    allowed = [each for each in found if not each.startswith("~/")]
    return [*allowed, f"~/{'|'.join(forbidden)}/"] if forbidden else allowed
