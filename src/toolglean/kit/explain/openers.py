# The markers of the library's formats in a text, and the formats that each of them fits. Does not depend on what
# follows a marker (probe.py).
#
# The markers come from the compiled formats: the literals of the channel of content, with the formats of the state
# after each; and the literals that close calls and reasoning.
"""Markers in the text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolglean.engine.matcher.payload import FormatPlan
from toolglean.formats.compile import Program, compiled
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format, literals_of
from toolglean.kit.explain.explanation import Kind
from toolglean.scan.text import Finder

__all__ = ["Known", "Seen", "known_markers", "plan_of"]

CONTENT = 0  # the channel of content

END = "\x00"  # no marker contains it, so a marker before it is whole


class Seen(NamedTuple):
    """A marker at a place, and the formats that it fits."""

    text: str
    start: int
    kind: Kind
    formats: tuple[Format, ...]


@lru_cache(maxsize=256)
def plan_of(declared: Format, names: tuple[str, ...]) -> FormatPlan | None:
    """The plan of that format alone, for tools with these names; None if it needs tools and there are none."""
    if names and not declared.is_for_tools:
        return plan_of(declared, ())
    written_out = declared.for_tools(names)
    return None if written_out is None else FormatPlan(Program((written_out,)))


class Known:
    """All markers of some formats.

    Args:
        formats: the formats; the first one that fits a marker is named first.

    Attributes:
        in_brackets: the markers of the formats that are in brackets.
    """

    def __init__(self, formats: tuple[Format, ...]) -> None:
        self.formats = formats
        every = dict.fromkeys(marker.strip() for declared in formats for marker in declared.markers)
        self.in_brackets = tuple(each for each in every if each[:1] in {"<", "["} and each[-1:] in {">", "]"})
        self._markers: dict[str, tuple[Kind, tuple[Format, ...]]] = {}
        program = compiled(formats)
        channel = program.channel(CONTENT, ())
        for literal in channel.respelt:
            self._markers[literal] = "call", tuple(declared for declared, _ in program.respelt[literal])
        for literal in (each for each in channel.finder.literals if each not in channel.respelt):
            place = channel.line  # with what is a marker only at the beginning of a line
            for char in literal:
                found = program.nfa.step(place, char)
                assert found is not None
                place = found
            self._add_opener(program, literal, place.formats)
        ends = {marker.strip() for declared in formats for marker in declared.drop}  # of messages: they close nothing
        for declared in formats:
            for closer in (each for _, each in declared.all_reasonings if each.strip() not in ends):
                self._add_closer(closer, "end of reasoning", declared)
        for number, declared in enumerate(formats):
            for closer in (each for each in program.ends(number)[0] if each.strip() not in ends):
                self._add_closer(closer, "end of call", declared)
        self._finder = Finder(self._markers, words=True)

    def _add_opener(self, program: Program, literal: str, numbers: tuple[int, ...]) -> None:
        # A marker may open a call in one format and be something else in another. Then it is an opener of calls.
        by_kind: dict[Kind, list[Format]] = {"call": [], "reasoning": []}
        for number in numbers:
            declared = program.formats[number]
            if literal.startswith(program.ends(number)[1]):
                by_kind["call"].append(declared)
            elif any(literals_of(opener)[:1] == [literal] for opener, _ in declared.all_reasonings):
                by_kind["reasoning"].append(declared)
        for kind, found in by_kind.items():
            if found:
                self._markers[literal] = kind, tuple(found)
                break

    def _add_closer(self, closer: str, kind: Kind, declared: Format) -> None:
        literal = closer.strip()
        if literal[:1].isalnum():  # a phrase, which prose may contain
            return
        before = self._markers.setdefault(literal, (kind, ()))
        if before[0] == kind:
            self._markers[literal] = kind, (*before[1], declared)

    def find(self, text: str) -> Iterator[Seen]:
        """The markers in that text, in order."""
        place, whole = 0, text + END
        while place < len(text):
            place, found = self._finder.find(whole, place, whole[place - 1 : place])
            if not found:
                return
            yield Seen(found, place, *self._markers[found])
            place += len(found)

    def at_start(self, text: str, place: int) -> tuple[Format, ...]:
        """The formats in which a turn that begins there may be a call without a marker."""
        program = compiled(self.formats)
        opening = program.bare_start(())
        found = program.nfa.step(opening, text[place])
        numbers = {edge.format for edge in opening.slot_for(text[place])}
        numbers.update(found.formats if found is not None else ())
        return tuple(declared for number, declared in enumerate(program.formats) if number in numbers)


def known_markers(own: Format | None) -> Known:
    """The markers of the library's formats, and of the user's own format if it is not one of them."""
    library = tuple(each for each in all_formats() if not each.is_for_tools)
    if own is None or own.is_written_out or any(each.name == own.name for each in library):
        return _known(library)
    return _known((own, *library))


@lru_cache(maxsize=8)
def _known(formats: tuple[Format, ...]) -> Known:
    return Known(formats)
