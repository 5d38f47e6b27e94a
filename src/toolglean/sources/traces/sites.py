# Where the tools are named in the turns, and which of these names may be those of calls: names with the same text
# around them. Does not depend on how arguments are written.
"""Names of tools in turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from toolglean.scan.data import missing
from toolglean.sources.traces.given import Given
from toolglean.tools import Tool, ToolSet

__all__ = ["MOST_SITES", "Site", "Sites", "groups", "regions", "sites_in", "unread_call"]

MOST_GROUPS = 12
MOST_SITES = 60
REACH = 400
"""How far from a tool's name its keys are looked for, in characters."""

_left = re.compile(r"\w+(?:-\w+)*|[^\w\s]|\n\s*\Z|\A\s*\Z").findall


@dataclass(frozen=True, slots=True)
class Site:
    """The name of a tool in a turn.

    Attributes:
        turn: the number of the turn.
        start, end: its place.
        tool: the tool.
    """

    turn: int
    start: int
    end: int
    tool: Tool


Sites = tuple[tuple[Site, ...], ...]
"""Those of each turn, in their order."""


def sites_in(given: Given) -> Sites:
    """The names of tools in the turns, as whole words; of names at one place, the longest.

    Of a turn that names tools all the time, those without a key in their neighbourhood are left out.
    """
    return tuple(_likely(text, [*_found(given.tools, n, text)]) for n, text in enumerate(given.turns))


def _likely(text: str, sites: list[Site]) -> tuple[Site, ...]:
    if len(sites) <= MOST_SITES:
        return tuple(sites)
    near = [(site, text[max(0, site.start - REACH) : site.end + REACH]) for site in sites]
    keyed = [site for site, around in near if any(key in around for key in site.tool.properties)]
    return tuple(keyed[: MOST_SITES // 2] + keyed[MOST_SITES // 2 :][-MOST_SITES // 2 :])


@lru_cache(maxsize=4)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    names = tuple(sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")


def _found(tools: ToolSet, number: int, text: str) -> Iterator[Site]:
    for match in _named(tuple(tools.names)).finditer(text):
        tool = tools.get(match.group())
        if tool is not None:
            yield Site(number, match.start(), match.end(), tool)


def regions(text: str, row: tuple[Site, ...]) -> Iterator[tuple[Site, int]]:
    """Each name with the end of the text that may belong to its call."""
    for number, site in enumerate(row):
        yield site, row[number + 1].start if number + 1 < len(row) else len(text)


def unread_call(content: str, tools: ToolSet) -> str:
    """Which tool a text names with its keys, in words, so that it was meant for a call; "" if it names none so."""
    begin = 0
    for site, end in regions(content, tuple(_found(tools, 0, content))):
        before = content[max(begin, site.start - REACH) : site.start]
        after = content[site.end : min(end, site.end + REACH)]
        if keys := _keys_in(after, site.tool) or _keys_in(before, site.tool):
            return f"it names {site.tool.name} with {', '.join(map(repr, keys))}, and no call is read there"
        begin = site.end
    return ""


def _keys_in(text: str, tool: Tool) -> list[str]:
    # All required keys, or any key, each with a sign beside it that prose does not have.
    found = [key for key in tool.properties if key in text and _key(key).search(text)]
    return [] if missing(tool.parameters, found) else found


@lru_cache(maxsize=1024)
def _key(key: str) -> re.Pattern[str]:
    word = re.escape(key)
    return re.compile(
        rf"(?<!\w){word}[\"'”’\])}}|>»⟩〕】]*[^\S\n]*(?:[=:>\]|»⟩〕】]|->|→)|[<\[{{|\"'@«⟨〔【/]{word}(?!\w)|--{word}(?!\w)"
    )


def groups(given: Given, sites: Sites) -> list[Sites]:
    """Names with the same text on both sides, those that are in most turns first."""
    found: dict[frozenset[tuple[int, int]], Sites] = {}
    every = [site for row in sites for site in row]
    for depth in (1, 2, 3, 0):
        for right in (True, False) if depth else (True,):
            by_mark: dict[tuple[str, ...], list[Site]] = {}
            for site in every:
                by_mark.setdefault(_mark(given.turns[site.turn], site, depth, right=right), []).append(site)
            for group in by_mark.values():
                key = frozenset((site.turn, site.start) for site in group)
                found.setdefault(key, _by_turn(group, len(sites)))
    ranked = sorted(found.values(), key=lambda each: (-sum(map(bool, each)), sum(map(len, each))))
    return [each for each in ranked if sum(map(bool, each)) > 1 or len(sites) < 3][:MOST_GROUPS] or ranked[:1]


def _by_turn(group: list[Site], turns: int) -> Sites:
    rows: list[list[Site]] = [[] for _ in range(turns)]
    for site in group:
        rows[site.turn].append(site)
    return tuple(map(tuple, rows))


def _mark(text: str, site: Site, depth: int, *, right: bool) -> tuple[str, ...]:
    before = text[max(0, site.start - 80) : site.start]
    words = _left(before)[-depth:] if depth else ()
    return (*words, text[site.end : site.end + 40].lstrip()[:1] if right else "")
