# What this file knows: what a token is, for peers that read tokens: each marker of a format is one, as in the models' own
# tokenizers, and every other character is.
# What it must not know: any peer.
"""Stand-ins for the tokenizers of models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from toolglean.formats.registry import find_format

__all__ = ["markers_of", "pieces"]

_WHOLE = re.compile(r"<[^<>\s=\"']{2,60}>|\[/?[A-Z_]{3,40}\]")
"""A marker that can be one token: closed, and without a name or a value in it."""


@cache
def markers_of(name: str | None, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The markers of a format that are tokens of their own, the longest first."""
    declared = find_format(name or "")
    texts = [*(declared.markers if declared else ()), *more]
    found = {match for text in texts for match in _WHOLE.findall(text)}
    return tuple(sorted(found, key=lambda marker: (-len(marker), marker)))


def pieces(text: str, markers: tuple[str, ...]) -> list[str]:
    """The text, token by token."""
    if not markers:
        return list(text)
    return re.findall("|".join([*map(re.escape, markers), "."]), text, re.DOTALL)
