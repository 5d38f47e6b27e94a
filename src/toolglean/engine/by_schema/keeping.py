# A turn, as far as it keeps content that may be calls in a spelling that no format declares. Does not know which lines
# may begin one (lines.py), how long it is kept (candidate.py), or what is emitted in the end (reading.py).
#
# The events of kept content wait in the emitter. A call in a declared spelling releases them.
#
# Other content is emitted at once: what of it names a call is found when the turn is over (telling.py).
"""Turns that keep content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.by_schema.beginnings import is_json, is_refused
from toolglean.engine.by_schema.lines import begin_in, may_have_tags
from toolglean.engine.modes import CONTENT, DONE
from toolglean.engine.reasons import QUOTED, Reason, in_quotation
from toolglean.engine.state import TurnState
from toolglean.scan.text import KEPT

if TYPE_CHECKING:
    from toolglean.engine.emit import Emitter
    from toolglean.engine.outbox import Said

__all__ = ["Keeping"]

NO_LINE = "-"  # text in which no line begins


class Keeping(TurnState):
    """A turn that keeps content: see the head of this file."""

    __slots__ = ()

    @property
    def _watches(self) -> bool:
        # Whether a line that begins here may begin a call.
        judge = self.judge
        return (
            self.mode is not DONE
            and judge.draft is None
            and not judge.fence
            and not self.calls_ignored
            and not self.tape.in_prompt
        )

    @property
    def calls_ignored(self) -> bool:
        """Whether calls are ignored here: also in a value of a call in another spelling."""
        return super().calls_ignored or bool(self._value)

    @property
    def ignored_because(self) -> Reason | None:
        """Why calls are ignored here, for a `Problem`; None if the user wants that."""
        if super().calls_ignored or self.candidate is None:
            return super().ignored_because
        return in_quotation(QUOTED, self._value, self.candidate.start)

    @property
    def _value(self) -> str:
        # What quotes calls here, if a call in another spelling is kept.
        if self.candidate is None or self.channel != CONTENT:
            return ""
        from toolglean.engine.by_schema.reading import IN_VALUE, ends_in_value  # noqa: PLC0415  # few turns need it

        return IN_VALUE if ends_in_value(self.candidate, self) else ""

    def part_at_line(
        self, text: str, i: int, place: int, *, last: str, start: int, marker: str | None = None
    ) -> tuple[int, bool]:
        """How much of the text from `i` to `place` may be emitted at once, so that a line that begins a call is known.

        Args:
            text: content.
            i, place: the part of it that would be emitted.
            last: the text before `i`.
            start: the place in the turn of the first character of the text.
            marker: the marker at `place`, with which a line's beginning may be clear. "": there is none yet, so the
                part may wait for more text. If it may not, a line whose beginning is not complete may begin a call.

        Returns:
            The end of that part; and whether what follows must wait for more text.
        """
        waits, names = marker == "", self.described
        end = len(text) if waits else place + len(marker or "")
        opens = not self.has_content
        if last[-1:] in {"", "\n"} and not self._watches:
            last = NO_LINE
        at, whole = begin_in(text, i, end, last, names, opens_content=opens)
        if at == i < place and (whole or not waits):
            refused = not opens and is_refused(text, i, names)
            self._keep_from(start + i, json=is_json(text, i) is not None, refused=refused)
            at, whole = begin_in(text, i, end, NO_LINE, names, opens_content=False)
        return (place, False) if at < 0 or at >= place else (at, not whole and waits)

    def look_around(self, text: str, before: str, last: str, start: int) -> None:
        """The judge has read content: that text, behind another and its last character, which may be set for lines, at
        that place. What it leaves open is around what comes later.
        """
        code = self.judge.code
        closed = () if code is None else code.take_closed()
        around = self.around
        tags = self.rules.by_schema and (around.tail != "" or may_have_tags(text))
        if closed and (tags or any(map(around.reaches, closed))):
            for each in sorted(closed, key=lambda region: region[1]):  # no tag goes on behind a quotation
                end = max(each[1] - start, 0)
                self._read_tags(text[:end], before, last, start)
                if self.around.reaches(each):
                    self.around = self.around.outside(each, start + end)
                before = last = ((before if before.endswith(last) else last) + text[:end])[-KEPT:]
                text, start = text[end:], start + end
            self._read_tags(text, before, last, start)
        elif tags:
            self.around = around.read(text, before if before.endswith(last) else last, start)

    # As in the last lines of `look_around`, which does without this call, because most text comes there.
    def _read_tags(self, text: str, before: str, last: str, start: int) -> None:
        if self.rules.by_schema and (self.around.tail != "" or may_have_tags(text)):
            self.around = self.around.read(text, before if before.endswith(last) else last, start)

    def _keep_from(self, place: int, *, json: bool, refused: bool) -> None:
        # `json`: it is a call with `trailing_json="call"`, or if closers of calls follow. `refused`: nothing may make
        # the line one.
        self._drop_json()
        candidate = self.candidate
        is_none = candidate is None or candidate.first_left(self.emit.out, place, self.described) is None
        if is_none and candidate is not None:
            self.keep_less(place)  # whether it still is one must not depend on when that was looked at
        judge = self.judge
        if refused or judge.in_doubt:
            return
        is_announced = self.around.announces(self.last_text)
        closers = judge.closers
        is_broken = closers.awaited is not None and place != closers.failed  # a call before it, whose end has not come
        is_refused = (
            self.emit.call_waits
            or is_announced
            or is_broken
            or bool(self.around.open)
            or self.around.refused
            or judge.mentioned != 0
        )
        if json and (is_refused or self.candidate is not None):
            return
        if self.candidate is not None:
            if is_announced:
                self.around = self.around._replace(refused=True)
            elif not is_refused:
                self.candidate.add(place)
        elif is_refused:
            self.around = self.around._replace(refused=True)
        else:
            from toolglean.engine.by_schema.candidate import Candidate  # noqa: PLC0415  # few turns need it

            before = self._emitter_before()
            self.candidate = Candidate(
                *(place, before, self.limits.held),
                opens_content=not self.has_content,
                seen=self.around.seen,
                depth=self.limits.depth if json else None,
            )
            self.emit.keep_back()

    def _emitter_before(self) -> Emitter | None:
        if self.emit.clean and not self.emit.strays.marks:
            return None
        told = self.emit.take()
        twin = self.emit.copy()
        self.emit.tell_first(told)
        return twin

    def note_kept(self, end: int) -> None:
        """Content was emitted up to that place: if it is kept, it may be too long to be a call."""
        if self.candidate is not None:
            self._drop_json()
        if self.candidate is not None and end >= self.candidate.due:
            self.keep_less(end)

    def _drop_json(self) -> None:
        # JSON that is kept is content if it is no call, or anything but closers follows it.
        candidate = self.candidate
        if candidate is None or candidate.json is None:
            return
        was_whole, goes_on = candidate.is_whole, candidate.goes_on(self.emit.out)
        if goes_on and candidate.is_whole and not was_whole:
            from toolglean.engine.by_schema.reading import is_call  # noqa: PLC0415  # few turns need it

            goes_on = is_call(candidate, self)
        if not goes_on and not candidate.without_json():
            self.keep_nothing()

    def keep_less(self, end: int) -> None:
        """Release what can no longer be a call. `end`: the place after what is kept."""
        candidate = self.candidate
        assert candidate is not None
        if self.emit.strays.marks or not self.emit.clean:  # some of it waits there
            return
        since = candidate.start
        if not candidate.prune(self.emit.out, end, self.described):
            self.keep_nothing()
        elif candidate.start > since:
            self.emit.release_up_to(candidate.start, candidate.emit, since)
            candidate.without_emitter()

    def pass_line(self) -> None:
        """The line that follows begins no call."""
        self.last_char = NO_LINE

    def keep_marker(self, text: str, start: int) -> None:
        """A marker without a call waits for what follows: it may begin a call in another spelling."""
        if self.rules.by_schema and self.channel == CONTENT:
            self.part_at_line(text, 0, len(text), last=self.last_char, start=start)

    def keep_nothing(self) -> None:
        """Something came that is not content: what is kept is content."""
        if self.candidate is not None:
            self.candidate = None
            self.emit.release()

    def end_of_text(self, end: int, said: Said) -> None:
        """The turn is over: what is kept is read, and what else was said, as far as it must be told.

        Args:
            end: the place after the turn.
            said: the end of the content that was returned.
        """
        if self.candidate is not None:
            from toolglean.engine.by_schema.reading import calls_in  # noqa: PLC0415  # few turns need it

            kept, self.candidate = self.candidate, None
            found = calls_in(kept, self, end)
            if found is None:
                self.emit.release()
            else:
                self.emit = found

        said.heard(self.emit.ready)
        text, start = said.text()
        if said.heeds and not self.tape.hides and any(each in text for each in self.described):
            from toolglean.engine.by_schema.telling import unread_in  # noqa: PLC0415  # few turns need it

            for reason, shown, place in unread_in(text, start, self):
                if not self.emit.tells_of(place, place + len(shown)):
                    self.emit.problem(reason, shown, place)
