# How JSON, Python and the quoted dialect write containers, keys, strings and constants. Does not depend on which values
# a schema allows (values.py).
"""Dialects of nested values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from toolglean.formats.spec import Quoted
from toolglean.formats.write_values import json_text, marked
from toolglean.grammar.nodes import (
    ALL,
    EMPTY,
    Chars,
    Lit,
    Node,
    Terminal,
    Text,
    all_but,
    alt,
    between,
    chars,
    descendants,
    intersected,
    opt,
    repeat,
    seq,
)
from toolglean.grammar.prose import NoCall
from toolglean.grammar.regexes import MatchesNode
from toolglean.grammar.shapes import Notes, counts
from toolglean.grammar.strings import JSON, json_body, others, pattern_of, python
from toolglean.grammar.texts import Avoid, Constraint, automaton, matches

__all__ = ["Dialect", "JsonDialect", "KeywordsDialect", "PythonDialect", "QuotedDialect", "plain_key", "raw_text"]

SPACE = opt(alt(Lit(" "), seq(Lit("\n"), repeat(chars(" \t"), 0, 40))))
"""White space where JSON may have it: none, a blank, or a line break with an indentation. No more, because models that
may write white space endlessly do."""
MOST_NODES = 500  # of a pattern that is combined with texts to avoid
COUNTED = 100  # counted characters of a text with texts to avoid: each needs a rule for every prefix of one of them
NAME = chars(("0", "9"), ("A", "Z"), "_", ("a", "z"))
LETTERS = 128  # of a plain key: readers accept up to 256

Brackets: TypeAlias = tuple[Node, Node, Node]
"""What opens and what closes an object or a list, and an empty one."""


def _spaced(opener: str, closer: str) -> Brackets:
    before, after = seq(Lit(opener), SPACE), seq(SPACE, Lit(closer))
    return Terminal(before), Terminal(after), Terminal(seq(before, Lit(closer)))


class JsonDialect:
    """JSON, as models write it.

    Args:
        constraints: constraints on its text, if it is the text of a parameter, which a marker would end.

    Attributes:
        name: a part of the rules' keys.
        object_brackets, list_brackets: how objects and lists are enclosed.
        comma: the separator of two members.
    """

    object_brackets, list_brackets = _spaced("{", "}"), _spaced("[", "]")
    comma: Node = Terminal(seq(SPACE, Lit(","), SPACE))
    colon: Node = seq(SPACE, Lit(":"), SPACE)

    def __init__(self, constraints: tuple[Constraint, ...] = ()) -> None:
        self.constraints = constraints
        self.name = f"json {constraints}"
        # For strings with a pattern or a length, it is enough to exclude one letter of each; JSON can escape it.
        self.excluded = first_marks(constraints)
        self.alphabet = replace(JSON, raw=intersected(JSON.raw, all_but(self.excluded)))

    def literal(self, value: Any) -> Node | None:
        """That value; None if the dialect cannot write it."""
        text = json_text(value)
        return Lit(text) if matches(self.constraints, text) else None

    def string(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        """A string that meets the schema."""
        least, most = counts(schema, "Length")
        if self.constraints and "pattern" not in schema and (most or 0) <= COUNTED:
            return Text((json_body(least, most), *self.constraints), '"', '"')
        if self.constraints:
            notes.add_narrowed(path, f"such a string may not contain any of the characters {self.excluded!r}")
        return Terminal(seq(Lit('"'), self.alphabet.body(schema, path, notes), Lit('"')))

    def key(self, name: str) -> Node:
        """The key of that member, and the separator before its value."""
        return Terminal(seq(Lit(json_text(name)), self.colon))

    def other_key(self, names: Iterable[str]) -> Node:
        """Any key except these."""
        escaped = seq(Lit("\\"), chars('"\\bfnrt'))
        known = tuple(names)
        free = not any(json_text(name) != f'"{name}"' for name in known)
        return Terminal(
            seq(Lit('"'), others(known, self.alphabet.raw, escaped if free else EMPTY), Lit('"'), self.colon)
        )

    def key_of(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        """A key that meets the schema of a string."""
        return Terminal(seq(Lit('"'), self.alphabet.body(schema, path, notes), Lit('"'), self.colon))


class PythonDialect:
    """Python's literals, as `repr` writes them."""

    name = "python"
    object_brackets: Brackets = (Lit("{"), Lit("}"), Lit("{}"))
    list_brackets: Brackets = (Lit("["), Lit("]"), Lit("[]"))
    comma: Node = Terminal(seq(Lit(","), opt(Lit(" "))))
    colon: Node = seq(Lit(":"), opt(Lit(" ")))

    def literal(self, value: Any) -> Node | None:
        return Lit(repr(value))

    def string(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        ways = (seq(Lit(quote), python(quote).body(schema, path, notes), Lit(quote)) for quote in "'\"")
        return Terminal(alt(*ways))

    def key(self, name: str) -> Node:
        return Terminal(seq(Lit(repr(name)), self.colon))

    def other_key(self, names: Iterable[str]) -> Node:
        return Terminal(seq(Lit("'"), others(names, python("'").raw), Lit("'"), self.colon))

    def key_of(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        return Terminal(seq(Lit("'"), python("'").body(schema, path, notes), Lit("'"), self.colon))


class KeywordsDialect(PythonDialect):
    """Python's keyword arguments, and the parenthesis after them."""

    object_brackets: Brackets = (EMPTY, Lit(")"), Lit(")"))

    def key(self, name: str) -> Node:
        return Lit(f"{name}=")

    def other_key(self, names: Iterable[str]) -> Node:
        return Terminal(seq(plain_key(names, chars(("A", "Z"), "_", ("a", "z"))), Lit("=")))


class QuotedDialect:
    """Objects with bare keys, and strings between markers, in which nothing is escaped."""

    object_brackets, list_brackets = PythonDialect.object_brackets, PythonDialect.list_brackets
    comma: Node = Lit(",")

    def __init__(self, codec: Quoted) -> None:
        self.quote = codec.quote
        self.name = f"quoted {codec.quote}"

    def literal(self, value: Any) -> Node | None:
        if isinstance(value, str):
            return Lit(marked(value, self.quote))
        return None if isinstance(value, list | dict) and value else Lit(json_text(value))

    def string(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        return between(self.quote, raw_text(schema, (Avoid((self.quote,)),), path, notes), self.quote)

    def key(self, name: str) -> Node:
        return Lit(f"{name}:")

    def other_key(self, names: Iterable[str]) -> Node:
        return Terminal(seq(plain_key(names), Lit(":")))

    def key_of(self, schema: Mapping[str, Any], path: str, notes: Notes) -> Node:
        if schema:
            notes.add_unsupported(path, "bare keys are only restricted to letters, digits and underscores")
        return self.other_key(())


Dialect: TypeAlias = JsonDialect | PythonDialect | QuotedDialect
"""How values are written: see `JsonDialect`, which the others are like."""


def plain_key(names: Iterable[str], letter: Chars = NAME) -> Node:
    """A key of such letters that is not one of the names."""
    return others(("", *names), letter, most=LETTERS)


def first_marks(constraints: Iterable[Constraint]) -> str:
    """Of each text to avoid, a character that occurs neither in JSON's syntax nor in words."""
    words = (word for each in constraints if isinstance(each, Avoid | NoCall) for word in each.words)
    return "".join(dict.fromkeys(map(_first_mark, words)))


def _first_mark(text: str) -> str:
    return next((char for char in text if not char.isalnum() and char not in '[]{},:"\\ \n_-'), text[:1])


def raw_text(
    schema: Mapping[str, Any], constraints: tuple[Constraint, ...], path: str, notes: Notes, *more: Constraint
) -> Node:
    """An unescaped string that meets the schema and these constraints."""
    least, most = counts(schema, "Length")
    found = pattern_of(schema, path, notes)
    excluded = first_marks(constraints)
    if max(least, most or 0) > COUNTED:
        notes.add_narrowed(
            f"{path}.maxLength", f"a text of this length may not contain any of the characters {excluded!r}"
        )
        return Terminal(repeat(all_but(excluded), least, most))
    lengths: tuple[Constraint, ...] = (MatchesNode(repeat(ALL, least, most)),) if least or most is not None else ()
    whole = (*constraints, *lengths, *((MatchesNode(found),) if found is not None else ()), *more)
    if found is not None and not _is_countable(whole):
        notes.add_unsupported(
            f"{path}.pattern",
            f"the pattern {schema['pattern']!r:.80}, with the markers that the text must not contain, is too large "
            "for a grammar",
        )
        whole = (*constraints, *lengths, *more)
    return Text(whole)


def _is_countable(constraints: tuple[Constraint, ...]) -> bool:
    patterns = [each.node for each in constraints if isinstance(each, MatchesNode)]
    if any(len(list(islice(descendants(node), MOST_NODES + 1))) > MOST_NODES for node in patterns):
        return False  # each state would be such a pattern
    try:
        automaton(constraints)
    except ValueError:
        return False
    return True
