# Arguments written as a key and a value each, of all calls together. Does not depend on the text around calls.
#
# The schema's keys are the anchors. scan/by_schema/styles.py says how a key at a place may be written, and where others
# are written in the same way: those of all calls in one style are taken together. What is between them is values, and
# the text that ends them. A number, a value between quotes and a list show where they end, so they show what follows;
# otherwise it is what all values end with.
#
#   {parameters}               if a marker is before each key and after each value
#   {arguments} in Pairs(…)    otherwise, and where values are between quotes with escapes
"""Arguments as pairs of key and value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from os.path import commonprefix
from typing import Any, NamedTuple

from toolglean.formats.spec import Pairs
from toolglean.scan.by_schema.literals import after_blanks, literal_at
from toolglean.scan.by_schema.styles import Head, Style, heads, styles_around, typed
from toolglean.scan.coerce import kinds_of
from toolglean.scan.data import missing
from toolglean.sources.traces.bodies import Body, Shape, with_empty
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.sites import Site, Sites, regions
from toolglean.sources.traces.texts import MARKER, common_end, is_markup, markers_in, same, space_at_end

__all__ = ["pair_shapes"]


MOST_STYLES = 32
INDENT = 64  # characters in which the blanks before a pair are looked for
MOST_KEYS = 40
"""How many places of a key are looked at in a call: a long value, or prose, may have any number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A call: the text up to where it ends at the latest, where pairs begin, and where values show their end, or -1."""

    site: Site
    text: str
    heads: tuple[Head, ...]
    stops: tuple[int, ...] = ()


class Gaps(NamedTuple):
    """What follows values: between two pairs of a call, and after the last one; with the value, or without it."""

    inner: list[str]
    inner_rests: list[str]
    last: list[str]
    last_rests: list[str]


def pair_shapes(given: Given, sites: Sites) -> Iterator[Shape]:
    """The ways to read the arguments of all these calls as pairs."""
    calls = [(given.turns[n][:end], site) for n, row in enumerate(sites) for site, end in regions(given.turns[n], row)]
    for style in _styles(calls):
        rows = [row for text, site in calls if (row := _row(text, site, style)) is not None]
        for shape in _shapes(given, rows):
            bodies = with_empty(given, sites, shape.bodies)
            if all(bool(row) == bool(those) for row, those in zip(bodies, sites, strict=True)):
                yield replace(shape, bodies=bodies)


def _styles(calls: list[tuple[str, Site]]) -> list[Style]:
    # Those of most keys first.
    counted: Counter[Style] = Counter()
    for text, site in calls:
        for key in site.tool.properties:
            key_at = re.compile(rf"(?<!\w){re.escape(key)}(?!-?\w)")
            for found in islice(key_at.finditer(text, site.end), MOST_KEYS):
                counted.update({*styles_around(text, found.start(), key, (site.end, len(text)))})
    return sorted(counted, key=lambda style: (-counted[style], len("".join(style)), style))[:MOST_STYLES]


def _row(text: str, site: Site, style: Style) -> Row | None:
    keys = tuple(sorted(site.tool.properties, key=len, reverse=True))
    found: dict[str, Head] = {}
    for head in heads(text, site.end, len(text), style, keys) if keys else ():
        found.setdefault(head.key, head._replace(value=after_blanks(text, head.value)))
    return Row(site, text, tuple(found.values())) if found and not missing(site.tool.parameters, found) else None


# -- values -----------------------------------------------------------------------------------------------------------


def _indented(rows: list[Row]) -> list[Row]:
    # Blanks that begin the line of every pair are the pair's, not the head's: `render` writes them before each.
    indents = {_indent(row.text[max(head.start - INDENT, 0) : head.start]) for row in rows for head in row.heads}
    width = len(indents.pop()) if len(indents) == 1 else 0
    return [replace(row, heads=tuple(head._replace(start=head.start - width) for head in row.heads)) for row in rows]


def _indent(text: str) -> str:
    blanks = text[len(text.rstrip(" \t")) :]
    return blanks if text.endswith("\n" + blanks) else ""


def _shapes(given: Given, rows: list[Row]) -> Iterator[Shape]:
    rows = _indented(rows)
    places = [(row, head) for row in rows for head in row.heads]
    lead = same([row.text[head.start : head.at] for row, head in places]) if places else None
    tails = [row.text[head.at + len(head.key) : head.value] for row, head in places]
    tail = same([typed(each) for each in tails]) if places else None
    if lead is None or tail is None:
        return
    types = _types(places, tails) if "{type}" in tail else {}
    ended = [_ended(row, quoted=True) for row in rows]
    texts = [
        stop
        for row in ended
        for head, stop in zip(row.heads, row.stops, strict=True)
        if _kinds(row, head) == {"string"}
    ]
    quoted = bool(texts) and min(texts) >= 0
    yield from _as_pairs(given, ended if quoted else [_ended(row) for row in rows], (lead, tail), types, quoted=quoted)
    quotes = {row.text[head.value : head.value + 1] for row, head in places}
    if quotes in ({'"'}, {"'"}):
        inner = (replace(row, heads=tuple(head._replace(value=head.value + 1) for head in row.heads)) for row in rows)
        yield from _as_pairs(given, [*map(_ended, inner)], (lead, tail + min(quotes)), types, quoted=False)


def _kinds(row: Row, head: Head) -> frozenset[str]:
    return frozenset(kinds_of(row.site.tool.properties[head.key]))


def _ended(row: Row, *, quoted: bool = False) -> Row:
    # With where each value ends that shows its own end; -1 if it does not.
    stops = []
    for head in row.heads:
        is_bare = "string" in _kinds(row, head) and not (quoted and row.text[head.value : head.value + 1] in {'"', "'"})
        found = None if is_bare else literal_at(row.text, head.value)
        stops.append(-1 if found is None else found[0])
    return replace(row, stops=tuple(stops))


def _types(places: list[tuple[Row, Head]], tails: list[str]) -> dict[str, Any]:
    # The words for the types, by JSON type.
    words: dict[str, str] = {}
    for (row, head), tail in zip(places, tails, strict=True):
        kinds, before = _kinds(row, head), typed(tail).partition("{type}")[0]
        if len(kinds) == 1:
            words.setdefault(min(kinds), re.match(r"\w*", tail[len(before) :])[0])  # type: ignore[index]  # it matches
    others = [word for kind, word in words.items() if kind != "string"]
    return {"types": words | {"*": others[-1]} if others else words} if words else {}


# -- what follows values ----------------------------------------------------------------------------------------------


def _gaps(rows: list[Row]) -> Gaps:
    gaps = Gaps([], [], [], [])
    for row in rows:
        ends = [*(head.start for head in row.heads[1:]), len(row.text)]
        for head, stop, end in zip(row.heads, row.stops, ends, strict=True):
            whole, rests = (gaps.last, gaps.last_rests) if end == len(row.text) else (gaps.inner, gaps.inner_rests)
            whole.append(_keyed(row.text[head.value : end], head.key))
            rests += [_keyed(row.text[stop:end], head.key)] if stop >= 0 else []
    return gaps


def _keyed(text: str, key: str) -> str:
    return re.sub(rf"(?<=[/\[<:|‹«⟨⟪【⟦]){re.escape(key)}(?=[>\]|›»⟩⟫】⟧])", "{key}", text)


def _ending(gaps: Gaps) -> tuple[str, str]:
    # The text after each value, and the separator.
    if gaps.inner_rests:
        found = same(gaps.inner_rests)
        between = found if found is not None else common_end(gaps.inner_rests).text
    elif len(gaps.inner) == 1:
        tail = re.search(rf"(?:{MARKER}\s*)+\Z|[^\w\s\"'\])}}]?\s*\Z", gaps.inner[0])
        between = tail.group() if tail is not None else ""
    elif gaps.inner:
        core = _trimmed(common_end(gaps.inner).text).strip()
        heads = (text[: text.rfind(core)] for text in gaps.inner if core)
        between = space_at_end(filter(None, heads)) + core + _space_after(gaps.inner)
    else:
        between = _closing(gaps.last) + " "
    core = between.strip()
    if not core:
        return "", "\n" if "\n" in between else " " if between else ""
    # Does the last value have it, too?
    rests = gaps.last_rests or gaps.last
    begins = not gaps.last_rests or all(each.lstrip().startswith(core) for each in gaps.last_rests)
    if begins and all(core in each for each in rests) and (is_markup(core) or len(core) == 1):
        lead = between[: len(between) - len(between.lstrip())]
        return lead + core, between[len(lead + core) :]
    return "", between


def _space_after(texts: list[str]) -> str:
    ends = [text[len(text.rstrip()) :] for text in texts]
    return max(ends, key=len) if all(ends) else ""


def _trimmed(text: str) -> str:
    # The end of values is not part of what follows them.
    markers = markers_in(text)
    return text[text.find(markers[0]) :] if markers else "" if re.search(r"\w", text) else text


def _closing(texts: list[str]) -> str:
    # With one pair in each call, the first marker that all of them have.
    shared = [each for each in markers_in(texts[0]) if all(each in text for text in texts)] if texts else []
    closing = [each for each in shared if re.match(r"\W*/", each) or "{key}" in each]
    return (closing or [""])[0]


def _as_pairs(
    given: Given, rows: list[Row], key: tuple[str, str], types: dict[str, Any], *, quoted: bool
) -> Iterator[Shape]:
    gaps = _gaps(rows)
    after, separator = _ending(gaps)
    lead, tail = key
    if tail[-1:] in {'"', "'"} and after[:1] != tail[-1]:
        return
    bodies = _bodies(given, rows, gaps, after)
    if bodies is None:
        return
    pattern = f"{lead}{{key}}{tail}{'{json}' if quoted else '{value}'}{after}"
    is_apart = separator.strip() and not after.strip()
    fields = (
        {"parameter": pattern, "parameter_separator": separator} if is_apart else {"parameter": pattern + separator}
    )
    kind = "with its parameters as pairs of key and value" + (", in JSON" if quoted else "")
    if tail.strip() or quoted:
        yield Shape(kind, "{parameters}", bodies, fields | types)
    if "{type}" not in tail:
        codec = Pairs(pattern.replace("{json}", "{value}"), separator, quoted=quoted)
        yield Shape(kind, "{arguments}", bodies, {"arguments": codec})


def _bodies(given: Given, rows: list[Row], gaps: Gaps, after: str) -> tuple[tuple[Body, ...], ...] | None:
    found: list[list[Body]] = [[] for _ in given.turns]
    closers = [] if after.strip() else _closers(given, rows, gaps)
    for row in rows:
        end = _end(row, after, closers, is_last=len(row.text) == len(given.turns[row.site.turn]))
        if end is None:
            return None
        found[row.site.turn].append(Body(row.site, row.site.start, end, row.text[row.site.end : row.heads[0].start]))
    return tuple(map(tuple, found))


def _closers(given: Given, rows: list[Row], gaps: Gaps) -> list[str]:
    # What may come after the last value, the most likely first: what follows those that show their end; what all have.
    rests = [rest.strip() for rest in gaps.last_rests if rest.strip()]
    finals = [row.text[row.heads[-1].value :] for row in rows if len(row.text) == len(given.turns[row.site.turn])]
    parts = re.split(r"(?<=\S)(?=\s)", common_end(finals).text.strip()) if finals else []
    starts = ("".join(parts[:size]) for size in range(len(parts), 0, -1))
    shared = commonprefix([rest.split(None, 1)[0] for rest in rests])  # noqa: RUF071  # characters are meant
    found = [shared, common_end(rests).text] if rests else []
    found += [each for each in starts if all(each in gap for gap in gaps.last)][:1]
    return [each.strip() for each in (*found, common_end(gaps.last).text) if each.strip()]


def _end(row: Row, after: str, closers: list[str], *, is_last: bool) -> int | None:
    head, stop = row.heads[-1], row.stops[-1]
    core = after.replace("{key}", head.key).strip()
    if core:
        place = row.text.rfind(core, max(stop, head.value))
        return place + len(core) if place >= 0 else None
    if stop >= 0:
        return stop
    for closer in closers:
        place = row.text.rfind(closer, head.value) if is_last else row.text.find(closer, head.value)
        if place >= 0:
            return len(row.text[:place].rstrip())
    return None
