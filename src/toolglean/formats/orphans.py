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

__all__ = ["are_orphans", "close_calls", "orphans_begin"]

LONGEST = 48  # characters of a closer, with the white space after it
MOST = 16  # in a row

_shape = re.compile(r"</[^<>/\s]+>|\[/[A-Z_]+\]|<[|｜]?[^<>\s]{3,}[|｜>]>?").fullmatch


@lru_cache(maxsize=1)
def _closers() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    # The last markers of all sections, calls and parameters that look like closers, and that open or mean nothing else;
    # the beginnings of these; and those that close no parameter.
    found: set[str] = set()
    inner: set[str] = set()
    others: set[str] = set()
    for declared in all_formats():
        found.update(*(literals_of(one)[-1:] for one in (*(end for _, end in declared.all_sections), *declared.calls)))
        inner.update(*(literals_of(one)[-1:] for one in declared.parameters))
        begins = (*(begin for begin, _ in declared.all_sections), *declared.calls, *declared.parameters)
        others.update(*(literals_of(one)[:1] for one in begins), *declared.all_reasonings)
        others.update(declared.drop, declared.content_markers, declared.headers)
    closers = frozenset(each for each in (found | inner) - others if _shape(each) and len(each) < LONGEST)
    return closers, frozenset(each[:size] for each in closers for size in range(2, len(each))), closers - inner


def orphans_begin(text: str, i: int, end: int) -> int:
    """The place from which on the text up to `end` is closers, the last of which may not be whole; `end` if it is not.

    It begins at `i` or later.
    """
    at = _last(text, i, end)
    if at < 0:
        return end
    whole, begun, _ = _closers()
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


def close_calls(text: str) -> bool:
    """Whether the text is whole closers, one of them of a call or a section."""
    return are_orphans(text) and any(each in text for each in _closers()[2])


def _last(text: str, i: int, end: int) -> int:
    # The place of the last `<` or `[`; -1 if it is too far away.
    begin = max(i, end - LONGEST)
    return max(text.rfind("<", begin, end), text.rfind("[", begin, end))
