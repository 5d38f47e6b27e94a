# Calls that are held back until it is certain what they are. Does not depend on how a call is read, or on what
# reasoning looks like.
#
# A model that reasons may try out a call and continue to reason; or it may call and forget to close its reasoning. What
# follows shows which. So the events of such calls are held back, with the text itself. If reasoning or a marker of
# reasoning follows, all of it was reasoning, and only what follows is read again. If the turn ends, they were calls.
#
# A marker of reasoning ends a draft wherever it is, also in a value: a draft must never swallow the answer. So the text
# is searched for these markers before anything else reads it (`admit`).
#
# Other calls are held back in the same way. After a run of backticks: if another run closes it, it was code; that is
# found as everywhere else (engine/page). Without a marker (a line of Python, a tool's own tag): it is accepted only if
# nothing else is on its lines. To an unknown tool after other text on its line: an example. Of a format with
# `at_turn_end`, or in a fence that opens the turn: accepted if the turn ends, but not behind a word of a sentence, if a
# word begins it. With a marker in the middle of a sentence: what follows it on its line makes it an example. And in
# bare JSON: if an object with a role follows, both are messages of a transcript.
#
# All of them end in one of two ways: `Turn.keep_draft` releases the events, `Turn.take_back` undoes the attempt.
"""Drafts: calls inside reasoning, after a backtick, without a marker, or at the end of the turn."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from toolglean.engine.judge.closers import MOST_TAG, closers, ends_with_fence, goes_on, tag_begun
from toolglean.engine.reasons import A_PARAMETER, Kind, unreadable
from toolglean.engine.tape import Kept, Piece
from toolglean.scan.text import FENCES, Finder

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.emit import Emitter
    from toolglean.engine.page.where import Where
    from toolglean.engine.reasons import Reason

__all__ = ["MARKERS", "Draft"]

MARKERS: tuple[str, ...] = ("<|", "<｜", "</", "<end_of_turn>", "<eos>", "<bot_end>")
"""The markers of any family that may follow a call on its line begin with these. Python never does."""


class Draft(Kept):
    """Calls that may not be the turn's, and all text from the first of them on.

    Attributes:
        kind: why they are held back.
        attempt: the turn from before it; the events of the draft are in the turn's own emitter.
        most: the place up to which what follows may show that it is not a call.
        behind_sign: whether what opens a quotation is directly before it: it is no call if the turn ends there.
        in_list: whether it begins with the bracket of a list.
        since: where text begins after a call in JSON, reasoning after a quoted one, or tags after others; or -1.
        over: the place at which it turned out not to be a call, or None.
        fault: the place at which its first call could not be read, if text that follows makes it content; or None.
        limit: the limit that was exceeded there ("message": it is where the turn ends), its text and place, or None.
        again: whether it is read again if it is not in code, since it may have to be held back for another reason.
    """

    __slots__ = (
        *("_begins_code", "_begun", "_fence", "_marks", "_safe", "_seen", "_where", "again", "attempt", "behind_sign"),
        *("fault", "in_list", "kind", "limit", "most", "over", "since"),
    )

    owned = ("attempt",)

    def __init__(
        self,
        attempt: Attempt,
        kind: Kind,
        marks: tuple[str, ...],
        *,
        start: int,
        text: str,
        most: int,
        behind_sign: bool = False,
        where: Where | None = None,
        again: bool = False,
    ) -> None:
        super().__init__(start, text)
        self.attempt, self.kind, self.behind_sign, self.again = attempt, kind, behind_sign, again
        self.in_list = kind is Kind.ALONE and text.startswith("[")
        self.most = start + most + self.is_quoted
        self.over: int | None = None
        self.fault: int | None = None
        self.limit: tuple[str, str, int] | None = None
        self._marks = marks
        self._fence = text[:3]  # the last one that a call is in, if one opened the turn
        self._safe = self.end  # up to here, the text is let through
        self._seen = start  # up to here, the page has read it
        self.since = -1
        # Where it begins, if another run of backticks may show that all of it is code.
        self._where = where and where.in_code_alone()
        self._begins_code = where is not None and where.in_first_word  # of the code
        if self._where is not None:
            place, found = self._find_ticks(self._where, text, start, last=False)
        else:
            place, found = _finder(marks).find(text, 1) if not self.is_alone else (len(text), "")  # behind its opener
        if found:
            self.over = start + place
        self._begun = 0 if found or self._where is not None else len(text) - place  # what may begin a marker at its end

    def of(self, text: str) -> Draft:
        """The same draft of that text, which was repaired."""
        twin = self.copy()
        twin.have(text)
        return twin

    def have(self, text: str) -> None:
        """Its text is that one; all of it was let through."""
        super().__init__(self.start, text)
        self._safe = self._seen = self.end

    @property
    def emit(self) -> Emitter:
        """The events from before it."""
        emit: Emitter = self.attempt.before.emit
        return emit

    @property
    def is_quoted(self) -> bool:
        """Whether it is after backticks."""
        return self.kind is Kind.QUOTED

    @property
    def is_object(self) -> bool:
        """Whether it is JSON without a marker."""
        return self.kind is Kind.OBJECT

    @property
    def is_alone(self) -> bool:
        """Whether its lines may contain nothing else but white space."""
        return self.kind in _ALONE

    @property
    def is_plain(self) -> bool:
        """Whether it is plain text if it is not a call: neither code nor reasoning."""
        return self.is_alone or self.is_last or self.is_object

    @property
    def is_last(self) -> bool:
        """Whether text that follows makes it content, on whatever line."""
        return self.kind in _LAST

    @property
    def is_none_at_end(self) -> bool:
        """Whether the turn's end shows that it is not a call, if nothing before has."""
        quotes = self.behind_sign and self.kind in {Kind.QUOTED, Kind.REASONING}
        return self.over is None and (quotes or self.kind is Kind.PROSE)

    @property
    def waits_for_end(self) -> bool:
        """Whether it is the turn's only if the turn ends: no other text may come, however long it takes."""
        return self.kind is Kind.REASONING or self.is_last or self.is_object

    # -- what is let through -------------------------------------------------------------------------------------------

    def admit(self, piece: Piece, *, last: bool) -> Piece:
        """As much of that text as may be read: up to a marker of reasoning, or to what may become one.

        `last`: no more text comes, so nothing becomes one.
        """
        text, i, base = piece
        if self.over is not None or base + len(text) <= self._safe:  # it has been searched
            return piece
        if self.waits or last:
            text, i, base = self.after(self._safe) + text[self.end - base :], 0, self._safe
        self.keep(text[max(self.end - base, 0) :])
        if self._where is not None:
            place, found = self._find_ticks(self._where, text, base, last=last)
        else:
            unread = max(i, self._safe - base)
            if self._begun and self._goes_on_in_marker(text[unread:]) and not (last and self.over is None):
                return text[:unread], i, base
            place, found = _finder(self._marks).find(text, max(i, self._safe - base))
        while found and self.is_alone:  # `shares_line` decides what it means; here it is only let through as a whole
            place, found = _finder(self._marks).find(text, place + len(found))
        if not found and last:
            place = len(text)
        if base + place + self.is_quoted > self.most:
            place, found = self.most - base, ""
            if self.waits_for_end:  # else see `passed`
                self.limit = "call_chars", "", self.most  # the text there: see `split`
        self._safe = base + place
        if found or self.limit is not None:
            self.over = self._safe
        return text[:place], i, base

    def _goes_on_in_marker(self, text: str) -> bool:
        # Its opener was read whole, also where a marker began at its end. Whether that is one, or may still become one.
        place, found = _finder(self._marks).find(self.before(self._safe)[-self._begun :] + text, 0)
        is_marker = place < self._begun
        if is_marker and found:
            self.over = self._safe - self._begun + place
        self._begun = self._begun if is_marker and not found else 0
        return is_marker

    def _find_ticks(self, where: Where, text: str, base: int, *, last: bool) -> tuple[int, str]:
        # The place of the run that shows that the draft is in code, and a backtick; or of the end of what is certain.
        from toolglean.engine.page.page import page_of  # noqa: PLC0415  # few turns have a call after a backtick

        guesses, reached = where.guesses, base + len(text)
        if self._seen < reached:
            where, reached = page_of().follow(where, text[self._seen - base :], self._seen)
        self._seen = base + len(text)
        if last and len(where.guesses) == len(guesses):
            where, reached = page_of().settle(where, self._seen), self._seen
        self._where = where
        if len(where.guesses) < len(guesses):
            self._where = None
            if where.is_plain:  # the run closes the first of those that wait no longer
                return reached - guesses[len(where.guesses)].size - base, "`"
            self.most = min(self.most, max(reached, self._safe))
        elif where.run is not None:
            return where.run.start - base, ""
        return max(len(text) - len(where.tail), self._safe - base), ""  # the paragraph may end before what waits

    @property
    def waits(self) -> bool:
        """Whether the end of the text has not been let through yet."""
        return self.over is None and self._safe < self.end

    @property
    def let_through(self) -> int:
        """How many characters of it were let through, wherever the text was cut."""
        return min(self.end, self._safe) - self.start

    @property
    def unread(self) -> Piece:
        """What was consumed and not let through: it must still be read if the draft contains calls after all."""
        return self.after(self._safe), 0, self._safe

    @property
    def passed(self) -> bool:
        """Whether nothing has shown in time that it is not a call. Final once what was let through is read."""
        return not self.waits_for_end and self._safe >= self.most and self.over is None

    # -- what shows that it is not a call ------------------------------------------------------------------------------

    def end_at(self, place: int, limit: tuple[str, str, int] | None) -> None:
        """What is at that place shows that it is not a call; `limit`: see the attributes."""
        if self.over is None or place < self.over:
            self.over, self.limit = place, limit

    @property
    def reason(self) -> Reason:
        """Why it was not a call."""
        return unreadable(A_PARAMETER) if self.is_word else self.kind.value

    @property
    def is_word(self) -> bool:
        """Whether it is a tool's own tag behind which no argument came."""
        return self.kind is Kind.ALONE and self.fault is not None

    def fails_at(self, place: int, *, begun: bool) -> None:
        """A call in it cannot be read from that place on. If all is content, what was skipped is read again. `begun`:
        whether it had an argument.
        """
        is_tag = self.kind is Kind.ALONE and not begun and self.before(place)[:1] == "<"
        if (self.kind is Kind.LAST or is_tag) and self.fault is None:
            tag_of = tag_begun(self.before(place)[-MOST_TAG:])
            tag = place - len(tag_of[0]) if tag_of else place
            self.fault = tag if tag > self.start else place  # the draft's own opener would be read without end

    def is_ended_by(self, text: str, start: int) -> bool | None:
        """Whether that text, which is not a call, shows that the draft is not one either; if not, the draft is the
        turn's. None: more text is needed.
        """
        first = start + len(text) - len(text.lstrip())
        if self.is_object and (self.over is None or first < self.over):  # a limit may lie beyond that text
            first += len(text.strip()) - len(text.strip().lstrip(BETWEEN))
            if first == start + len(text.rstrip()):
                return None
            self.since = first if self.since < 0 else self.since
            rest = self.after(self.since)[: None if self.over is None else self.over - self.since]
            if _role_begun(rest):
                return None if self.over is None else True
            return _role(rest) is not None
        tags = self.kind is Kind.MENTION and (self.since >= 0 or self.after(first).startswith(self._marks))
        if self.over is None and (tags or self.kind is Kind.INDENTED):
            self.since = first if self.since < 0 else self.since
            rest, is_line = self.after(self.since)[: start + len(text) - self.since], self.before(self.since)[-1:]
            return goes_on(rest, is_line=is_line == "\n") if tags else None if closers(rest) else True
        return self.over is not None or not self.is_alone or self.shares_line(first)

    def is_over_at(self, ends: bool, closes: bool, opens: bool) -> bool:  # noqa: FBT001  # of one marker
        """Whether one that ends the message, or closes or opens reasoning, shows that it is not a call: that code is
        cut off, that another family's marker closes the reasoning, or that more text follows.
        """
        is_cut = ends and self.is_quoted and self.behind_sign
        return is_cut or (closes and self.kind is Kind.REASONING) or (opens and self.is_last)

    def quotes_marker(self, place: int) -> bool:
        """Whether a marker of reasoning there is text if the draft is code; if it is none, all is read again."""
        if self._begins_code:
            self.again, self.since = self.start >= 0, place if self.since < 0 else self.since
        return self._begins_code

    def go_on(self, place: int) -> bool:
        """Another call begins there, maybe to be held back for another reason. Returns whether the draft is certain."""
        self.since = self.since if self.is_quoted else -1
        self.again = self.again or (self.is_quoted and self.start >= 0)
        if self.after(place).startswith(("```", "~~~")) and self.is_fence_over(place):
            self._fence = self.after(place)[:3]
        return self._closes_before(place)

    def shares_line(self, place: int) -> bool:
        """Whether the text at that place has something else before it on its line, or in a list that is still open. A
        marker is not text: a call may end there. Nor is, behind a mention, what the turn's end has cut one to.
        """
        rest = self.after(place)
        is_cut = self.kind is Kind.MENTION and rest != "" and any(each.startswith(rest) for each in self._marks)
        return not (rest.startswith(self._marks) or is_cut) and self._is_in_line(place)

    def _is_in_line(self, place: int) -> bool:
        text = self.before(place)
        is_open = self.in_list and not text.rstrip().endswith("]")
        return is_open or not (text[text.rfind("\n") + 1 :].isspace() or text.endswith("\n"))

    def ends_line(self, place: int) -> bool:
        """Whether white space with a line break, which ends there, completes what must be alone on its lines. (Markers
        behind an example or a mention may be on others.)
        """
        return self.kind is Kind.ALONE and not self._is_in_line(place)

    def ends_at_call(self, place: int, *, last: bool, is_marked: bool) -> bool:
        """Whether another call that begins at that place shows that it is not one. `last`: that one must end the turn,
        too; `is_marked`: it begins with a marker that may be text, which ends the fence that opened the turn.
        """
        goes_on = last and (self.kind is not Kind.PROSE or self.is_line_of(place))
        is_over = (self.kind in {Kind.PROSE, Kind.LAST} and not goes_on) or self._closes_at(place)
        return is_over or (is_marked and self._closes_before(place))

    def _closes_before(self, place: int) -> bool:
        """Whether the fence that opened the turn was closed before that place, where a call begins without one."""
        return self.is_fence_over(place) and self.after(place)[:1] not in FENCES

    def _closes_at(self, place: int) -> bool:
        # Whether what begins there is the end of a longer fence, in which calls have fences of their own.
        run = _run(self.after(place)) if self.kind is Kind.FENCED else None
        return run is not None and (text := self.before(place)).startswith(run[1]) and f"\n{run[1]}" not in text

    def is_fence_over(self, place: int) -> bool:
        """Whether the fence that opened the turn, or one behind it with a call, was closed before that place."""
        if self.kind is not Kind.FENCED or self.over is not None:
            return False
        return ends_with_fence(self.before(place), self._fence)

    def is_kept_before(self, place: int) -> bool:
        """Whether what begins at that place speaks for it: it is on another line, or a fence behind JSON."""
        if self.is_object:  # a limit may lie beyond that place, in the same chunk
            return (self.over is None or self.over > place) and self.after(place)[:1] in FENCES
        is_line = self.kind is Kind.MENTION and self.is_line_of(place)
        return self.over is None and self.is_alone and not (is_line or self.shares_line(place))

    def is_line_of(self, place: int) -> bool:
        """Whether that place is on the line on which it ends so far, which decides what a mention is."""
        return self.before(place).rpartition("\n")[2].strip() != ""

    def split(self) -> tuple[str, Piece]:
        """The text up to where it turned out not to be a call, and what must be read again."""
        over = self.start if self.over is None else min(self.over, self.end if self.fault is None else self.fault)
        if not self.again:  # it would begin again, without end
            over = max(over, self.start + 1)
        if self.limit is not None and self.limit[0] == "call_chars":
            self.limit = "call_chars", self.after(over)[:1], over
        return self.before(over), (self.after(over), 0, over)

    def lets_through(self, piece: Piece) -> bool:
        """Whether that text begins before the place up to which the draft let text through."""
        return piece[2] + piece[1] < self._safe

    def goes_beyond(self, piece: Piece) -> bool:
        """Whether that text begins where the draft is over, or later."""
        return self.over is not None and piece[2] + piece[1] >= self.over


_run = re.compile(r"(`{4,}|~{4,})[ \t\r]*\n").match
BETWEEN = ",; \t\r\n"  # what may be between objects
_role = re.compile(r'\{\s*"role"\s*:').match
_role_begun = re.compile(r'\{\s*(?:"(?:r|ro|rol|role|role"\s*)?)?').fullmatch
_ALONE = frozenset((Kind.ALONE, Kind.EXAMPLE, Kind.MENTION))
_LAST = frozenset((Kind.LAST, Kind.PROSE, Kind.FENCED, Kind.INDENTED))


_finder = lru_cache(maxsize=64)(Finder)
