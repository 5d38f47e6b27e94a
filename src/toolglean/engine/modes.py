# What the machine may do with the text that comes next. Does not know how it does it (prose.py).
"""Modes of the machine, and the channel of content."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["CALL", "CONTENT", "DONE", "MARKER_SPACE", "REPAIR", "SKIP", "SPACE", "START", "TEXT", "Mode"]


class Mode(IntEnum):
    """What is done with the text that comes next."""

    START = 0
    """White space at the start of the turn, after which a call needs no marker."""
    TEXT = 1
    """Content or reasoning, until a tag."""
    SPACE = 2
    """White space after a call, until anything else."""
    MARKER_SPACE = 3
    """White space before or after a marker."""
    SKIP = 4
    """The rest of a malformed call."""
    DONE = 5
    """Content, to the end."""
    REPAIR = 6
    """The rest of a call that may have to be repaired."""
    CALL = 7
    """What a tag opened: the machine gives it to the payload."""


START, TEXT, SPACE, MARKER_SPACE, SKIP, DONE, REPAIR, CALL = Mode

CONTENT = 0
"""The channel of content; others are reasoning."""
