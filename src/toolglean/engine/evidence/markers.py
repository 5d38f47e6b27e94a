# Which of a vocabulary's single tokens matter to what is looked for, and what each of them does there. Does not know
# what is done with them.
"""The markers that are one token, of the formats that are read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from toolglean.engine.evidence.hidden import can_hide
from toolglean.formats.quotations import RESULTS
from toolglean.formats.registry import all_formats
from toolglean.formats.words import literals_of
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.formats.spec import Format

__all__ = ["Markers", "markers_of"]

SHORTEST = 3
"""Characters of a marker: shorter tokens are punctuation."""

NO_OPENER = ("</", "[/", "<|/")
"""Where no declaration tells what a marker does, those that begin like this open nothing."""


class Markers(NamedTuple):
    """Single tokens that are part of what is looked for. Shared by parsers, never changed.

    Attributes:
        finder: finds them.
        calls: those that calls are written with.
        openers: those with which something begins after text.
        reasoning: those that nothing but reasoning is written with.
    """

    finder: Finder
    calls: frozenset[str]
    openers: frozenset[str]
    reasoning: frozenset[str]


@lru_cache(maxsize=256)
def markers_of(plan: Plan, atomic: frozenset[str] | None) -> Markers:
    """Those of the single tokens that matter to the plan; if `atomic` is None, all markers of its formats.

    Those of the library matter to every plan, because nearly every plan falls back to it. The markers around a tool's
    result are not among them: what is between them is not a call, however they are written.
    """
    if atomic is None:
        atomic = frozenset(marker for each in plan.formats for marker in each.markers)
    if not plan.formats:
        return _of_any(atomic)
    library, found = _of_library(atomic)
    known = set(map(id, library))
    own = [each for each in plan.formats if id(each) not in known]
    return _together(found, _of(own, atomic)) if own else found


@lru_cache(maxsize=16)
def _of_library(atomic: frozenset[str]) -> tuple[tuple[Format, ...], Markers]:
    # With the formats, because later ones may be registered.
    library = all_formats()
    return library, _of(library, atomic)


@lru_cache(maxsize=16)
def _of_any(atomic: frozenset[str]) -> Markers:
    # Where no declaration tells what calls are written with: with any of them, but not with those that have another
    # meaning in the library.
    _, known = _of_library(atomic)
    named = frozenset(_named(atomic))
    openers = frozenset(each for each in named if not each.startswith(NO_OPENER))
    return Markers(Finder(named), named.difference(known.finder.literals).union(known.calls), openers, frozenset())


def _together(one: Markers, other: Markers) -> Markers:
    finder = Finder((*one.finder.literals, *other.finder.literals))
    calls = one.calls | other.calls
    return Markers(finder, calls, one.openers | other.openers, (one.reasoning | other.reasoning) - calls)


def _named(atomic: frozenset[str]) -> list[str]:
    return [each for each in atomic if len(each) >= SHORTEST and can_hide(each) and each not in dict(RESULTS)]


def _of(declared: Iterable[Format], atomic: frozenset[str]) -> Markers:
    texts = {name: "\0".join(dict.fromkeys(found)) for name, found in _texts(declared).items()}
    every = "\0".join(texts.values())
    begun = {every[at : at + SHORTEST] for at in range(len(every))}  # most tokens of a vocabulary are not markers
    relevant = [each for each in _named(atomic) if each[:SHORTEST] in begun and each in every]
    ends = texts["ends"].split("\0")
    no_ends = [each for each in relevant if each not in ends]
    calls = frozenset(each for each in no_ends if each in texts["calls"])
    reasoning = frozenset(each for each in no_ends if each in texts["reasoning"]).difference(calls)
    begin = f"\0{texts['openers']}"
    openers = frozenset(each for each in relevant if f"\0{each}" in begin)
    return Markers(Finder(relevant), calls, openers, reasoning)


def _texts(declared: Iterable[Format]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"calls": [], "openers": [], "reasoning": [], "ends": []}
    for each in declared:
        sections = [text for pair in each.all_sections for text in pair]
        patterns = (*each.calls, *each.parameters, each.parameter_separator, each.separator, *sections)
        found["calls"] += (*literals_of(*patterns), *each.argument_markers)
        found["reasoning"] += (text for pair in each.all_reasonings for text in pair)
        found["ends"] += (*each.drop, *each.end_markers)
        found["openers"] += (text.lstrip() for pattern in each.openers for text in literals_of(pattern)[:1])
        found["openers"] += (*each.end_markers, *each.headers)
    return found
