# Calls between two lines: what the first one must be, and which lines close it. Does not depend on what is between.
#
#   BEGIN CALL f … END CALL      words, and those for the end
#   @call f … @end               with signs before or after both
#   >>> f … <<<                  signs alone: their mirror image, or the same again if there are several
#   f:: … ::f, run f: … :run     the mirror image of the line: its words and signs in reverse order
"""Calls between lines of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from toolglean.scan.by_schema.body import closed_by
from toolglean.scan.by_schema.found import Reading
from toolglean.scan.by_schema.source import Source
from toolglean.scan.by_schema.tags import BEGIN_WORDS, Tag, closing_words, compact, mirrored
from toolglean.scan.by_schema.words import introduces_call, introduces_other, parts_of

__all__ = ["between_lines"]

_opener = re.compile(
    r"(?P<left>[^\w\s\"'`]{0,4})(?P<blank>[ \t]*)(?P<core>\w[^\n]{0,96}?)[ \t]*(?P<right>[^\w\s]{0,4})[ \t]*\r?\n"
).match
_line = re.compile(r"(\W*)(.*?)([\W]*)", re.DOTALL).fullmatch
_BULLETS = frozenset("-*•>#$+~(")
_ARROWS = {"→": "←", "▶": "◀", "▸": "◂", "⇒": "⇐", "+": "-", ">": "<", ":": ":"}


def between_lines(source: Source, pos: int, end: int, frames: tuple[Tag, ...]) -> Iterator[Reading]:
    """The calls between a line that opens and one that closes.

    Args:
        source: the text.
        pos: where the line begins that may open one.
        end: the end of the text that may be read.
        frames: the tags that are open around it.
    """
    found = _opener(source.text, pos)
    if not found or not source.starts_line(pos):
        return
    if (found["left"] in _BULLETS and found["blank"]) or found["left"] == "**":
        return  # Markdown
    tag = source.tag_at(pos)
    if tag is not None and source.closers(tag, end):
        return
    words = re.split(r"[\s:({]+", found["core"])
    tools = [source.tools[word] for word in words if word in source.tools]
    tool = tools[0] if tools else None
    label = " ".join(word for word in words if word not in source.tools)
    if len(tools) > 1 or len(words) > 4 or introduces_other(label) or (tool is None and not introduces_call(label)):
        return
    parts = parts_of(label)
    if not (found["left"] or found["right"]) and (not parts or {parts[0], parts[-1]}.isdisjoint(BEGIN_WORDS)):
        return  # a label: labels.py
    opener = _Opener(found, words, label)
    ends = list(islice(_closing_lines(source, opener, found.end(), end), source.bound + 1))
    if not ends and opener.left == opener.right:
        ends = list(islice(_closing_lines(source, opener, found.end(), end, repeats=True), source.bound + 1))
    yield from closed_by(source, tool, (pos, found.end()), frames, ends)


class _Opener:
    # What a line must be to close the one that was opened so.
    def __init__(self, found: re.Match[str], words: list[str], label: str) -> None:
        self.left, self.right, self.core = found["left"], found["right"], compact(found["core"])
        self.closing = closing_words((" ".join(words), *words, " ".join(parts_of(label))))
        self.heads = {compact(word) for word in (*words, label)} - {""}
        mirror = "".join(_ARROWS.get(char, mirrored(char)) for char in reversed(self.left))
        is_other = mirror != self.left and not self.left.isascii()
        self.signs = {mirror} if len(self.left) > 2 or is_other else set()
        self.signs = set() if set(self.left) == {"#"} else self.signs
        self.mirrors = {mirror} - {""}
        if self.right and self.right != mirrored(self.left):
            self.mirrors.add("".join(_ARROWS.get(char, mirrored(char)) for char in reversed(self.right)))
            if self.right[-1] in "{([":
                self.signs.add(mirrored(self.right))

    def is_closed_by(self, line: str, *, repeats: bool) -> bool:
        """Whether that line closes it: a word for the end with the same signs, its mirror image, or the same again."""
        found = _line(line)
        left, core, right = (found[1], compact(found[2]), found[3]) if found else ("", "", "")
        if core in self.closing and core not in self.heads:
            rights = {self.right} if self.right == mirrored(self.left) else {"", self.right, *self.mirrors}
            return left.strip() in {self.left, f"{self.left}/"} and right.strip(" .") in rights
        if repeats and (left, core, right) == (self.left, self.core, self.right):
            return True
        return core in self.heads and (left + right) in self.mirrors and (left + right) not in self.left


def _closing_lines(
    source: Source, opener: _Opener, start: int, end: int, *, repeats: bool = False
) -> Iterator[tuple[int, int]]:
    signs = opener.signs
    for pos, line in source.lines(start, end):
        inner = line.strip()
        if opener.left and inner.startswith(opener.left) and inner not in signs:
            signs = set()  # what it begins may be cut off
        if inner in signs or (inner and len(line) < 80 and opener.is_closed_by(inner, repeats=repeats)):
            begin = pos + len(line) - len(line.lstrip())
            rest = inner.lstrip(opener.left + " ")
            if not source.is_begun(begin + len(inner) - len(rest), rest, None):
                yield begin, pos + len(line.rstrip())
