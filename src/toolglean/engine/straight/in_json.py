# The courses of calls whose arguments are one JSON object: next to the name in an object, alone or in a list, or after
# the name. See steps.py.
"""Courses in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.straight.steps import (
    ARGUMENTS,
    BEGINS,
    ENDS,
    TEXT,
    WORD,
    Course,
    Spelling,
    Step,
    around,
    closers_of,
    first_marker,
    section_of,
    spelt,
    turned,
)

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["named_course", "object_course"]

_indexed_chars = re.compile(r"[A-Za-z0-9_.:-]*").match
_indexed = re.compile(r"[A-Za-z0-9_.-]+:\d{1,4}").fullmatch
_indexed_begun = re.compile(r"[A-Za-z0-9_.-]+(?::\d{0,4})?").fullmatch


def object_course(declared: Format, slot: str) -> Course | None:
    """The course of calls as JSON objects with their names; None if they end in another way. `slot`: one, or a list."""
    before, after = around(declared.call, slot)
    is_list = slot == "calls"
    if not before.strip() or not (is_list or _is_marker(after)) or not declared.keys[0]:
        return None
    name, arguments = declared.keys
    objects = tuple(f'{{"{name}"{colon}"' for colon in (": ", ":"))
    bracket = "[" if is_list else ""
    # In a list, white space after the marker may decide which of the family's spellings it is.
    heads = tuple(text + bracket + each for text in spelt(before)[: 1 if is_list else None] for each in objects)
    middle = Step(TEXT)
    middle.spell(Spelling(f'",{gap}"{arguments}"{colon}{{', BEGINS, 1) for colon, gap in ((": ", " "), (":", "")))
    tail = Step(TEXT)
    if is_list:
        _spell_list_tail(tail, declared, after, objects)
    else:
        found, ends = turned(declared, after, heads, before="}", mark=_end_of_object)
        tail.spell((Spelling(text, ENDS, mark, 1, 1, opener) for text, mark, opener in found), ends)
    first = _linked(declared, heads, Step(WORD, word="name"), middle, tail)
    probe = first.spellings[0].text, f'", "{arguments}": {{}}' + ("}" if bracket else "}\n"), int(not bracket)
    return Course(declared, first, shows_id=False, probe=probe)


def _is_marker(after: str) -> bool:
    # Whether a marker closes the call, and no bracket.
    return bool(after.strip()) and after.strip()[0] not in "]})"


def _spell_list_tail(tail: Step, declared: Format, after: str, objects: tuple[str, ...]) -> None:
    # The bracket of an object in a list ends the call.
    gaps = {gap + each: len(gap) + 1 for gap in (", ", ",", ",\n", "\n") for each in objects}
    closers = dict.fromkeys(closer + ending for closer, _, ending in closers_of(declared, after))
    nexts = [Spelling("}" + text, ENDS, 1, 1, 1, opener) for text, opener in gaps.items()]
    lasts = [Spelling("}]" + text, ENDS, 1, 1, 1) for text in closers]
    tail.spell((*nexts, *lasts), frozenset(each.text for each in lasts))


def _linked(declared: Format, heads: tuple[str, ...], the_name: Step, middle: Step, tail: Step) -> Step:
    # The first step of a course in JSON: the others follow it, and the name follows the last one.
    first, body = Step(TEXT), Step(ARGUMENTS)
    first.spell(Spelling(text + head) for text in section_of(declared) for head in heads)
    for step, after in ((first, the_name), (the_name, middle), (middle, body), (body, tail)):
        step.lead_to(after)
    tail.lead_to(the_name, the_name)
    return first


def _needs_no_closer(declared: Format, before: str, after: str) -> bool:
    # Whether the opener of the next call shows at once that the call before has ended.
    return not (after or declared.section[1] or declared.separator) and before[0] == "["


def _end_of_object(after: str, closer: str) -> int:
    # A line break shows that the call has ended; else its closing marker, when it is whole.
    return 1 if closer[:1] in {"\n", ""} else first_marker(after, closer)


# -- a name before JSON ------------------------------------------------------------------------------------------------


def named_course(declared: Format, *, indexed: bool) -> Course | None:
    """The course of calls with a name before JSON; None if they end in another way. `indexed`: a number is between."""
    before, rest = around(declared.call, "name")
    between, after = around(rest, "arguments")
    if not before.strip() or not (_is_marker(after) or _needs_no_closer(declared, before, after)):
        return None
    if indexed:
        if declared.id != before.rpartition(">")[2] + "{name}:{index}" or not between.startswith(":{index}"):
            return None
        between = between.removeprefix(":{index}")
    if not between:
        return None
    heads = spelt(before)
    the_name = Step(WORD, word="name")
    if indexed:
        the_name = Step(WORD, word="name", chars=_indexed_chars, begun=_indexed_begun, whole=_indexed)
    middle, tail = Step(TEXT), Step(TEXT)
    # The same after the name.
    texts = spelt(between)[: 1 if between[0].isspace() else None]
    middle.spell(Spelling(text + "{", BEGINS, len(text) + 1) for text in texts)
    found, ends = turned(declared, after, heads, mark=_end_of_object)
    tail.spell((Spelling(text, ENDS, mark, 0, 0, opener) for text, mark, opener in found), ends)
    first = _linked(declared, heads, the_name, middle, tail)
    probe = first.spellings[0].text, (":0" if indexed else "") + spelt(between)[0] + "{}\n", 1
    shows_id = "{id}" not in "".join(declared.calls)
    return Course(declared, first, indexed=indexed, shows_id=shows_id, probe=probe)
