# A tag, what follows from its text alone, and the gap between it and a call's JSON.
# Does not depend on how the payload after it is read (discovery.py).
"""A tag: the literal that starts a call, when nothing else is known about the format."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.scan.names import is_word
from toolglean.scan.plain import Plain
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.names import Names

__all__ = ["FENCE", "GAP", "Gap", "Tag", "derived_closer"]

GAP = 256  # characters of anything that may come before a call's JSON
FENCE = "```"

# Words in a marker that mean "it begins here", each with the word that means "it ends here".
_PAIRS = [each.split() for each in ("begin end", "start end", "open close", "prefix suffix", "BEGIN END", "START END")]
_angle = re.compile(r"<([A-Za-z_][\w:.-]*)>").fullmatch
_square = re.compile(r"\[([A-Za-z_][\w:.-]*)\]").fullmatch


class Tag:
    """A tag with its closer, and the finders made from them. Shared by parsers, never changed.

    Attributes:
        text: the tag.
        closer: what may end the payload; "" if nothing is known. It is optional in the stream, and markup.
        bare: whether the tag is not a marker but JSON itself (`{`, `[`) or nothing at all (""): then only the start of
            a turn is examined, and unknown names are not accepted.
        bracket: `[` or `{` if the tag ends with the first character of the payload, else "".
        recent: how many characters of a gap show whether the tag, its closer or a fence has just been read.
    """

    __slots__ = ("bare", "bracket", "closer", "finder", "recent", "skipper", "text")

    def __init__(self, text: str, closer: str) -> None:
        self.text = text
        self.closer = closer
        self.bare = text in {"", "{", "["}
        self.bracket = text[-1:] if text.endswith(("{", "[")) else ""
        self.finder = Finder([text])
        self.recent = max(len(text), len(closer), len(FENCE))
        self.skipper = Finder([] if self.bare else [text, closer])

    @property
    def ends(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What ends a payload, and what begins one."""
        return (self.closer,) if self.closer else (), () if self.bare else (self.text,)

    def __reduce__(self) -> tuple[Any, ...]:
        return Tag.of, (self.text, self.closer)

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
    """The closer that belongs to a tag by its form; "" if there is none.

    `<x>` → `</x>`, `[X]` → `[/X]`, a fence → a fence, and a marker with the word begin, start, open or prefix → the
    same marker with end, close or suffix.
    """
    marker = tag.rstrip("[{ \t\r\n")
    if FENCE in marker:
        return FENCE
    for begin, end in _PAIRS:
        if begin in marker and marker[0] in "<[" and marker[-1] in ">]":
            return marker.replace(begin, end)
    if found := _angle(marker):
        return f"</{found[1]}>"
    if found := _square(marker):
        return f"[/{found[1]}]"
    return ""


class Gap(Plain):
    """The text before a call's JSON, read character by character.

    Attributes:
        after_call: whether it comes after a call.
        name: the last word that is a tool's name.
        recent: its end, as long as the tag, the closer or a fence.
        size: how many characters it has.
        tried: whether JSON has begun: if it is not a call, that is reported as a `Problem`.
    """

    __slots__ = ("_after_word", "_word", "after_call", "name", "recent", "size", "tried")

    def __init__(self, *, after_call: bool) -> None:
        self.after_call = after_call
        self.name = self.recent = self._word = ""
        self.size = 0
        self._after_word = False  # whether only blanks came after a word
        self.tried = False

    def read(self, char: str, names: Names, tag: Tag) -> bool:
        """Read a character; a brace is not part of the gap. False: it shows that no call follows."""
        if is_word(char):
            if self.after_call and self._after_word:
                return False
            self._word += char
            self._after_word = False
        else:
            if self._word and not self._end_word(names):
                return False
            if char == "{":
                return True
            self._after_word = self._after_word and char in " \t"
        self.size += 1
        self.recent = (self.recent + char)[-tag.recent :]
        return True

    def _end_word(self, names: Names) -> bool:
        word, self._word, self._after_word = self._word, "", True
        before = self.recent[: -len(word)]
        name = None if before.endswith("`") else names.resolve(word)  # ```json: not a name
        if name is not None:
            self.name = name
        # Directly after a call, a word is a name or it is prose.
        return name is not None or not (self.after_call and self.size == len(word))

    def try_json(self) -> None:
        """JSON begins."""
        self.tried = True

    def forget_name(self) -> None:
        """The JSON was not a call: the name, if there was one, does not belong to the next one."""
        self.name = ""
