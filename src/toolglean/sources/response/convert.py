# What this file knows: which response templates a format can express, and which format that is.
# What it does not depend on: how either is read.
#
# A template is turned into a format only where both read the same: the sink is the content, reasoning has literal
# markers, and the calls are JSON, JSON after a name, or tags after a name whose closers close all that their openers
# open. What templates cannot express, formats do: white space between markers is any.
"""From response templates to formats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.compile import compiled
from toolglean.formats.spec import Format
from toolglean.sources.response.calls import Kind, Tag, Way, way_of
from toolglean.sources.response.marks import Marker
from toolglean.sources.response.patterns import Lit, Sequence, Space, Word
from toolglean.sources.response.spec import Field, Role, Template, read_template

__all__ = ["to_format"]

NAME = "response-template"
SLOTS = {Kind.OBJECTS: "{call}", Kind.ARGUMENTS: "{arguments}", Kind.PARAMETERS: "{parameters}"}

_slot = re.compile(r"\{[a-z_]+\}|\{name=")


class _No(Exception):  # noqa: N818  # no error: the answer
    """No format can express what the template does."""


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


def _only_if(condition: bool) -> None:  # noqa: FBT001  # it reads as the statement that it stands for
    if not condition:
        raise _No


def _format(template: Template) -> Format:
    fields = {each.role: each for each in template.fields}
    calls, reasoning, sink = fields.pop(Role.CALLS, None), fields.pop(Role.REASONING, None), template.sink
    if calls is None or sink is None or fields or len(template.fields) != 1 + (reasoning is not None):
        raise _No
    _only_if(sink.role is Role.CONTENT and sink.content == "text")
    way = way_of(calls)
    drop = _literals(sink.close) if sink.close is not None else ()
    spellings = _spellings(calls, way, drop)
    pairs, in_reasoning = _reasoning(reasoning, calls)
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


def _alternatives(marker: Marker | None) -> tuple[Sequence, ...]:
    # Of a marker that is nothing but these, and what it may stand before.
    if marker is None or marker.source or marker.reduced.far or marker.reduced.at_start:
        raise _No
    return marker.reduced.alternatives


def _literals(marker: Marker | None) -> tuple[str, ...]:
    found = [each[0].text for each in _alternatives(marker) if len(each) == 1 and isinstance(each[0], Lit)]
    _only_if(len(found) == len(_alternatives(marker)))
    return tuple(found)


def _spellings(field: Field, way: Way, drop: tuple[str, ...]) -> list[str]:
    found = [_pattern(each) for each in _alternatives(field.open)]
    _only_if(way.kind in SLOTS and not way.json and bool(found) and not _ahead(field.open))
    closer = _closer(field, drop)
    # JSON itself is not a marker to a format, and counts only where the turn starts.
    _only_if(not any(each[0] in "{[" and not each[1:2].isalpha() for each in found))
    # Between two closers, a template reads over anything.
    _only_if(way.kind is not Kind.PARAMETERS or found[0].count("<") == closer.count("</"))
    _only_if(all(("{name}" in each) == bool(way.name) and ("{id}" in each) == bool(way.id) for each in found))
    return [f"{each}{{ws}}{SLOTS[way.kind]}{{ws}}{closer}" for each in found]


def _ahead(marker: Marker | None) -> set[str]:
    return set(marker.reduced.ahead) if marker is not None else set()


def _closer(field: Field, drop: tuple[str, ...]) -> str:
    found = [_pattern(each) for each in _alternatives(field.close)] if field.close is not None else []
    longest = max(found, key=len, default="")
    if all(longest.startswith(each) for each in found):
        return longest
    _only_if(set(found) <= set(drop))
    return ""  # the call has none: what ends it is looked for anyway


def _pattern(sequence: Sequence) -> str:
    found = ""
    for element in sequence:
        if isinstance(element, Lit):
            _only_if(not _slot.search(element.text))
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
    closers = _literals(field.close)
    _only_if(field.content == "text" and len(closers) == 1 and not _ahead(field.open))
    heads = {each[0].text for each in _alternatives(calls.open) if isinstance(each[0], Lit)}
    ahead = _ahead(field.close)
    _only_if(not ahead or ahead == heads)
    return [(each, closers[0]) for each in _literals(field.open)], bool(ahead)


def _parameter(tag: Tag) -> str:
    lead, trail = ("" if each is None else "\n" for each in (tag.lead, tag.trail))
    head = "".join("{key}" if isinstance(each, Word) and each.name == "key" else _pattern((each,)) for each in tag.head)
    _only_if(bool(lead) == bool(trail) and "{key}" in head and not _slot.search(tag.tail))
    return f"{head}{lead}{{value}}{trail}{tag.tail}"
