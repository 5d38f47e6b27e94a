# The text that is read, with what its readers share: where tools, keys and tags are, and how much work is left. Does
# not depend on how calls are framed.
#
# All work is counted. If the budget is used up, nothing is read: a text that takes longer is not worth it.
"""The text that is read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, Literal

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import after_space
from toolglean.scan.by_schema.tags import Tag, closes, lone_sign, tag_at
from toolglean.scan.by_schema.words import ends, is_disguised

__all__ = ["MAX_CLOSERS", "Budget", "Closer", "ExhaustedError", "Source", "longest_at"]

MAX_STEPS = 20_000
MAX_CLOSERS = 64  # of one tag
MAX_TAIL = 4  # tags that close at the end of the text

Closer = tuple[int, int]
"""Where a closing tag begins and ends."""

_word_goes_on = re.compile(r"\w|[.-]+\w").match


class ExhaustedError(Exception):
    """The budget is used up."""


class Budget:
    """How much work is left, for one reading or for several.

    Args:
        steps: how much there is. 20,000 steps take about 0.1 s, and a call of a usual size takes 50.
    """

    __slots__ = ("steps",)

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.steps = steps

    def spend(self, steps: int) -> None:
        """Count work.

        Raises:
            ExhaustedError: there was too much of it.
        """
        self.steps -= steps
        if self.steps < 0:
            raise ExhaustedError


class Source:
    """The text, the tools, and the budget.

    Args:
        text: the text.
        tools: the tools that may be called, by name.
        budget: how much work may be done.
        opens_content: whether nothing but white space came before the text in the turn's content.

    Attributes:
        bound: how implausible a reading may be (payload.py).
    """

    def __init__(self, text: str, tools: Mapping[str, Schema], budget: Budget, *, opens_content: bool) -> None:
        self.text = text
        self.tools = tools
        self.names = sorted(tools, key=len, reverse=True)
        self.opens_content = opens_content
        self._budget = budget
        self.bound = 0
        self._readings: dict[tuple[int, int], dict[int, Any]] = {}
        self._weak: dict[int, Literal["elements", "literals"]] = {}
        self._tags: dict[int, Tag | None] = {}
        self._all: list[Tag] | None = None
        self._closers: dict[int, list[Closer]] = {}
        self._ends: dict[int, list[tuple[Closer, int, int]]] = {}

    def allow(self, bound: int) -> None:
        """Accept readings that are as implausible as that."""
        self.bound = bound
        self._readings = {}

    def readings(self, end: int, depth: int) -> dict[int, Any]:
        """The readings up to that place, at that depth, by the place where they begin: for frames.py."""
        return self._readings.setdefault((end, depth), {})

    def spend(self, steps: int = 1) -> None:
        """Count work.

        Raises:
            ExhaustedError: there was too much of it.
        """
        self._budget.spend(steps)

    def after_space(self, pos: int) -> int:
        """The position of the next character that is not white space."""
        return after_space(self.text, pos)

    def before_space(self, start: int, end: int) -> int:
        """The end of `text[start:end]` without the white space at its end."""
        return start + len(self.text[start:end].rstrip(" \t\r\n"))

    def tool_at(self, pos: int) -> Schema | None:
        """The tool whose name is written at `pos`, as a whole word."""
        name = longest_at(self.text, pos, self.names)
        return self.tools[name] if name else None

    def named_at(self, pos: int) -> Schema | None:
        """The tool whose name is written at `pos`, perhaps after a namespace."""
        return next((self.tools[name] for name in self.names if _is_word_at(self.text, pos, name)), None)

    def tag_at(self, pos: int) -> Tag | None:
        """The tag that begins at `pos`."""
        if pos not in self._tags:
            self.spend()
            tag = tag_at(self.text, pos) if pos < len(self.text) else None
            self._tags[pos] = None if tag is not None and any(map(is_disguised, tag.words)) else tag
        return self._tags[pos]

    def opener_at(self, pos: int, end: int) -> Tag | None:
        """The tag of words alone that opens there, behind white space."""
        tag = self.tag_at(self.after_space(pos))
        return tag if tag is not None and tag.is_plain and tag.end <= end else None

    def tags(self, start: int, end: int) -> Iterator[Tag]:
        """The tags in that part of the text, which may overlap."""
        if self._all is None:
            places = (pos for pos, char in enumerate(self.text) if not (char.isalnum() or char.isspace()))
            self._all = [tag for pos in places if (tag := self.tag_at(pos)) is not None]
        for number in range(bisect_left(self._all, start, key=attrgetter("start")), len(self._all)):
            tag = self._all[number]
            if tag.start >= end:
                return
            self.spend()
            if tag.end <= end:
                yield tag

    def closers(self, opening: Tag, end: int) -> list[Closer]:
        """Where what closes that tag is, before `end`."""
        self.spend()
        if opening.start not in self._closers:
            self._closers[opening.start] = sorted(self._find_closers(opening))
        return [each for each in self._closers[opening.start] if each[1] <= end]

    def closed_at(self, opening: Tag, pos: int, end: int) -> int:
        """The end of what closes that tag at `pos`, behind white space; 0 if nothing does."""
        pos = self.after_space(pos)
        return next((each[1] for each in self.closers(opening, end) if each[0] == pos), 0)

    def frame_ends(self, opening: Tag, end: int) -> Iterator[Closer]:
        """Where that frame may end before `end`: at the closers up to which `bound` tags like it have no partner."""
        if opening.start not in self._ends:
            self._ends[opening.start] = list(self._find_ends(opening))
        for (begin, after), lost, opened in self._ends[opening.start]:
            if after > end or lost > self.bound:
                return
            if lost + opened <= self.bound:
                yield begin, after

    def _find_ends(self, opening: Tag) -> Iterator[tuple[Closer, int, int]]:
        # Each closer, with the number of closers and openers before it that have no partner.
        closers = self.closers(opening, len(self.text)) or sorted(set(self._other_closers(opening)))
        others = [tag.start for tag in self.tags(opening.end, len(self.text)) if _is_like(tag, opening)]
        lost = opened = number = 0
        for begin, end in closers:
            while number < len(others) and others[number] < begin:
                opened += not opening.is_run
                number += 1
            yield (begin, end), lost, opened
            lost, opened = (lost, opened - 1) if opened else (lost + 1, opened)

    def _find_closers(self, opening: Tag) -> Iterator[Closer]:
        found = list(
            islice((tag for tag in self.tags(opening.end, len(self.text)) if closes(opening, tag)), MAX_CLOSERS)
        )
        others = [tag for tag in found if tag.slash or tag.words != opening.words]
        for tag in others or found:  # beside others, the same tag again opens the next frame
            yield tag.start, tag.end
        if opening.is_run:
            yield from self._lone_runs(opening)

    def _other_closers(self, opening: Tag) -> Iterator[Closer]:
        # Nothing that says so closes the tag: a tag of the same shape that ends the text does, and so does a lone sign.
        sign = lone_sign(self.text)
        if sign and sign != opening.left:
            found = list(re.finditer(re.escape(sign) + r"(?=\s*(\Z)|\s*(.))", self.text[opening.end :], re.DOTALL))
            if all(each[1] is not None or each[2] == opening.left[0] for each in found):
                for each in found:
                    yield opening.end + each.start(), opening.end + each.end()
        found_tags = [tag for tag in self.tags(opening.end, len(self.text)) if self._may_close(opening, tag)]
        last = {self.text[tag.start : tag.end]: tag.end for tag in found_tags}
        ends = {mark for mark, end in last.items() if self._is_tail(end)}
        others = {self.text[tag.start : tag.end] for tag in found_tags if not self._may_follow(opening, tag.end)}
        for tag in found_tags[:MAX_CLOSERS]:
            mark = self.text[tag.start : tag.end]
            if mark in ends:
                self._weak[tag.start] = "literals" if mark in others else "elements"
                yield tag.start, tag.end

    def accepted(self, opening: Tag, closer: int) -> Literal["text", "elements", "literals"]:
        """Which values are accepted between a tag and what closes it there: any, if it certainly does."""
        if closer not in self._weak:
            return "text"
        is_line = self.starts_line(closer) and self.text[opening.end : self.after_space(opening.end)].count("\n")
        return "text" if is_line and self._weak[closer] == "elements" else self._weak[closer]

    def _may_follow(self, opening: Tag, pos: int) -> bool:
        at = self.after_space(pos)
        return (
            self.text.startswith(opening.left, at) and (tag := self.tag_at(at)) is not None and _is_like(tag, opening)
        ) or self._is_tail(pos)

    def _may_close(self, opening: Tag, tag: Tag) -> bool:
        # A tag that has the arguments is whole: what closes it says so.
        is_alike = tag.left == opening.left and 0 < len(tag.words) < 3 and tag.words != opening.words
        return (
            is_alike
            and (not opening.pairs or ends(tag.said))
            and tag.is_plain
            and not any(word in {name, *tool.properties} for word in tag.words for name, tool in self.tools.items())
        )

    def _is_tail(self, pos: int) -> bool:
        # Whether nothing but tags follows.
        for _ in range(MAX_TAIL):
            pos = self.after_space(pos)
            tag = self.tag_at(pos)
            if tag is None or tag.pairs or tag.empty:
                break
            pos = tag.end
        return self.after_space(pos) >= len(self.text)

    def _lone_runs(self, opening: Tag) -> Iterator[Closer]:
        end = len(self.text)
        other = next((tag.start for tag in self.tags(opening.end, end) if tag.left == opening.left), end)
        yield from self.alone(re.escape(opening.left), opening.end, other) if len(opening.left) > 1 else ()

    def alone(self, mark: str, start: int, end: int) -> Iterator[Closer]:
        """Where an expression matches all of a line that begins in `text[start:end]`, but for blanks."""
        for found in re.compile(rf"^[^\S\n]*({mark})[^\S\n]*$", re.MULTILINE).finditer(self.text, start, end):
            yield found.span(1)

    def lines(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """The lines of `text[start:end]`, and where each begins."""
        for line in self.text[start:end].split("\n"):
            yield start, line
            start += len(line) + 1

    def is_begun(self, pos: int, word: str, tool: Schema | None) -> bool:
        """Whether the word at `pos` ends the text, and may be the beginning of one of the tool's keys."""
        keys = tool.keys if tool is not None else [key for each in self.tools.values() for key in each.keys]
        return pos + len(word) == len(self.text) and any(key != word and key.startswith(word) for key in keys)

    def starts_line(self, pos: int) -> bool:
        """Whether nothing but blanks is before that position on its line."""
        begin = self.text.rfind("\n", 0, pos) + 1
        return not self.text[begin:pos].strip()


def _is_like(tag: Tag, opening: Tag) -> bool:
    return tag.left == opening.left and tag.element == opening.element and tag.opens


def _is_word_at(text: str, pos: int, word: str) -> bool:
    return text.startswith(word, pos) and not _word_goes_on(text, pos + len(word))


def longest_at(text: str, pos: int, words: Iterable[str]) -> str:
    """The first of the words that is written at `pos` and ends there; "" if none does."""
    for word in words:
        if _is_word_at(text, pos, word):
            before = text[max(0, pos - 2) : pos]
            if not (
                before[-1:].isalnum() or before[-1:] == "_" or (before[-1:] in {"-", "."} and before[:1].isalnum())
            ):
                return word
    return ""
