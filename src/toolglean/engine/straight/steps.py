# What a call consists of if it is written as its format declares: texts, words, arguments, values; and the texts of a
# declaration. Does not depend on which formats have a course (courses.py), or on how one is followed (follower.py).
#
# A course is a list of steps. A text has spellings: as the pattern is rendered, without its white space, and with the
# JSON around the arguments written compactly. The events of a text are returned at its *mark*.
"""The course of a call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolglean.formats.spec import Literal, Space, literals_of, tokens_of

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = [
    "ARGUMENTS",
    "BEGINS",
    "ENDS",
    "NOTHING",
    "TEXT",
    "VALUE",
    "VALUE_ENDS",
    "WORD",
    "Course",
    "Spelling",
    "Step",
    "around",
    "first_marker",
    "section_of",
    "spelt",
    "turned",
]

TEXT, WORD, ARGUMENTS, VALUE = range(4)
"""What a step is: text of the format, a word, JSON arguments, or the text of a parameter."""

NOTHING, BEGINS, ENDS, VALUE_ENDS = range(4)
"""What happens at a mark: nothing; the call begins; the call ends; a value ends, and another parameter follows."""

NAME_CHARS = 64
_word_chars = re.compile(r"[A-Za-z0-9_.-]*").match
_word = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


@dataclass(slots=True, eq=False)
class Spelling:
    """One spelling of a text.

    Attributes:
        text: the text.
        says: what happens at the mark; `mark`: how much of the text has been read then.
        land: how much of it the machine has read if the call has ended in it.
        end: how much of it belongs to the call that ends in it.
        opener: where the next call begins in it; -1 if the turn ends with it.
        after: the step after it; None if nothing follows.
        course: the course that begins with it, if it is a first text.
    """

    text: str
    says: int = NOTHING
    mark: int = 0
    land: int = 0
    end: int = 0
    opener: int = -1
    after: Step | None = field(default=None, repr=False)
    course: Course | None = field(default=None, repr=False)

    def lead_to(self, after: Step | None) -> None:
        """What follows it."""
        self.after = after


@dataclass(slots=True, eq=False)
class Step:
    """A step of a course.

    Attributes:
        kind: what it is.
        spellings: of a text.
        ends: of a text: as far as it may have been read when the turn ends.
        word: of a word: "name", "key" or "type".
        chars, begun, whole: of a word: its characters, its beginning, and the whole word.
        lead, trail: of a value: the line break before and after it.
        after: the step after it, unless it is a text.
    """

    kind: int
    spellings: tuple[Spelling, ...] = ()
    ends: frozenset[str] = frozenset()
    word: str = ""
    chars: Callable[..., Any] = _word_chars
    begun: Callable[..., Any] = _word
    whole: Callable[..., Any] = _word
    lead: str = ""
    trail: str = ""
    after: Step | None = None

    def spell(self, spellings: Iterable[Spelling], ends: frozenset[str] = frozenset()) -> None:
        """Give a text its spellings."""
        self.spellings, self.ends = tuple(spellings), ends

    def lead_to(self, after: Step, call: Step | None = None) -> None:
        """What follows it; after a text with which a call ends, `call`, or nothing."""
        if self.kind != TEXT:
            self.after = after
        for each in self.spellings:
            each.lead_to(after if each.says != ENDS else call if each.opener >= 0 else None)


@dataclass(slots=True, eq=False)
class Course:
    """How a call of a format is written.

    Attributes:
        format: the declaration.
        first: the first step: the text before the name.
        begins_late: whether the call begins with its first key, not with its name.
        indexed: whether the name is followed by the call's number.
        shows_id: whether the call has an id as soon as it begins.
        probe: the text of a call before its name and after it, up to the place that the machine has reached when it has
            ended; and how much of that it reads again then, in characters.
        rest: what is left of a value's closing marker without its first signs, if they end with one.
        standing: what reads on there; None until it is needed: see standing.py.
    """

    format: Format
    first: Step
    begins_late: bool = False
    indexed: bool = False
    shows_id: bool = True
    probe: tuple[str, str, int] = ("", "", 0)
    rest: str = ""
    standing: Any = None

    def stands(self, standing: Any) -> None:
        """Note the machine's state after a call; False: it does not read the call."""
        self.standing = standing

    @property
    def openers(self) -> tuple[str, ...]:
        """The texts with which it begins."""
        return tuple(each.text for each in self.first.spellings)


# -- texts -------------------------------------------------------------------------------------------------------------


def spelt(pattern: str) -> tuple[str, ...]:
    """A text of a declaration, with its white space, and without that which is not after a word."""
    whole = bare = ""
    for token in tokens_of(pattern):
        if isinstance(token, Literal | Space):
            whole += token.text
            bare += token.text if isinstance(token, Literal) or bare[-1:].isalnum() else ""
    return (whole,) if whole == bare else (whole, bare)


def around(pattern: str, slot: str) -> tuple[str, str]:
    """The pattern before a slot, and after it."""
    before, _, after = pattern.partition("{" + slot + "}")
    return before, after


def closers_of(declared: Format, after: str) -> Iterator[tuple[str, str, str]]:
    """The texts after a call: its closer, what follows if another call does, and what follows at the end."""
    section = declared.section
    separators = tuple(dict.fromkeys((declared.separator, "", "\n")))
    for closer in spelt(after):
        for ending in spelt(section[1]) if section[1] else ("",):
            for separator in separators:
                yield closer, separator, ending


def turned(
    declared: Format, after: str, heads: tuple[str, ...], *, before: str = "", mark: Callable[[str, str], int]
) -> tuple[list[tuple[str, int, int]], frozenset[str]]:
    """The spellings of what follows a call: text, mark, and place of the next opener (-1: none); and where turns end.

    Args:
        declared: the declaration.
        after: its pattern after the last slot of a call.
        heads: the spellings of the next call's beginning.
        before: what comes before the pattern.
        mark: where the call's end is reported in a spelling of its closer, for the pattern of the closer and the
            spelling.
    """
    found: dict[str, tuple[str, int, int]] = {}
    ends: set[str] = set()
    for closer, separator, ending in closers_of(declared, after):
        closed = before + closer
        place = len(before) + mark(after, closer)
        if ending:
            found.setdefault(closed + ending, (closed + ending, place, -1))
        for head in heads:
            text = closed + separator + head
            found.setdefault(text, (text, place, len(closed + separator)))
        ends |= {closed, closed + ending, *((closed + "\n", closed + ending + "\n") if closer else ())}
    return list(found.values()), frozenset(ends)


def first_marker(pattern: str, written: str) -> int:
    """Where the first marker of a pattern ends in a spelling of it."""
    marker = literals_of(pattern)[0]
    return written.index(marker) + len(marker)


def section_of(declared: Format) -> tuple[str, ...]:
    """The spellings of the section's beginning."""
    return spelt(declared.section[0]) if declared.section[0] else ("",)
