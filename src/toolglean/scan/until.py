# What this file knows: text up to a marker, where both arrive in pieces.
# What it must not know: what the marker means.
"""Text up to a marker."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["held_back", "until"]


def until(text: str, pos: int, held: str, marker: str) -> tuple[str, int, str, bool]:
    """Read text up to the marker, which may be cut anywhere.

    Args:
        text: the text, read from `pos` on.
        pos: the position.
        held: the beginning of the marker with which the text before ended, or "".
        marker: what ends the text.

    Returns:
        The text that is certain to stand before the marker; the position reached (behind the marker, or the end);
        what is held back now; and whether the marker was found.
    """
    before = ""
    if held:
        near = held + text[pos : pos + len(marker) - 1]
        place = near.find(marker)
        if place != -1:
            return near[:place], pos + place + len(marker) - len(held), "", True
        if pos + len(marker) - 1 >= len(text):
            keep = held_back(near, marker)
            return near[: len(near) - keep], len(text), near[len(near) - keep :], False
        before = held  # no marker begins in it
    place = text.find(marker, pos)
    if place != -1:
        return before + text[pos:place], place + len(marker), "", True
    keep = min(held_back(text, marker), len(text) - pos)
    return before + text[pos : len(text) - keep], len(text), text[len(text) - keep :], False


def held_back(text: str, marker: str) -> int:
    """How many characters at the text's end may begin the marker."""
    beginnings = _beginnings(marker)
    if text.endswith(beginnings):
        for beginning in beginnings:
            if text.endswith(beginning):
                return len(beginning)
    return 0


@lru_cache(maxsize=256)
def _beginnings(marker: str) -> tuple[str, ...]:
    return tuple(marker[:size] for size in range(len(marker) - 1, 0, -1))
