# What this file knows: how a text becomes smaller while something stays true of it (simple delta debugging).
# What it must not know: what that is.
"""Smaller examples."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["shrunk"]


def shrunk(text: str, still: Callable[[str], bool], *, tries: int = 2000) -> str:
    """A text, made of pieces of `text`, of which `still` holds, as it does of `text`.

    Args:
        text: the text.
        still: what must hold.
        tries: how often `still` is asked at most.
    """
    size = max(1, len(text) // 2)
    while size and tries > 0:
        place, smaller = 0, False
        while place < len(text) and tries > 0:
            candidate = text[:place] + text[place + size :]
            tries -= 1
            if candidate != text and still(candidate):
                text, smaller = candidate, True
            else:
                place += size
        size = size if smaller and size == 1 else size // 2
    return text
