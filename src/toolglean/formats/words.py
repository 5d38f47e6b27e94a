# The syntax of patterns. Does not depend on the parts of a declaration (declaration.py).
#
# A declaration looks like what the model writes. Its patterns are text with slots:
#
#     {name} {id} {index}        a tool's name, a call's id, its number
#     {server}                   the name of the tool's server, which may be part of the tool's name
#     {call} {calls}             JSON objects with name and arguments, keys in any order, alone, in a list or in a row
#                                (both are read the same way; they differ in what is rendered)
#     {arguments}                the arguments in the format's codec
#     {parameters}               any number of the parameter patterns, with {key} {type}, and {value} (text) or {json}
#     {keywords}                 Python keyword arguments, or one positional dict
#     {ws}                       white space that is read but not rendered
#     {_}                        a blank that is part of a marker, for markers with a sign before it
#
# A `{name}` that comes twice in a call of a format with `registered_only` is the same name twice, and part of the
# markers: such a format is written out for each tool (`for_tools`). `{name}` before `{call}` is read and ignored.
#
# A parameter that begins with its `{key}`, or whose `{value}` ends with its line, needs no marker: see parameters.py.
#
# A run of white space in a pattern matches any white space, or none, and is rendered as it is. Next to {value} it is
# exact and optional: on each side of the value, the white space of the pattern is removed if it is there.
"""The syntax of the patterns of a wire format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "JSON",
    "Codec",
    "Json",
    "JsonOrText",
    "Literal",
    "Pairs",
    "PythonDict",
    "Quoted",
    "ScriptObject",
    "Slot",
    "Space",
    "Token",
    "Tree",
    "ends_line",
    "literals_in",
    "literals_of",
    "opening",
    "tokens_of",
]


@dataclass(frozen=True, slots=True)
class Json:
    """Arguments are a JSON object."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Arguments are an object with bare keys and strings between a quote marker: `{k:<|"|>text<|"|>,n:1}`.

    Attributes:
        quote: the marker.
        all: whether every scalar is written between the markers, and typed by the tool's schema.
        commas: whether text without markers may contain commas: one ends it only before a key.
    """

    quote: str
    all: bool = False
    commas: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """Arguments are nested elements, one for each key, lists as `<item>`; the tool's schema types them.

    Attributes:
        prefix: the text before each tag.
    """

    prefix: str


@dataclass(frozen=True, slots=True)
class JsonOrText(Json):
    """Arguments are a JSON object, or text up to the call's closer, which is the value of the tool's only parameter.

    Text is accepted only for a known tool whose only parameter is a string. For any other tool the call is malformed.
    """


@dataclass(frozen=True, slots=True)
class JsonAlone(JsonOrText):
    """The same behind a marker that says that JSON follows: with text, the call is malformed."""


@dataclass(frozen=True, slots=True)
class PythonDict:
    """Arguments are a Python dict: `{'k': 'text', 'n': None}`."""


@dataclass(frozen=True, slots=True)
class ScriptObject(Json):
    """Arguments are an object as JSON, JavaScript or Python writes it: `{city: 'Oslo'}`, `{'deep': True}`.

    It is emitted when it is whole, and rendered as JSON.
    """


@dataclass(frozen=True, slots=True)
class Pairs:
    """Arguments are pairs of a key and a value, in a row or on lines: `--city "Oslo" --days 3`.

    A value ends where the rest of the pattern, and then another parameter of the tool or the end of the call, follow;
    so it may contain anything else. The tool's schema types it. `{parameters}` is simpler where it is enough; pairs
    also have keys that white space ends, keys that come again after the value, and values between quotes with the
    escapes of JavaScript or Python.

    Attributes:
        pattern: how a pair is written, with `{key}` and `{value}`; `{key}` may come again after the value.
        separator: the text between two pairs. With a line break, each pair begins a line.
        quoted: whether a value may be between quotes, with the escapes of JSON, JavaScript or Python.
    """

    pattern: str
    separator: str = " "
    quoted: bool = False

    @property
    def around(self) -> tuple[str, str, str]:
        """The text before the key, between key and value, and after the value."""
        before, _, rest = self.pattern.partition("{key}")
        between, _, after = rest.partition("{value}")
        return before, between, after

    def written(self, key: str, value: str) -> str:
        """A pair, of that key and that text of a value."""
        before, between, after = self.around
        return f"{before}{key}{between}{value}{after.replace('{key}', key)}"


Codec: TypeAlias = Json | JsonOrText | PythonDict | ScriptObject | Quoted | Pairs | Tree
JSON = Json()
"""The codec of most formats: a call's arguments are a JSON object."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Literal text without white space. `name`: the tool whose name is in it."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Space:
    """Any white space, or none; `text` is what is rendered."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that a call fills."""

    name: str


Token: TypeAlias = Literal | Space | Slot


def ends_line(tokens: Sequence[Token], place: int) -> bool:
    """Whether the white space there is the line break with which a parameter's key ends, right before its value."""
    token = tokens[place]
    if not (isinstance(token, Space) and "\n" in token.text and 0 < place < len(tokens) - 1):
        return False
    return tokens[place - 1] == Slot("key") and tokens[place + 1] == Slot("value")


def literals_in(tokens: Iterable[Token]) -> list[str]:
    """The texts of the literals among these tokens."""
    return [token.text for token in tokens if isinstance(token, Literal)]


def literals_of(*patterns: str) -> list[str]:
    """The texts of the literals of these patterns."""
    return [text for pattern in patterns for text in literals_in(tokens_of(pattern))]


def opening(pattern: str) -> str:
    """The text before the first slot, if it begins with a marker."""
    found = ""
    for token in tokens_of(pattern.strip()):
        if isinstance(token, Slot):
            break
        found += token.text
    return found.strip()


_token = re.compile(r"\{(?!_\})([a-z_]+)\}|(\s+)|((?:\{_\}|(?!\{[a-z_]+\})\S)+)")
_named = re.compile(r"\{name=([^{}]+)\}")


@lru_cache(maxsize=8192)  # checks and the automaton ask again; in some formats there is a pattern for each tool
def tokens_of(pattern: str) -> tuple[Token, ...]:
    """The tokens of a pattern."""
    return tuple(_tokens(pattern))


def _tokens(pattern: str) -> Iterator[Token]:
    for slot, space, written in _token.findall(pattern):
        literal = written.replace("{_}", " ")
        if literal:
            named = _named.search(literal)
            yield Literal(_named.sub(r"\1", literal), named[1]) if named else Literal(literal)
        elif space:
            yield Space(space)
        elif slot == "ws":
            yield Space("")
        else:
            yield Slot(slot)
