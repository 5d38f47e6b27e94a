# The only loop, and the fast paths past it. Does not know what is done with text (prose.py, and the payloads), how a
# payload is written (discovery.py, places/), or what the user had to name the format.
#
# The loop hands text to the step of the current mode until the text is used up. A step reads on from a position and
# returns the position that it reached; what it cannot decide yet it keeps in the turn's state. The tape says which text
# is read next.
#
# Most chunks never reach the loop: plain content, plain reasoning, and the inside of a string in the arguments go out
# as they come. The loop works out once, when it ends, which characters rule the fast path out. What may begin an
# opener, or end a string, is looked at beside the loop too: mostly it does neither. Text without a sign of a quotation
# (judge/signs.py) is not looked at by judge/code.py, which only learns what came last. A fast path takes in nothing of
# a chunk that must be read after all.
"""The machine: LookingForTag, ToolCalling, Done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.emit import Emitter
from toolglean.engine.judge.judge import Judge
from toolglean.engine.modes import BESIDE, CALL, CONTENT, DONE, SPACE, START, TEXT
from toolglean.engine.names import Names
from toolglean.engine.prose import STEPS, begin, repairer
from toolglean.engine.repair.suspended import OFF, ON
from toolglean.engine.tape import WINDOW
from toolglean.engine.turn import Stops, Turn
from toolglean.errors import UsageError
from toolglean.events import Content, Event
from toolglean.scan.text import NO_GUARD

if TYPE_CHECKING:
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.plan import Plan
    from toolglean.engine.tape import Piece
    from toolglean.limits import Limits
    from toolglean.scan.reader import Search
    from toolglean.scan.text import Finder
    from toolglean.tools import ToolSet

__all__ = ["Machine"]

_anything: Search = re.compile("").search
_nowhere: Stops = _anything, None
NOTHING = "\x00"  # is in no marker
LAYOUT = 10  # of the pickled state


class Machine:
    """Reads one turn, chunk by chunk. `Parser` is a machine with a public face: see there for most arguments.

    Args:
        reasoning: whether the prompt has opened the reasoning.
        prompt: what the prompt contains of the turn.
        in_text: whether the turn begins in the middle of text, so that no call may begin without a marker.
        watch: who is told how payloads read (watch.py).
    """

    __slots__ = (
        *("_find_opener", "_find_stop", "_finder", "_finished", "_guards", "_payload_shared", "_stops", "_token_begun"),
        *("_guard", "_last", "_plan", "_pos", "_second", "_turn"),
    )

    def __init__(
        self,
        plan: Plan,
        tools: ToolSet | None,
        *,
        unknown_tools: str,
        markup: bool,
        id_prefix: str,
        limits: Limits,
        coerce: bool = True,
        calls_in_reasoning: str = "draft",
        quoted: str = "content",
        repair: bool = True,
        reasoning: bool = False,
        prompt: str = "",
        in_text: bool = False,
        log: list[Any] | None = None,
    ) -> None:
        code = plan.quotes(heeded=quoted == "content")
        strings = plan.strings(limits.depth) if code is not None and code.heeded else None
        self._plan = plan
        self._turn = Turn(
            Emitter(id_prefix, markup=markup),
            Names(tools, unknown=unknown_tools == "call"),
            limits,
            Judge(code, strings),
            coerce=coerce,
            stops_after_bare=plan.stops_after_bare,
            marks=plan.marks if plan.drafts and calls_in_reasoning == "draft" else None,
            deaf=calls_in_reasoning == "text",
            repair=ON if repair else OFF,
            log=log,
        )
        self._turn.begin(bare=self._may_begin_bare, spaced=plan.spaced)
        self._pos = 0  # how many characters of the turn were taken in
        self._last = ""  # text that went out on the fast path, of which the turn was not told yet: the last of it
        self._finished = False
        self._payload_shared = False  # whether a fork may have the same payload
        if reasoning:
            self._begin_reasoning()
        elif in_text:
            self._turn.begin_in_text()
        self._shut_fast_paths()
        if prompt:
            self._read_prompt(prompt)
        else:
            self._set_fast_paths()

    # -- what was before the turn --------------------------------------------------------------------------------------

    @property
    def _may_begin_bare(self) -> bool:
        # Whether what is first in a turn is looked at in a way of its own.
        return self._plan.bare or self._turn.heeds_quotes

    def _begin_reasoning(self) -> None:
        """The prompt has opened the reasoning."""
        lane = self._plan.reasoning_lane()
        if not lane:
            raise UsageError("start='reasoning' needs a format that has reasoning; a tag says nothing of it")
        self._turn.enter_lane(lane)

    def _read_prompt(self, prompt: str) -> None:
        """Read what the prompt contains of the turn; its events are dropped, and places count from its end.

        What is left of it is where it ends: in the reasoning, in a marker, in a call that the model is to complete.
        """
        turn = self._turn
        turn.tape.enter_prompt()
        self._run(prompt, -len(prompt))
        draft = turn.judge.draft
        if draft is not None and turn.emit.open:  # the model is to complete that call
            rest, _, place = draft.unread
            turn.keep_draft()
            self._run(rest, place)
        elif draft is not None:
            turn.end_draft(0)
            self._run("", 0)
        turn.tape.leave_prompt()
        calls = turn.emit.index
        turn.emit.begin_turn()
        if turn.payload is not None:
            turn.payload.forget_calls(calls - turn.emit.index)
        if turn.judge.attempt is not None:
            turn.judge.attempt.before.emit.begin_turn()
        if turn.mode in {TEXT, SPACE, BESIDE, DONE} and turn.lane == CONTENT:
            code = turn.judge.code and self._plan.quotes(heeded=turn.heeds_quotes)
            literals = self._plan.finder(CONTENT, turn.only).literals
            turn.begin_after_prompt(bare=self._may_begin_bare, literals=literals, code=code)
        self._set_fast_paths()
        if turn.emit.out:  # the start of a call that the prompt has begun: it comes before anything else
            self._shut_fast_paths()

    # -- the turn ------------------------------------------------------------------------------------------------------

    def feed(self, chunk: str) -> list[Event]:
        """Read one chunk."""
        return self._feed(chunk)

    def _feed(self, chunk: str) -> list[Event]:
        # The fast paths first. `Parser.feed` has the fastest, for plain content.
        events = None
        if self._find_opener is not None and chunk:  # text
            start, turn = self._pos, self._turn
            looks = turn.tape.held or self._token_begun or self._find_opener(chunk)
            if looks or (not turn.lane and ("{" in chunk or "[" in chunk)):
                events = self._beside_opener(chunk)
            elif turn.lane:
                event = turn.emit.plain_reasoning(chunk, start)
                if event is not None:
                    self._pos, self._last = start + len(chunk), chunk
                    return [event]
            else:
                self._pos, self._last = start + len(chunk), chunk
                return [Content(chunk, start)]
        elif self._find_stop is not None and chunk:  # inside a string of the arguments
            start, turn = self._pos, self._turn
            end = start + len(chunk)
            if end < turn.bound.at:
                if self._find_stop(chunk):
                    events = self._beside_stop(chunk)
                else:
                    self._pos, write = end, self._stops[1]
                    return [turn.emit.plain_delta(chunk if write is None else write(chunk)[1:-1], start)]
        return self._feed_loop(chunk) if events is None else events

    def _feed_loop(self, chunk: str) -> list[Event]:
        if self._finished:
            raise UsageError("the turn is over: use a new Parser for the next turn (or fork one before it reads)")
        if not chunk:
            return self._taken()
        start = self._pos
        self._pos += len(chunk)
        self._run(chunk, start)
        return self._taken()

    def finish(self) -> list[Event]:
        """End the turn; a second time: nothing."""
        if not self._finished:
            self._catch_up()
            while self._read_rest_of_draft() or self._release_at_end() or self._settle_draft():
                pass
            self._turn.emit.flush()
            self._say_it_is_over()
            self._finished = True
            self._shut_fast_paths()
        return self._taken()

    def fork(self) -> Self:
        """The same machine at the same place; both go on apart."""
        twin = type(self).__new__(type(self))
        twin._plan, twin._pos, twin._finished = self._plan, self._pos, self._finished
        twin._turn = self._turn.copy()
        # Copy on write: the payload is shared until one of them reads. Many forks are dropped before they do, and plain
        # arguments pass without it.
        self._payload_shared = twin._payload_shared = self._turn.payload is not None
        twin._guard, twin._second, twin._last = self._guard, self._second, self._last
        twin._finder, twin._guards, twin._token_begun = self._finder, self._guards, self._token_begun
        twin._find_opener, twin._find_stop, twin._stops = self._find_opener, self._find_stop, self._stops
        return twin

    def _own_payload(self) -> None:
        if self._payload_shared:
            self._turn.own_payload()
            self._payload_shared = False

    def _taken(self) -> list[Event]:
        draft = self._turn.judge.draft
        return self._turn.emit.take() if draft is None else draft.emit.take()

    # -- the fast paths ------------------------------------------------------------------------------------------------

    def _shut_fast_paths(self) -> None:
        # A chunk without these two, and without any of `~>{[, is plain content; "" is in every chunk.
        self._guard = self._second = ""
        self._guards = "", ""
        self._token_begun = False  # whether the last text may be the beginning of something that quotes
        # Text: tells whether a chunk may contain an opener.
        self._find_opener: Search | None = None
        self._finder: Finder | None = None
        # A string of the arguments: tells whether a chunk may end it. Inside a string this is the reader's own search.
        self._find_stop: Search | None = None
        self._stops: Stops = _nowhere

    def _set_fast_paths(self) -> None:
        turn = self._turn
        mode, emit = turn.mode, turn.emit
        if turn.judge.draft is not None:  # all of it is kept, in case it is no call
            self._shut_fast_paths()
            return
        if mode == CALL:
            stops = turn.payload.stops() if emit.open and not turn.tape.held and turn.payload is not None else None
            if self._find_stop is not None or self._find_opener is not None:
                self._shut_fast_paths()
            if stops is not None:
                self._stops, self._find_stop = stops, stops[0]
            return
        self._shut_fast_paths()
        if mode == TEXT:
            if not turn.long_space and turn.judge.closers.awaited is None and emit.unmarked:
                self._set_fast_paths_of_text()
        elif mode == DONE and emit.clean:
            self._guard = self._second = NO_GUARD

    def _set_fast_paths_of_text(self) -> None:
        turn, judge = self._turn, self._turn.judge
        if turn.lane != CONTENT:
            if not turn.tape.held:
                self._finder = self._plan.text_finder(turn)
                self._find_opener = self._finder.search
        elif turn.said and turn.emit.clean and not judge.must_look:
            if judge.closers.late:
                if self._pos <= judge.closers.until + WINDOW:  # no closer is as long
                    return
                judge.heed(judge.closers.expecting((), 0))
            finder = self._finder = self._plan.text_finder(turn)
            if judge.code is None:
                self._find_opener, self._guards = finder.search, finder.guards
            else:
                self._find_opener, self._guards = judge.code.watch(finder)
                self._token_begun = judge.code.begun
            self._guard, self._second = ("", "") if turn.tape.held or self._token_begun else self._guards

    def _tell_quotations(self, text: str, start: int) -> None:
        # Content that has something in it with which a quotation, or JSON, may begin; mostly it does not.
        judge = self._turn.judge
        code, strings = judge.code, judge.strings
        if code is not None and (
            self._token_begun or code.signs(text) or (text[0] == ">" and (self._last or code.last)[-1] == "\n")
        ):
            self._look_for_quotes(code, text, start)
        else:
            self._last = text
        if strings is not None and ("{" in text or "[" in text):
            strings.scan(text)
            if strings.is_open:
                self._shut_fast_paths()

    def _look_for_quotes(self, code: Quotes, text: str, start: int) -> None:
        self._catch_up()
        code.scan(text, start)
        self._turn.note_last(text)
        self._token_begun = code.begun
        if code.waits:
            self._shut_fast_paths()

    def _catch_up(self) -> None:
        # The turn is told of the text that went past it.
        if self._last:
            self._turn.passed(self._last)
            self._last = ""

    # Each of these returns None if the chunk must be read; then nothing of it was taken in.

    def _beside_opener(self, chunk: str) -> list[Event] | None:
        # Most of what might begin an opener is refuted by the characters after it, in this chunk or in the next.
        turn = self._turn
        tape, finder = turn.tape, self._finder
        text, start = tape.held + chunk, self._pos - len(tape.held)
        if finder is None or start < 0 or len(chunk) > WINDOW or (not turn.lane and "`" in text):
            return None  # a place below 0: what waits is of the prompt
        hit, place = finder.search(text), len(text)
        if hit is not None:
            place = hit.start() if hit.lastindex else 0
            if not place:
                place, found = finder.find(text, 0, self._last or turn.last)
                if found:
                    return None
        said, event = text[:place], None
        if place:
            event = turn.emit.plain_reasoning(said, start) if turn.lane else Content(said, start)
            if event is None:  # white space alone, which may have to wait
                return None
        self._pos += len(chunk)
        tape.hold(text[place:])
        if turn.lane:
            self._last = said or self._last
        else:
            if place:
                self._tell_quotations(said, start)
            self._guard, self._second = ("", "") if tape.held or self._token_begun else self._guards
        return [] if event is None else [event]

    def _beside_stop(self, chunk: str) -> list[Event] | None:
        # Most of what might end a string belongs to it: escapes, and in text what looks like the beginning of a marker.
        self._own_payload()
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
        return [turn.emit.plain_delta(text, start)] if text else []

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _run(self, text: str, place: int, *, last: bool = False) -> None:
        self._own_payload()
        self._catch_up()
        turn = self._turn
        tape = turn.tape
        piece: Piece | None = (text, 0, place)
        while piece is not None:
            draft = turn.judge.draft
            text, i = tape.open(piece if draft is None else draft.admit(piece, last=last))
            tape.put_back(*self._read(text, i))
            if draft is not None and turn.judge.draft is not draft:  # it was kept
                tape.lay_in_order(draft.unread)
            piece = turn.after_draft(tape.next())
        self._set_fast_paths()

    def _read(self, text: str, i: int) -> tuple[str, int]:
        """Read on, until something is to be read again. Returns the text, as far as it is read now, and the place."""
        turn = self._turn
        tape = turn.tape
        n = len(text)
        beyond = ""  # the first character that passes the limit
        while i < n and tape.waiting is None:
            room = turn.bound.at - tape.base
            if n > room:
                if i >= room:
                    turn.stop(turn.bound.name, text[i], tape.base + i)
                else:  # read up to the limit first, so that it is passed at its own character
                    tape.put_back(text, room)
                    beyond = text[room]
                    text, n = text[:room], room
            elif turn.payload is not None and turn.mode == CALL:
                i = turn.payload.read(turn, text, i)
            else:
                i = STEPS[turn.mode](turn, self._plan, text, i)
        if beyond and tape.held and turn.bound.at <= tape.base + n:  # it cannot wait for what is after the limit
            tape.release()
            turn.stop(turn.bound.name, beyond, tape.base + n)
        return text, i

    # -- the end -------------------------------------------------------------------------------------------------------

    def _read_rest_of_draft(self) -> bool:
        """What waited because it might have become a marker. True: there was something."""
        draft = self._turn.judge.draft
        if draft is None or not draft.waits:
            return False
        self._run("", self._pos, last=True)
        return True

    def _settle_draft(self) -> bool:
        """What a draft is. True: there was text to read again."""
        draft = self._turn.judge.draft
        if draft is None:
            return False
        if draft.is_quoted and draft.close and draft.over is None:
            self._turn.end_draft(self._pos)
        if draft.over is not None:
            self._run("", self._pos, last=True)
            return True
        self._turn.keep_draft()
        return False

    def _release_at_end(self) -> bool:
        """Let go of what waits for more text. True: there was text to read again, and something may wait anew."""
        self._own_payload()
        turn = self._turn
        held = turn.tape.release()
        start = self._pos - len(held)
        if turn.mending is not None:  # what was kept of the call is read, and may contain more
            repairer().finish_repair(turn)
            self._read_waiting()
            return True
        if turn.emit.open and turn.mode == CALL and turn.payload is not None and turn.payload.completes(turn):
            pass
        elif turn.emit.open:
            turn.end_cut_call(self._pos)
        elif turn.payload is not None:
            turn.payload.finish(turn)
        elif turn.judge.fence and held == turn.judge.fence:
            turn.emit.markup(held, start)
        elif held and turn.mode in {START, TEXT} and (read := self._begun(held)) >= 0:
            self._run(held[read:], start + read)
            return True
        elif self._plan.is_header(held):
            turn.cut_off(held, start)
        else:
            turn.say(held, start)
        return self._read_waiting()

    def _begun(self, held: str) -> int:
        # What waited, because a longer marker might have come of it, may begin with a whole one. How much of that has
        # been read then; -1: it does not.
        turn = self._turn
        place, found = self._plan.finder(turn.lane, turn.only).find(held + NOTHING, 0, turn.last)
        if place or not found or found[0] == "`":
            return -1
        return begin(turn, self._plan, found, self._pos - len(held))

    def _read_waiting(self) -> bool:
        waiting = self._turn.tape.take_waiting()
        if waiting is not None:
            self._run(*waiting)
        return waiting is not None

    def _say_it_is_over(self) -> None:
        # The header of another message, after which nothing came that is not content anyway.
        turn = self._turn
        turn.judge.marker_follows(self._pos)
        if turn.is_over and turn.judge.code is not None and turn.judge.code.followed:
            turn.end()

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        self._catch_up()
        return LAYOUT, self._plan, self._turn, self._pos, self._finished, bool(self._turn.emit.out)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[0] != LAYOUT:
            raise UsageError(f"a parser pickled by another version of toolglean (layout {state[0]}, not {LAYOUT})")
        _, self._plan, self._turn, self._pos, self._finished, waits = state
        self._payload_shared, self._last = False, ""
        self._shut_fast_paths()
        if not waits and not self._finished:
            self._set_fast_paths()
