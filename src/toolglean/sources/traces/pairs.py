# Arguments written as a key and a value each: which text is before the key, between the two, and after the value. Does
# not depend on the text around calls.
#
# The schema's keys are the anchors. Those of all calls with the same text on both sides are taken together; what is
# between them is values and the text that ends them. A number, a value between quotes and a list show where they end
# by themselves, so they show what follows; otherwise it is what all values end with.
#
#   {parameters}               if a marker is before each key and after each value
#   {arguments} in Pairs(…)    otherwise, and where values are between quotes with escapes
"""Arguments as pairs of key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from toolglean.formats.spec import Pairs
from toolglean.scan.coerce import kinds_of
from toolglean.scan.values import NO, ValueScanner, value_of
from toolglean.sources.traces.bodies import Body, Shape, regions, with_empty
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.sites import Site, Sites
from toolglean.sources.traces.texts import common_end, is_markup, markers_in, same

__all__ = ["pair_shapes"]

MOST_MARKS = 8
MOST_KEYS = 40
"""How many places of a key are looked at in a call: a long value, or prose, may have any number."""
_OPEN, _CLOSE = "‹«⟨⟪【⟦「『〔〈《", "›»⟩⟫】⟧」』〕〉》"
_OTHER = rf"[{_OPEN}][^{_OPEN}{_CLOSE}\n]{{1,60}}[{_CLOSE}]"
_MARKER = rf"(?:<[^<>\n]{{1,60}}>|\[\[?[^\[\]\n]{{1,60}}\]\]?|{_OTHER}|\{{\{{[^{{}}\n]{{1,60}}\}}\}})"
_SIGN = r"(?:=>|->|:=|::|~>|=|:|\||~|→|⇒|↦|@|#|>)"
_lefts = tuple(
    re.compile(each)
    for each in (
        rf"{_MARKER}\s*\Z",
        r"<[^<>\n]{0,60}\Z",
        r"\[[^\[\]\n]{0,60}\Z",
        r"[^\w\s]{1,8}[ \t]?\Z",
        r"(?<=\s)\Z",
        rf"[{_OPEN}][^{_OPEN}{_CLOSE}\n]{{0,60}}\Z",
    )
)
_rights = tuple(
    re.compile(each)
    for each in (
        rf"(?:\s*{_MARKER})+",
        r"[^<>\n\w]{0,4}(?:\s[^<>\n]{0,40})?>(?:\s*<[^<>/\n]{1,60}>)?",
        r"[^\[\]\n\w]{0,4}\](?:\s*\[[^\[\]/\n]{1,60}\])?",
        rf"[ \t]*{_SIGN}[ \t]*",
        r"[ \t]+",
        rf"[^\w\s{_OPEN}]{{0,4}}[{_CLOSE}]",
    )
)
_sides = tuple(
    (left, tuple(_rights[number] for number in numbers))
    for left, numbers in zip(_lefts, ((0, 3), (1,), (2,), (3, 4), (3,), (5,)), strict=True)
)
_TYPES = "string|integer|number|boolean|array|object|str|int|float|bool|list|dict|text|num|json"
_type = re.compile(rf"(?<=[\"'=:(|@ ])(?:{_TYPES})(?=[\"')\]>| ])").sub
_scalar = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[Tt]rue|[Ff]alse|null|None").match


@dataclass(frozen=True, slots=True)
class Mark:
    """The text on both sides of a key."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A key in a call, and the text after it.

    Attributes:
        key: the key.
        schema: that of its value.
        start: the place of the text before the key.
        value: the place of its value.
        word: the word for the value's type, if there is one.
    """

    key: str
    schema: Any
    start: int
    value: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The pairs of a call, and where the text that may belong to it ends."""

    site: Site
    pairs: tuple[Pair, ...]
    end: int


def pair_shapes(given: Given, sites: Sites) -> Iterator[Shape]:
    """The ways to read the arguments of all these calls as pairs."""
    for mark in _marks(given, sites):
        rows = [
            _row(given, site, end, mark)
            for turn, row in enumerate(sites)
            for site, end in regions(given.turns[turn], row)
        ]
        found = [row for row in rows if row is not None and row.pairs]
        for shape in _shapes(given, mark, found) if found else ():
            bodies = with_empty(given, sites, shape.bodies)
            if all(bool(row) == bool(those) for row, those in zip(bodies, sites, strict=True)):
                yield replace(shape, bodies=bodies)


# -- marks ------------------------------------------------------------------------------------------------------------


def _marks(given: Given, sites: Sites) -> list[Mark]:
    counted: dict[Mark, int] = {}
    for turn, row in enumerate(sites):
        text = given.turns[turn]
        for site, end in regions(text, row):
            seen = set()
            for key in site.tool.properties:
                key_at = re.compile(rf"(?<!\w){re.escape(key)}(?!-?\w)")
                for found in islice(key_at.finditer(text, site.end, end), MOST_KEYS):
                    seen |= set(_around(text, (site.end, end), *found.span()))
            for mark in seen:
                counted[mark] = counted.get(mark, 0) + 1
    ranked = sorted(counted, key=lambda mark: (-counted[mark], len(mark.left) + len(mark.right)))
    return ranked[: MOST_MARKS * 4]


def _around(text: str, region: tuple[int, int], start: int, end: int) -> Iterator[Mark]:
    before = text[max(region[0], start - 80) : start]
    after = text[end : min(region[1], end + 120)]
    for left, rights in _sides:
        before_key = left.search(before)
        if before_key is None:
            continue
        for right in rights:
            after_key = right.match(after)
            if after_key is not None and after_key.end():
                sign = _typed(after_key.group())
                yield Mark(before_key.group().lstrip(), sign)
                if after[after_key.end() : after_key.end() + 1] in {'"', "'"}:
                    yield Mark(before_key.group().lstrip(), sign + after[after_key.end()])


def _typed(text: str) -> str:
    return _type("{type}", text, count=1)


def _row(given: Given, site: Site, end: int, mark: Mark) -> Row | None:
    text = given.turns[site.turn]
    keys = "|".join(map(re.escape, sorted(site.tool.properties, key=len, reverse=True)))
    left = re.escape(mark.left.rstrip()) + r"\s*" if mark.left else r"(?<!\w)"
    right = r"\s*".join(map(re.escape, re.split(r"\s+", mark.right.rstrip()))) + ("" if mark.right.strip() else r"\s")
    right = right.replace(re.escape("{type}"), r"(?P<type>\w+)")
    space = "" if mark.right[-1:] in {'"', "'"} else "[ \\t]*"
    found: list[Pair] = []
    for match in re.finditer(rf"{left}(?P<key>{keys}){right}{space}", text[site.end : end]) if keys else ():
        key = match["key"]
        if all(each.key != key for each in found):
            pair = Pair(
                key,
                site.tool.properties[key],
                site.end + match.start(),
                site.end + match.end(),
                match.groupdict().get("type") or "",
            )
            found.append(pair)
    required = site.tool.parameters.get("required") or ()
    return Row(site, tuple(found), end) if all(any(each.key == key for each in found) for key in required) else None


# -- values -----------------------------------------------------------------------------------------------------------


def _self_ending(text: str, place: int, end: int, schema: Any, *, quoted: bool) -> int:
    """Where a value ends that shows its own end; -1 if it does not."""
    kinds = kinds_of(schema)
    if place < end and (text[place] in "[{" if "string" not in kinds else quoted and text[place] in "\"'"):
        scanner = ValueScanner(64)
        stop = scanner.read(text[:end], place)
        return stop if scanner.is_whole and value_of(scanner.text) is not NO else -1
    found = _scalar(text, place) if "string" not in kinds else None
    return found.end() if found is not None and found.end() <= end else -1


def _quotes(given: Given, rows: list[Row]) -> bool:
    # Whether all texts are between quotes.
    places = [(row, pair) for row in rows for pair in row.pairs if kinds_of(pair.schema) == {"string"}]
    texts = [given.turns[row.site.turn] for row, _ in places]
    return bool(places) and all(
        text[pair.value : pair.value + 1] in {'"', "'"}
        and _self_ending(text, pair.value, row.end, pair.schema, quoted=True) >= 0
        for text, (row, pair) in zip(texts, places, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Gaps:
    """What follows values: between two pairs of a call, and after the last one; whole, or without the value."""

    inner: list[str]
    inner_rests: list[str]
    last: list[str]
    last_rests: list[str]


def _gaps(given: Given, rows: list[Row], *, quoted: bool) -> Gaps:
    gaps = Gaps([], [], [], [])
    for row in rows:
        text = given.turns[row.site.turn]
        for number, pair in enumerate(row.pairs):
            is_last = number + 1 == len(row.pairs)
            end = row.end if is_last else row.pairs[number + 1].start
            stop = _self_ending(text, pair.value, end, pair.schema, quoted=quoted)
            (gaps.last if is_last else gaps.inner).append(_keyed(text[pair.value : end], pair.key))
            if stop >= 0:
                (gaps.last_rests if is_last else gaps.inner_rests).append(_keyed(text[stop:end], pair.key))
    return gaps


def _keyed(text: str, key: str) -> str:
    return re.sub(rf"(?<=[/\[<:|‹«⟨⟪【⟦]){re.escape(key)}(?=[>\]|›»⟩⟫】⟧])", "{key}", text)


def _shapes(given: Given, mark: Mark, rows: list[Row]) -> Iterator[Shape]:
    between_quotes = mark.right[-1:] in {'"', "'"}
    for quoted in (True,) if _quotes(given, rows) and not between_quotes else (False,):
        gaps = _gaps(given, rows, quoted=quoted)
        ending = _ending(gaps)
        if ending is None:
            continue
        after, separator = ending
        if between_quotes and after[:1] != mark.right[-1]:
            continue
        yield from _as_pairs(given, mark, rows, gaps, after, separator, quoted=quoted)


def _ending(gaps: Gaps) -> tuple[str, str] | None:
    # The text after each value, and the separator.
    if gaps.inner_rests:
        found = same(gaps.inner_rests)
        between = found if found is not None else common_end(gaps.inner_rests).text
    elif len(gaps.inner) == 1:
        tail = re.search(rf"(?:{_MARKER}\s*)+\Z|[^\w\s\"'\])}}]?\s*\Z", gaps.inner[0])
        between = tail.group() if tail is not None else ""
    elif gaps.inner:
        core = _trimmed(common_end(gaps.inner).text).strip()
        between = _space_before(gaps.inner, core) + core + _space_after(gaps.inner)
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


def _space_before(texts: list[str], core: str) -> str:
    heads = [text[: text.rfind(core)] for text in texts]
    return min((head[len(head.rstrip()) :] for head in heads if head), key=len, default="") if core else ""


def _space_after(texts: list[str]) -> str:
    ends = [text[len(text.rstrip()) :] for text in texts]
    return max(ends, key=len) if all(ends) else ""


def _trimmed(text: str) -> str:
    # The end of values is not part of what follows them.
    markers = markers_in(text)
    if markers:
        at = text.find(markers[0])
        lead = text[:at]
        return lead[len(lead.rstrip()) :] + text[at:]
    return text if not re.search(r"\w", text) else ""


def _closing(texts: list[str]) -> str:
    # With one pair in each call, the first marker that all of them have.
    shared = [each for each in markers_in(texts[0]) if all(each in text for text in texts)] if texts else []
    closing = [each for each in shared if re.match(r"\W*/", each) or "{key}" in each]
    return (closing or [""])[0]


def _as_pairs(
    given: Given, mark: Mark, rows: list[Row], gaps: Gaps, after: str, separator: str, *, quoted: bool
) -> Iterator[Shape]:
    closers = _closers(given, rows, gaps, after)
    bodies = _bodies(given, rows, after, closers, quoted=quoted)
    if bodies is None:
        return
    value = "{json}" if quoted else "{value}"
    pattern = f"{mark.left}{{key}}{mark.right}{value}{after}"
    if after.strip():
        fields: dict[str, Any] = {"parameter": pattern + separator}
    elif separator.strip():
        fields = {"parameter": pattern, "parameter_separator": separator}
    else:
        fields = {"parameter": pattern + separator}
    kind = "with its parameters as pairs of key and value" + (", in JSON" if quoted else "")
    if mark.right.strip() or quoted:
        yield Shape(kind, "{parameters}", bodies, fields | _types(rows))
    if "{type}" in mark.right:
        return
    codec = Pairs(pattern.replace("{json}", "{value}"), separator, quoted=quoted)
    yield Shape(kind, "{arguments}", bodies, {"arguments": codec})


def _types(rows: list[Row]) -> dict[str, Any]:
    # The words for the types, by JSON type.
    words: dict[str, str] = {}
    for row in rows:
        for pair in row.pairs:
            kinds = kinds_of(pair.schema)
            if pair.word and len(kinds) == 1:
                words.setdefault(min(kinds), pair.word)
    others = [word for kind, word in words.items() if kind != "string"]
    return {"types": words | {"*": others[-1]} if others else words} if words else {}


def _closers(given: Given, rows: list[Row], gaps: Gaps, after: str) -> list[str]:
    # What may come after the last value: candidates for the end of a call.
    core = after.strip()
    rests = [each[each.find(core) + len(core) :] if core else each for each in gaps.last_rests if core in each]
    found = [common_end([rest for rest in rests if rest.strip()]).text] if rests else []
    texts = [given.turns[row.site.turn] for row in rows]
    final = [text[row.pairs[-1].value :] for row, text in zip(rows, texts, strict=True) if row.end == len(text)]
    parts = re.split(r"(?<=\S)(?=\s)", common_end(final).text.strip()) if final else []
    starts = ["".join(parts[:size]) for size in range(len(parts), 0, -1)]
    found += [each for each in starts if all(each in gap for gap in gaps.last)][:1]
    return [*found, common_end(gaps.last).text]


def _bodies(
    given: Given, rows: list[Row], after: str, closers: list[str], *, quoted: bool
) -> tuple[tuple[Body, ...], ...] | None:
    found: list[list[Body]] = [[] for _ in given.turns]
    known = _known_tails(given, rows, after, quoted=quoted)
    for row in rows:
        text = given.turns[row.site.turn]
        if not row.pairs:
            continue
        end = _end(text, row, after, known, closers, quoted=quoted)
        if end is None:
            return None
        found[row.site.turn].append(Body(row.site, row.site.start, end, text[row.site.end : row.pairs[0].start]))
    return tuple(map(tuple, found))


def _known_tails(given: Given, rows: list[Row], after: str, *, quoted: bool) -> list[str]:
    # What follows the arguments of calls whose last value shows its own end.
    tails = []
    for row in rows:
        if row.pairs:
            text, pair = given.turns[row.site.turn], row.pairs[-1]
            stop = _self_ending(text, pair.value, row.end, pair.schema, quoted=quoted)
            tail = text[stop : row.end].lstrip() if stop >= 0 else ""
            tail = tail.removeprefix(after.replace("{key}", pair.key).strip()).lstrip()
            tails.append(re.split(r"\s", tail, maxsplit=1)[0] if tail else "")
    return [each for each in tails if each]


def _end(text: str, row: Row, after: str, known: list[str], closers: list[str], *, quoted: bool) -> int | None:
    pair = row.pairs[-1]
    core = after.replace("{key}", pair.key).strip()
    stop = _self_ending(text, pair.value, row.end, pair.schema, quoted=quoted)
    if core:
        place = text.rfind(core, max(stop, pair.value), row.end)
        return place + len(core) if place >= 0 else None
    if stop >= 0:
        return stop
    shared = _shared_start(known)
    for closer in (shared, *(each.strip() for each in closers)):
        find = text.rfind if row.end == len(text) else text.find
        place = find(closer, pair.value, row.end) if closer else -1
        if place >= 0:
            return len(text[:place].rstrip())
    return None


def _shared_start(texts: list[str]) -> str:
    if not texts:
        return ""
    shortest = min(texts, key=len)
    for size in range(len(shortest), 0, -1):
        if all(each.startswith(shortest[:size]) for each in texts):
            return shortest[:size]
    return ""
