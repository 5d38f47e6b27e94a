# What a call consists of if it is written as its format declares: texts, words, arguments, values. Made from the
# declaration alone. Does not depend on how a course is followed (follower.py), or on what a turn is.
#
# A course is a list of steps. A text has spellings: as the pattern is rendered, without its white space, and with the
# JSON around the arguments written compactly. What is told while a text is read is told at its *mark*.
"""The course of a call, from its declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolglean.formats.spec import Json, JsonOrText, Literal, Slot, Space, tokens_of

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
    "courses_of",
    "first_marker",
    "lead_to",
    "section_of",
    "spelt",
    "turned",
]

TEXT, WORD, ARGUMENTS, VALUE = range(4)
"""What a step is: text of the format, a word, JSON arguments, or the text of a parameter."""

NOTHING, BEGINS, ENDS, VALUE_ENDS = range(4)
"""What is told at a mark: nothing; the call begins; the call ends; a value ends, and another parameter follows."""

JSON_CODECS = frozenset({Json, JsonOrText})
NAME_CHARS = 64
_word_chars = re.compile(r"[A-Za-z0-9_.-]*").match
_indexed_chars = re.compile(r"[A-Za-z0-9_.:-]*").match
_indexed = re.compile(r"[A-Za-z0-9_.-]+:\d{1,4}").fullmatch
_indexed_begun = re.compile(r"[A-Za-z0-9_.-]*(?::\d{0,4})?").fullmatch
_word = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


@dataclass(slots=True, eq=False)
class Spelling:
    """One spelling of a text.

    Attributes:
        text: the text.
        says: what is told at the mark; `mark`: how much of the text has been read then.
        land: how much of it has been read where the machine stands if the call has ended in it.
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


@dataclass(slots=True, eq=False)
class Course:
    """How a call of a format is written.

    Attributes:
        format: the declaration, and `number` its number in the program.
        first: the first step: the text before the name.
        begins_late: whether the call begins with its first key, not with its name.
        is_object: whether the name is in the JSON.
        indexed: whether the name is followed by the call's number.
        shows_id: whether the call has an id as soon as it begins.
        probe: the text of a call before its name and after it, up to where the machine stands when it has ended.
        standing: what reads on there; None until it is asked for: see standing.py.
    """

    format: Format
    number: int
    first: Step
    begins_late: bool = False
    is_object: bool = False
    indexed: bool = False
    shows_id: bool = True
    probe: tuple[str, str] = ("", "")
    standing: Any = None

    def stands(self, standing: Any) -> None:
        """Note where the machine stands behind a call; False: it does not read the call."""
        self.standing = standing

    @property
    def openers(self) -> tuple[str, ...]:
        """The texts with which it begins."""
        return tuple(each.text for each in self.first.spellings)


def courses_of(formats: tuple[Format, ...], opener: str) -> tuple[Course, ...]:
    """The courses of the formats whose first text begins with that opener. Of those that begin alike, the first."""
    found: dict[tuple[str, ...], Course] = {}
    for number, declared in enumerate(formats):
        course = _course_of(declared, number) if declared.call else None
        if course is not None and any(each.startswith(opener) for each in course.openers):
            found.setdefault(course.openers, course)
    return tuple(found.values())


def _course_of(declared: Format, number: int) -> Course | None:
    if declared.registered_only or declared.at_turn_end or declared.at_line_start or declared.escapes:
        return None
    tokens = tokens_of(declared.call)
    if any(isinstance(token, Literal) and " " in token.text for token in tokens):
        return None  # what is told while such a marker is read depends on where it is cut
    slots = [token.name for token in tokens if isinstance(token, Slot)]
    if slots in (["call"], ["calls"]):
        return _object_course(declared, number, slots[0])
    if slots in (["name", "arguments"], ["name", "index", "arguments"]) and type(declared.arguments) in JSON_CODECS:
        return _named_course(declared, number, indexed="index" in slots)
    if slots == ["name", "parameters"]:
        from toolglean.engine.straight.tagged import tagged_course  # noqa: PLC0415  # needs this module

        return tagged_course(declared, number)
    return None


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
    """The texts behind a call: its closer, what follows if another call does, and what follows at the end."""
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
        mark: where the call's end is told in a spelling of its closer, for the pattern of the closer and the spelling.
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


# -- JSON between markers ----------------------------------------------------------------------------------------------


def _object_course(declared: Format, number: int, slot: str) -> Course | None:
    before, after = around(declared.call, slot)
    is_list = slot == "calls"
    if not before.strip() or not (is_list or _is_marker(after + declared.section[1])) or not declared.keys[0]:
        return None
    name, arguments = declared.keys
    objects = tuple(f'{{"{name}"{colon}"' for colon in (": ", ":"))
    bracket = "[" if is_list else ""
    heads = tuple(text + bracket + each for text in spelt(before) for each in objects)
    first = Step(TEXT, tuple(Spelling(text + head) for text in section_of(declared) for head in heads))
    the_name, middle, body, tail = Step(WORD, word="name"), Step(TEXT), Step(ARGUMENTS), Step(TEXT)
    middle.spellings = tuple(
        Spelling(f'",{space}"{arguments}"{colon}{{', BEGINS, 1, after=body) for colon, space in ((": ", " "), (":", ""))
    )
    if bracket:
        _list_tail(tail, declared, after, objects)
    else:
        found, tail.ends = turned(declared, after, heads, before="}", mark=_end_of_object)
        tail.spellings = tuple(Spelling(text, ENDS, mark, 1, 1, opener) for text, mark, opener in found)
    lead_to(tail, the_name, the_name)
    the_name.after, body.after = middle, tail
    lead_to(first, the_name)
    probe = first.spellings[0].text, f'", "{arguments}": {{}}' + ("}" if bracket else "}\n")
    return Course(declared, number, first, is_object=True, shows_id=False, probe=probe)


def _is_marker(after: str) -> bool:
    # Whether a marker closes the call, and no bracket.
    return bool(after.strip()) and after.strip()[0] not in "]})"


def _list_tail(tail: Step, declared: Format, after: str, objects: tuple[str, ...]) -> None:
    # The bracket of an object in a list ends the call.
    gaps = {gap + each: len(gap) + 1 for gap in (", ", ",", ",\n", "\n") for each in objects}
    closers = dict.fromkeys(closer + ending for closer, _, ending in closers_of(declared, after))
    nexts = [Spelling("}" + text, ENDS, 1, 1, 1, opener) for text, opener in gaps.items()]
    tail.spellings = (*nexts, *(Spelling("}]" + text, ENDS, 1, 1, 1) for text in closers))
    tail.ends = frozenset("}]" + text for text in closers)


def _needs_no_closer(declared: Format, before: str, after: str) -> bool:
    # Whether the opener of the next call shows at once that the call before has ended.
    return not (after or declared.section[1] or declared.separator) and before[0] == "["


def _end_of_object(after: str, closer: str) -> int:
    # A line break shows that the call has ended; else its closing marker, when it is whole.
    return 1 if closer[:1] in {"\n", ""} else first_marker(after, closer)


def first_marker(pattern: str, written: str) -> int:
    """Where the first marker of a pattern ends in a spelling of it."""
    marker = next(token.text for token in tokens_of(pattern) if isinstance(token, Literal))
    return written.index(marker) + len(marker)


def section_of(declared: Format) -> tuple[str, ...]:
    """The spellings of the section's beginning."""
    return spelt(declared.section[0]) if declared.section[0] else ("",)


def lead_to(step: Step, after: Step, call: Step | None = None) -> None:
    """Go on with that step; where a call has ended, with `call`, or not at all."""
    for each in step.spellings:
        each.after = after if each.says != ENDS else call if each.opener >= 0 else None


# -- a name before JSON ------------------------------------------------------------------------------------------------


def _named_course(declared: Format, number: int, *, indexed: bool) -> Course | None:
    before, rest = around(declared.call, "name")
    between, after = around(rest, "arguments")
    if not before.strip() or not (_is_marker(after + declared.section[1]) or _needs_no_closer(declared, before, after)):
        return None
    if indexed:
        if declared.id != before.rpartition(">")[2] + "{name}:{index}" or not between.startswith(":{index}"):
            return None
        between = between.removeprefix(":{index}")
    if not between:
        return None
    heads = spelt(before)
    first = Step(TEXT, tuple(Spelling(text + head) for text in section_of(declared) for head in heads))
    the_name, middle, body, tail = Step(WORD, word="name"), Step(TEXT), Step(ARGUMENTS), Step(TEXT)
    if indexed:
        the_name.chars, the_name.begun, the_name.whole = _indexed_chars, _indexed_begun, _indexed
    middle.spellings = tuple(Spelling(text + "{", BEGINS, len(text) + 1, after=body) for text in spelt(between))
    found, tail.ends = turned(declared, after, heads, mark=_end_of_object)
    tail.spellings = tuple(Spelling(text, ENDS, mark, 0, 0, opener) for text, mark, opener in found)
    lead_to(tail, the_name, the_name)
    the_name.after, body.after = middle, tail
    lead_to(first, the_name)
    probe = first.spellings[0].text, (":0" if indexed else "") + spelt(between)[0] + "{}\n"
    shows_id = "{id}" not in "".join(declared.calls)
    return Course(declared, number, first, indexed=indexed, shows_id=shows_id, probe=probe)
