# What this file knows: which response templates say what one of our formats says, and which format that is.
# What it does not depend on: how either is read.
#
# A template is turned into a format only where both read the same: the sink is the content, reasoning has literal
# markers, and the calls are JSON, JSON behind a name, or tags behind a name whose closers close all that their openers
# open. What templates cannot say, formats do: white space between markers is any.
"""From response templates to formats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.compile import compiled
from toolglean.formats.spec import Format
from toolglean.response.calls import Kind, Tag, Way, way_of
from toolglean.response.marks import Marker
from toolglean.response.patterns import Lit, Sequence, Space, Word
from toolglean.response.spec import CALLS, CONTENT, REASONING, Field, Template, read_template

__all__ = ["to_format"]

NAME = "response-template"
HOLES = {Kind.OBJECTS: "{call}", Kind.ARGUMENTS: "{arguments}", Kind.PARAMETERS: "{parameters}"}

_hole = re.compile(r"\{[a-z_]+\}|\{name=")


class _No(Exception):  # noqa: N818  # no error: the answer
    """No format says what the template says."""


def to_format(template: Mapping[str, Any]) -> Format | None:
    """The format that reads what the template reads, or None if there is none.

    Raises:
        FormatError: the template is wrong; the message names the field.
    """
    read = read_template(template)
    try:
        found = _format(read)
        compiled((found,))
    except (_No, FormatError):
        return None
    return found


def _format(template: Template) -> Format:
    fields = {each.role: each for each in template.fields}
    if len(fields) != len(template.fields) or fields.keys() - {REASONING, CALLS} or CALLS not in fields:
        raise _No
    sink = template.sink
    if sink is None or sink.role != CONTENT or sink.content != "text":
        raise _No
    calls = fields[CALLS]
    way = way_of(calls)
    drop = _literals(sink.close) if sink.close is not None else ()
    spellings = _spellings(calls, way, drop)
    pairs, in_reasoning = _reasoning(fields.get(REASONING), calls)
    return Format(
        NAME,
        call=spellings[0],
        also=tuple(spellings[1:]),
        separator="\n",
        parameter=_parameter(way.tag) if way.tag is not None else (),
        arguments=way.codec,
        reasonings=tuple(pairs),
        calls_in_reasoning=in_reasoning,
        drop=drop,
        source="a response template",
    )


def _literals(marker: Marker) -> tuple[str, ...]:
    reduced = marker.reduced
    if marker.source or reduced.far or reduced.at_start or len(marker.literals) != len(reduced.alternatives):
        raise _No
    return marker.literals


def _spellings(field: Field, way: Way, drop: tuple[str, ...]) -> list[str]:
    opener = field.open
    if way.kind not in HOLES or way.json or opener is None or opener.source:
        raise _No
    if opener.reduced.far or opener.reduced.at_start or opener.reduced.ahead or not opener.reduced.alternatives:
        raise _No
    closer = _closer(field, drop)
    found = [_pattern(each) for each in opener.reduced.alternatives]
    if any(each[0] in "{[" and not each[1:2].isalpha() for each in found):
        raise _No  # JSON itself is not a marker to a format, and counts only where the turn starts
    if way.kind is Kind.PARAMETERS and any(each.count("<") != closer.count("</") for each in (*found[:1],)):
        raise _No  # between two closers, a template reads over anything
    if any(("{name}" in each) != bool(way.name) or ("{id}" in each) != bool(way.id) for each in found):
        raise _No
    return [f"{each}{{ws}}{HOLES[way.kind]}{{ws}}{closer}" for each in found]


def _closer(field: Field, drop: tuple[str, ...]) -> str:
    marker = field.close
    if marker is None:
        return ""
    if marker.source or marker.reduced.far or marker.reduced.at_start:
        raise _No
    found = sorted((_pattern(each) for each in marker.reduced.alternatives), key=len)
    if any(not found[-1].startswith(each) for each in found):
        if set(found) <= set(drop):
            return ""  # the call has none: what ends it is looked for anyway
        raise _No
    return found[-1] if found else ""


def _pattern(sequence: Sequence) -> str:
    found = ""
    for element in sequence:
        if isinstance(element, Lit):
            if _hole.search(element.text):
                raise _No
            found += element.text
        elif isinstance(element, Space):
            found += "{ws}"
        elif isinstance(element, Word) and element.name in {"name", "id"}:
            found += f"{{{element.name}}}"
        else:
            raise _No
    return found


def _reasoning(field: Field | None, calls: Field) -> tuple[list[tuple[str, str]], bool]:
    if field is None:
        return [], True
    if field.open is None or field.close is None or field.content != "text":
        raise _No
    closers = _literals(field.close)
    if field.open.reduced.ahead or len(closers) != 1:
        raise _No
    ahead = set(field.close.reduced.ahead)
    heads = {each[0].text for each in calls.open.reduced.alternatives if isinstance(each[0], Lit)} if calls.open else {}
    if ahead and ahead != set(heads):
        raise _No
    return [(each, closers[0]) for each in _literals(field.open)], bool(ahead)


def _parameter(tag: Tag) -> str:
    lead, trail = ("" if each is None else "\n" for each in (tag.lead, tag.trail))
    head = "".join("{key}" if isinstance(each, Word) and each.name == "key" else _pattern((each,)) for each in tag.head)
    if bool(lead) != bool(trail) or "{key}" not in head or _hole.search(tag.tail):
        raise _No
    return f"{head}{lead}{{value}}{trail}{tag.tail}"
