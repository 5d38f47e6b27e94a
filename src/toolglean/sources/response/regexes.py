# How a real regular expression is searched in text that arrives in pieces. Does not depend on what it marks.
#
# The answer must not depend on where the text is cut. It is the answer for text that is read character by character: a
# match is accepted once it is followed by a character that does not belong to it. If more text is available at once,
# the same is done again (`_settled`), starting at the match's first character.
#
# The package `regex` (extra [regex]) tells whether the text ends with the beginning of a match, and gives up after a
# time. Expressions with a lookbehind are refused, because that text may be gone.
"""Searches real regular expressions in text that arrives in pieces."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from toolglean._install import needs
from toolglean.errors import FormatError, UsageError

__all__ = ["MOST", "SECONDS", "compiled", "find_all", "find_regex"]

MOST = 1024  # characters of a match, and so of the text that is held back
INCOMPLETE, TOO_LONG = -1, -2
SECONDS = 1.0  # limit for one match

_looks_behind = re.compile(r"(?<!\\)(?:\\\\)*(?:\(\?<[=!]|\\[AbBGKm]|\^)").search
_classes = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")


@lru_cache(maxsize=256)
def compiled(source: str, where: str, *, behind: bool = False) -> Any:
    """The compiled expression.

    Args:
        source: the expression.
        where: the field and key that declare it, for messages.
        behind: whether it may contain a lookbehind.

    Raises:
        UsageError: the extra [regex] is missing.
        FormatError: the expression is invalid, or contains a lookbehind.
    """
    try:
        import regex  # type: ignore[import-untyped]  # noqa: PLC0415  # only such templates need it
    except ModuleNotFoundError:
        raise UsageError(needs(f"{where} {source!r} needs the regex package", "regex")) from None
    if not behind and _looks_behind(_classes.sub("x", source)):
        raise FormatError(
            f"{where} {source!r} contains a lookbehind, but the text before a match is not kept: write it without one"
        )
    try:
        return regex.compile(source, regex.DOTALL)
    except regex.error as error:
        raise FormatError(f"{where} {source!r} is not a valid regular expression: {error}") from error


def find_regex(pattern: Any, text: str, pos: int) -> tuple[int, int, dict[str, str]]:
    """The place of the first match, its end, and what it captured.

    The end is -1 if the text from the place on may be the beginning of a match. If the place is the end of the text,
    there is no match.
    """
    found = _timed(pattern.search, text, pos, partial=True)
    if found is None:
        return len(text), -1, {}
    if found.partial and len(text) < found.start() + MOST:  # nothing is whole, so nothing can be settled
        return found.start(), -1, {}
    # A partial match was found, but there may be a whole match before it: those places are tried first.
    place = found.start() if found.partial else pos
    while place < len(text):
        end, captures = _settled(pattern, text, place)
        if end > 0 or end == INCOMPLETE:
            return place, end, captures
        place += MOST if end == TOO_LONG else 1
    return len(text), -1, {}


def _settled(pattern: Any, text: str, place: int) -> tuple[int, dict[str, str]]:
    """The end of the match at `place`, and its captures; 0 if there is none, INCOMPLETE if more text may complete one.

    TOO_LONG if the match is longer than any marker may be: it is ignored.
    """
    last = min(len(text), place + MOST)
    found = _timed(pattern.match, text, place, last, partial=True)
    if found is None:
        return 0, {}
    waits = len(text) < place + MOST
    if found.partial:  # neither the text from here on nor a shorter part of it is a match
        return (INCOMPLETE if waits else 0), {}
    seen = text[place:last]
    begin = _tried(pattern, seen)
    for end in range(place + max(begin, _shortest(pattern, text, place, last)) + 1, last + 1):
        found = _timed(pattern.match, text, place, end, partial=True)
        if found is None:
            return 0, {}
        if not found.partial and place < found.end() < end:
            return found.end(), {name: each for name, each in found.groupdict().items() if each is not None}
    _remember(pattern, seen)
    return (INCOMPLETE if waits else TOO_LONG), {}


def _shortest(pattern: Any, text: str, place: int, last: int) -> int:
    # Bisection for the length of the shortest match at the place: if a text contains a match, so does any longer one.
    ends = range(place + 1, last)
    return bisect_left(ends, True, key=lambda end: _timed(pattern.match, text, place, end) is not None) + 1


# A match that keeps growing (`<[a-z]+`) is tried again with each new character. This cache remembers, for a few texts,
# how far each was tried. It changes only the speed.
_tries: dict[tuple[Any, int], str] = {}
TRIES = 64


def _tried(pattern: Any, seen: str) -> int:
    """The length of the text's beginning that was already tried in vain."""
    for length in (len(seen) - 1, len(seen)):
        before = _tries.get((pattern, length))
        if before is not None and seen.startswith(before):
            return length
    return 0


def _remember(pattern: Any, seen: str) -> None:
    if len(_tries) >= TRIES:
        _tries.clear()
    _tries[pattern, len(seen)] = seen


def _timed(work: Callable[..., Any], *args: Any, **more: Any) -> Any:
    try:
        return work(*args, timeout=SECONDS, **more)
    except TimeoutError:
        return None


def find_all(pattern: Any, text: str) -> list[tuple[int, int, dict[str, str]]]:
    """All matches in a complete text: place, end, captures. An empty list if the search takes too long."""
    found = _timed(lambda **more: list(pattern.finditer(text, **more)))
    return [(each.start(), each.end(), each.groupdict("")) for each in found or ()]
