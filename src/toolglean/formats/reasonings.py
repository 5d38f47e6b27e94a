# What this file knows: which markers of reasoning a named format takes over from the other families.
# What it must not know: how they are laid into a net (layer.py), and any text.
#
# A model that is read under the name of one format may reason as another family does. What it reasons is not its
# answer, and a call in it is a draft. So the markers of all families open reasoning, as they do with `auto`.
#
# Three kinds are left out: what the format writes itself; a marker that is a part of a marker of yet another family,
# because it shows nothing on its own; and what begins with another character than the markers of calls, because every
# chunk of prose would pay for it.
"""The reasoning of other families."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from toolglean.formats.spec import Format

__all__ = ["Reasoning", "reasonings_of_others"]

ANYWHERE = "<["  # the characters with which the markers of other families begin: see siblings.py

Reasoning = tuple[str, ...]
"""A marker that opens reasoning, and those that close it."""


def reasonings_of_others(own: Format, library: tuple[Format, ...]) -> tuple[Reasoning, ...]:
    """The markers of reasoning of these families that `own` neither has nor writes as a part of something else."""
    return tuple(found for found in _all(library) if not _is_of(own, found[0]))


def _is_of(own: Format, opener: str) -> bool:
    return any(opener in literal or opener.startswith(literal) for literal in _written(own))


def _written(declared: Format) -> Iterator[str]:
    for marker in declared.markers:
        literal = marker.strip()
        if len(literal) > 1:  # a bracket is a part of many
            yield literal


@lru_cache(maxsize=4)
def _all(library: tuple[Format, ...]) -> tuple[Reasoning, ...]:
    found: dict[str, dict[str, None]] = {}
    for declared in library:
        for opener, closer in declared.all_reasonings:
            if opener.strip()[0] in ANYWHERE:
                found.setdefault(opener.strip(), {})[closer.strip()] = None
    parts = {opener for opener in found if _is_part(opener, library)}
    return tuple((opener, *closers) for opener, closers in found.items() if opener not in parts)


def _is_part(opener: str, library: tuple[Format, ...]) -> bool:
    # Whether a format that does not reason so has a longer marker with that text in it.
    for declared in library:
        own = {pair[0].strip() for pair in declared.all_reasonings}
        if opener not in own and any(opener in literal for literal in _written(declared)):
            return True
    return False
