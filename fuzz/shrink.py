# Makes a text smaller as long as something stays true of it (simple delta debugging). Does not depend on what that is.
"""Smaller examples."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from fuzz.runner import Finding

__all__ = ["shrunk", "smallest"]

F = TypeVar("F", bound=Finding)

ATOM = re.compile(r"""["']?\w+["']?|\W""")


def shrunk(
    text: str, still: Callable[[str], bool], *, tries: int = 2000, seconds: float = 60.0, words: bool = False
) -> str:
    """A text, made of pieces of `text`, for which `still` is true, as it is for `text`.

    Args:
        text: the text.
        still: what must stay true.
        tries: how often `still` is asked at most.
        seconds: after which it stops: a long text takes long each time.
        words: whether words, with the quotes around them, stay whole, so that people can read what is left.
    """
    pieces = ATOM.findall(text) if words else list(text)
    size = max(1, len(pieces) // 2)
    stop = time.monotonic() + seconds
    while size and tries > 0 and time.monotonic() < stop:
        place, smaller = 0, False
        while place < len(pieces) and tries > 0 and time.monotonic() < stop:
            candidate = pieces[:place] + pieces[place + size :]
            tries -= 1
            if still("".join(candidate)):
                pieces, smaller = candidate, True
            else:
                place += size
        size = size if smaller and size == 1 else size // 2
    return "".join(pieces)


def smallest(found: F, again: Callable[[str], F | str | None], **how: Any) -> F:
    """The same finding with less text.

    Args:
        found: the finding.
        again: tries a text: what is found wrong with it, or something else.
        how: as for `shrunk`.
    """

    def same(text: str) -> F | None:
        other = again(text)
        return None if other is None or isinstance(other, str) or other.key != found.key else other

    return same(shrunk(found.text, lambda text: same(text) is not None, **how)) or found
