# Which formats have a course, by the shape of their declaration. Does not know how the courses are made (in_json.py,
# in_tags.py), or that a course may turn out to be too simple (standing.py).
#
# The others, and why:
# - calls that need more than a marker: a tool's name, the beginning of a line, the end of the turn. What decides there
#   is around the call, not in it.
# - calls without a marker: JSON or Python alone. They are drafts until the text around them shows that they are calls.
# - arguments in a dialect (Python, JavaScript, quoted, pairs, trees), of which the C scanner reads none.
# - names and keys with escapes, several names, ids before the name: seldom written, so not worth a shape of their own.
# - calls that begin with the closer of their section.
# - markers that contain a blank: what is returned while one is read depends on where it is cut.
"""The courses of formats."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from toolglean.engine.straight.in_json import named_course, object_course
from toolglean.engine.straight.in_tags import tagged_course
from toolglean.formats.spec import Json, JsonOrText, Literal, Slot, tokens_of

if TYPE_CHECKING:
    from toolglean.engine.straight.steps import Course
    from toolglean.formats.spec import Format

__all__ = ["courses_of"]

JSON_CODECS = frozenset({Json, JsonOrText})


def courses_of(formats: tuple[Format, ...], opener: str) -> tuple[Course, ...]:
    """The courses of the formats whose first text begins with that opener. Of those that begin alike, the first."""
    found: dict[tuple[str, ...], Format] = {}
    for declared in formats:
        openers = _openers_of(declared)
        if any(each.startswith(opener) for each in openers):
            found.setdefault(openers, declared)
    return tuple(course for each in found.values() if (course := _course_of(each)) is not None)


@lru_cache(maxsize=256)  # each opener is looked for in all formats
def _openers_of(declared: Format) -> tuple[str, ...]:
    course = _course_of(declared) if declared.call else None
    return () if course is None else course.openers


def _course_of(declared: Format) -> Course | None:
    if declared.registered_only or declared.at_turn_end or declared.at_line_start or declared.escapes:
        return None
    tokens = tokens_of(declared.call)
    if any(isinstance(token, Literal) and " " in token.text for token in tokens) or _is_ambiguous(declared):
        return None
    slots = [token.name for token in tokens if isinstance(token, Slot)]
    if slots in (["call"], ["calls"]):
        return object_course(declared, slots[0])
    if slots in (["name", "arguments"], ["name", "index", "arguments"]) and type(declared.arguments) in JSON_CODECS:
        return named_course(declared, indexed="index" in slots)
    if slots == ["name", "parameters"]:
        return tagged_course(declared)
    return None


def _is_ambiguous(declared: Format) -> bool:
    # Whether the section's closer, which may come without a call, is the beginning of a call.
    closer = declared.section[1].strip()
    return bool(closer) and declared.call.lstrip().startswith(closer)
