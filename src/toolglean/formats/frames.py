# What a named format takes over from the other families: the markers that they write around their calls. Does not
# depend on how they become part of an automaton (builder.py), or on any text.
#
# A model that is read under the name of one format may reason as another family does, and end its turn so. Its
# reasoning is not its answer, a call in it is a draft, and the end of a turn is markup, whichever family writes it. So
# the markers of all families count, as they do with `auto`.
#
# Two kinds are left out: what the format writes itself; and a marker that begins with another character than the
# markers of calls, because it would make every chunk of prose slower. Of the markers that open reasoning, one that is
# part of a marker of a third family is left out too, because it shows nothing on its own.
"""What other families write around their calls."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from toolglean.formats.spec import Format

__all__ = ["NO_FRAME", "Frame", "Reasoning", "frame_of_others", "writes"]

ANYWHERE = "<["  # markers of other families with these are looked for everywhere; others, such as words, at lines

Reasoning = tuple[str, ...]
"""A marker that opens reasoning, and those that close it."""


class Frame(NamedTuple):
    """Markers around calls.

    Attributes:
        reasonings: of reasoning.
        closers: those that close reasoning, where none of them has opened it.
        drop: markers that are markup wherever they are, such as those that end a turn.
        content_markers: markers after which content follows; user_only_markers: those of them for text that is for the
            user alone.
    """

    reasonings: tuple[Reasoning, ...] = ()
    closers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    content_markers: tuple[str, ...] = ()
    user_only_markers: tuple[str, ...] = ()


NO_FRAME = Frame()


def frame_of_others(own: Format, library: tuple[Format, ...]) -> Frame:
    """The markers around calls of these families that `own` neither has nor writes as part of something else."""
    every, written = _all(library), "\0".join(_written(own))
    return Frame(
        tuple(found for found in every.reasonings if not writes(own, found[0])),
        *(tuple(found for found in markers if found not in written) for markers in every[1:]),
    )


def writes(own: Format, marker: str) -> bool:
    """Whether that format has the marker, or writes it as part of something else."""
    return any(marker in literal or marker.startswith(literal) for literal in _written(own))


@lru_cache(maxsize=256)  # each format is asked about the markers of all others
def _written(declared: Format) -> tuple[str, ...]:
    literals = map(str.strip, declared.markers)
    return tuple(each for each in literals if len(each) > 1)  # a bracket is part of many markers


@lru_cache(maxsize=4)
def _all(library: tuple[Format, ...]) -> Frame:
    found: dict[str, dict[str, None]] = {}
    for declared in library:
        for opener, closer in declared.all_reasonings:
            if opener.strip()[0] in ANYWHERE:
                found.setdefault(opener.strip(), {})[closer.strip()] = None
    parts = _parts_of_others(library)
    return Frame(
        tuple((opener, *closers) for opener, closers in found.items() if opener not in parts),
        _looked_for(closer for closers in found.values() for closer in closers),
        _looked_for(marker for each in library for marker in each.drop),
        _looked_for(marker for each in library for marker in each.content_markers),
        _looked_for(marker for each in library for marker in each.user_only_markers),
    )


def _looked_for(markers: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in markers if each[0] in ANYWHERE))


def _parts_of_others(formats: tuple[Format, ...]) -> frozenset[str]:
    """The markers that open reasoning in some of these formats, and are part of a longer marker in others."""
    openers = {opener.strip() for each in formats for opener, _ in each.all_reasonings}
    parts: set[str] = set()
    for declared in formats if openers else ():
        own = {opener.strip() for opener, _ in declared.all_reasonings}
        written = "\n".join(_written(declared))  # no marker contains a line break
        parts |= {opener for opener in openers - own - parts if opener in written}
    return frozenset(parts)
