# Content that may be calls in a spelling that no format declares, and is kept until the turn is over. Does not know how
# such calls are read (scan/by_schema/). Its events, which are its text, wait in the emitter (emit.py).
#
# Whether a text is such a call is known only at the end of the turn, because nothing may follow it. So it is kept, but
# only as long as it can be one: a tool's name must come soon after the beginning of a line that may begin a call, and
# no more than the limit `held` is kept. What can no longer be a call is released now and then, not at once: that
# changes when content is returned, and nothing else.
"""Content that may be calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from toolglean.events import Content, Markup
from toolglean.scan.json import END, JsonScanner
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import FAIL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolglean.engine.emit import Emitter
    from toolglean.events import Event

__all__ = ["Candidate", "end_of", "place_after", "text_of"]

REACH = 46
"""How many characters after the beginning of its line a tool's name may begin: the stream waits for it."""
LONGEST = 18
"""Characters of most names."""
MOST_WORD = 1024
"""Characters of a word that may be one."""
PACE = 256
"""After how many characters to look again whether what names a tool may still be a call."""

_words = re.compile(r"[\w.-]+").finditer


class Candidate(Plain):
    """Content from the beginning of a line on.

    Args:
        start: where it begins.
        emit: the emitter from before it; None if content does not change that but for its events.
        most: how many characters are kept.
        opens_content: whether it is the first content of the turn.
        seen: the names of the tags before it.
        depth: how deep JSON may be, if it begins with JSON.

    Attributes:
        starts: the lines of it that may begin a call.
        emit, opens_content, seen: as given.
        due: the place at which to look whether it may still be a call.
        in_value: whether it ends in a value, and the place at which that was asked: for a line it is asked four times.
        json: what has read the JSON with which it begins; None if it begins with none, or that is over.
    """

    __slots__ = (
        *("_most", "_names", "_read", "_searched", "due", "emit", "in_value", "json"),
        *("opens_content", "seen", "starts"),
    )

    owned = ("_names", "emit", "json", "starts")

    def __init__(
        self,
        start: int,
        emit: Emitter | None,
        most: int,
        *,
        opens_content: bool,
        seen: frozenset[str],
        depth: int | None = None,
    ) -> None:
        self.starts, self.seen = [start], seen
        self.json = None if depth is None else JsonScanner(depth)
        self.emit, self.opens_content = emit, opens_content
        self.due = start + REACH + LONGEST
        self.in_value = False, -1
        self._most = most
        self._names: list[int] = []  # where it names a tool
        self._searched = start  # up to here, it was searched for names
        self._read = start  # up to here, its JSON was read

    def __getstate__(self) -> dict[str, Any]:
        # When that was asked depends on the chunks; the answers do not, and are found again.
        return super().__getstate__() | {"in_value": (False, -1), "_names": [], "_searched": self.start}

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.starts[0]

    @property
    def names_tool(self) -> bool:
        """Whether its first line is known to name a tool."""
        return _is_near(self._names, self.start)

    def add(self, place: int) -> None:
        """A line of it that may begin a call begins there."""
        if place > self.starts[-1]:
            self.starts.append(place)

    def goes_on(self, events: Sequence[Event]) -> bool:
        """Whether the JSON with which it begins may still be a call, with its closers behind it. `events`: what is
        kept.
        """
        assert self.json is not None
        text = end_of(events, self._read)
        self._read += len(text)
        i = 0 if self.is_whole else self.json.skim(text, 0, 0)
        return self.json.token is not FAIL and not (self.is_whole and text[i:].strip())

    @property
    def is_whole(self) -> bool:
        """Whether that JSON has ended."""
        return self.json is not None and self.json.state == END

    def without_json(self) -> bool:
        """That JSON is content. Returns whether another line may begin a call."""
        self.json = None
        return len(self.starts) > 1

    def note_value(self, place: int, *, in_value: bool) -> None:
        """Whether it ends in a value, if it ends there."""
        self.in_value = in_value, place

    def without_emitter(self) -> None:
        """What comes before it is content now."""
        self.emit, self.opens_content = None, False

    def prune(self, events: Sequence[Event], end: int, names: frozenset[str], *, at_end: bool = False) -> bool:
        """Drop the lines that begin no call.

        Args:
            events: what is kept.
            end: the place after it.
            names: the names of the tools.
            at_end: whether the turn is over.

        Returns:
            Whether any line is left.
        """
        self._search(events, names, at_end=at_end)
        left = self._left(end, at_end=at_end)
        if at_end:
            self.starts = list(left)
        else:  # the others are looked at when they are the first
            del self.starts[: bisect_left(self.starts, next(left, end))]
        if self.starts and not self.names_tool:
            self.due = max(self.start + REACH, end) + LONGEST
        else:
            self.due = end + PACE
        return bool(self.starts)

    def first_left(self, events: Sequence[Event], end: int, names: frozenset[str]) -> int | None:
        """The first line of it that may begin a call, if it is pruned so; None if none does. No line is dropped, but
        what is found out is noted.
        """
        self._search(events, names, at_end=False)
        return next(self._left(end, at_end=False), None)

    def _left(self, end: int, *, at_end: bool) -> Iterator[int]:
        for start in self.starts:
            if _is_near(self._names, start):
                if end - start <= self._most:
                    yield start
            elif not at_end and self._searched - start < REACH and end - start < MOST_WORD:
                yield start

    def _search(self, events: Sequence[Event], names: frozenset[str], *, at_end: bool) -> None:
        # Where it names a tool behind what was searched before. When that is asked changes no answer.
        begin = self._searched
        text = end_of(events, begin)
        self._searched += len(text)
        for word in _words(text):
            if word.end() == len(text) and not at_end:  # it may continue
                self._searched = begin + word.start()
            elif _is_name(word[0], names):
                self._names.append(begin + word.start())


def text_of(events: Sequence[Event], start: int) -> str:
    """The content of the events from that place on. What lies between them is white space, or a marker."""
    parts: list[str] = []
    end = start
    for event in events:
        if isinstance(event, Content) and event.start + len(event.text) > start:
            begin = max(event.start, start)
            parts += " " * (begin - end), event.text[begin - event.start :]
            end = event.start + len(event.text)
    return "".join(parts)


def place_after(events: Sequence[Event]) -> int:
    """The place after that content."""
    last = next((each for each in reversed(events) if isinstance(each, Content | Markup)), None)
    return 0 if last is None else last.start + len(last.text)


def end_of(events: Sequence[Event], begin: int) -> str:
    """The content of the events from that place on, which is near their end."""
    first = len(events) - 1
    while first > 0 and events[first].start > begin:
        first -= 1
    return text_of(events[max(first, 0) :], begin)


def _is_near(named: list[int], start: int) -> bool:
    number = bisect_left(named, start)
    return number < len(named) and named[number] - start < REACH


def _is_name(word: str, names: frozenset[str]) -> bool:
    return word in names or word.strip(".-") in names or word.rpartition(".")[2] in names
