# Which response templates a format can express, and which format that is. Does not depend on how either is read.
#
# A template becomes a format only if both read the same: the sink is the content, reasoning has literal markers, and
# the calls are JSON, JSON after a name, or tags after a name whose closers close everything that their openers open.
# Formats are more tolerant than templates in one way: any white space may appear between markers.
"""Converts response templates to formats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.compile import compiled
from toolglean.formats.spec import Format
from toolglean.sources.response.calls import CallLayout, Kind, Tag, layout_of
from toolglean.sources.response.marks import Marker
from toolglean.sources.response.patterns import Lit, Sequence, Space, Word
from toolglean.sources.response.spec import Field, Role, Template, read_template

__all__ = ["to_format"]

NAME = "response-template"
SLOTS = {Kind.OBJECTS: "{call}", Kind.ARGUMENTS: "{arguments}", Kind.PARAMETERS: "{parameters}"}

_slot = re.compile(r"\{[a-z_]+\}|\{name=")


class _NotExpressible(Exception):  # noqa: N818  # not an error, but an answer
    """No format can express what the template does."""


def to_format(template: Mapping[str, Any]) -> Format | None:
    """The format that reads what the template reads; None if there is none.

    Raises:
        FormatError: the template is wrong; the message names the field.
    """
    read = read_template(template)
    try:
        found = _format(read)
        compiled((found,))
    except (_NotExpressible, FormatError):
        return None
    return found


def _require(condition: bool) -> None:  # noqa: FBT001  # used like an `assert` statement
    if not condition:
        raise _NotExpressible


def _format(template: Template) -> Format:
    fields = {each.role: each for each in template.fields}
    calls, reasoning, sink = fields.pop(Role.CALLS, None), fields.pop(Role.REASONING, None), template.sink
    if calls is None or sink is None or fields or len(template.fields) != 1 + (reasoning is not None):
        raise _NotExpressible
    _require(sink.role is Role.CONTENT and sink.content == "text")
    layout = layout_of(calls)
    drop = _literals(sink.close) if sink.close is not None else ()
    spellings = _spellings(calls, layout, drop)
    pairs, in_reasoning = _reasoning(reasoning, calls)
    return Format(
        NAME,
        call=spellings[0],
        also=tuple(spellings[1:]),
        separator="\n",
        parameter=_parameter(layout.tag) if layout.tag is not None else (),
        arguments=layout.codec,
        reasonings=tuple(pairs),
        calls_in_reasoning=in_reasoning,
        drop=drop,
        source="a response template",
    )


def _alternatives(marker: Marker | None) -> tuple[Sequence, ...]:
    # The alternatives of a marker that consists only of these, and of literals that it looks ahead to.
    if marker is None or marker.source or marker.reduced.far or marker.reduced.at_start:
        raise _NotExpressible
    return marker.reduced.alternatives


def _literals(marker: Marker | None) -> tuple[str, ...]:
    found = [each[0].text for each in _alternatives(marker) if len(each) == 1 and isinstance(each[0], Lit)]
    _require(len(found) == len(_alternatives(marker)))
    return tuple(found)


def _spellings(field: Field, layout: CallLayout, drop: tuple[str, ...]) -> list[str]:
    found = [_pattern(each) for each in _alternatives(field.open)]
    _require(layout.kind in SLOTS and not layout.json and bool(found) and not _ahead(field.open))
    closer = _closer(field, drop)
    # For a format, JSON itself is not a marker; it begins a call only at the start of the turn.
    _require(not any(each[0] in "{[" and not each[1:2].isalpha() for each in found))
    # A template skips any text between two closers.
    _require(layout.kind is not Kind.PARAMETERS or found[0].count("<") == closer.count("</"))
    _require(all(("{name}" in each) == bool(layout.name) and ("{id}" in each) == bool(layout.id) for each in found))
    return [f"{each}{{ws}}{SLOTS[layout.kind]}{{ws}}{closer}" for each in found]


def _ahead(marker: Marker | None) -> set[str]:
    return set(marker.reduced.ahead) if marker is not None else set()


def _closer(field: Field, drop: tuple[str, ...]) -> str:
    found = [_pattern(each) for each in _alternatives(field.close)] if field.close is not None else []
    longest = max(found, key=len, default="")
    if all(longest.startswith(each) for each in found):
        return longest
    _require(set(found) <= set(drop))
    return ""  # the call has no closer of its own: the markers that end it are searched for anyway


def _pattern(sequence: Sequence) -> str:
    found = ""
    for element in sequence:
        if isinstance(element, Lit):
            _require(not _slot.search(element.text))
            found += element.text
        elif isinstance(element, Space):
            found += "{ws}"
        elif isinstance(element, Word) and element.name in {"name", "id"}:
            found += f"{{{element.name}}}"
        else:
            raise _NotExpressible
    return found


def _reasoning(field: Field | None, calls: Field) -> tuple[list[tuple[str, str]], bool]:
    if field is None:
        return [], True
    closers = _literals(field.close)
    _require(field.content == "text" and len(closers) == 1 and not _ahead(field.open))
    heads = {each[0].text for each in _alternatives(calls.open) if isinstance(each[0], Lit)}
    ahead = _ahead(field.close)
    _require(not ahead or ahead == heads)
    return [(each, closers[0]) for each in _literals(field.open)], bool(ahead)


def _parameter(tag: Tag) -> str:
    lead, trail = ("" if each is None else "\n" for each in (tag.lead, tag.trail))
    head = "".join("{key}" if isinstance(each, Word) and each.name == "key" else _pattern((each,)) for each in tag.head)
    _require(bool(lead) == bool(trail) and "{key}" in head and not _slot.search(tag.tail))
    return f"{head}{lead}{{value}}{trail}{tag.tail}"
