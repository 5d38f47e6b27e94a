# What this file knows: how JSON, Python and the quoted dialect write containers, keys, strings and constants.
# What it must not know: which values a schema allows (values.py).
"""Dialects of nested values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Protocol

from toolglean.formats.spec import Quoted
from toolglean.formats.write_values import json_text
from toolglean.grammar.nodes import (
    EMPTY,
    Chars,
    Lit,
    Node,
    Text,
    Word,
    alt,
    but,
    chars,
    intersected,
    many,
    opt,
    seq,
    spelt,
)
from toolglean.grammar.patterns import pattern
from toolglean.grammar.prose import NoCall
from toolglean.grammar.regexes import Fits
from toolglean.grammar.shapes import Losses
from toolglean.grammar.strings import (
    JSON_CODES,
    JSON_RAW,
    PYTHON_RAW,
    body,
    json_letters,
    length,
    others,
    python_letter,
    python_letters,
)
from toolglean.grammar.texts import Avoid, Constraint, JsonBody, Length, automaton, matches

__all__ = ["Dialect", "JsonDialect", "PythonDialect", "QuotedDialect", "plain_key", "raw_text"]

SPACE = opt(alt(Lit(" "), seq(Lit("\n"), many(chars(" \t"), 0, 40))))
"""White space where JSON may have it: none, a blank, or a line break with an indentation. Never more: models that may
write white space without end do."""
MOST_NODES = 500  # of a pattern, where it stands beside what the text must not hold
COUNTED = 100  # characters of a text with markers that it must not hold: each needs a rule for every beginning of one
NAME = chars(("0", "9"), ("A", "Z"), "_", ("a", "z"))
LETTERS = 128  # of a plain key: readers take up to 256


class Dialect(Protocol):
    """How values are written.

    Attributes:
        name: part of the rules' keys.
        constants: true, false and null.
        brackets: `{`, `}`, `[`, `]`, and the empty object and list.
        comma: what stands between two members.
    """

    name: str
    constants: Mapping[str, str]
    brackets: tuple[Node, Node, Node, Node, Node, Node]
    comma: Node

    @abstractmethod
    def literal(self, value: Any) -> Node | None:
        """That value; None where the dialect cannot write it."""

    @abstractmethod
    def string(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        """A string that meets the schema."""

    @abstractmethod
    def key(self, name: str) -> Node:
        """The key of that member, and what stands before its value."""

    @abstractmethod
    def other_key(self, names: Iterable[str]) -> Node:
        """Any key but these."""

    @abstractmethod
    def key_of(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        """A key that meets the schema of a string."""


class JsonDialect:
    """JSON, as models write it.

    Args:
        keeps: what its text must keep to, where it is the text of a parameter, which a marker would end.
    """

    constants: Mapping[str, str] = {"true": "true", "false": "false", "null": "null"}
    brackets: tuple[Node, Node, Node, Node, Node, Node] = (
        Word(seq(Lit("{"), SPACE)),
        Word(seq(SPACE, Lit("}"))),
        Word(seq(Lit("["), SPACE)),
        Word(seq(SPACE, Lit("]"))),
        Word(seq(Lit("{"), SPACE, Lit("}"))),
        Word(seq(Lit("["), SPACE, Lit("]"))),
    )
    comma: Node = Word(seq(SPACE, Lit(","), SPACE))
    colon: Node = seq(SPACE, Lit(":"), SPACE)

    def __init__(self, keeps: tuple[Constraint, ...] = ()) -> None:
        self.keeps = keeps
        self.name = f"json {keeps}"
        # One letter of each is enough where a schema asks for more than any string; JSON has escapes for it.
        self.marks = "".join(dict.fromkeys(map(first_mark, words_of(keeps))))
        self.raw = intersected(JSON_RAW, but(self.marks))

    def literal(self, value: Any) -> Node | None:
        text = json_text(value)
        return Lit(text) if matches(self.keeps, text) else None

    def string(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        least, most = length(schema)
        if self.keeps and "pattern" not in schema and (most or 0) <= COUNTED:
            return Text((JsonBody(least, most), *self.keeps), '"', '"')
        if self.keeps:
            losses.tighten(path, f"such a string is written without {self.marks!r} in it")
        return Word(seq(Lit('"'), self._body(schema, path, losses), Lit('"')))

    def _body(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        letter = alt(self.raw, *JSON_CODES)
        return body(schema, letter, lambda given: json_letters(given, self.raw), path, losses)

    def key(self, name: str) -> Node:
        return Word(seq(Lit(json_text(name)), self.colon))

    def other_key(self, names: Iterable[str]) -> Node:
        escaped = seq(Lit("\\"), chars('"\\bfnrt'))
        known = tuple(names)
        free = not any(json_text(name) != f'"{name}"' for name in known)
        return Word(seq(Lit('"'), others(known, self.raw, escaped if free else EMPTY), Lit('"'), self.colon))

    def key_of(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        return Word(seq(Lit('"'), self._body(schema, path, losses), Lit('"'), self.colon))


class PythonDialect:
    """Python's literals, as `repr` writes them."""

    name = "python"
    constants: Mapping[str, str] = {"true": "True", "false": "False", "null": "None"}
    brackets: tuple[Node, Node, Node, Node, Node, Node] = (Lit("{"), Lit("}"), Lit("["), Lit("]"), Lit("{}"), Lit("[]"))
    comma: Node = Word(seq(Lit(","), opt(Lit(" "))))

    def literal(self, value: Any) -> Node | None:
        return Lit(repr(value))

    def string(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        ways = [
            seq(Lit(quote), body(schema, python_letter(quote), python_letters(quote), path, losses), Lit(quote))
            for quote in "'\""
        ]
        return Word(alt(*ways))

    def key(self, name: str) -> Node:
        return Word(seq(Lit(repr(name) + ":"), opt(Lit(" "))))

    def other_key(self, names: Iterable[str]) -> Node:
        return Word(seq(Lit("'"), others(names, PYTHON_RAW), Lit("':"), opt(Lit(" "))))

    def key_of(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        letters = python_letters("'")
        return Word(seq(Lit("'"), body(schema, python_letter("'"), letters, path, losses), Lit("':"), opt(Lit(" "))))


class QuotedDialect:
    """Objects with bare keys, and strings between a marker, within which nothing is escaped."""

    constants: Mapping[str, str] = {"true": "true", "false": "false", "null": "null"}
    brackets: tuple[Node, Node, Node, Node, Node, Node] = (Lit("{"), Lit("}"), Lit("["), Lit("]"), Lit("{}"), Lit("[]"))
    comma: Node = Lit(",")

    def __init__(self, codec: Quoted) -> None:
        self.quote = codec.quote
        self.name = f"quoted {codec.quote}"

    def literal(self, value: Any) -> Node | None:
        if isinstance(value, str):
            marked = (value + self.quote).find(self.quote) == len(value)
            return Lit(f"{self.quote}{value}{self.quote}") if marked else Lit(json_text(value))
        return None if isinstance(value, list | dict) and value else Lit(json_text(value))

    def string(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        return raw_text(schema, (Avoid((self.quote,)),), self.quote, path, losses, head=self.quote)

    def key(self, name: str) -> Node:
        return Lit(f"{name}:")

    def other_key(self, names: Iterable[str]) -> Node:
        return Word(seq(plain_key(names), Lit(":")))

    def key_of(self, schema: Mapping[str, Any], path: str, losses: Losses) -> Node:
        if schema:
            losses.add(path, "bare keys are held only to letters, digits and underscores")
        return self.other_key(())


def plain_key(names: Iterable[str], letter: Chars = NAME) -> Node:
    """A key of such letters that is none of the names."""
    return others(("", *names), letter, most=LETTERS)


def words_of(keeps: Iterable[Constraint]) -> list[str]:
    """The texts that must not stand somewhere, as far as the constraints say so."""
    return [word for each in keeps if isinstance(each, Avoid | NoCall) for word in each.words]


def first_mark(text: str) -> str:
    """A character of the text that neither JSON nor a word needs."""
    return next((char for char in text if not char.isalnum() and char not in '[]{},:"\\ \n_-'), text[:1])


def raw_text(
    schema: Mapping[str, Any],
    keeps: tuple[Constraint, ...],
    tail: str,
    path: str,
    losses: Losses,
    *more: Constraint,
    head: str = "",
) -> Node:
    """A string that meets the schema, as it stands, and keeps to these constraints; and what begins and ends it."""
    least, most = length(schema)
    given = schema.get("pattern")
    found = pattern(given) if isinstance(given, str) else None
    if "pattern" in schema and found is None:
        losses.add(f"{path}.pattern", f"a grammar cannot say {given!r:.80}")
    marks = "".join(dict.fromkeys(map(first_mark, words_of(keeps))))
    if max(least, most or 0) > COUNTED:
        losses.tighten(f"{path}.maxLength", f"so long a text is counted only where none of {marks!r} is in it")
        return Word(seq(Lit(head), many(but(marks), least, most), Lit(tail)))
    lengths: tuple[Constraint, ...] = (Length(least, most),) if least or most is not None else ()
    whole = (*keeps, *lengths, *((Fits(found),) if found is not None else ()), *more)
    if found is not None and not _is_countable(whole):
        losses.add(
            f"{path}.pattern", f"{given!r:.80} and the markers that the text must not hold are too much for a grammar"
        )
        whole = (*keeps, *lengths, *more)
    return Text(whole, tail, head)


def _is_countable(constraints: tuple[Constraint, ...]) -> bool:
    patterns = [each.node for each in constraints if isinstance(each, Fits)]
    if any(len(list(islice(spelt(node), MOST_NODES + 1))) > MOST_NODES for node in patterns):
        return False  # each state is such a pattern
    try:
        automaton(constraints)
    except ValueError:
        return False
    return True
