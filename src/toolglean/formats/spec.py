# What this file knows: the declaration of a wire format, as its author sees it.
# What it must not know: how a declaration is read, rendered or looked up.
"""The declaration of a wire format."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from toolglean.formats.checks import check
from toolglean.formats.declaration import Declaration
from toolglean.formats.words import JSON, Codec, Json, JsonOrText, Literal, Quoted, Slot, Space, Token, Tree, tokens_of
from toolglean.scan.text import NAME_CHARS

__all__ = [
    "JSON",
    "Codec",
    "Format",
    "Json",
    "JsonOrText",
    "Literal",
    "Quoted",
    "Slot",
    "Space",
    "Token",
    "Tree",
    "tokens_of",
]


@dataclass(frozen=True)
class Format(Declaration):
    """How one model family writes its calls and its reasoning: data, never code.

    Args:
        name: the name of the format.
        call: pattern of one call.
        also: further spellings of a call that models of the family write.
        stripped: what is left of a call where a server has taken the special tokens out of the text. Such a spelling
            counts only where the turn, or a message of it, begins, within the section, and behind another call; and
            only if its name is a tool's, where tools are given.
        section: the texts before the first call and after the last one.
        sections: further spellings of the section.
        separator: the text between two calls.
        parameter: pattern of one parameter, or several patterns, if `call` has `{parameters}`.
        arguments: codec of `{arguments}`: `JSON`, `JsonOrText()`, `Quoted(…)` or `Tree(…)`.
        keys: the keys for name and arguments that `render` writes in `{call}`. Parsing accepts every known alias.
        id: pattern of the id, if it is made of the other slots.
        types: the word that `{type}` holds for each JSON type; `*` for all others.
        escapes: characters that `{name}` and `{key}` cannot contain, and the text written for each. (Values are never
            escaped, because a model writes their text and may mean `&amp;` literally.)
        reasoning: the markers before and after reasoning.
        reasonings: further spellings of them.
        calls_in_reasoning: whether the family's own template writes calls inside the reasoning. They are handed out at
            once there; in other formats, a call inside the reasoning is a draft until what follows shows what it is.
        drop: markers that are markup wherever they stand.
        speaks: markers after which text is content. They end reasoning whose closer is missing; otherwise they are like
            `drop`.
        tells: those of `speaks` behind which text is for the user alone: a call there is a quotation, until the message
            ends.
        headers: the tokens with which a message's header begins. A turn that is cut off in a header shows none of it.
        registered_only: whether a call counts only if its name is a tool's. Where no tools are given, any name may be
            one.
        at_line_start: whether what opens a call counts only at the beginning of a line, because it is a word of prose.
        by_name_only: whether it is read only where it is named, because what it looks like is a quotation elsewhere.
        stops: texts behind a call after which all is content: a result that the model made up.
        wrappers: keys of a lone parameter that holds all arguments as one JSON object, where the tool has no parameter
            of that name, and the keys of the object are its parameters.
        aliases: other names of the format, such as those of the engines' parsers.
        models: patterns (`fnmatch`) of the names of models that write it.
        source: where the format was read from.

    Raises:
        FormatError: the declaration is wrong; the message names the slot or the marker. (Faults that show only when all
            patterns are put together are found when a parser is made.)
    """

    def __post_init__(self) -> None:
        check(self)

    def __hash__(self) -> int:
        return hash((self.name, self.call, self.section))

    def escaped(self, word: str) -> str:
        """`word`, a name or key, in its written form: see `escapes`."""
        return word.translate({ord(char): text for char, text in self.escapes}) if self.escapes else word

    def unescaped(self, word: str) -> str:
        """The name or key that `word`, its written form, means. Text that is not an escape stands for itself."""
        if not self.escapes:
            return word
        chars = {text: char for char, text in self.escapes}
        return re.sub("|".join(map(re.escape, chars)), lambda found: chars[found[0]], word)

    def for_tools(self, names: Iterable[str]) -> Format | None:
        """The format for tools of these names; None where there are none.

        A name that no marker can contain, or that is longer than a written name may be, is left out.
        """
        calls = [
            pattern.replace("{name}", f"{{name={name}}}", 1).replace("{name}", name)
            for pattern in self.calls
            for name in names
            if 0 < len(name) <= NAME_CHARS and not any(char in "{}<>" or char.isspace() for char in name)
        ]
        return replace(self, call=calls[0], also=tuple(calls[1:])) if calls else None
