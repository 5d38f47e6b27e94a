# What this file knows: a tag, and what follows from its text alone.
# What it must not know: the payload behind it.
"""A tag: the literal that starts a call, where nothing more of the format is known."""

from __future__ import annotations

import re
from functools import lru_cache

from toolglean.scan.text import Finder

__all__ = ["Tag", "derived_closer"]

# In a marker, the word that says "here it begins", and the one that then says "here it ends".
_PAIRS = (
    ("begin", "end"),
    ("start", "end"),
    ("open", "close"),
    ("prefix", "suffix"),
    ("BEGIN", "END"),
    ("START", "END"),
)
_angle = re.compile(r"<([A-Za-z_][\w:.-]*)>").fullmatch
_square = re.compile(r"\[([A-Za-z_][\w:.-]*)\]").fullmatch


class Tag:
    """A tag with its closer, and the finders made from them. Shared by parsers, never changed.

    Attributes:
        text: the tag.
        closer: what may end the payload; "" where nothing is known. It is optional in the stream, and markup.
        bare: whether the tag is JSON itself (`{`, `[`) or nothing at all (""), and not a marker: then only the start
            of a turn is looked at, and unknown names do not count.
        bracket: `[` or `{` where the tag ends with the first character of the payload, else "".
    """

    __slots__ = ("bare", "bracket", "closer", "finder", "skipper", "text")

    def __init__(self, text: str, closer: str) -> None:
        self.text = text
        self.closer = closer
        self.bare = text in {"", "{", "["}
        self.bracket = text[-1:] if text.endswith(("{", "[")) else ""
        self.finder = Finder([text])
        self.skipper = Finder([] if self.bare else [text, closer])

    @property
    def ends(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What ends a payload, and what begins one."""
        return (self.closer,) if self.closer else (), () if self.bare else (self.text,)

    @staticmethod
    @lru_cache(maxsize=256)
    def of(text: str, closer: str | None = None) -> Tag:
        """The tag of that text.

        Args:
            text: the tag; "" if the turn begins with the payload.
            closer: its closer; None: derived from the tag.
        """
        return Tag(text, derived_closer(text) if closer is None else closer)


def derived_closer(tag: str) -> str:
    """The closer that belongs to a tag by its form; "" where there is none.

    `<x>` → `</x>`, `[X]` → `[/X]`, a fence → a fence, and a marker that says begin, start, open or prefix → the same
    marker that says end, close or suffix.
    """
    marker = tag.rstrip("[{ \t\r\n")
    if "```" in marker:
        return "```"
    for begin, end in _PAIRS:
        if begin in marker and marker[0] in "<[" and marker[-1] in ">]":
            return marker.replace(begin, end)
    if found := _angle(marker):
        return f"</{found[1]}>"
    if found := _square(marker):
        return f"[/{found[1]}]"
    return ""
