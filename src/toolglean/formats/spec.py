# What this file knows: the words in which a wire format is declared, and what makes a declaration wrong by itself.
# What it must not know: how a declaration is read, rendered or looked up.
#
# A declaration looks like what the model writes. Its patterns are text with holes:
#
#     {name} {id} {index}        a tool's name, a call's id, its number
#     {call} {calls}             JSON objects with name and arguments, keys in any order, alone, in a list or in a row
#                                (both are read alike; they differ in what is rendered)
#     {arguments}                the arguments in the format's codec
#     {parameters}               any number of the parameter patterns, with {key} {value} {type}
#     {keywords}                 Python keyword arguments, or one positional dict
#     {ws}                       white space that is read but not rendered
#
# A `{name}` that comes twice in a call of a format with `registered_only` is the same name twice, and part of the
# markers: such a format is written out for each tool (`for_tools`). `{name}` before `{call}` is read and forgotten.
#
# A run of white space in a pattern matches any white space, also none, and is what is rendered. Beside {value} it is
# exact, optional and paired: what follows the value is taken off only if what precedes it stood there.
"""The words of a wire format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TypeAlias

__all__ = ["JSON", "Codec", "Format", "Hole", "Json", "Literal", "Quoted", "Space", "Token", "Tree", "tokens_of"]


@dataclass(frozen=True, slots=True)
class Json:
    """Arguments are a JSON object."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Arguments are an object with bare keys and strings between a quote marker: `{k:<|"|>text<|"|>,n:1}`.

    Attributes:
        quote: the marker.
        all: whether every scalar is written between the markers, and typed by the tool's schema.
    """

    quote: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """Arguments are nested elements, one for each key, lists as `<item>`; the tool's schema types them.

    Attributes:
        prefix: what stands before each tag.
    """

    prefix: str


Codec: TypeAlias = Json | Quoted | Tree
JSON = Json()


@dataclass(frozen=True, slots=True)
class Literal:
    """Text without white space, as it stands. `name`: the tool whose name stands in it."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Space:
    """White space: any, also none; `text` is what is rendered."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that a call fills."""

    name: str


Token: TypeAlias = Literal | Space | Hole

_token = re.compile(r"\{([a-z_]+)\}|(\s+)|((?:(?!\{[a-z_]+\})\S)+)")
_named = re.compile(r"\{name=([^{}]+)\}")


def tokens_of(pattern: str) -> tuple[Token, ...]:
    """The tokens of a pattern."""
    return tuple(_tokens(pattern))


def _tokens(pattern: str) -> Iterator[Token]:
    for hole, space, literal in _token.findall(pattern):
        if literal:
            named = _named.search(literal)
            yield Literal(_named.sub(r"\1", literal), named[1]) if named else Literal(literal)
        elif space:
            yield Space(space)
        elif hole == "ws":
            yield Space("")
        else:
            yield Hole(hole)


@dataclass(frozen=True)
class Format:
    """How one model family writes its calls and its reasoning: data, never code.

    Args:
        name: how the format is called.
        call: pattern of one call.
        also: further spellings of a call that models of the family write.
        section: what stands before the first call and after the last one.
        sections: further spellings of the section.
        separator: what stands between two calls.
        parameter: pattern of one parameter, or several, where `call` has `{parameters}`.
        arguments: codec of `{arguments}`: `JSON`, `Quoted(…)` or `Tree(…)`.
        keys: the keys for name and arguments that `render` writes in `{call}`; reading takes every known alias.
        id: pattern of the id, where it is made of the other holes.
        types: the word that `{type}` holds for each JSON type; `*` for all others.
        escapes: characters that `{name}` and `{key}` cannot hold as they are, and what is written for each. (A value is
            never escaped: whoever writes its text is a model, and `&amp;` in it may be meant.)
        reasoning: the markers before and after reasoning.
        reasonings: further spellings of them.
        calls_in_reasoning: whether the opening of a call ends the reasoning.
        drop: markers that are markup wherever they stand.
        speaks: markers behind which text is content: they end reasoning whose closer is missing; else as `drop`.
        registered_only: whether a call counts only if its name is a tool's.
        aliases: other names of the format, such as those of the engines' parsers.
        models: patterns (`fnmatch`) of the names of models that write it.
        source: where the format was read from.

    Raises:
        FormatError: the declaration is wrong; the message names the hole or the marker. (What can only be seen when
            all patterns are put together is found when a parser is made.)
    """

    name: str
    _: KW_ONLY
    call: str
    also: tuple[str, ...] = ()
    section: tuple[str, str] = ("", "")
    sections: tuple[tuple[str, str], ...] = ()
    separator: str = ""
    parameter: str | tuple[str, ...] = ()
    arguments: Codec = JSON
    keys: tuple[str, str] = ("name", "arguments")
    id: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    escapes: tuple[tuple[str, str], ...] = ()
    reasoning: tuple[str, str] = ("", "")
    reasonings: tuple[tuple[str, str], ...] = ()
    calls_in_reasoning: bool = True
    drop: tuple[str, ...] = ()
    speaks: tuple[str, ...] = ()
    registered_only: bool = False
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        from toolglean.formats.checks import check  # noqa: PLC0415  # it knows the words, so it is imported behind them

        check(self)

    def __hash__(self) -> int:
        return hash((self.name, self.call, self.section))

    def escaped(self, word: str) -> str:
        """The name or key as it is written: see `escapes`."""
        return word.translate({ord(char): text for char, text in self.escapes}) if self.escapes else word

    def unescaped(self, word: str) -> str:
        """The name or key that is meant by what is written. What is no escape stands for itself."""
        if not self.escapes:
            return word
        chars = {text: char for char, text in self.escapes}
        return re.sub("|".join(map(re.escape, chars)), lambda found: chars[found[0]], word)

    @property
    def calls(self) -> tuple[str, ...]:
        """All spellings of a call, the main one first."""
        return (self.call, *self.also)

    @property
    def all_sections(self) -> tuple[tuple[str, str], ...]:
        """All spellings of the section, the main one first; `("", "")` where there is none."""
        return (self.section, *self.sections)

    @property
    def parameters(self) -> tuple[str, ...]:
        """All spellings of a parameter."""
        return (self.parameter,) if isinstance(self.parameter, str) else self.parameter

    @property
    def all_reasonings(self) -> tuple[tuple[str, str], ...]:
        """All spellings of the reasoning's markers."""
        return tuple(pair for pair in (self.reasoning, *self.reasonings) if pair != ("", ""))

    @property
    def openers(self) -> tuple[str, ...]:
        """All patterns with which something may begin where text was."""
        sections = [opener for opener, _ in self.all_sections]
        return (*self.calls, *sections, *(opener for opener, _ in self.all_reasonings), *self.drop, *self.speaks)

    @property
    def markers(self) -> tuple[str, ...]:
        """Every literal of the format, without the white space around it.

        A server's tokenizer must not skip the special tokens among these when it turns tokens into text, or the calls
        are gone before the parser sees them (`skip_special_tokens=False`).
        """
        patterns = [*self.calls, *self.parameters, self.separator, *self.drop, *self.speaks]
        patterns += [text for pair in (*self.all_sections, *self.all_reasonings) for text in pair]
        found = [token.text for pattern in patterns for token in tokens_of(pattern) if isinstance(token, Literal)]
        found += [self.arguments.quote] if isinstance(self.arguments, Quoted) else []
        found += [self.arguments.prefix] if isinstance(self.arguments, Tree) else []
        return tuple(dict.fromkeys(found))

    @property
    def is_for_tools(self) -> bool:
        """Whether a call's markers hold the tool's name, so that the format must be written out for each tool."""
        return self.registered_only and any(pattern.count("{name}") > 1 for pattern in self.calls)

    @property
    def is_written_out(self) -> bool:
        """Whether its markers hold tools' names: what `for_tools` returns."""
        return "{name=" in self.call

    def for_tools(self, names: Iterable[str]) -> Format | None:
        """The format for tools of these names; None where there are none."""
        calls = [
            pattern.replace("{name}", f"{{name={name}}}", 1).replace("{name}", name)
            for pattern in self.calls
            for name in names
            if name and not any(char in "{}<>" or char.isspace() for char in name)
        ]
        return replace(self, call=calls[0], also=tuple(calls[1:])) if calls else None
