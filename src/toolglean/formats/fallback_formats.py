# Finds the other formats of the library whose calls begin like a given text, and combines them to read it. Does not
# depend on when they are used (engine/matcher/fallback.py), or on any text but the beginning of a call.
#
# The name of a format, or of a model, says how the model should write, but now and then it writes as another family
# does. Then the formats whose calls begin with that text are looked up, never all of them. They read only calls: what
# they write around them is a matter of frames.py.
#
# Nearly all of this is the same whatever the tools are (`OtherFormats`). The tools' names matter where a call begins
# with one, and for the few formats whose markers contain them (`FallbackFormats`).
"""The fallback formats of a format."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.call_beginnings import BRACKETS, Beginning, beginning_of, beginnings_of
from toolglean.formats.compile import CONTENT, Program, compiled
from toolglean.formats.frames import ANYWHERE
from toolglean.formats.patterns import first_literal, is_bare
from toolglean.formats.registry import folded, formats_of_auto
from toolglean.formats.spec import Format
from toolglean.scan.names import namespaces_of, without_namespace
from toolglean.scan.text import Finder

__all__ = ["FallbackFormats", "Start", "fallback_formats_of"]

FENCE = "`"  # after text, a fence is a quotation
MOST_PROGRAMS = 256

_word = re.compile(r"[\w.-]*").match


@dataclass(frozen=True, slots=True)
class Start:
    """What the start of a turn shows.

    Attributes:
        waits: whether more text is needed.
        program: the program that reads it, if any.
    """

    waits: bool = False
    program: Program | None = None


_NOTHING, _WAITS = Start(), Start(waits=True)


class OtherFormats:
    """The other formats of a library besides a format, whatever the tools are. Never changed except for its caches.

    Attributes:
        own: the format's own program.
        library: the formats to choose from.
        own_literals: what the format itself looks for in content, sorted.
        for_tools: those that must be written out for the tools.
        anywhere: markers that are looked for everywhere.
        lines: markers that are looked for where a line begins; and everywhere, once the turn has a marker of another
            family. line_openers: those of them that are accepted nowhere else. words: those of them, and fences, that
            may begin a turn, sorted.
        last_tags: the markers of calls that count only at the end of the turn.
        longest: the length of the longest marker, or literal of the format.
    """

    __slots__ = (
        *("_at_opener", "_at_start", "_beginnings", "_closers", "_finders", "_programs", "_starts", "anywhere"),
        *("for_tools", "last_tags", "library", "line_openers", "lines", "longest", "own", "own_literals", "words"),
    )

    def __init__(self, own: Program, library: tuple[Format, ...]) -> None:
        self.own, self.library = own, library
        taken = {folded(each.name) for each in own.formats}
        others = [
            each for each in zip(library, beginnings_of(library), strict=True) if folded(each[0].name) not in taken
        ]
        self.for_tools = tuple(declared for declared, found in others if found is None)
        self._beginnings = tuple(found for _, found in others if found is not None)
        markers = {marker for each in self._beginnings for marker in each.markers}
        self.anywhere = tuple(each for each in markers if each[0] in ANYWHERE)
        self.lines = tuple(each for each in markers if each[0] not in ANYWHERE + FENCE)
        inside = (marker for each in self._beginnings if not each.of_lines for marker in each.markers)
        self.line_openers = frozenset(self.lines).difference(inside)
        self._starts = tuple(sorted(markers.union(*(each.at_start for each in self._beginnings))))
        self.words = tuple(each for each in self._starts if each[0] not in ANYWHERE + BRACKETS)
        self.last_tags = frozenset(marker for each in self._beginnings if each.last for marker in each.markers)
        self.own_literals = tuple(sorted(own.channel(0, ()).finder.literals))
        self.longest = max(map(len, (*markers, *self.own_literals)), default=0)
        self._closers = " ".join(own.ends(0)[0]) if own.formats else ""  # none is left if no tool's name can be a tag
        self._finders: dict[tuple[int, tuple[int, ...], bool], Finder] = {}
        self._at_opener: dict[str, tuple[Program, int] | None] = {}
        self._at_start: dict[str, Program | None] = {}
        self._programs: dict[tuple[Format, ...], Program | None] = {}

    def finder(self, channel: int, only: tuple[int, ...], *, widely: bool = False) -> Finder:
        """Finds what begins in that channel: the format's own literals, and the markers of the others.

        `widely`: those that do not begin like most markers are found everywhere too.
        """
        key = channel, only, widely
        if key not in self._finders:
            own = self.own.channel(channel, only).finder
            more = self.lines if widely or channel == CONTENT else ()
            lines = own.line_words.union(more).difference(own.literals)
            if widely:
                lines = own.line_words.union(self.line_openers.difference(own.literals))
            self._finders[key] = Finder(
                [*own.literals, *self.anywhere, *more],
                words=own.words,
                unguarded=own.unguarded or bool(lines),
                line_words=lines,
            )
        return self._finders[key]

    def at_opener(self, opener: str) -> tuple[Program, int] | None:
        """The program that reads a call with that opener, and its length; None if there is none."""
        if opener not in self._at_opener:
            self._at_opener[opener] = self.with_opener(opener)
        return self._at_opener[opener]

    def with_opener(self, opener: str, more: tuple[Beginning, ...] = ()) -> tuple[Program, int] | None:
        """The same, not remembered, with more formats."""
        program = self._program(each.form(opener) for each in (*self._beginnings, *more) if each.fits(opener))
        return None if program is None else (program, len(opener))

    def at_start(self, text: str, more: tuple[Beginning, ...], *, named: bool) -> Program | None:
        """The program that reads a turn with that start; None if there is none.

        Args:
            text: the start of the turn, or the bracket with which it begins.
            more: formats that are written out for the tools, if any of them may fit.
            named: whether it begins with a tool's name.
        """
        marked = bool(more) or text.startswith(self._starts) or _goes_on(self._starts, text)
        if not (marked or named or text in BRACKETS):  # nearly always: prose
            return None
        if more or (marked and text not in BRACKETS):
            return self._with_start(text, more, named=named)
        key = "" if named else text  # nothing of the text matters but the name, or the bracket
        if key not in self._at_start:
            self._at_start[key] = self._with_start(text, (), named=named)
        return self._at_start[key]

    def _with_start(self, text: str, more: tuple[Beginning, ...], *, named: bool) -> Program | None:
        return self._program(
            _closed(each.declared, self._closers)
            for each in (*self._beginnings, *more)
            if each.fits_at_start(text, named=named)
        )

    def _program(self, formats: Iterable[Format]) -> Program | None:
        key = tuple(formats)
        if key not in self._programs:
            if len(self._programs) >= MOST_PROGRAMS:  # of formats that are written out for tools, there is no end
                self._programs = {}
            self._programs[key] = _together(key)
        return self._programs[key]


class FallbackFormats:
    """The other formats, for what a format does not read. Shared by parsers, and never changed except for its caches.

    Args:
        others: the other formats, whatever the tools are.
        names: the tools' names.
    """

    __slots__ = (
        *("_at_opener", "_begin_own", "_finders", "_firsts", "_known", "_last_start", "_longest", "_names"),
        *("_namespaces", "_others", "_sorted_names", "_tags", "_written_out", "last_tags"),
    )

    def __init__(self, others: OtherFormats, names: tuple[str, ...]) -> None:
        self._others, self._names = others, names
        self._known, self._namespaces, self._sorted_names = frozenset(names), namespaces_of(names), sorted(names)
        found = (beginning_of(each, names) for each in others.for_tools)
        self._written_out = tuple(each for each in found if each is not None)
        self._tags = tuple(sorted(marker for each in self._written_out for marker in each.at_start))
        self._firsts = frozenset(each[0] for each in self._tags)
        last = frozenset(marker for each in self._written_out if each.last for marker in each.markers)
        self.last_tags = others.last_tags | last if last else others.last_tags
        longest = 2 * max(map(len, (*names, *self._namespaces))) + 1  # with a namespace
        self._longest = max(others.longest, longest, *map(len, self._tags)) + 1
        self._finders: dict[tuple[int, tuple[int, ...], bool], Finder] = {}
        self._at_opener: dict[str, tuple[Program, int] | None] = {}
        self._begin_own: dict[tuple[str, int], int] = {}
        self._last_start: tuple[str, Start] = "", _NOTHING

    def __reduce__(self) -> tuple[Any, ...]:
        return fallback_formats_of, (self.own, self._names)

    @property
    def own(self) -> Program:
        """The format's own program."""
        return self._others.own

    def finder(self, channel: int, only: tuple[int, ...], *, widely: bool = False) -> Finder:
        """Finds what begins in that channel: the format's own literals, and the markers of its fallback formats. See
        `OtherFormats.finder`.
        """
        key = channel, only, widely
        if key not in self._finders:
            tags = (marker for each in self._written_out for marker in each.markers if marker[0] in ANYWHERE)
            self._finders[key] = self._others.finder(channel, only, widely=widely).also_finding(tags)
        return self._finders[key]

    def own_opener(self, text: str, channel: int) -> int:
        """The length of the format's own literal with which that text begins; 0 if it begins with none."""
        own = self.own.channel(channel, ()).finder.literals
        return max((len(each) for each in own if text.startswith(each)), default=0)

    def begins_own(self, found: str, channel: int) -> int:
        """The same for a literal that was found: 0 too if the format has a shorter one, and cannot follow the rest
        (`<invoke` and `<invoke>`).
        """
        key = found, channel
        if key not in self._begin_own:
            self._begin_own[key] = self._length_of_own(found, channel)
        return self._begin_own[key]

    def _length_of_own(self, found: str, channel: int) -> int:
        size = self.own_opener(found, channel)
        here = self.own.channel(channel, ()).line
        for place, char in enumerate(found if size < len(found) else ""):
            after = self.own.nfa.step(here, char)
            if after is None:
                return size if place >= size and here.slot_for(char) else 0
            here = after
        return size

    def at_opener(self, text: str) -> tuple[Program, int] | None:
        """The program that reads a call with that beginning, and the length of its opener; None if there is none."""
        # The text may be no more than the opener: a longer opener with the same beginning did not fit.
        found = self.finder(CONTENT, ()).literals  # the longest first
        opener = next((each for each in found if text.startswith(each)), "")
        if not opener:
            return None
        if not opener.startswith(self._tags):
            return self._others.at_opener(opener)
        if opener not in self._at_opener:
            self._at_opener[opener] = self._others.with_opener(opener, self._written_out)
        return self._at_opener[opener]

    def at_start(self, text: str, place: int) -> Start:
        """What reads the start of a turn, if the format itself does not."""
        if text[place] == "<":  # a marker, if anything
            return _NOTHING
        rest = text[place : place + self._longest]
        last, found = self._last_start
        if last != rest:  # asked twice for each start
            found = self._start_of(rest)
            self._last_start = rest, found
        return found

    def _start_of(self, rest: str) -> Start:
        if _goes_on(self._others.own_literals, rest):
            return _WAITS
        if rest.startswith(self._others.own_literals):
            return _NOTHING
        if rest[0] not in BRACKETS and (_goes_on(self._others.words, rest) or self._may_become_name(rest)):
            return _WAITS
        program = self._at_start(rest)
        return _NOTHING if program is None else Start(program=program)

    def again_at_start(self, text: str) -> tuple[Program, int] | None:
        """The program that reads a turn with that start, which the format did not read; None if there is none. (No
        opener: 0.)
        """
        program = self._at_start(text)
        return None if program is None else (program, 0)

    def _at_start(self, text: str) -> Program | None:
        if not text:  # the turn ended where a call may begin
            return None
        begun = text[0] if text[0] in BRACKETS else text
        fits = begun[0] in self._firsts and (begun.startswith(self._tags) or _goes_on(self._tags, begun))
        return self._others.at_start(begun, self._written_out if fits else (), named=self._names_a_tool(begun))

    def _may_become_name(self, text: str) -> bool:
        # Whether it is a tool's name, which may go on, or the beginning of one, after a namespace or not.
        if text in self._known or _goes_on(self._sorted_names, text):
            return True
        namespace, dot, name = text.rpartition(".")
        if not dot:
            return any(each.startswith(text) for each in self._namespaces)
        if namespace in self._known and namespace.startswith(name):  # `read.read`
            return True
        return namespace in self._namespaces and (name in self._known or _goes_on(self._sorted_names, name))

    def _names_a_tool(self, text: str) -> bool:
        word = _word(text)
        found = word[0] if word else ""
        return found in self._known or (
            "." in found and without_namespace(found, self._namespaces, self._known) is not None
        )


def fallback_formats_of(own: Program, names: tuple[str, ...]) -> FallbackFormats:
    """The fallback formats of a format, for tools of these names."""
    library = formats_of_auto()
    others: OtherFormats | None = own.kept.get(OtherFormats)
    if others is None or others.library is not library:
        others = own.kept[OtherFormats] = OtherFormats(own, library)
    return FallbackFormats(others, names)


@lru_cache(maxsize=1024)
def _closed(declared: Format, closers: str) -> Format:
    # A model that leaves out the opener of its own format may still write its closer.
    more = [
        (opener, f"{closer} {closers}")
        for opener, closer in declared.all_sections
        if not opener or is_bare(first_literal(opener))
    ]
    return replace(declared, sections=(*declared.sections, *more)) if closers else declared


def _together(formats: tuple[Format, ...]) -> Program | None:
    # A registered format may be wrong, which must not cause errors while a turn is read.
    if not formats:
        return None
    try:
        return compiled(tuple(sorted(formats, key=lambda each: each.is_written_out)))
    except FormatError:
        return compiled(tuple(each for each in formats if _compiles(each))) if len(formats) > 1 else None


def _compiles(declared: Format) -> bool:
    try:
        compiled((declared,))
    except FormatError:
        return False
    return True


def _goes_on(markers: Sequence[str], text: str) -> bool:
    """Whether any of the markers, which are sorted, begins with that text and is longer: more text must tell."""
    place = bisect_right(markers, text)
    return place < len(markers) and markers[place].startswith(text)
