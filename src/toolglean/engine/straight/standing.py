# Where the machine stands behind a call that was followed, and which courses begin with an opener. Does not know how a
# course is followed.
#
# The machine itself shows where it stands: it reads one call of the course, once for each program. What reads on there
# is copied for every turn. A course whose call the machine does not read has no standing, and is not followed.
"""Behind a call that was followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolglean.engine.modes import CALL
from toolglean.engine.straight.course import TEXT, Course, Step, courses_of
from toolglean.events import CallEnd

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.turn import Turn
    from toolglean.events import Event
    from toolglean.formats.compile import Program

__all__ = ["PROBE", "Probe", "Standing", "first_step", "standing_of"]

PROBE = "get_weather"
"""The tool that is called to see where the machine stands."""

Probe: TypeAlias = "Callable[[str], tuple[Turn, list[Event]]]"
"""Has a machine of the program read a text, with that one tool."""


class Standing(NamedTuple):
    """Where the machine stands.

    Attributes:
        reading: what reads on.
        formats: what the search is narrowed to.
    """

    reading: Reading
    formats: tuple[int, ...]


def first_step(program: Program, opener: str, read: Probe) -> Step | None:
    """The first text of all courses of the program that begin with that opener; None if there are none."""
    key = "straight", opener
    if key not in program.kept:
        courses = [each for each in courses_of(program.formats, opener) if standing_of(each, read)]
        spellings = (replace(each, course=course) for course in courses for each in course.first.spellings)
        program.kept[key] = Step(TEXT, tuple(spellings)) if courses else None
    found: Step | None = program.kept[key]
    return found


def standing_of(course: Course, read: Probe) -> Standing | None:
    """Where the machine stands behind a call of that course; None if it does not read the call."""
    if course.standing is None:
        turn, events = read(PROBE.join(course.probe))
        ends = [event for event in events if isinstance(event, CallEnd)]
        ok = len(ends) == 1 and ends[0].call.status == "ok" and turn.mode is CALL and turn.payload is not None
        course.stands(Standing(turn.payload, turn.narrowed_to) if ok else False)
    return course.standing or None
