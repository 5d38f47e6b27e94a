# Which markers of reasoning a named format takes over from the other families. Does not depend on how they become part
# of an automaton (builder.py), or on any text.
#
# A model that is read under the name of one format may reason as another family does. Its reasoning is not its answer,
# and a call in it is a draft. So the markers of all families open reasoning, as they do with `auto`.
#
# Three kinds are left out: what the format writes itself; a marker that is part of a marker of a third family, because
# it shows nothing on its own; and a marker that begins with another character than the markers of calls, because it
# would make every chunk of prose slower.
"""The reasoning of other families."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from toolglean.formats.spec import Format

__all__ = ["Reasoning", "reasonings_of_others", "writes"]

ANYWHERE = "<["  # the characters with which the markers of other families begin: see fallback_formats.py

Reasoning = tuple[str, ...]
"""A marker that opens reasoning, and those that close it."""


def reasonings_of_others(own: Format, library: tuple[Format, ...]) -> tuple[Reasoning, ...]:
    """The markers of reasoning of these families that `own` neither has nor writes as part of something else."""
    return tuple(found for found in _all(library) if not writes(own, found[0]))


def writes(own: Format, opener: str) -> bool:
    """Whether that format has the marker, or writes it as part of something else."""
    return any(opener in literal or opener.startswith(literal) for literal in _written(own))


def _written(declared: Format) -> Iterator[str]:
    for marker in declared.markers:
        literal = marker.strip()
        if len(literal) > 1:  # a bracket is part of many markers
            yield literal


@lru_cache(maxsize=4)
def _all(library: tuple[Format, ...]) -> tuple[Reasoning, ...]:
    found: dict[str, dict[str, None]] = {}
    for declared in library:
        for opener, closer in declared.all_reasonings:
            if opener.strip()[0] in ANYWHERE:
                found.setdefault(opener.strip(), {})[closer.strip()] = None
    parts = _parts_of_others(library)
    return tuple((opener, *closers) for opener, closers in found.items() if opener not in parts)


def _parts_of_others(formats: tuple[Format, ...]) -> frozenset[str]:
    """The markers that open reasoning in some of these formats, and are part of a longer marker in others."""
    openers = {opener.strip() for each in formats for opener, _ in each.all_reasonings}
    parts: set[str] = set()
    for declared in formats if openers else ():
        own = {opener.strip() for opener, _ in declared.all_reasonings}
        written = "\n".join(_written(declared))  # no marker contains a line break
        parts |= {opener for opener in openers - own - parts if opener in written}
    return frozenset(parts)
