# What this file knows: how calls are kept back until it is certain what they are.
# What it must not know: how a call is read, and what reasoning looks like.
#
# A model that reasons may try out a call and go on reasoning; or it may call and forget to close its reasoning. What
# follows tells. So the events of such calls are kept back, with the text itself. If reasoning follows, or a marker of
# reasoning, all of it was reasoning, and is not read again; what follows is. If the turn ends, they were calls.
#
# A marker of reasoning ends a draft wherever it stands, also in a value: a draft must never swallow the answer. So the
# text is searched for these markers before anything else reads it.
#
# Calls after a lone backtick are kept back in the same way: if another one follows soon, it was code.
#
# So are calls that have no marker: a line of Python, a tool's own tag. They count only alone on their lines, and the
# rest of the line is still to come: `delete_all() removes every record.` is a sentence.
"""Drafts: calls inside reasoning, after a backtick, or without a marker."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.emit import Emitter

__all__ = ["MARKERS", "Draft", "Piece"]

MARKERS = ("<|", "<｜", "</", "<end_of_turn>", "<eos>", "<bot_end>")
"""With these begin the markers of any family that may follow a call on its line. None is Python."""

Piece = tuple[str, int, int]
"""Text that is still to be read: the text, from where on, and the place of its first character."""


class Draft:
    """Calls that may be none, and all text since the first of them began.

    Attributes:
        quoted: whether it stands behind a backtick, not in reasoning; and `close`: directly behind it.
        alone: whether it has no marker, so that nothing but white space may share its lines; and `in_list`: whether it
            begins with the bracket of a list.
        example: the same for a call that has one: its tool is unknown, and text precedes it on its line.
        attempt: the turn from before it; the events of the draft are in the turn's own emitter.
        start: the place of its first character.
        over: the place at which it turned out to be no call, or None.
        limit: the limit that was passed there, its text and place, or None.
    """

    __slots__ = (
        *("_end", "_marks", "_safe", "_tail", "_text"),
        *("alone", "attempt", "close", "example", "in_list", "limit", "most", "over", "quoted", "start"),
    )

    def __init__(
        self,
        attempt: Attempt,
        marks: tuple[str, ...],
        *,
        start: int,
        text: str,
        most: int,
        quoted: bool = False,
        close: bool = False,
        alone: bool = False,
    ) -> None:
        self.attempt, self.alone = attempt, alone
        self.in_list = self.example = False
        self.start, self.most, self.quoted, self.close = start, start + most + quoted, quoted, close
        self.over: int | None = None
        self.limit: tuple[str, str, int] | None = None
        self._marks = marks
        self._text: Rope = ((), text)
        self._end = self._safe = start + len(text)
        self._tail = ""  # what may begin a marker of reasoning: it is not read yet
        place, found = _finder(marks).find(text, 1) if not alone else (0, "")  # it begins with the opener of a call
        if found:
            self.over = start + place

    def copy(self) -> Draft:
        """The same draft."""
        twin = Draft.__new__(Draft)
        for slot in Draft.__slots__:
            setattr(twin, slot, getattr(self, slot))
        twin.attempt = self.attempt.copy()
        return twin

    def __getstate__(self) -> dict[str, object]:
        return {slot: getattr(self, slot) for slot in Draft.__slots__} | {"_text": flat(self._text)}

    def __setstate__(self, state: dict[str, object]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)

    @property
    def emit(self) -> Emitter:
        """The events from before it."""
        emit: Emitter = self.attempt.before.emit
        return emit

    def admit(self, piece: Piece, *, last: bool) -> Piece:
        """Of that text, as much as may be read: up to a marker of reasoning, or to what may become one.

        `last`: no more text comes, so that nothing becomes one.
        """
        text, i, base = piece
        if self.over is not None or base + len(text) <= self._safe:  # it was searched before
            return piece
        if self._tail or last:
            text, i, base = self._tail + text[self._end - base :], 0, self._safe
            self._tail = ""
        new = text[max(self._end - base, 0) :]
        self._text = grown(self._text, new)
        self._end += len(new)
        place, found = _finder(self._marks).find(text, max(i, self._safe - base))
        while found and self.alone:  # whether it counts, `shares_line` says: it is only let through whole
            place, found = _finder(self._marks).find(text, place + len(found))
        if not found and last:
            place = len(text)
        if base + place + self.quoted > self.most:
            place, found = self.most - base, ""
            if not (self.quoted or self.alone):  # else see `passed`
                self.limit = "call_chars", "", self.most  # the text there: see `split`
        self._safe = base + place
        if found or self.limit is not None:
            self.over = self._safe
        else:
            self._tail = text[place:]
        return text[:place], i, base

    @property
    def passed(self) -> bool:
        """Whether what would have shown that it is no call did not come in time: a second backtick, or other text.

        So it is once all that was let through is read.
        """
        return (self.quoted or self.alone) and self._safe >= self.most and self.over is None

    def shares_line(self, place: int) -> bool:
        """Whether the text at that place has something else before it on its line, or in a list that is open there.

        A marker is not text: a call may end there.
        """
        text, rest = joined(self._text)[: place - self.start], joined(self._text)[place - self.start :]
        if rest.startswith(self._marks):
            return False
        is_open = self.in_list and not text.rstrip().endswith("]")
        return is_open or not (text[text.rfind("\n") + 1 :].isspace() or text.endswith("\n"))

    def ends_line(self, place: int) -> bool:
        """Whether white space with a line break, which ends at that place, ends what must be alone.

        The markers of an example, which still follow, may be on other lines.
        """
        return self.alone and not self.example and not self.shares_line(place)

    @property
    def waits(self) -> bool:
        """Whether the end of the text was not read yet."""
        return bool(self._tail)

    @property
    def unread(self) -> Piece:
        """What was taken in and not let through: it is still to be read if the draft holds calls after all."""
        return joined(self._text)[self._safe - self.start :], 0, self._safe

    def split(self) -> tuple[str, Piece]:
        """Where it turned out to be none: the text before, and what is to be read again."""
        text, over = joined(self._text), self.start if self.over is None else self.over
        if self.limit is not None and self.limit[0] == "call_chars":
            self.limit = "call_chars", text[over - self.start :][:1], over
        return text[: over - self.start], (text[over - self.start :], 0, over)

    def lets_through(self, piece: Piece) -> bool:
        """Whether that text is to be read before the draft has passed."""
        return piece[2] + piece[1] < self._safe

    def is_before(self, piece: Piece) -> bool:
        """Whether that text is to be read before it is over."""
        return self.over is not None and piece[2] + piece[1] < self.over

    def is_beyond(self, piece: Piece) -> bool:
        """Whether that text was not taken in yet."""
        return piece[2] + len(piece[0]) > self._end


@lru_cache(maxsize=64)
def _finder(marks: tuple[str, ...]) -> Finder:
    return Finder(marks)
