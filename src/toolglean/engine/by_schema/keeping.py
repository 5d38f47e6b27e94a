# A turn, as far as it keeps content that may be calls in a spelling that no format declares. Does not know which lines
# may begin one (lines.py), how long it is kept (candidate.py), or what is emitted in the end (reading.py).
#
# The events of kept content wait in the emitter. A call in a declared spelling releases them.
#
# Other content is only noted, and emitted at once: if it turns out to name a call, a `Problem` says so at the end of
# the turn. That is what a turn opens with, or a line that was refused (`unread`), and an object in the middle of a line
# or first in a fence (`object`). A quotation may be known late, so what it hides of them is noted, too.
"""Turns that keep content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.by_schema.beginnings import is_json, is_refused
from toolglean.engine.by_schema.lines import begin_in
from toolglean.engine.modes import CONTENT, DONE
from toolglean.engine.reasons import QUOTED, UNREAD, Reason, in_quotation
from toolglean.engine.state import NAME_WITHIN, Noted, TurnState, Unread
from toolglean.scan.names import ARGUMENT_KEYS, BESIDE_KEYS, KNOWN_NAME_KEYS, NAME_KEYS, THOUGHT_KEYS
from toolglean.scan.plain import joined
from toolglean.scan.text import KEPT

if TYPE_CHECKING:
    from toolglean.engine.by_schema.reading import Told
    from toolglean.engine.emit import Emitter
    from toolglean.engine.page.where import Closed

__all__ = ["Keeping"]

NO_LINE = "-"  # text in which no line begins
MOST_FIRST = 512  # characters of a turn that are noted because of how it opens
MOST_OBJECT = 4096  # the same from an object on that does not begin its line
_SIGNS = tuple('`~<"\u201c\ufeff{[')  # prose does not open so; one character each, since that alone may come
_KEYS = "|".join(sorted(NAME_KEYS | KNOWN_NAME_KEYS | ARGUMENT_KEYS | BESIDE_KEYS | THOUGHT_KEYS))
_objects = re.compile(rf'\{{(?=\s*(?:\Z|"(?:\w*\Z|(?:{_KEYS})"\s*(?:\Z|:))))')  # or what the text's end may have begun


class Keeping(TurnState):
    """A turn that keeps content: see the head of this file."""

    __slots__ = ()

    @property
    def described(self) -> frozenset[str]:
        """The names of the tools that have parameters."""
        return frozenset() if self.names.tools is None else self.names.tools.described

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
            self._keep_from(start + i, noted=refused or is_json(text, i) is not None, refused=refused)
            at, whole = begin_in(text, i, end, NO_LINE, names, opens_content=False)
        return (place, False) if at < 0 or at >= place else (at, not whole and waits)

    def look_around(self, text: str, before: str, last: str, start: int) -> None:
        """The judge has read content: that text, behind another and its last character, which may be set for lines, at
        that place. What it leaves open is around what comes later.
        """
        code = self.judge.code
        closed = () if code is None else code.take_closed()
        for region in closed:
            if self.unread is not None and region[0] < self.unread.place < region[1]:
                self.unread = None  # what was in doubt was code
            elif self.unread is not None and code is not None and code.has_quoted(region):
                self.unread = self.unread.hiding(region)
        if self.object is not None or ("{" in text and _objects.search(text) is not None):
            self._note_object(text, start, closed)
        around = self.around
        tags = self.rules.by_schema and ("<" in text or "[" in text or around.tail != "")
        if closed and (tags or any(map(around.reaches, closed))):
            for each in sorted(closed, key=lambda region: region[1]):  # no tag goes on behind a quotation
                end = max(each[1] - start, 0)
                self._read_tags(text[:end], before, last, start)
                self.around = self.around.outside(each, start + end)
                before = last = ((before if before.endswith(last) else last) + text[:end])[-KEPT:]
                text, start = text[end:], start + end
            self._read_tags(text, before, last, start)
        elif tags:
            self.around = around.read(text, before if before.endswith(last) else last, start)

    # As in the last lines of `look_around`, which does without this call, because most text comes there.
    def _read_tags(self, text: str, before: str, last: str, start: int) -> None:
        if self.rules.by_schema and ("<" in text or "[" in text or self.around.tail != ""):
            self.around = self.around.read(text, before if before.endswith(last) else last, start)

    def _note_object(self, text: str, start: int, closed: tuple[Closed, ...]) -> None:
        # An object of that text, or more of the one that is noted, and what of it turned out to be quoted.
        code = self.judge.code
        for region in closed:
            if self.object is not None and code is not None and code.has_quoted(region):
                self.object = self._in_fence(self.object, code.begins_fence(self.object.place, (region,)))
                self.object = self.object and self.object.hiding(region)
        noted = self.object
        later: list[Closed] = []
        if closed and noted is not None:
            later = sorted((each for each in closed if each[0] >= noted.until), key=lambda each: -each[0])
        while noted is not None and noted.end < min(noted.until, start + len(text)):
            self.object = seen = noted.with_text(text, start)
            if "}" in text or seen.end - seen.place < NAME_WITHIN or seen.until <= seen.end:
                self.object = self._object_in(joined(seen.rope), seen.place, seen.hidden)
                if later:
                    self._hide_first(later)
            noted = self.object
            if noted is None:
                text, start = text[max(seen.end - start, 0) :], max(seen.end, start)
        if noted is None and self.rules.by_schema and self.mode is not DONE and not self.tape.in_prompt:
            self.object = self._object_in(text, start, closed) if self.described else None

    def _hide_first(self, later: list[Closed]) -> None:
        # Of what has closed behind the object that was noted before, what the one that is noted now may have in it.
        while later and self.object is not None and later[-1][0] < self.object.until:
            region, code = later.pop(), self.judge.code
            if code is not None and code.has_quoted(region):
                self.object = self.object.hiding(region)

    def _object_in(self, text: str, start: int, closed: tuple[Closed, ...], *, last: bool = False) -> Unread | None:
        # The first object in that text, outside of quotations or first in a fence, that is a call, or may become one: a
        # tool's name is near. `last`: it becomes none.
        code, begin = self.judge.code, 0
        quoted = sorted(filter(code.has_quoted, closed), reverse=True) if code is not None else []
        for found in _objects.finditer(text):
            place = start + found.start()
            written = text[found.start() : found.start() + MOST_OBJECT]
            begun = written[:NAME_WITHIN]
            is_near = len(begun) < NAME_WITHIN or any(f'{each}"' in begun for each in self.described)
            if found.start() < begin or not is_near:
                continue
            while quoted and quoted[-1][1] <= place:
                quoted.pop()
            is_fenced = False if code is None else code.begins_fence(place, tuple(quoted[-1:]))
            if is_fenced is None:
                continue
            told, end = self._object_at(written) if "}" in written else ("", 0)
            kind = Noted.FENCED if is_fenced else Noted.OBJECT
            if told:
                return Unread(place, ((), told), place + end, place + end, kind)
            if not last and not end and len(written) < MOST_OBJECT:
                noted = Unread(place, ((), written), place + len(written), place + MOST_OBJECT, kind)
                return noted._replace(hidden=tuple(each for each in closed if each[1] > place))
            begin = found.start() + end
        return None

    @staticmethod
    def _in_fence(noted: Unread, is_first: bool | None) -> Unread | None:  # noqa: FBT001  # see `begins_fence`
        if is_first is None:
            return None
        return noted._replace(kind=Noted.FENCED) if is_first else noted

    def _object_at(self, text: str) -> tuple[str, int]:
        from toolglean.engine.by_schema.reading import object_at  # noqa: PLC0415  # few turns need it

        return object_at(text, self)

    def _keep_from(self, place: int, *, noted: bool, refused: bool) -> None:
        # `noted`: what is told of the line if it is no call. JSON is one with `trailing_json="call"`, or if closers
        # of calls follow; `refused`: nothing may make it one.
        self._drop_json()
        candidate = self.candidate
        is_none = candidate is None or candidate.first_left(self.emit.out, place, self.described) is None
        if is_none and candidate is not None:
            self.keep_less(place)  # whether it still is one must not depend on when that was looked at
        if noted and is_none:
            self._refuse_line(place)
        judge = self.judge
        if refused or judge.in_doubt:  # what may be in code is told if it was in none
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
        if noted and (is_refused or self.candidate is not None):
            return
        if self.candidate is not None:
            if is_announced:
                self.around = self.around._replace(refused=True)
            elif not is_refused:
                self.candidate.add(place)
        elif is_refused:
            self.around = self.around._replace(refused=True)
            self._refuse_line(place)
        else:
            from toolglean.engine.by_schema.candidate import Candidate  # noqa: PLC0415  # few turns need it

            before = self._emitter_before()
            self.candidate = Candidate(
                *(place, before, self.limits.held),
                opens_content=not self.has_content,
                seen=self.around.seen,
                depth=self.limits.depth if noted else None,
            )
            self.emit.keep_back()

    def _refuse_line(self, place: int) -> None:
        # What begins there is content. The first such line is noted, or the next one after JSON that is no call.
        noted = self.unread
        if noted is not None and noted.kind is Noted.LINE and is_json(text := noted.text.lstrip()):
            noted = self.unread = noted._replace(kind=Noted.CALL) if self._unread_in(text, Noted.LINE)[1] else None
        if self.described and (noted is None or noted.kind is Noted.FIRST):
            self.unread = Unread(place, (), place, place + self.limits.held, Noted.LINE)

    def _unread_in(self, text: str, kind: Noted) -> Told:
        # What must be told of that text, which was refused.
        from toolglean.engine.by_schema import reading  # noqa: PLC0415  # few turns need it

        if kind is Noted.FIRST:
            text = text.rstrip()
            return 0, text if reading.spells_call(text, self) else ""
        return reading.told_in(text, self)

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

    def note_unread(self, text: str, start: int) -> None:
        """That content is the first one, or follows what is noted."""
        if self.unread is not None:
            self.unread = self.unread.with_text(text, start)
        elif self.rules.by_schema and start >= 0 and self.emit.index == 0:
            self.unread = _first_of_turn(text, start)

    def notes_unread(self, start: int) -> bool:
        """Whether content must be noted that begins at that place of the turn."""
        if self.unread is not None and not self.unread.may_call(self.described):
            self.unread = None
        code, noted = self.judge.code, self.object
        is_object = noted is not None and noted.until > noted.end and not (code is not None and code.waits)
        return is_object or (self.unread is not None and start < self.unread.until)

    def keep_nothing(self, *, is_call: bool = False) -> None:
        """Something came that is not content: what is kept is content. `is_call`: nothing before it is told."""
        if is_call:
            self.unread = self.object = None
        if self.candidate is not None:
            self.candidate = None
            self.emit.release()

    def end_of_text(self, end: int) -> None:
        """The turn is over: what is kept is read. `end`: the place after the turn."""
        if self.candidate is not None:
            from toolglean.engine.by_schema.reading import calls_in, unread_in  # noqa: PLC0415  # few turns need it

            kept, self.candidate = self.candidate, None
            found = calls_in(kept, self, end)
            if found is not None:
                self.emit = found
                return
            place, unread = (0, "") if kept.json is not None else unread_in(kept, self)  # of JSON, it is noted
            self.emit.release()
            if unread:
                self.emit.problem(UNREAD, unread, kept.start + place)
                return
        if self.unread is not None:
            shown = self._without_quoted(self.unread, end)
            place, unread = self._unread_in(shown.text, shown.kind)
            if unread and not self.emit.tells_of(shown.place, end):
                self.emit.problem(UNREAD, unread, shown.place + place)
        if self.object is not None:
            self._tell_object(end)

    def _without_quoted(self, noted: Unread, end: int) -> Unread:
        code = self.judge.code
        if code is None or not code.sure:
            return noted
        return noted.hiding((code.quoted_by[1], end, code.where.context, False))

    def _tell_object(self, end: int) -> None:
        # Of the first object that is a call, unless something was told of it.
        if self.judge.code is not None:
            self.judge.code.settle(end)
            self._note_object("", end, self.judge.code.take_closed())
        noted, code = self.object, self.judge.code
        if noted is not None and noted.until > noted.end:
            noted = self._object_in(joined(noted.rope), noted.place, noted.hidden, last=True)
        if noted is not None and code is not None:  # a fence may be one only once its line is whole
            noted = self._in_fence(noted, code.begins_fence(noted.place, ()))
        if noted is not None and not self.emit.tells_of(noted.place, noted.end):
            self.emit.problem(QUOTED if noted.kind is Noted.FENCED else UNREAD, joined(noted.rope), noted.place)


def _first_of_turn(text: str, start: int) -> Unread | None:
    # What is noted of the first text of a turn.
    first = text.lstrip()
    if not first.startswith(_SIGNS):
        return None
    place = start + len(text) - len(first)
    return Unread(place, (), place, place + MOST_FIRST, Noted.FIRST).with_text(first, place)
