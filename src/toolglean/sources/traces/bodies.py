# Each way in which a call can carry its name and arguments, tried on all calls of the turns. Does not depend on the
# text around and between calls (frames.py), or on whether the result is right (proof.py).
#
#   whole      {"name": NAME, "arguments": {…}}      {call}
#   object     NAME … {"key": "value"}               {arguments}; in ScriptObject() if it is not JSON
#   keywords   NAME(key='value')                     {keywords}
#   tree       NAME … <key>value</key>               {arguments} in Tree("")
#   pairs      NAME … key … value                    {parameters}, or {arguments} in Pairs(…): pairs.py
#
# A way is a function that finds the body of one call. A name without a body is a mention, if others have one.
"""How calls carry their names and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolglean.formats.spec import ScriptObject, Tree
from toolglean.scan.by_schema.literals import keywords_at, literal_at
from toolglean.scan.data import missing
from toolglean.scan.scanner import DONE
from toolglean.scan.tree import TreeReader
from toolglean.sources.templates.infer.call_syntax import enclosing, keys_in
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.sites import MOST_SITES, Site, Sites, regions
from toolglean.sources.traces.texts import same
from toolglean.tools import Tool

__all__ = ["Body", "Shape", "shapes", "ways_in", "with_empty"]

REACH = 120_000
"""How many characters are read to find the bodies of the calls of one turn, in each way; shared by its names."""
FARTHEST = 400
"""How many characters may be between a name and its arguments."""


@dataclass(frozen=True, slots=True)
class Body:
    """One call in a turn.

    Attributes:
        site: its name.
        start, end: from its first slot to its last.
        head: the text between the name and the arguments; "" if the name is part of the object.
        keys: those of the name and of the arguments in an object that has both.
    """

    site: Site
    start: int
    end: int
    head: str = ""
    keys: tuple[str, str] = ("name", "arguments")


@dataclass(frozen=True)
class Shape:
    """A way that explains the calls of all turns.

    Attributes:
        kind: its name, for people.
        slot: the slot of the arguments.
        bodies: the calls of each turn.
        fields: what the declaration says about it.
    """

    kind: str
    slot: str
    bodies: tuple[tuple[Body, ...], ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


Find = Callable[[str, Site, int], "Body | None"]


def shapes(given: Given, sites: Sites) -> Iterator[Shape]:
    """The ways that find a body for names in every turn of the group."""
    for kind, slot, find, fields in _WAYS:
        bodies = tuple(tuple(_found(given, number, row, find)) for number, row in enumerate(sites))
        bodies = with_empty(given, sites, bodies) if isinstance(fields.get("arguments"), Tree) else bodies
        if all(bool(found) == bool(row) for found, row in zip(bodies, sites, strict=True)) and any(bodies):
            yield Shape(
                kind, slot, bodies, fields | ({"keys": next(filter(None, bodies))[0].keys} if slot == "{call}" else {})
            )


def ways_in(given: Given, number: int, row: tuple[Site, ...]) -> int:
    """How many ways find a body in a turn with these names."""
    return sum(any(_found(given, number, row, find)) for _, _, find, _ in _WAYS)


def with_empty(given: Given, sites: Sites, bodies: tuple[tuple[Body, ...], ...]) -> tuple[tuple[Body, ...], ...]:
    """The bodies, with those of calls without arguments: after the name comes the same text as in the others."""
    heads = [body.head for row in bodies for body in row]
    head = same(heads) if heads else None
    if head is None:
        return bodies
    words = [r"[\w-]+".join(map(re.escape, word.split("{id}"))) for word in head.split()]
    begins = re.compile(r"\s*" + r"\s*".join(words))
    return tuple(
        tuple(_filled(text, row, found, begins)) for text, row, found in zip(given.turns, sites, bodies, strict=True)
    )


def _filled(text: str, row: tuple[Site, ...], found: tuple[Body, ...], begins: re.Pattern[str]) -> Iterator[Body]:
    by_start = {body.site.start: body for body in found}
    end = 0
    for site in row:
        body = by_start.get(site.start)
        if body is None and site.start >= end and not site.tool.parameters.get("required"):
            match = begins.match(text, site.end)
            stop = match.end() if match is not None else -1
            body = Body(site, site.start, stop, text[site.end : stop]) if stop >= 0 else None
        if body is not None:
            end = body.end
            yield body


def _found(given: Given, number: int, row: tuple[Site, ...], find: Find) -> Iterator[Body]:
    text, here = given.turns[number], 0
    reach = max(REACH // (len(row) or 1), REACH // MOST_SITES)
    for site, region_end in regions(text, row):
        if site.start < here:
            continue  # in the arguments of the call before it
        ends = dict.fromkeys((region_end, len(text)))  # the next name may be in the arguments
        body = next(filter(None, (_body(given, number, site, end, reach, find) for end in ends)), None)
        if body is not None and body.start >= here:
            here = body.end
            yield body


def _body(given: Given, number: int, site: Site, end: int, reach: int, find: Find) -> Body | None:
    # Many groups have the same name. No more than `reach` characters after it are read.
    key = find, given.numbers[number], site.start, end, reach
    text, stop = given.turns[number], site.end + reach
    body = given.once(key, lambda: find(text if len(text) <= stop else text[:stop], site, min(end, stop)))
    return None if body is None else replace(body, site=site)


def fits(value: Any, tool: Tool) -> bool:
    """Whether a value can be the arguments of the tool."""
    return isinstance(value, dict) and not missing(tool.parameters, value) and value.keys() <= tool.properties.keys()


# -- objects -----------------------------------------------------------------------------------------------------------


def _whole(text: str, site: Site, _: int) -> Body | None:
    return next(_objects(text, site), None)


def _around(text: str, site: Site, end: int) -> Body | None:
    # The outermost object that has one call in it.
    return next((body for body in [*_objects(text, site)][::-1] if body.end <= end), None)


def _objects(text: str, site: Site) -> Iterator[Body]:
    for begin, stop, value in enclosing(text, site.start):
        keys = keys_in(value, site.tool.name, lambda found: fits(found, site.tool))
        if keys is not None:
            yield Body(site, begin, stop, keys=keys)


def _places(text: str, opener: str, site: Site, end: int) -> Iterator[int]:
    place, last = text.find(opener, site.end), min(end, site.end + FARTHEST)
    while 0 <= place < last:
        yield place
        place = text.find(opener, place + 1)


def _object(text: str, site: Site, end: int) -> Body | None:
    return _first(text, site, ((place, literal_at(text, place)) for place in _places(text, "{", site, end)))


def _keywords(text: str, site: Site, _: int) -> Body | None:
    opener = _parenthesis(text, site.end)
    return _first(text, site, [(opener.end(), keywords_at(text, opener.end() - 1, signs="="))] if opener else [])


_parenthesis = re.compile(r"\s*\(").match


def _first(text: str, site: Site, places: Iterable[tuple[int, tuple[int, Any] | None]]) -> Body | None:
    # With the arguments that begin at the first of the places where they fit.
    fitting = ((place, each[0]) for place, each in places if each is not None and fits(each[1], site.tool))
    return next((Body(site, site.start, stop, text[site.end : place]) for place, stop in fitting), None)


def _tree(text: str, site: Site, end: int) -> Body | None:
    places = sorted(place for key in site.tool.properties for place in _places(text, f"<{key}>", site, end))
    if not places:
        return None
    reader = TreeReader("", site.tool.properties, root=site.tool.parameters)
    stop, found, status = reader.read(text, places[0])
    if status is not DONE or not fits(json.loads(found, strict=False), site.tool):
        return None
    stop -= len(reader.rest)
    stop = len(text[:stop].rstrip())
    return Body(site, site.start, stop, text[site.end : places[0]])


_WAYS: tuple[tuple[str, str, Find, dict[str, Any]], ...] = (
    ("a JSON object with name and arguments", "{call}", _whole, {}),
    ("a JSON object around one with name and arguments", "{call}", _around, {}),
    ("the name, then the arguments as a JSON object", "{arguments}", _object, {}),
    ("Python keyword arguments", "{keywords})", _keywords, {}),
    (
        "the name, then the arguments as an object of JavaScript or Python",
        "{arguments}",
        _object,
        {"arguments": ScriptObject()},
    ),
    ("elements that have the names of the parameters", "{arguments}", _tree, {"arguments": Tree("")}),
)
