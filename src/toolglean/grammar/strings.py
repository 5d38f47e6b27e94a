# The characters of a string as each dialect writes them, and strings with a length or a pattern. Does not depend on the
# text around a string.
"""Strings, as grammars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.grammar.nodes import (
    EMPTY,
    Alt,
    Chars,
    Lit,
    Node,
    Repeat,
    Seq,
    all_but,
    alt,
    chars,
    intersected,
    lengths,
    repeat,
    seq,
)
from toolglean.grammar.patterns import pattern
from toolglean.grammar.regexes import MatchesNode
from toolglean.grammar.shapes import Notes, counts

__all__ = ["FOUR_HEX", "JSON", "Alphabet", "json_body", "others", "pattern_of", "python"]

HEX = chars(("0", "9"), ("A", "F"), ("a", "f"))
FOUR_HEX = alt(
    seq(chars(("0", "9"), ("A", "C"), ("a", "c"), "EFef"), HEX, HEX, HEX),  # not half of a surrogate pair
    seq(chars("Dd"), chars(("0", "7")), HEX, HEX),
)
CONTROLS = ("\0", "\x1f")


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How a dialect writes the characters of a string.

    Attributes:
        raw: the characters that are written as they are.
        escapes: how some of the others are written where only they are allowed.
        codes: all escapes.
    """

    raw: Chars
    escapes: Mapping[str, str]
    codes: tuple[Node, ...]

    @property
    def letter(self) -> Node:
        """Any character."""
        return alt(self.raw, *self.codes)

    def encoded(self, node: Node) -> Node:
        """The node, with its characters as the dialect writes them."""
        if isinstance(node, Chars):
            plain = intersected(node, self.raw)
            ways: list[Node] = [plain] if plain.ranges else []
            return alt(*ways, *(Lit(text) for char, text in self.escapes.items() if char in node))
        if isinstance(node, Seq):
            return seq(*map(self.encoded, node.parts))
        if isinstance(node, Alt):
            return alt(*map(self.encoded, node.ways))
        return repeat(self.encoded(node.node), node.least, node.most) if isinstance(node, Repeat) else node

    def body(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        """The characters of a string that meets the schema."""
        least, most = counts(schema, "Length")
        found = pattern_of(schema, path, notes)
        if found is None:
            return repeat(self.letter, least, most)
        low, high = lengths(found)
        if low < least or (most is not None and high > most):
            notes.add_unsupported(f"{path}.pattern", "a grammar cannot combine it with a length")
        return self.encoded(found)


JSON = Alphabet(
    all_but(CONTROLS, '"\\'),
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"},
    (seq(Lit("\\"), chars('"\\/bfnrt')), seq(Lit("\\u"), FOUR_HEX)),
)


def json_body(least: int = 0, most: int | None = None) -> MatchesNode:
    """The text is the inside of a JSON string of so many characters."""
    return MatchesNode(repeat(JSON.letter, least, most))


def python(quote: str) -> Alphabet:
    """Python's strings between these quotes."""
    escapes = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", quote: f"\\{quote}"}
    codes = (
        seq(Lit("\\"), chars("\\'\"nrt")),
        seq(Lit("\\x"), HEX, HEX),
        seq(Lit("\\u"), FOUR_HEX),
        seq(
            Lit("\\U000"),
            alt(seq(Lit("0"), FOUR_HEX), seq(chars(("1", "9"), ("A", "F"), ("a", "f")), HEX, HEX, HEX, HEX)),
        ),
        seq(Lit("\\U0010"), HEX, HEX, HEX, HEX),
    )
    return Alphabet(all_but(CONTROLS, "\x7f\\", quote), escapes, codes)


def pattern_of(schema: Mapping[str, Any], path: str, notes: Notes) -> Node | None:
    """The pattern of a string; None if there is none, or a grammar cannot express it, which is reported."""
    given = schema.get("pattern")
    found = pattern(given) if isinstance(given, str) else None
    if given is not None and found is None:
        notes.add_unsupported(f"{path}.pattern", f"a grammar cannot express the pattern {given!r:.80}")
    return found


def others(words: Iterable[str], letter: Chars, rest: Node = EMPTY, most: int | None = None) -> Node:
    """Any text of these letters, or of `rest`, except the words.

    `most`: how many letters may follow the first one that differs from the words; None: any number.
    """
    known = dict.fromkeys(words)
    ends: dict[str, list[str]] = {}
    for word in filter(None, known):
        ends.setdefault(word[0], []).append(word[1:])
    every = alt(letter, rest) if rest != EMPTY else letter
    first = intersected(letter, all_but("".join(ends)))
    ways: list[Node] = [] if "" in known else [EMPTY]
    ways += [seq(alt(first, rest) if rest != EMPTY else first, repeat(every, 0, most))]
    ways += [seq(Lit(char), others(left, letter, rest, most)) for char, left in ends.items() if char in letter]
    return alt(*ways)
