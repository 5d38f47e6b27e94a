# The declaration of a wire format, as its author writes it. Does not depend on how a declaration is read, rendered or
# looked up.
"""The declaration of a wire format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any

from toolglean.errors import UsageError
from toolglean.formats.checks import check
from toolglean.formats.declaration import Declaration
from toolglean.formats.origin import AnyFormat, TagOnly
from toolglean.formats.words import (
    JSON,
    Codec,
    Json,
    JsonOrText,
    Literal,
    Pairs,
    PythonDict,
    Quoted,
    ScriptObject,
    Slot,
    Space,
    Token,
    Tree,
    ends_line,
    literals_in,
    literals_of,
    tokens_of,
)
from toolglean.scan.names import NAME_CHARS

__all__ = [
    "JSON",
    "Codec",
    "Format",
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
    "may_be_in_markers",
    "tokens_of",
]


@dataclass(frozen=True)
class Format(Declaration):
    """How one model family writes its calls and its reasoning: data, never code.

    Args:
        name: the name of the format.
        call: pattern of one call.
        also: other spellings of a call that models of the family write.
        without_special_tokens: what is left of a call after a server has removed the special tokens from the text. Such
            a spelling is accepted only at the start of the turn or of one of its messages, inside the section, and
            after another call; and, if tools are given, only with the name of a tool.
        section: the texts before the first call and after the last one.
        sections: other spellings of the section.
        separator: the text between two calls.
        leads: texts that come directly after a call if another call follows at once, such as the header of the next
            message or what is left of it. If no call follows, they are text.
        respelt: a text in the markers, and the texts that models write in its place, in all markers of a call alike. A
            call that begins so is read by the same patterns with that text; writing never uses it.
        parameter: pattern of one parameter, or several patterns, if `call` has `{parameters}`: `{key}`, and `{value}`
            (text) or `{json}` (a value in JSON). A pattern may begin with `{key}`, at the beginning of a line or after
            another parameter; and `{value}` may end with its line. Such a value ends only where a parameter of the tool
            or the end of the call follows.
        parameter_separator: the text between two parameters. Reading accepts it after the last one, too.
        arguments: codec of `{arguments}`: `JSON`, `JsonOrText()`, `PythonDict()`, `ScriptObject()`, `Quoted(…)`,
            `Pairs(…)` or `Tree(…)`.
        keys: the keys for name and arguments in `{call}`. Parsing accepts every known alias, too.
        id: pattern of the id, if it is made of the other fields.
        types: the word that `{type}` has for each JSON type; `*` for all others.
        escapes: characters that `{name}` and `{key}` cannot contain, and the text written for each. (Values are never
            escaped, because a model writes their text and may mean `&amp;` literally.)
        reasoning: the markers before and after reasoning.
        reasonings: other spellings of them.
        calls_in_reasoning: whether the family's own template writes calls inside the reasoning. Calls there are
            returned at once; in other formats, a call inside the reasoning is a draft until what follows it shows what
            it is.
        drop: markers that are markup wherever they are.
        content_markers: markers after which text is content. They end reasoning that lacks its closer; otherwise they
            are like `drop`.
        user_only_markers: those of `content_markers` after which the text is for the user alone: until the message
            ends, a call is a quotation.
        headers: the tokens with which a message's header begins. A turn that is cut off in a header shows none of it.
        registered_only: whether a call is accepted only if its name is a tool's. If no tools are given, any name may
            be one.
        at_line_start: whether the opener of a call is accepted only at the beginning of a line, because it is a word of
            prose.
        at_turn_end: whether a call is accepted only if nothing follows it but other calls and end markers, because
            elsewhere it is prose or data. Such a call is returned when the turn is over.
        by_name_only: whether the format is read only if it is named, because elsewhere it looks like a quotation.
        end_markers: texts after a call that make everything after them content: a result that the model made up.
        wrappers: keys of a lone parameter that contains all arguments as one JSON object, if the tool has no parameter
            of that name, and the keys of the object are its parameters.
        aliases: other names of the format, such as those of the engines' parsers.
        models: patterns of the names of models that write it, such as `qwen3-coder`: its words are looked for anywhere
            in a model's name. `*` stands for any other words; inside a word, `*`, `?` and `[…]` are wildcards. A `*` at
            the beginning says that models of the family were made from others, whose names come before
            (`*-nemotron-nano`). The most specific pattern of all formats is used.
        source: where the format was read from.
        reads: what is read if patterns do not describe it: set by `from_tag` and `from_response_template`.
        origin: how the format was found: set by the constructors `from_…`.

    Raises:
        FormatError: the declaration is wrong; the message names the field or the marker. (Mistakes that show only when
            all patterns are put together are found when a parser is made.)
    """

    def __post_init__(self) -> None:
        if self.reads is None:
            check(self)

    @classmethod
    def from_model(cls, model: str) -> Format:
        """The format that a model writes, by its name.

        Args:
            model: the model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`.

        Raises:
            UsageError: no known format belongs to that name. Use `from_template`, or `Parser(format="auto")`.
        """
        return _chosen("model", model=model)

    @classmethod
    def from_template(
        cls, template: str | PathLike[str], *, variables: Mapping[str, Any] | None = None, untrusted: bool = False
    ) -> Format:
        """The format that a chat template writes: a known one that reads what the template writes, or an inferred one.

        Reading a template takes about a second, once for each text.

        Args:
            template: a chat template (Go or Jinja) or an Ollama Modelfile, as text or as a path object. Jinja needs
                `toolglean[jinja]`.
            variables: JSON values for the template, as your server passes them besides the messages:
                `{"enable_thinking": True}`. If the answer depends on such a variable, nothing is concluded without it.
            untrusted: whether to render the template in a child process with limits on time and memory, because you do
                not trust it.

        Returns:
            The format; `losses` says what does not survive a round trip. If no format can be read from the template,
            the format is detected from the turn, as with "auto", with what the template shows around the calls
            (`is_declared` is false): `losses` says why.

        Raises:
            TemplateError: it is not a chat template, or cannot be rendered.
            FormatError: it shows no calls. The message ends with what to pass instead.
            UsageError: a file cannot be read, or an argument is wrong.
        """
        return _chosen("template", template=template, variables=variables, untrusted=untrusted)

    @classmethod
    def from_tokenizer_config(
        cls,
        config: Mapping[str, Any] | str | PathLike[str],
        *,
        variables: Mapping[str, Any] | None = None,
        untrusted: bool = False,
    ) -> Format:
        """The format that Hugging Face's `tokenizer_config.json` shows: by its response template, or else its chat
        template.

        Args:
            config: what the file contains, as a dict, or its path.
            variables: as for `from_template`.
            untrusted: the same.

        Raises:
            UsageError: the file cannot be read, or is not a JSON object.
            TemplateError, FormatError: as for `from_template`.
        """
        return _chosen("tokenizer_config", tokenizer_config=config, variables=variables, untrusted=untrusted)

    @classmethod
    def from_response_template(cls, template: Mapping[str, Any]) -> Format:
        """The format that a response template of Hugging Face describes.

        Args:
            template: a response template, version 1.

        Raises:
            FormatError: the template is wrong; the message names the field and the key.
            UsageError: it is not a dict, or a pattern needs `toolglean[regex]`.
        """
        return _chosen("response_template", response_template=template)

    @classmethod
    def from_turns(
        cls,
        turns: Iterable[str],
        tools: Iterable[Any],
        *,
        name: str = "learnt",
        answers: Iterable[Iterable[Any]] | None = None,
    ) -> Format:
        """The format of turns that a model wrote: a known one that reads them all, or one that is learnt from them.

        The tools' names and the keys of their schemas show where the calls are. The format is proven before it is
        returned: it reads every turn, whole and character by character, with arguments that are valid by the schemas,
        and what is written from the calls is read the same.

        Args:
            turns: from 3 to 100 turns, as the model wrote them, with their special tokens. Turns without a call are
                useful: nothing in them may be read as one.
            tools: the tools that the model had, with schemas.
            name: the name of the format.
            answers: for each turn, the calls that it is known to make, as pairs or dicts of name and arguments.

        Returns:
            The format. `reason` says whether it is a known one; `losses` says what the turns do not show.

        Raises:
            FormatError: no format explains all turns, or the only one would read prose as calls; the message says
                which turn shows it, and what to do.
            UsageError: an argument is wrong.
            ToolError: the same, of a tool.
        """
        found: Format = _named_constructors().from_turns(turns, tools, name, answers)
        return found

    @classmethod
    def from_tag(cls, tag: str, *, closer: str | None = None) -> Format:
        """A format for which only the marker that starts a call is known. The rest is discovered while reading.

        Args:
            tag: the marker, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
            closer: the marker that ends a call; None: derived from the tag.

        Raises:
            UsageError: an argument is not text.
        """
        return _chosen("tag", tag=tag, closer=closer)

    @classmethod
    def from_json(cls, value: str | bytes | Mapping[str, Any]) -> Format:
        """The format that `to_json` wrote.

        Args:
            value: the JSON text, or the object in it.

        Raises:
            FormatError: it is not such an object, of another version, or the declaration in it is wrong.
        """
        from toolglean.formats.as_json import fields_in  # noqa: PLC0415  # few programs read a format from a file

        return cls(**fields_in(value))

    def to_json(self) -> str:
        """The declaration as one JSON object, without the fields that have their default value.

        Its key `toolglean_format` is the version of its shape, which `json_schema` describes. The names under which the
        library knows a format, and how it was found, are not part of it.

        Raises:
            UsageError: the patterns of a call are not known; see `is_declared`.
        """
        from toolglean.formats.as_json import text_of  # noqa: PLC0415

        return text_of(self.declared("be written as JSON"))

    def to_response_template(self, *, start_anchor: str | None = None, main_only: bool = True) -> dict[str, Any]:
        """The format as a response template of Hugging Face, version 1: `response_template` in `tokenizer_config.json`.

        transformers, and the engines that took over its templates, read the model's calls with it.

        Args:
            start_anchor: the literal after which the assistant's message begins in the prompt; None: that of the
                family, as one of the format's markers shows it.
            main_only: whether further spellings that do not fit into one template may be left out, such as those for
                mistakes of models.

        Raises:
            FormatError: a template cannot express the format, or nothing shows the anchor; the message says which.
            UsageError: the patterns of a call are not known; see `is_declared`.
        """
        declared = self.declared("be written as a response template")
        found: dict[str, Any] = _named_constructors().to_response_template(declared, start_anchor, main_only)
        return found

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON schema of what `to_json` writes, and of a line of `toolglean formats --json`."""
        from toolglean.formats.as_json import json_schema  # noqa: PLC0415

        return json_schema()

    @property
    def is_declared(self) -> bool:
        """Whether the patterns of a call are known, so that calls can be written and grammars can be made."""
        return bool(self.call)

    @property
    def tag(self) -> str | None:
        """The marker that starts a call, if nothing more is known of the format; else None."""
        if isinstance(self.reads, AnyFormat):
            return self.reads.tag or None
        return self.reads.tag if isinstance(self.reads, TagOnly) else None

    @property
    def reason(self) -> str:
        """Why it is this format, in a sentence; "" for one that you declared or took by its name."""
        return self.origin.reason

    @property
    def losses(self) -> tuple[str, ...]:
        """What does not come back as the template wrote it, one line each."""
        return self.origin.losses

    def declared(self, purpose: str) -> Format:
        """The format itself, where `purpose` needs its patterns ("write calls").

        Raises:
            UsageError: its patterns are not known; see `is_declared`.
        """
        if self.is_declared:
            return self
        raise UsageError(
            f"format {self.name!r} cannot be used to {purpose}: it does not say how a call is written; "
            "pass the name of a format, or a Format with a call pattern"
        )

    def __hash__(self) -> int:
        return hash((self.name, self.call, self.section))

    def escaped(self, word: str) -> str:
        """The written form of `word`, a name or key: see `escapes`."""
        return word.translate({ord(char): text for char, text in self.escapes}) if self.escapes else word

    def unescaped(self, word: str) -> str:
        """The name or key whose written form is `word`. Text that is not an escape is unchanged."""
        if not self.escapes:
            return word
        chars = {text: char for char, text in self.escapes}
        return re.sub("|".join(map(re.escape, chars)), lambda found: chars[found[0]], word)

    def for_tools(self, names: Iterable[str]) -> Format | None:
        """The format for tools of these names; None if its markers contain names, and there are none.

        A name that no marker can contain, or that is longer than a written name may be, is left out.
        """
        if not self.is_for_tools:
            return self
        calls = [
            pattern.replace("{name}", f"{{name={name}}}", 1).replace("{name}", name)
            for pattern in self.calls
            for name in names
            if may_be_in_markers(name)
        ]
        if not calls:
            return None
        # What was checked with {name} holds with a name. To check each pattern again took half of a parser's time, and
        # more than in proportion: thousands of patterns are too many for the cache of tokens.
        found = Format.__new__(Format)
        found.__dict__.update(vars(self) | {"call": calls[0], "also": tuple(calls[1:])})
        return found


def may_be_in_markers(name: str) -> bool:
    """Whether a format can be written out for a tool of that name: see `Format.for_tools`."""
    return 0 < len(name) <= NAME_CHARS and not any(char in "{}<>" or char.isspace() for char in name)


def _chosen(argument: str, **given: Any) -> Format:
    found: Format = _named_constructors().chosen(argument, given)
    return found


def _named_constructors() -> Any:
    # The one name of a package above this one, looked up when it is asked for, as an entry point is: the constructors
    # belong to the class, and what they need depends on it (tests/project/test_import.py allows this).
    return import_module("toolglean.sources.choose.constructors")
