# What stands around a place in content: tags that are still open, and a line that announces what follows. Does not know
# which lines may begin a call (lines.py).
#
# A call in a spelling that nobody declared counts only where nothing is open around it: `<rejected>`, `[example]` or
# `<permission>` say what it is, whether they are closed later or not. Every tag counts, because a list of those that
# matter would never be whole; HTML's elements that have no closer do not.
"""What is open around a place."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolglean.scan.text import KEPT

__all__ = ["NOTHING", "Around", "announces"]

MOST = 32  # tags that are remembered
_SPACE = " \t\r\n*_"
_ANNOUNCES = frozenset(":：?？؟;；")

_tag = re.compile(
    r"(?:(?<!\w)<|<(?=/))(?P<close>/?)(?P<name>[^\W\d][\w.:-]{0,64})(?:\s[^<>]{0,512})?(?P<empty>/?)>"
    r"|(?<![^\n])\[(?P<shut>/?)(?P<word>[^\W\d][\w-]{0,32})(?:[ =:][^\[\]\n]{0,96})?\](?=\s)"
).finditer
_begun = re.compile(r"(?:(?<!\w)<|<(?=/|\Z))(?:/?[^\W\d][^<>]{0,600}|/)?\Z|(?<![^\n])\[(?:/?[^\W\d][^\[\]\n]{0,128}\]?|/)?\Z").search
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)


class Around(NamedTuple):
    """What is open. Never changed.

    Attributes:
        open: the names of the tags that are open, the last one last.
        seen: the names of all tags.
        refused: whether a line that may begin a call was refused: then those that follow it are not calls either.
        tail: the end of the text, if it may be the beginning of a tag, with the character before it.
    """

    open: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    refused: bool = False
    tail: str = ""

    @property
    def waits(self) -> bool:
        """Whether a tag may have begun."""
        return bool(self.tail)

    def read(self, text: str, last: str) -> Around:
        """The same after that text, which is content; `last`: the character before it, if there is one."""
        text = (self.tail or last[-1:] or "\n") + text
        opened, seen = list(self.open), self.seen
        for tag in _tag(text, 1):
            name = (tag["name"] or tag["word"]).casefold()
            if tag["empty"] or name in _VOID:
                seen |= {name}
            elif not (tag["close"] or tag["shut"]):
                opened, seen = [*opened, name][:MOST], seen | {name}
            elif name in opened:
                del opened[len(opened) - 1 - opened[::-1].index(name) :]
        begun = _begun(text, 1)
        seen = seen if len(seen) <= MOST else self.seen
        return Around(tuple(opened), seen, self.refused, text[begun.start() - 1 :] if begun is not None else "")


NOTHING = Around()


def announces(before: str) -> bool:
    """Whether text with that end announces what follows: it ends in a colon or a question mark. If it is all white
    space, that is not known.
    """
    text = before[-KEPT:].rstrip(_SPACE)
    return text[-1:] in _ANNOUNCES if text else bool(before)
