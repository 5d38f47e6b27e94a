# Where in a text one is: a value, which is never changed; and a ruler, which keeps it of every part of a text, for
# those who ask. Does not depend on how it is found out (page.py).
"""Where in a text a place is."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from toolglean.engine.page.documents import Document, is_in_string, without_outer
from toolglean.engine.page.table import Context
from toolglean.scan.text import KEPT

__all__ = [
    "Before",
    "Closed",
    "Guess",
    "Marks",
    "Ruler",
    "Run",
    "Stretch",
    "Where",
    "behind_code",
    "deeper",
    "line_before",
    "space_in",
]


class Before(Enum):
    """What is before a place on its line."""

    BLANKS = "nothing, or one to three blanks"
    MORE_BLANKS = "more of them, and maybe something else before them; or a tab"
    SIGN = "the sign of a list's item, or of a quoted line"
    TEXT = "anything else"


# Of `1. - `, only `. - ` may be left.
_signs = re.compile(r"(?:\.[ \t])?[ \t]*(?:(?:[-*+]|\d{1,2}[.)])[ \t]+|>[ \t]*)+").fullmatch


_INVISIBLE = " \t\ufeff\u200b"  # blanks, and characters that nobody sees at the beginning of a text


def line_before(text: str, place: int) -> Before:
    """What is before that place, as far as the last characters show it that are kept of all text (scan/text.py)."""
    _, is_line, line = text[max(place - KEPT, 0) : place].rpartition("\n")
    if line.strip(_INVISIBLE):
        return Before.TEXT if _signs(line) is None else Before.SIGN
    if is_line:
        return Before.MORE_BLANKS if "\t" in line else Before.BLANKS
    return Before.MORE_BLANKS if len(line) == KEPT else Before.TEXT


class Run(NamedTuple):
    """Backticks or tildes of which it is not clear yet what they are. Never changed.

    Attributes:
        sign: what they are; `size`: how many.
        start: their place.
        shown: the last characters before them.
        whole: whether no more of them follow.
    """

    sign: str
    size: int
    start: int
    shown: str
    whole: bool

    @property
    def before(self) -> Before:
        """What is before them on their line."""
        return line_before(self.shown, len(self.shown))

    @property
    def is_first(self) -> bool:
        """Whether they are first on their line, as Markdown counts it outside of lists."""
        return self.before is Before.BLANKS

    @property
    def is_escaped(self) -> bool:
        """Whether a backslash is before them: then they are no fence."""
        return self.shown.endswith("\\")

    @property
    def opener(self) -> str:
        """These, if they open a fence, with what shows how they stand on their line."""
        stands = "" if self.shown.endswith("\n") else "…" if self.before is Before.TEXT else " "
        return stands + self.sign * self.size

    def is_code_behind(self, opener: str, since: int) -> bool:
        """Whether they do not close the fence that begins so, there: they are escaped, behind the sign of an item or a
        quotation, or indented, which it is not; or nothing is in it, and the line on which it began was about fences.
        """
        is_deeper = self.before is Before.MORE_BLANKS and opener[0] == self.sign
        if self.is_escaped or self.before is Before.SIGN or is_deeper:
            return True
        size = self.start - since - len(opener) + 1
        return opener[0] == "…" and 0 < size < KEPT and _nothing(self.shown[-size:]) is not None


space_in = re.compile(r"\s").search
"""Finds white space."""
_nothing = re.compile(r"[.,;:!?)]?\s+").fullmatch


class Guess(NamedTuple):
    """Something that may have opened, and what follows is read as if it had not. Never changed.

    Attributes:
        start: its place.
        size: of code, how many backticks; 0 for a document.
        end: of code, the place after these; `space`: how far behind it the first white space is, -1 if there is none.
        document: of a document, the place of the outermost one around it; `depth`: how deep it is in that.
        is_fence: of code, whether it is like a fence but for a marker on its line: no empty line ends it.
    """

    start: int
    size: int = 0
    end: int = 0
    space: int = -1
    document: int = 0
    depth: int = 0
    is_fence: bool = False

    def with_space(self, text: str, base: int, end: int) -> Guess:
        """The same once that text, which is at `base`, was read up to `end`."""
        if not self.size or self.space >= 0:
            return self
        after = self.end - base
        begin = max(after, 1)
        found = space_in(text[begin:end]) if begin < end else None
        return self if found is None else self._replace(space=begin - after + found.start())


def deeper(guesses: tuple[Guess, ...], document: int, depth: int) -> tuple[Guess, ...]:
    """Those guesses without containers of that document, up to that depth. Of many nested brackets, each drops one: the
    first one.
    """
    is_first = len(guesses) > 1 and guesses[0].document == guesses[1].document == document
    if is_first and guesses[0].depth == depth < guesses[1].depth:
        return guesses[1:]
    return tuple(each for each in guesses if each.size or each.document != document or each.depth > depth)


def behind_code(documents: tuple[Document, ...], guesses: tuple[Guess, ...], end: int) -> tuple[Document, ...]:
    """Those of the documents that go on behind code, which ends at that place. `guesses`: it, and those after it."""
    code, *later = guesses
    found = []
    for each in documents:
        if each.start < code.start:
            found.append(each)
        elif code.space >= 0 and is_in_string(each):
            # The string goes on after the code, unless the document begins in its first word.
            inside = (one for one in later if one.document == each.start and not one.size)
            depths = [one.depth for one in inside if one.start > code.end + code.space]
            if depths:
                inner = without_outer(each, min(depths) - each.outer - 1) if min(depths) > each.outer + 1 else each
                found.append(inner._replace(shown=end))
    return tuple(found)


Closed: TypeAlias = "tuple[int, int, Context, bool]"


class Where(NamedTuple):
    """Where in a text the end of what was read is. Never changed.

    Attributes:
        context: what it is in, if nothing of what is guessed is so.
        since: the place of what opened that.
        sign: what ends it: of a fence the sign, else an expression.
        opener: what opened it; of a fence, see `Run.opener`.
        inner: whether another fence, with a word, has begun in a fence: the next one ends only that.
        guesses: what may have opened, the first one first.
        documents: JSON that is open: one of them is in a string, if there are two.
        seen: the runs of backticks since the first one that waits: for each length, the place of the last one.
        last: the last characters before the tail; MARK after a marker.
        run: backticks or tildes before the tail that wait, or None.
        tail: the end of the text, which waits for what follows.
        closed: what has ended since that was asked (`Quotes.take_closed`): the places of its first character and after
            its last one, what it was, and whether that was certain from its beginning.
    """

    context: Context = Context.PLAIN
    since: int = 0
    sign: str = ""
    opener: str = ""
    inner: bool = False
    guesses: tuple[Guess, ...] = ()
    documents: tuple[Document, ...] = ()
    seen: tuple[tuple[int, int], ...] = ()
    last: str = "\n"
    run: Run | None = None
    tail: str = ""
    closed: tuple[Closed, ...] = ()

    @property
    def string(self) -> Document | None:
        """The document that is in a string, or None."""
        return next((each for each in self.documents if is_in_string(each)), None)

    @property
    def ticks(self) -> int:
        """How many backticks may have opened code: those of the last run that waits; 0 if none does."""
        if self.run is not None and self.run.whole and self.run.sign == "`" and self.context is Context.PLAIN:
            return self.run.size
        return next((each.size for each in reversed(self.guesses) if each.size), 0)

    @property
    def in_first_word(self) -> bool:
        """Whether no white space has come since backticks that may have opened code."""
        return self.run is not None or any(each.size and each.space < 0 for each in self.guesses)

    @property
    def is_plain(self) -> bool:
        """Whether it is in plain text, if nothing of what is guessed is so."""
        return self.context is Context.PLAIN

    def without_code(self) -> Where:
        """The same, if no backticks that wait have opened anything."""
        return self._replace(guesses=tuple(each for each in self.guesses if not each.size), seen=())

    def without_documents(self) -> Where:
        """The same, if what follows belongs to no document."""
        return self._replace(guesses=tuple(each for each in self.guesses if each.size), documents=())

    def in_code_alone(self) -> Where:
        """The same, if nothing else matters than whether the backticks that wait are closed."""
        return self.without_documents()._replace(context=Context.OVER, sign="")


class Stretch(NamedTuple):
    """A part of a text.

    Attributes:
        context: what it is in.
        start, end: its place.
        since: the place of what opened the context; 0 in plain text.
    """

    context: Context
    start: int
    end: int
    since: int


class Marks(Protocol):
    """Is told which parts of the text are in which context."""

    def mark(self, context: Context, start: int, end: int, since: int, order: int) -> None:
        """That part is in that context, unless one that began later than `order` is there."""

    def drop(self, start: int) -> None:
        """Nothing that began after that place was so."""

    def nest(self, document: int, start: int) -> None:
        """The strings of the document that begins at the first place are from there on those of the one at `start`."""


class Ruler:
    """Takes what a page says, and says it in order."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, Stretch]] = []

    def mark(self, context: Context, start: int, end: int, since: int, order: int) -> None:
        """See `Marks`."""
        self._marks.append((order, Stretch(context, start, end, since)))

    def drop(self, start: int) -> None:
        """See `Marks`."""
        behind = self._behind(start)
        self._marks[behind:] = [each for each in self._marks[behind:] if each[0] <= start]

    def nest(self, document: int, start: int) -> None:
        """See `Marks`."""
        self._marks += [
            (start, stretch)
            for order, stretch in self._marks[self._behind(start) :]
            if order == document and stretch.context is Context.JSON_STRING and stretch.start >= start
        ]

    def _behind(self, place: int) -> int:
        # The number of the first mark that may end behind that place: what began behind it was marked behind it, too.
        number = len(self._marks)
        while number and self._marks[number - 1][1].end > place:
            number -= 1
        return number

    def stretches(self, begin: int, end: int) -> list[Stretch]:
        """All parts of that text, in order; what opened later is on top."""
        from heapq import heappop, heappush  # noqa: PLC0415  # few turns are ruled

        marks = [Stretch(Context.PLAIN, begin, end, 0)]
        marks += [mark for _, mark in sorted(self._marks, key=lambda each: each[0]) if mark.end > mark.start]
        begun = sorted(range(len(marks)), key=lambda each: marks[each].start, reverse=True)
        edges = sorted({edge for mark in marks for edge in (mark.start, mark.end) if begin <= edge <= end})
        found: list[Stretch] = []
        on_top = -1
        open_marks: list[int] = []  # the last one first
        for place, until in zip(edges, edges[1:], strict=False):  # noqa: RUF007  # the core does without itertools
            while begun and marks[begun[-1]].start <= place:
                heappush(open_marks, -begun.pop())
            while marks[-open_marks[0]].end <= place:
                heappop(open_marks)
            if -open_marks[0] == on_top:
                found[-1] = found[-1]._replace(end=until)
            else:
                on_top = -open_marks[0]
                found.append(marks[on_top]._replace(start=place, end=until))
        return found or marks
