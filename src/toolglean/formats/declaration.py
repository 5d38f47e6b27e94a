# The parts of a declaration, and what follows from them alone. Does not depend on what makes it wrong (checks.py), or
# on how it is read or written.
"""The parts of a declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from toolglean.formats.origin import NO_ORIGIN, Origin, Source
from toolglean.formats.words import JSON, Codec, Pairs, Quoted, Tree, literals_of

__all__ = ["Declaration"]


@dataclass(frozen=True)
class Declaration:
    """The parts of a `Format`: see there."""

    name: str
    _: KW_ONLY
    call: str
    also: tuple[str, ...] = ()
    without_special_tokens: tuple[str, ...] = ()
    section: tuple[str, str] = ("", "")
    sections: tuple[tuple[str, str], ...] = ()
    separator: str = ""
    leads: tuple[str, ...] = ()
    respelt: tuple[str, ...] = ()
    parameter: str | tuple[str, ...] = ()
    parameter_separator: str = ""
    arguments: Codec = JSON
    keys: tuple[str, str] = ("name", "arguments")
    id: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    escapes: tuple[tuple[str, str], ...] = ()
    reasoning: tuple[str, str] = ("", "")
    reasonings: tuple[tuple[str, str], ...] = ()
    calls_in_reasoning: bool = False
    drop: tuple[str, ...] = ()
    content_markers: tuple[str, ...] = ()
    user_only_markers: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    registered_only: bool = False
    at_line_start: bool = False
    at_turn_end: bool = False
    by_name_only: bool = False
    end_markers: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    source: str = ""
    reads: Source | None = field(default=None, repr=False)
    origin: Origin = field(default=NO_ORIGIN, compare=False, repr=False)

    @property
    def calls(self) -> tuple[str, ...]:
        """All spellings of a call, the main one first; none if only the frame of a turn is known."""
        return (self.call, *self.also) if self.call else ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """All spellings of a call, including those without special tokens."""
        return (*self.calls, *self.without_special_tokens)

    @property
    def all_sections(self) -> tuple[tuple[str, str], ...]:
        """All spellings of the section, the main one first; `("", "")` if there is none."""
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
        """All patterns with which something may begin after text."""
        sections = [opener for opener, _ in self.all_sections]
        return (
            *self.calls,
            *sections,
            *(opener for opener, _ in self.all_reasonings),
            *self.drop,
            *self.content_markers,
        )

    @property
    def patterns(self) -> tuple[str, ...]:
        """All patterns of the format, and all its markers that are not part of one."""
        around = (text for pair in (*self.all_sections, *self.all_reasonings) for text in pair)
        own = (*self.calls, *self.parameters, self.parameter_separator, self.separator)
        return (*own, *self.drop, *self.content_markers, *self.end_markers, *around)

    @property
    def markers(self) -> tuple[str, ...]:
        """Every literal of the format, without the white space around it.

        A server's tokenizer must not skip the special tokens among these when it turns tokens into text, because the
        calls would be gone before the parser sees them (`skip_special_tokens=False`).
        """
        return tuple(dict.fromkeys((*literals_of(*self.patterns), *self.argument_markers)))

    @property
    def argument_markers(self) -> tuple[str, ...]:
        """The markers of the codec of `{arguments}`. Of pairs, signs like `--` are no token's."""
        if isinstance(self.arguments, Pairs):
            return tuple(each for each in literals_of(self.arguments.pattern) if each[0] in "<[")
        if isinstance(self.arguments, Quoted):
            return (self.arguments.quote,)
        return (self.arguments.prefix,) if isinstance(self.arguments, Tree) else ()

    @property
    def is_for_tools(self) -> bool:
        """Whether a call's markers contain the tool's name, so that the format must be written out for each tool."""
        return self.registered_only and any(
            pattern.count("{name}") > 1 or pattern.startswith("[{name}") for pattern in self.calls
        )

    @property
    def is_written_out(self) -> bool:
        """Whether its markers contain names of tools: a format that `for_tools` returned."""
        return "{name=" in self.call
