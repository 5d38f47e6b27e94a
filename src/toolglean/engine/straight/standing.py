# Which courses begin with an opener, whether the machine reads their calls as they are followed, and what its state is
# after a call that was followed.
#
# The machine itself shows it, once for each program: it reads samples of the course, character by character, and must
# return the events that are returned when they are followed. A course that differs in anything is not followed.
"""What the machine shows of a course."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolglean.engine.matcher.reading import Reading
from toolglean.engine.modes import CALL
from toolglean.engine.straight.courses import courses_of
from toolglean.engine.straight.steps import ARGUMENTS, ENDS, TEXT, VALUE, VALUE_ENDS, Course, Step
from toolglean.events import CallEnd, join
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.engine.followed_call import FollowedCall
    from toolglean.engine.turn import Turn
    from toolglean.events import Event
    from toolglean.formats.compile import Program

__all__ = ["Probe", "Standing", "Texts", "first_step", "sample_tools", "standing_of"]

PROBE = "get_weather"
"""The tool that is called in samples."""

Texts: TypeAlias = tuple[Iterable[str], ...]
"""Texts that follow each other, in chunks; those of a string are its characters."""
Probe: TypeAlias = "Callable[[Texts, Standing | None], tuple[Turn, list[list[Event]]]]"
"""Reads texts with that one tool, by a parser of the program: one that follows calls, and has the given standing after
them, or, with None, one that does not. Returns the turn, and for each text the events of each chunk, and of the end if
it came there."""

_WORDS = {"name": PROBE, "key": "text", "type": "string"}
_ARGUMENTS = '"text": "a", "list": [1, {"b": null}]}'


class Standing(NamedTuple):
    """The machine's state after a call.

    Attributes:
        first, later: what reads on after the first call, and after any other.
        formats: what the search is narrowed to.
        again: how much it reads again of the first call, and of the opener of a later one, besides what closes a call:
            in characters.
        stays: whether one reading reads all calls: then text on the line of the first applies to the later ones too.
        holds_breaks: whether a line break in the first line of a value waits for what follows.
    """

    first: Reading
    later: Reading
    formats: tuple[int, ...]
    again: tuple[int, int]
    stays: bool
    holds_breaks: bool

    def behind(self, landed: FollowedCall) -> Reading:
        """What reads on after that call."""
        return self.first if landed.is_first else self.later


def first_step(program: Program, opener: str) -> Step | None:
    """The first text of all courses of the program that begin with that opener; None if there are none.

    `opener`: "" for all of a program of one format.
    """
    key = "straight", opener
    if key not in program.kept:
        courses = courses_of(program.formats, opener)
        spellings = (replace(each, course=course) for course in courses for each in course.first.spellings)
        program.kept[key] = Step(TEXT, tuple(spellings)) if courses else None
    found: Step | None = program.kept[key]
    return found


def standing_of(course: Course, probe: Probe | Standing) -> Standing | None:
    """The machine's state after a call of that course; None if the course must not be followed.

    `probe`: reads samples; or, while it does, the state to try.
    """
    if isinstance(probe, Standing):
        return probe
    if course.standing is None:
        course.stands(_standing(course, probe) or False)
    return course.standing or None


def sample_tools() -> ToolSet:
    """The tools with which samples are read."""
    return ToolSet([PROBE])


def _standing(course: Course, probe: Probe) -> Standing | None:
    before, call, seen = course.probe
    first, later = _turn_behind(before + PROBE + call, 1, probe), _turn_behind(_two_calls(course), 2, probe)
    if first is None or later is None:
        return None
    gap = next(each for step in _steps(course) for each in step.spellings if each.says == ENDS)
    again = first.tape.reread - seen, later.tape.reread - first.tape.reread - (gap.mark - gap.land)
    begun = _until_value(course)
    holds = bool(begun) and not probe((begun + "a\n",), None)[1][-2]
    one, two = first.payload, later.payload
    if not (isinstance(one, Reading) and isinstance(two, Reading)):
        return None
    bare = _turn_behind((_two_calls(course, -1),), 2, probe)
    if bare is None or not isinstance(bare.payload, Reading) or bare.payload.walk.origin() is not two.walk.origin():
        return None  # its spellings lead to different places
    if one.fallback.role is not two.fallback.role:
        return None  # a later call begins with a marker of formats that the first one has ruled out
    in_line = probe((("a " + _two_calls(course),),), None)[0].payload
    stays = isinstance(in_line, Reading) and in_line.fallback.in_line
    standing = Standing(one, two, first.narrowed_to, again, stays, holds)
    # Two calls, as they are rendered, and in the last of the other spellings: at the end of the turn, and before text.
    samples = [("".join(_sample(course, place)), "\nDone.") for place in (0, -1)]
    same = all(_told(texts, probe, standing) == _told(texts, probe, None) for texts in samples)
    return standing if same else None


def _turn_behind(text: Iterable[str], calls: int, probe: Probe) -> Turn | None:
    # The turn after that text; None if the calls in it are not read.
    turn, told = probe((text,), None)
    ends = [event for events in told[:-1] for event in events if isinstance(event, CallEnd)]
    whole = len(ends) == calls and all(end.call.status == "ok" for end in ends)
    return turn if whole and turn.mode is CALL else None


def _told(texts: Texts, probe: Probe, standing: Standing | None) -> list[list[Event]]:
    return [join(events) for events in probe(texts, standing)[1]]


# -- samples -----------------------------------------------------------------------------------------------------------


def _steps(course: Course) -> Iterator[Step]:
    # The steps of calls in their first spellings.
    step: Step | None = course.first
    while step is not None:
        yield step
        step = step.spellings[0].after if step.kind == TEXT else step.after


def _until_value(course: Course) -> str:
    # Up to the first character of the first value; "" if there is none.
    text = ""
    for step in _steps(course):
        if step.kind == VALUE:
            return text + step.lead
        if step.kind == ARGUMENTS:
            break
        text += step.spellings[0].text if step.kind == TEXT else _filling(course, step, 0)
    return ""


def _two_calls(course: Course, place: int = 0) -> str:
    # Up to the place that the machine has reached after the second call.
    whole = "".join(_sample(course, place))
    before, _, _ = whole.partition(PROBE)
    second = whole.index(PROBE, len(before) + len(PROBE))
    return whole[:second] + PROBE + course.probe[1]


def _sample(course: Course, place: int) -> Iterator[str]:
    step: Step | None = course.first
    calls = values = 0
    while step is not None:
        if step.kind != TEXT:
            yield _filling(course, step, place)
            step = step.after
            continue
        following = [each for each in step.spellings if each.says == VALUE_ENDS and values == 0]
        following = following or [each for each in step.spellings if each.says != VALUE_ENDS and each.after is not None]
        spelling = following[place]
        if spelling.says == ENDS and calls:
            yield max(step.ends, key=len)
            return
        if spelling.says == ENDS:
            calls, values = calls + 1, 0
        values += spelling.says == VALUE_ENDS
        yield spelling.text
        step = spelling.after


def _filling(course: Course, step: Step, place: int) -> str:
    if step.kind == ARGUMENTS:
        return _ARGUMENTS
    if step.kind == VALUE:
        return step.lead + ("a\nb\n\nc" if place else "a b")
    return _WORDS[step.word] + (":0" if course.indexed and step.word == "name" else "")
