# Text that is passed on without being read. Does not know how the rest is read (machine.py).
#
# Most chunks never reach the loop: plain content, plain reasoning, and the inside of a string in the arguments are
# passed on as they come. The loop works out once, when it ends, which characters rule the fast path out. What may begin
# an opener, or end a string, is also examined outside the loop, because mostly it does neither; and the loop is not
# needed where text is quoted, or may be. Of a chunk that must be read after all, a fast path consumes nothing; of JSON
# that is data, tokens.
"""The fast paths around the machine's loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.by_schema.lines import NO_GUARDS, READ, Searches, lines_of, searches_of
from toolglean.engine.modes import CALL, CONTENT, DONE, TEXT
from toolglean.engine.outbox import Said
from toolglean.engine.prose import begin_of_orphans, quotes_as_fence
from toolglean.engine.tape import UNBOUND, WINDOW
from toolglean.events import Content
from toolglean.scan.text import KEPT, NO_GUARD

if TYPE_CHECKING:
    from toolglean.engine.by_schema.lines import Lines
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Stops, Turn
    from toolglean.events import Event, Reasoning
    from toolglean.scan.reader import Search
    from toolglean.scan.text import Finder

__all__ = ["FastPath"]

_anything = re.compile("").search
_nowhere: Stops = _anything, None
_may_open_in_data = re.compile(r"[<`~>]|\[\Z").search
_LINE_BEGINS_AFTER = frozenset({"", "\n"})
_NO_NAMES: frozenset[str] = frozenset()
LONGEST_PLAIN, MOST_PLAIN, MOST_ENDS = 16, 2048, 1024  # of the chunks that are remembered
FAR = 1024  # characters: no more of them wait to be read; a long chunk is read at once


def _may_open(sought: Searches, chunk: str) -> bool:
    # Whether an opener or a line may be in it. Tokens come again and again: what is none of these is remembered.
    found = sought.find_opener(chunk) is not None
    if not found and len(chunk) <= LONGEST_PLAIN and len(sought.plain) < MOST_PLAIN:
        sought.plain.add(chunk)
    return found


class FastPath:
    """Takes chunks, and passes on those that need not be read."""

    __slots__ = (
        "_at_line", "_due", "_find_stop", "_finder", "_fresh", "_guard", "_in_data", "_lines", "_look_on", "_plan",
        "_pos", "_said", "_second", "_shared", "_since", "_sought", "_stops", "_straight", "_third", "_turn",
    )  # fmt: skip

    def __init__(self, plan: Plan, turn: Turn, pos: int = 0) -> None:
        self._plan = plan  # what is looked for
        self._turn = turn
        self._pos = pos  # how many characters of the turn were consumed
        self._said = Said(heeds=turn.rules.by_schema)
        # Text emitted on a fast path that the turn has not seen yet: it is read when that matters, all at once.
        self._fresh: list[str] = []
        self._since = pos  # the place of its beginning
        self._due = FAR  # the place behind which it is read in any case
        self._shared = False  # whether a fork may have the same turn
        # Calls that are followed, or None; the turn is that before them. Of straight/, which is above.
        self._straight: Any = None
        self._shut_fast_paths()

    def _feed(self, chunk: str) -> list[Event]:
        # The fast paths first. `Parser.feed` has the fastest, for plain content.
        if self._straight is not None:
            if self._shared:
                self._own()
            start = self._pos
            self._pos = start + len(chunk)
            events = self._straight.feed(self._turn, chunk, start)
            return self._astray() if events is None else events
        events, sought = None, self._sought
        if sought is not None and chunk:  # text
            start, turn = self._pos, self._turn
            # If there are guards, one is in it.
            if self._look_on or (chunk not in sought.plain and (self._guard or _may_open(sought, chunk))):
                events = self._beside(chunk)
            elif turn.channel:
                event = turn.emit.plain_reasoning(chunk, start)
                if event is not None:
                    self._pos = start + len(chunk)
                    self._pass(chunk)
                    return [event]
            else:
                self._pos = start + len(chunk)
                self._pass(chunk)
                return [Content(chunk, start)]
        elif self._find_stop is not None and chunk and (end := self._pos + len(chunk)) < (turn := self._turn).bound.at:
            if self._find_stop(chunk):  # the string of the arguments may end
                events = self._beside_stop(chunk)
            else:
                start, self._pos, write = self._pos, end, self._stops[1]
                return [turn.emit.call.plain_delta(chunk if write is None else write(chunk)[1:-1], start)]
        elif self._in_data and chunk and _may_open_in_data(chunk) is None:
            events = self._pass_data(chunk)
        return self._feed_loop(chunk) if events is None else events

    def _feed_loop(self, chunk: str) -> list[Event]:
        raise NotImplementedError

    def _astray(self) -> list[Event]:
        raise NotImplementedError

    def _begin_at(self, place: int) -> None:
        """Nothing was read yet: count places from that one, because the turn is part of a longer text."""
        self._pos = self._since = place

    # -- the fast paths ------------------------------------------------------------------------------------------------

    def _shut_fast_paths(self) -> None:
        # A chunk without these three characters is plain content; "" is in every chunk.
        self._guard, self._second, self._third = NO_GUARDS
        # Whether the next text must be examined: text waits, or a line may have begun, or what is emitted is kept.
        self._look_on = False
        self._at_line = False  # whether a line that matters may begin: see by_schema/
        self._sought: Searches | None = None  # what to look for in text
        self._lines: Lines | None = None  # what to look for at the beginnings of lines
        self._finder: Finder | None = None
        # A string of the arguments: tells whether a chunk may end it. Inside a string this is the reader's own search.
        self._find_stop: Search | None = None
        self._stops: Stops = _nowhere
        self._in_data = False  # whether it is inside JSON that is text

    def fork(self) -> Self:
        """The same at the same place; the two continue independently."""
        twin = type(self).__new__(type(self))
        twin._plan, twin._pos, twin._said = self._plan, self._pos, self._said.copy()
        twin._fresh, twin._since, twin._due = self._fresh.copy(), self._since, self._due
        # Copy on write: the turn is shared until one of them reads, and many are dropped before they do. Where a fast
        # path changes it, the next chunk takes the way beside that.
        twin._turn = self._turn
        self._shared = twin._shared = True
        self._look_on = self._look_on or self._turn.channel != CONTENT
        self._find_stop = self._find_stop and _anything
        twin._guard, twin._second, twin._third = self._guard, self._second, self._third
        twin._finder, twin._sought, twin._look_on = self._finder, self._sought, self._look_on
        twin._find_stop, twin._stops = self._find_stop, self._stops
        twin._lines, twin._at_line, twin._in_data = self._lines, self._at_line, self._in_data
        twin._straight = self._straight and self._straight.copy()
        return twin

    def _own(self) -> None:
        if self._shared:
            self._turn, self._shared = self._turn.copy(), False

    def _set_fast_paths(self) -> None:
        turn = self._turn
        mode, emit = turn.mode, turn.emit
        self._since = self._pos - len(turn.tape.held)
        if turn.judge.draft is not None:  # all of it is kept, in case it is not a call
            self._shut_fast_paths()
            return
        if mode is CALL:
            passes = emit.open and emit.call.quoted is None and not turn.tape.held
            stops = turn.payload.stops() if passes and turn.payload is not None else None
            if self._find_stop is not None or self._sought is not None:
                self._shut_fast_paths()
            self._in_data = stops is None and self._may_pass_data()
            if stops is not None:
                self._stops, self._find_stop = stops, stops[0]
            return
        self._shut_fast_paths()
        if mode is TEXT:
            if not turn.long_space and turn.judge.closers.awaited is None and emit.unmarked:
                self._set_fast_paths_of_text()
        elif mode is DONE and emit.clean and turn.candidate is None:
            self._guard = self._second = self._third = NO_GUARD

    def _may_pass_data(self) -> bool:
        turn = self._turn
        waits = turn.tape.held or turn.judge.fence or turn.candidate or not turn.emit.clean or turn.channel
        return not waits and turn.bound is UNBOUND and turn.payload is not None and turn.payload.is_data()

    def _pass_data(self, chunk: str) -> list[Event] | None:
        self._own()
        turn, start = self._turn, self._pos
        assert turn.payload is not None
        if not turn.payload.pass_data(turn, chunk):
            return None
        self._pos += len(chunk)
        self._pass(chunk)
        return [Content(chunk, start)]

    def _set_fast_paths_of_text(self) -> None:
        turn, judge = self._turn, self._turn.judge
        if turn.channel != CONTENT:
            if not turn.tape.held:
                self._finder = self._plan.text_finder(turn)
                self._sought = Searches(self._finder, guarded=False)
        elif turn.has_content and turn.last_text and not turn.at_start and turn.emit.clean and not judge.fence:
            if judge.closers.late:
                if self._pos <= judge.closers.until + WINDOW:  # no closer is that long
                    return
                judge.heed(judge.closers.expecting((), 0))
            finder = self._finder = self._plan.text_finder(turn)
            if judge.code is None:
                self._sought = Searches(finder, guarded=True)
            else:
                names = turn.described if turn.reads_by_schema else _NO_NAMES
                self._sought, self._lines = searches_of(finder.alike), lines_of(finder, names)
                self._at_line = self._lines is not None and turn.last_char in _LINE_BEGINS_AFTER
            self._look_or_pass(turn.tape.held != "")

    def _look_or_pass(self, waits: bool) -> None:  # noqa: FBT001
        # Whether the next chunk of content must be examined, whatever is in it.
        look_on = self._look_on = waits or self._at_line or self._turn.candidate is not None
        guards = NO_GUARDS if look_on or self._sought is None else self._sought.guards
        self._guard, self._second, self._third = guards

    def _keep(self, event: Content) -> list[Event]:
        # The content may be a call: see by_schema/.
        turn = self._turn
        turn.emit.keep(event)
        end = self._pos - len(turn.tape.held)
        if turn.candidate is not None and (end >= turn.candidate.due or turn.candidate.json is not None):
            self._catch_up()
            turn.note_kept(end)
            self._look_or_pass(turn.tape.held != "")
        return self._said.heard(turn.emit.take()) if turn.emit.ready else []

    @property
    def _last(self) -> str:
        # The end of the text so far.
        end = ""
        for text in reversed(self._fresh):
            end = text + end
            if len(end) >= KEPT:
                return end
        return (self._turn.last_text + end)[-KEPT:] if end else self._turn.last_text

    def _pass(self, text: str) -> None:
        self._fresh.append(text)
        if self._pos > self._due:
            self._catch_up()

    def _catch_up(self) -> None:
        # Have the turn read the text that it has not seen. What is kept of it is said when it is returned.
        self._due = self._pos + FAR
        fresh = self._fresh
        if fresh:
            self._own()
            turn, start, text = self._turn, self._since, "".join(fresh)
            fresh.clear()
            self._since = start + len(text)
            if self._in_data and turn.payload is not None:
                turn.payload.data_passed(turn, text, start)
            else:
                turn.passed(text, start)
            if (turn.mode is DONE or not turn.channel) and turn.candidate is None:
                self._said.add(text, start)

    # Each of these returns None if the chunk must be read; then nothing of it was consumed.

    def _beside(self, chunk: str) -> list[Event] | None:
        # Most of what might begin an opener, or a line that matters, is ruled out by the characters after it, in this
        # chunk or in the next.
        self._own()
        turn, text, start = self._turn, chunk, self._pos
        if held := turn.tape.held:
            text, start = held + chunk, start - len(held)
        if start < 0 or len(chunk) > WINDOW:  # a place below 0: what waits is from the prompt
            return None
        place, size = self._end_of_plain(text), len(text)
        if place < 0:
            return None
        said = text if place == size else text[:place]
        event: Content | Reasoning | None = None
        if place:
            event = turn.emit.plain_reasoning(said, start) if turn.channel else Content(said, start)
            if event is None:  # only white space, which may have to wait
                return None
        self._pos += len(chunk)
        if held or place < size:
            turn.tape.hold(text[place:])
        if place:
            self._at_line = self._lines is not None and said[-1] == "\n"
            self._pass(said)
        if turn.channel:
            self._look_on = place < size
        else:
            self._look_or_pass(place < size)
        if event is None:
            return []
        return [event] if turn.candidate is None or type(event) is not Content else self._keep(event)

    def _end_of_plain(self, text: str) -> int:
        # How much of the text is plain: what follows may be the beginning of an opener, or of a line that matters. -1:
        # the text must be read.
        line, lines, sought, finder = -1, self._lines, self._sought, self._finder
        assert sought is not None and finder is not None  # noqa: PT018  # there is text
        # Tokens come again and again: what does not depend on the text before is remembered.
        ends = {} if lines is None else lines.ends[2 if self._at_line else "\n" in text]
        if (known := ends.get(text)) is not None:
            return known
        if lines is not None and (self._at_line or "\n" in text):
            line = lines.look(text, at_line=self._at_line)
            if line == READ:
                return -1
        place, signs, is_first = len(text), "<" in text or "[" in text, False
        # With lines and guards, openers begin with these signs.
        hit = sought.search(text) if signs or lines is None or not sought.guards[0] else None
        if hit is not None:
            place = hit.start() if hit.lastindex else 0
            if is_first := not place:
                place, found = finder.find(text, 0, self._last)
                if found and (place := self._beside_fence(finder, text, place, found)) < 0:
                    return -1
        if signs and self._ends_with_orphans(text, place):
            return -1
        end = place if line < 0 else min(place, line)
        is_known = len(text) <= LONGEST_PLAIN and not (is_first or "<" in text or "[/" in text)
        if is_known and len(ends) < MOST_ENDS:
            ends[text] = end
        return end

    def _ends_with_orphans(self, text: str, place: int) -> bool:
        # Whether it may, up to that place: most text need not be read to know that.
        turn = self._turn
        has_none = "<" not in text and "[/" not in text
        if has_none or turn.channel != CONTENT or turn.has_tags or not turn.rules.drops_orphans:
            return False
        self._catch_up()  # what was passed may have tags; the conditions above spare most text that
        return begin_of_orphans(self._turn, text, 0, place) < place

    def _beside_fence(self, finder: Finder, text: str, place: int, found: str) -> int:
        # The same if a fence was found there: mostly it is one of code, which quotes, and not an opener.
        self._catch_up()
        turn = self._turn
        code = turn.judge.code
        if not quotes_as_fence(turn, found) or code is None:
            return -1
        if place and (turn.candidate is not None or code.changes(text[:place])):  # that text decides what it is
            return -1
        from toolglean.engine.missed import end_of_fence  # noqa: PLC0415  # few turns have such a fence

        end = end_of_fence(turn, text, place, found)
        if end <= place:
            return end
        place, found = finder.find(text, end, text[end - 1])
        return -1 if found else place

    def _beside_stop(self, chunk: str) -> list[Event] | None:
        # Most of what might end a string belongs to it: escapes and, in text values, what looks like the beginning of a
        # marker.
        self._own()
        turn = self._turn
        held = turn.tape.held
        start = self._pos - len(held)
        if turn.payload is None or start < 0 or len(chunk) > WINDOW:
            return None
        passed = turn.payload.passed(turn, held + chunk)
        if passed is None:
            return None
        self._pos += len(chunk)
        text, waits = passed
        self._find_stop = _anything if waits else self._stops[0]
        return [turn.emit.call.plain_delta(text, start)] if text else []
