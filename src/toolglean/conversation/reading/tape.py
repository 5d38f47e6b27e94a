# Does not depend on what is cut out of the text, or why.
"""The text of a turn, for those who need a part of it again."""

from __future__ import annotations

from collections import deque

__all__ = ["Tape"]


class Tape:
    """The text of a turn, kept as long as it may be needed again. The cost is linear, however the text is cut."""

    __slots__ = ("_end", "_parts", "_start")

    def __init__(self) -> None:
        self._parts: deque[str] = deque()
        self._start = 0  # of the first part
        self._end = 0

    def add(self, text: str, place: int) -> None:
        """The text at that position of the turn. If the text before it was not added, nothing before it is needed."""
        if place != self._end:
            self._parts.clear()
            self._start = place
        self._parts.append(text)
        self._end = place + len(text)

    def forget(self, place: int) -> None:
        """The text before that position of the turn is no longer needed."""
        while self._parts and self._start + len(self._parts[0]) <= place:
            self._start += len(self._parts.popleft())

    def cut(self, span: tuple[int, int]) -> str:
        """The text between these positions of the turn. The text before it will not be asked for again."""
        begin, end = span
        self.forget(begin)
        found, place = [], self._start
        for part in self._parts:
            if place >= end:
                break
            found.append(part[max(begin - place, 0) : end - place])
            place += len(part)
        self.forget(end)
        return "".join(found)
