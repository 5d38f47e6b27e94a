# Why nothing was learnt, in one or two sentences that say what to do next. Does not depend on how anything is learnt.
"""Why no format can be learnt from turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolglean.errors import FormatError, shown
from toolglean.formats.spec import Format
from toolglean.sources.traces.bodies import shapes, ways_in
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.sites import Site, groups, sites_in

__all__ = ["Failure", "refusal", "too_few", "two_ways"]

_START = "no format can be learnt from these turns"


@dataclass(frozen=True, slots=True)
class Failure:
    """A way that does not explain the turns.

    Attributes:
        why: what is wrong with it.
        declared: the declaration; None if none can be written.
        turn: the number of the turn that shows it; -1 if none does.
        calls: how many calls it explains.
    """

    why: str
    declared: Format | None
    turn: int
    calls: int


def refusal(given: Given, failures: list[Failure]) -> FormatError:
    """The error for turns of which no format was learnt."""
    why = _names(given) or _frames(given) or _nearest(failures) or _payload(given)
    return FormatError(f"{_START}: {why}")


def _names(given: Given) -> str:
    sites = sites_in(given)
    tools = ", ".join(given.tools.names[:6])
    if not any(sites):
        return f"no turn contains the name of a tool ({tools}); pass the turns as the model wrote them, and their tools"
    for number, row in enumerate(sites):
        if given.answers is not None and given.answers[number] and not row:
            return f"turn {number + 1} has calls in its answer, but no tool's name ({tools}) is in its text"
    named = sum(map(bool, sites))
    if named < 2:
        return f"only {named} of {len(given.turns)} turns names a tool ({tools}); pass at least 3 turns with calls"
    return ""


def two_ways(given: Given, faults: Mapping[int, str]) -> FormatError | None:
    """The error for calls that are written in two ways, of which neither is that of most turns; None if there are none.

    Args:
        given: the turns.
        faults: what is wrong with those that are not written in the first way.
    """
    firsts = [row[0] for row in sites_in(given) if row]
    one = next((site for site in firsts if site.turn not in faults), None)
    other = next((site for site in firsts if site.turn in faults), None)
    return None if one is None or other is None else FormatError(f"{_START}: {_two_ways(given, one, other)}")


def _two_ways(given: Given, one: Site, other: Site) -> str:
    first, second = (given.numbers[each.turn] + 1 for each in (one, other))
    return (
        f"turns {first} and {second} write calls in two ways, {_around(given, one)} and {_around(given, other)}; "
        "pass turns of one format"
    )


def _frames(given: Given) -> str:
    # Two groups of names that explain different turns.
    first: Site | None = None
    covered: set[int] = set()
    for group in groups(given, sites_in(given)):
        for shape in shapes(given, group):
            turns = {number for number, row in enumerate(shape.bodies) if row}
            site = shape.bodies[min(turns)][0].site
            if first is None:
                first, covered = site, turns
            elif not turns & covered:
                return _two_ways(given, first, site)
    return ""


def _around(given: Given, site: Site) -> str:
    text = given.turns[site.turn]
    return shown(text[max(0, site.start - 24) : site.end + 24])


def _nearest(failures: list[Failure]) -> str:
    if not failures:
        return ""
    best = max(failures, key=lambda each: (each.calls, not each.why.startswith("format "), each.turn))
    where = f"turn {best.turn + 1}: " if best.turn >= 0 else ""
    if best.declared is None:
        return f"{where}{best.why}; pass turns of one format"
    what = f"The calls seem to be written as {best.declared.call!r}"
    if best.turn < 0:
        return f"{best.why}. {what}: have the model write them with a marker of their own"
    return f"{where}{best.why}. {what}: check that turn, or declare the format yourself"


def _payload(given: Given) -> str:
    named = [(number, row) for number, row in enumerate(sites_in(given)) if row]
    _, (site, *_) = min(named, key=lambda each: ways_in(given, *each))  # the others may be right
    keys = ", ".join(site.tool.properties) or "none"
    return (
        f"turn {given.numbers[site.turn] + 1} names a tool, {_around(given, site)}, but its arguments (parameters: "
        f"{keys}) are not after the name in any way that a format can express: as an object, as keyword arguments, or "
        "as keys with values of which something shows the end"
    )


def too_few(given: Given, called: int) -> FormatError:
    """The error for turns of which only so many have a call."""
    return FormatError(f"{_START}: only {called} of {len(given.turns)} has a call; pass at least 2 turns with calls")
