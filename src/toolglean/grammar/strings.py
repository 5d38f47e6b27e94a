# The characters of a string as each dialect writes them, and strings with a length or a pattern. Does not depend on the
# text around a string.
"""Strings, as grammars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    repeat,
    seq,
)
from toolglean.grammar.patterns import pattern
from toolglean.grammar.regexes import MatchesNode
from toolglean.grammar.shapes import Notes

__all__ = [
    "JSON_CODES",
    "JSON_RAW",
    "PYTHON_RAW",
    "body",
    "encoded",
    "json_body",
    "json_letters",
    "others",
    "pattern_of",
    "python_letter",
    "python_letters",
]

HEX = chars(("0", "9"), ("A", "F"), ("a", "f"))
FOUR_HEX = alt(
    seq(chars(("0", "9"), ("A", "C"), ("a", "c"), "EFef"), HEX, HEX, HEX),  # not half of a surrogate pair
    seq(chars("Dd"), chars(("0", "7")), HEX, HEX),
)
CONTROLS = ("\0", "\x1f")

JSON_RAW = all_but(CONTROLS, '"\\')
JSON_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
JSON_CODES = (seq(Lit("\\"), chars('"\\/bfnrt')), seq(Lit("\\u"), FOUR_HEX))
JSON_LETTER = alt(JSON_RAW, *JSON_CODES)

PYTHON_RAW = all_but(CONTROLS, "\x7f\\'")
PYTHON_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def json_body(least: int = 0, most: int | None = None) -> MatchesNode:
    """The text is the inside of a JSON string of so many characters."""
    return MatchesNode(repeat(JSON_LETTER, least, most))


def json_letters(given: Chars, raw: Chars = JSON_RAW) -> Node:
    """One of these characters, in a JSON string in which those of `raw` are not escaped."""
    return _letters(given, raw, JSON_ESCAPES)


def python_letter(quote: str) -> Node:
    """A character of a Python string."""
    code = alt(
        seq(Lit("\\x"), HEX, HEX),
        seq(Lit("\\u"), FOUR_HEX),
        seq(
            Lit("\\U000"),
            alt(seq(Lit("0"), FOUR_HEX), seq(chars(("1", "9"), ("A", "F"), ("a", "f")), HEX, HEX, HEX, HEX)),
        ),
        seq(Lit("\\U0010"), HEX, HEX, HEX, HEX),
    )
    return alt(_python_raw(quote), seq(Lit("\\"), chars("\\'\"nrt")), code)


def python_letters(quote: str) -> Callable[[Chars], Node]:
    """One of the given characters, in a Python string between these quotes."""
    return lambda given: _letters(given, _python_raw(quote), {**PYTHON_ESCAPES, quote: f"\\{quote}"})


def _python_raw(quote: str) -> Chars:
    return all_but(CONTROLS, "\x7f\\", quote)


def _letters(given: Chars, raw: Chars, escapes: Mapping[str, str]) -> Node:
    plain = intersected(given, raw)
    ways: list[Node] = [plain] if plain.ranges else []
    ways += [Lit(text) for char, text in escapes.items() if char in given]
    return alt(*ways)


def encoded(node: Node, letters: Callable[[Chars], Node]) -> Node:
    """The node, with its characters as a dialect writes them."""
    if isinstance(node, Chars):
        return letters(node)
    if isinstance(node, Seq):
        return seq(*(encoded(each, letters) for each in node.parts))
    if isinstance(node, Alt):
        return alt(*(encoded(each, letters) for each in node.ways))
    return repeat(encoded(node.node, letters), node.least, node.most) if isinstance(node, Repeat) else node


def body(schema: Mapping[str, Any], letter: Node, letters: Callable[[Chars], Node], path: str, notes: Notes) -> Node:
    """The characters of a string that meets the schema."""
    least, most = length(schema)
    found = pattern_of(schema, path, notes)
    if found is None:
        return repeat(letter, least, most)
    low, high = _lengths(found)
    if low < least or (most is not None and (high is None or high > most)):
        notes.add_unsupported(f"{path}.pattern", "a grammar cannot combine it with a length")
    return encoded(found, letters)


def pattern_of(schema: Mapping[str, Any], path: str, notes: Notes) -> Node | None:
    """The pattern of a string; None if there is none, or a grammar cannot express it, which is reported."""
    given = schema.get("pattern")
    found = pattern(given) if isinstance(given, str) else None
    if given is not None and found is None:
        notes.add_unsupported(f"{path}.pattern", f"a grammar cannot express the pattern {given!r:.80}")
    return found


def length(schema: Mapping[str, Any]) -> tuple[int, int | None]:
    """The least and the most characters of a string; None: any number."""
    least, most = schema.get("minLength"), schema.get("maxLength")
    return int(least) if isinstance(least, int | float) else 0, int(most) if isinstance(most, int | float) else None


def _lengths(node: Node) -> tuple[int, int | None]:
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Repeat):
        low, high = _lengths(node.node)
        return low * node.least, None if high is None or node.most is None else high * node.most
    if isinstance(node, Alt):
        found = [_lengths(each) for each in node.ways]
        highs = [high for _, high in found]
        return min(low for low, _ in found), None if None in highs else max(high for high in highs if high is not None)
    found = [_lengths(each) for each in node.parts] if isinstance(node, Seq) else []
    total = [high for _, high in found]
    return sum(low for low, _ in found), None if None in total else sum(high for high in total if high is not None)


def others(words: Iterable[str], letter: Chars, rest: Node = EMPTY, most: int | None = None) -> Node:
    """Any text of these letters, or of `rest`, except the words.

    `most`: how many letters may follow the first one that differs from the words; None: any number.
    """
    ends: dict[str, list[str]] = {}
    whole = False
    for word in dict.fromkeys(words):
        if word:
            ends.setdefault(word[0], []).append(word[1:])
        else:
            whole = True
    every = alt(letter, rest) if rest != EMPTY else letter
    first = intersected(letter, all_but("".join(ends)))
    ways: list[Node] = [] if whole else [EMPTY]
    ways += [seq(alt(first, rest) if rest != EMPTY else first, repeat(every, 0, most))]
    ways += [seq(Lit(char), others(left, letter, rest, most)) for char, left in ends.items() if char in letter]
    return alt(*ways)
