# What this file knows: the names of what the machine does with the text that comes next.
# What it must not know: how any of it is done (machine.py).
"""Modes, and the lane of content."""

from __future__ import annotations

__all__ = ["BESIDE", "CALL", "CONTENT", "DONE", "MEND", "SKIP", "SPACE", "START", "TEXT"]

START = 0  # white space at the start of the turn, where a call needs no marker
TEXT = 1  # content or reasoning, until a tag
SPACE = 2  # white space after a call, until anything else
CALL = 3  # what a tag opened
SKIP = 4  # the rest of a malformed call
DONE = 5  # content, to the end
BESIDE = 6  # white space beside a marker
MEND = 7  # the rest of a call that may have to be mended

CONTENT = 0  # the lane of content; others are reasoning
