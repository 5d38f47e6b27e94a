# Closing markers of calls that close nothing: `</parameter></invoke>`, `[/TOOL_CALLS]` after an answer. Does not depend
# on where in a turn they are, or on what becomes of them (engine/prose.py).
#
# A model that has ended its calls, or has lost them, writes their closers once more. Whichever family they are of, they
# are nothing that it says to its user.
"""Closers that nothing opened."""

from __future__ import annotations

import re
from functools import lru_cache

from toolglean.formats.registry import all_formats
from toolglean.formats.spec import literals_of

__all__ = ["are_orphans", "orphans_begin"]

LONGEST = 48  # characters of a closer, with the white space after it
MOST = 16  # in a row

_shape = re.compile(r"</[^<>/\s]+>|\[/[A-Z_]+\]").fullmatch


@lru_cache(maxsize=1)
def _closers() -> tuple[frozenset[str], frozenset[str]]:
    # The last markers of all sections, calls and parameters that look like closers; and the beginnings of these.
    found: set[str] = set()
    for declared in all_formats():
        patterns = (*(end for _, end in declared.all_sections), *declared.calls, *declared.parameters)
        lasts = (each for pattern in patterns for each in literals_of(pattern)[-1:])
        found.update(each for each in lasts if _shape(each) and len(each) < LONGEST)
    return frozenset(found), frozenset(each[:size] for each in found for size in range(2, len(each)))


def orphans_begin(text: str, i: int, end: int) -> int:
    """The place from which on the text up to `end` is closers, the last of which may not be whole; `end` if it is not.

    It begins at `i` or later.
    """
    at = _last(text, i, end)
    if at < 0:
        return end
    whole, begun = _closers()
    tail = text[at:end]
    if tail not in begun and tail.rstrip() not in whole:
        return end
    for _ in range(MOST):
        before = at
        while before > i and text[before - 1].isspace():
            before -= 1
        earlier = _last(text, i, before)
        if earlier < 0 or text[earlier:before] not in whole:
            return at
        at = earlier
    return end


def are_orphans(text: str) -> bool:
    """Whether the text is whole closers, and nothing else but white space."""
    return bool(text) and orphans_begin(text, 0, len(text)) == 0 and text.rstrip()[-1] in ">]"


def _last(text: str, i: int, end: int) -> int:
    # The place of the last `</` or `[/`; -1 if it is too far away.
    place = text.rfind("/", max(i + 1, end - LONGEST), end) - 1
    return place if place >= i and text[place] in "<[" else -1
