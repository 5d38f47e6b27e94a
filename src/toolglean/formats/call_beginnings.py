# How the calls of a format begin, as text and at the start of a turn. Does not depend on which formats are asked, or
# when (fallback_formats.py).
"""The beginnings of a format's calls."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property, lru_cache

from toolglean.formats.patterns import first_literal, is_bare
from toolglean.formats.respelling import openers_of_respellings, respelling
from toolglean.formats.spec import Format, Slot, may_be_in_markers, tokens_of

__all__ = ["BRACKETS", "Beginning", "beginning_of", "beginnings_of"]

BRACKETS = "{["

_NAME = "{name}"
_head = re.compile(r"(?:\{name\}|\{_\}|(?!\{[a-z_]+\})\S)*").match


class Beginning:
    """How the calls and sections of a format begin. Made by `beginning_of`, never changed except for a cache.

    Attributes:
        markers: texts that open a call or a section.
        at_start: these, and those that are accepted only at the start of a turn, because they are JSON or Python
            themselves, or what is left of a marker.
        brackets: whether a call may begin the turn with a bracket of JSON.
        names: whether it may begin the turn with the tool's name.
        last: whether its calls count only at the end of the turn. of_lines: whether they are accepted only where a line
            begins.
    """

    def __init__(self, declared: Format, tools: tuple[str, ...] = ()) -> None:
        self._declared, self._tools = declared, tools
        self._respelt = openers_of_respellings(declared)
        sections = [opener for opener, _ in declared.all_sections]
        calls = [head.replace(_NAME, name) for head in _heads(declared) for name in tools] if tools else None
        firsts = [first_literal(each) for each in declared.calls] if calls is None else calls
        openers = [first_literal(each) for each in filter(None, sections)]
        # A list's bracket may be left out: see NfaBuilder.
        whole = "" in sections or any(is_bare(each) for each in openers)
        slots = {_first_slot(each, written_out=calls is not None) for each in declared.calls if whole}
        slots |= {_first_slot(each) for each in (*filter(None, sections), *declared.without_special_tokens)}
        every = (each for each in (*firsts, *openers) if each and not is_bare(each))
        self.markers = (*dict.fromkeys(every), *self._respelt)
        bare = (each for each in (*(firsts if "" in sections else ()), *openers) if each and is_bare(each))
        stripped = filter(None, map(first_literal, declared.without_special_tokens))
        self.at_start = (*self.markers, *bare, *stripped)
        self.brackets = not slots.isdisjoint({"call", "calls"})
        self.names = "name" in slots
        self.last, self.of_lines = declared.at_turn_end, declared.at_line_start

    @cached_property
    def declared(self) -> Format:
        """The format as it is used here: it reads only calls."""
        # A format that is written out for the tools is so only when it is asked for: that takes 10 µs for each of them.
        found = self._declared.for_tools(self._tools) if self._tools else self._declared
        assert found is not None
        return replace(found, reasoning=("", ""), reasonings=(), drop=(), content_markers=(), user_only_markers=())

    def form(self, opener: str) -> Format:
        """The format, in the spelling that has this opener."""
        other = self._respelt.get(opener)
        return self.declared if other is None else respelling(self.declared, other)

    def fits(self, text: str) -> bool:
        """Whether the text begins with one of the markers."""
        return text.startswith(self.markers)

    def fits_at_start(self, text: str, *, named: bool) -> bool:
        """Whether anything fits the text at the start of a turn. `named`: it begins with a tool's name."""
        return (
            (named and self.names)
            or (self.brackets and text[0] in BRACKETS)
            or text.startswith(self.at_start)
            or any(each.startswith(text) for each in self.at_start)
        )


def beginning_of(declared: Format, names: tuple[str, ...]) -> Beginning | None:
    """How the calls of a format begin that must be written out for tools; None if none of their names may be written.

    Args:
        declared: the format.
        names: the names of the tools.
    """
    tools = tuple(filter(may_be_in_markers, names))
    if tools and declared.respelt:  # hardly any
        written_out = declared.for_tools(tools)
        return None if written_out is None else Beginning(written_out)
    return Beginning(declared, tools) if tools else None


@lru_cache(maxsize=4)
def beginnings_of(library: tuple[Format, ...]) -> tuple[Beginning | None, ...]:
    """How the calls of these formats begin; None for those that must be written out for the tools first."""
    return tuple(None if each.is_for_tools else Beginning(each) for each in library)


@lru_cache(maxsize=64)
def _heads(declared: Format) -> tuple[str, ...]:
    # The first literals of the calls, with the slot of the name in them.
    found = (_head(each.strip()) for each in declared.calls)
    return tuple(each[0].replace("{_}", " ") for each in found if each is not None)


def _first_slot(pattern: str, *, written_out: bool = False) -> str:
    first = next(iter(tokens_of(pattern.strip())), None)
    if written_out and first == Slot("name"):
        return ""
    return first.name if isinstance(first, Slot) else ""
