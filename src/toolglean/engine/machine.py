# What this file knows: the only loop, and the short ways past it (steps.py: what the loop does in each mode).
# What it must not know: how a payload is written (discovery.py, places/), and what the user had to name the format.
#
# The loop hands the text to the step of the current mode until the text is used up. A step reads on from a position
# and returns the position that it reached; what it cannot decide yet it keeps in the turn's state. Text that is to be
# read again is laid on a stack in front of the text that follows.
#
# Most chunks never reach the loop: plain content, plain reasoning, and the inside of a string in the arguments go out
# as they come. What a chunk must not hold for that is found out when the loop ends, once, and not with each chunk.
# What may begin an opener, or end a string, is looked at beside the loop too: mostly it does neither. Text without
# a sign of a quotation (signs.py) is not looked at by quotes.py, which only learns what came last.
# Such a way takes in nothing of a chunk that must be read after all.
"""The machine: LookingForTag, ToolCalling, Done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.engine.draft import Draft, Piece
from toolglean.engine.emit import Emitter
from toolglean.engine.modes import BESIDE, CALL, CONTENT, DONE, SKIP, SPACE, START, TEXT
from toolglean.engine.names import Names
from toolglean.engine.repair.suspended import OFF, ON
from toolglean.engine.steps import STEPS, begin, repairer
from toolglean.engine.turn import CUT_OFF, Stops, Turn
from toolglean.errors import UsageError
from toolglean.events import Content, Event
from toolglean.scan.text import NO_GUARD

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.quotes import Quotes
    from toolglean.limits import Limits
    from toolglean.scan.reader import Search
    from toolglean.scan.text import Finder
    from toolglean.tools import ToolSet

__all__ = ["Machine"]

WINDOW = 256  # how much text is joined to held-back text at once: joining to all of a long text would copy it each time
_anything: Search = re.compile("").search
_nowhere: Stops = _anything, None
NOTHING = "\x00"  # stands in no marker
LAYOUT = 9  # of the pickled state


class Machine:
    """Reads one turn, chunk by chunk. See `Parser` for the arguments.

    Attributes:
        plan: what is looked for.
        turn: where the turn stands.
        pos: how many characters of the turn were taken in.
        guard, second: a chunk without these, and without any of `` `~> ``, is plain content; "" is in every chunk.
        last: the last such chunk, since quotations were looked for.
    """

    __slots__ = (
        "_find_opener",
        "_find_stop",
        "_finder",
        "_finished",
        "_guards",
        "_lent",
        "_stops",
        "_token_begun",
        "guard",
        "last",
        "plan",
        "pos",
        "second",
        "turn",
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
    ) -> None:
        names = Names(tools, unknown=unknown_tools == "call")
        emit = Emitter(id_prefix, markup=markup)
        self.plan = plan
        self.turn = Turn(emit, names, limits, coerce=coerce, stops_after_bare=plan.stops_after_bare)
        self.turn.quotes = plan.quotes(heeded=quoted == "content")
        heeded = self.turn.quotes is not None and self.turn.quotes.heeded
        self.turn.strings = plan.strings(limits.depth) if heeded else None
        self.turn.fresh = self._may_begin_bare
        self.turn.mode = START if self.turn.fresh else SPACE if plan.spaced else TEXT
        self.turn.marks = plan.marks if plan.drafts and calls_in_reasoning == "draft" else None
        self.turn.deaf = calls_in_reasoning == "text"
        self.turn.repair = ON if repair else OFF
        self.pos = 0
        self.last = ""
        self._finished = False
        self._lent = False  # whether a fork may have the same payload
        self._shut_short_ways()
        self._set_short_ways()

    # -- what was before the turn --------------------------------------------------------------------------------------

    @property
    def _may_begin_bare(self) -> bool:
        # Whether what stands first in a turn is looked at in a way of its own.
        return self.plan.bare or self.turn.heeds_quotes

    def begin_reasoning(self) -> None:
        """The prompt has opened the reasoning."""
        lane = self.plan.reasoning_lane()
        if not lane:
            raise UsageError("start='reasoning' needs a format that has reasoning; a tag says nothing of it")
        self.turn.enter_lane(lane)
        self._set_short_ways()

    def read_prompt(self, prompt: str) -> None:
        """Read what the prompt holds of the turn; its events are dropped, and places count from its end.

        What is left of it is where it ends: in the reasoning, in a marker, in a call that the model is to complete.
        """
        turn = self.turn
        turn.in_prompt = True
        self._run(prompt, -len(prompt))
        if turn.draft is not None and turn.emit.open:  # the model is to complete that call
            rest, _, place = turn.draft.unread
            turn.keep_draft()
            self._run(rest, place)
        elif turn.draft is not None:
            turn.end_draft(0)
            self._run("", 0)
        turn.in_prompt = False
        calls = turn.emit.index
        turn.emit.begin_turn()
        if turn.payload is not None:
            turn.payload.forget_calls(calls - turn.emit.index)
        if turn.attempt is not None:
            turn.attempt.before.emit.begin_turn()
        if turn.mode in {TEXT, SPACE, BESIDE, DONE} and turn.lane == CONTENT:
            if turn.held not in self.plan.finder(CONTENT, turn.only).literals:
                turn.held = ""
            turn.fresh, turn.owed, turn.last = self._may_begin_bare, None, ""
            turn.mode = START if turn.fresh else TEXT
            if turn.quotes is not None:
                turn.quotes = self.plan.quotes(heeded=turn.quotes.heeded)
            if turn.strings is not None:
                turn.strings.reset()
        self._set_short_ways()
        if turn.emit.out:  # the start of a call that the prompt has begun: it comes before anything else
            self._shut_short_ways()

    # -- the turn ------------------------------------------------------------------------------------------------------

    def feed(self, chunk: str) -> list[Event]:
        """Read one chunk; the short ways first. `Parser.feed` has the shortest, for plain content."""
        events = None
        if self._find_opener is not None and chunk:  # text
            start, turn = self.pos, self.turn
            looks = turn.held or self._token_begun or self._find_opener(chunk)
            if looks or (not turn.lane and ("{" in chunk or "[" in chunk)):
                events = self._beside_opener(chunk)
            elif turn.lane:
                event = turn.emit.plain_reasoning(chunk, start)
                if event is not None:
                    self.pos, turn.last = start + len(chunk), chunk
                    return [event]
            else:
                self.pos, turn.last = start + len(chunk), chunk
                self.last = chunk
                return [Content(chunk, start)]
        elif self._find_stop is not None and chunk:  # inside a string of the arguments
            start, turn = self.pos, self.turn
            end = start + len(chunk)
            if end < turn.bound.at:
                if self._find_stop(chunk):
                    events = self._beside_stop(chunk)
                else:
                    self.pos, write = end, self._stops[1]
                    return [turn.emit.plain_delta(chunk if write is None else write(chunk)[1:-1], start)]
        return self._feed_loop(chunk) if events is None else events

    def _feed_loop(self, chunk: str) -> list[Event]:
        if self._finished:
            raise UsageError("the turn is over: use a new Parser for the next turn (or fork one before it reads)")
        if not chunk:
            return self._taken()
        start = self.pos
        self.pos += len(chunk)
        self._run(chunk, start)
        return self._taken()

    def finish(self) -> list[Event]:
        """End the turn; a second time: nothing."""
        if not self._finished:
            self._catch_up()
            while self._read_rest_of_draft() or self._release_at_end() or self._settle_draft():
                pass
            self.turn.emit.flush()
            self._say_it_is_over()
            self._finished = True
            self._shut_short_ways()
        return self._taken()

    def _say_it_is_over(self) -> None:
        # The header of another message, after which nothing came that is not content anyway.
        turn = self.turn
        if turn.quotes is not None:
            turn.quotes.settle(self.pos)
            if turn.is_over and turn.quotes.followed:
                turn.end()

    def fork(self) -> Machine:
        """The same machine at the same place; both go on apart."""
        twin = Machine.__new__(Machine)
        twin.plan, twin.pos, twin._finished = self.plan, self.pos, self._finished
        twin.turn = self.turn.copy()
        # The payload is lent to both, and copied by whoever reads with it first: many a twin is dropped before that,
        # and plain arguments pass without it.
        self._lent = twin._lent = self.turn.payload is not None
        twin.guard, twin.second, twin.last = self.guard, self.second, self.last
        twin._finder, twin._guards, twin._token_begun = self._finder, self._guards, self._token_begun
        twin._find_opener, twin._find_stop, twin._stops = self._find_opener, self._find_stop, self._stops
        return twin

    def _own_payload(self) -> None:
        if self._lent and self.turn.payload is not None:
            self.turn.payload = self.turn.payload.copy()
        self._lent = False

    def _taken(self) -> list[Event]:
        turn = self.turn
        emit = turn.emit if turn.draft is None else turn.draft.emit
        events, emit.out = emit.out, []
        return events

    # -- the short ways ------------------------------------------------------------------------------------------------

    def _shut_short_ways(self) -> None:
        self.guard = self.second = ""
        self._guards = "", ""
        self._token_begun = False  # whether the last text may be the beginning of something that quotes
        # Text: what says whether a chunk may hold an opener.
        self._find_opener: Search | None = None
        self._finder: Finder | None = None
        # A string of the arguments: what says whether a chunk ends it; in the string's middle, that is `stops`' own.
        self._find_stop: Search | None = None
        self._stops: Stops = _nowhere

    def _set_short_ways(self) -> None:
        turn = self.turn
        mode, emit = turn.mode, turn.emit
        if turn.draft is not None:  # all of it is kept, in case it is no call
            self._shut_short_ways()
            return
        if mode == CALL:
            stops = turn.payload.stops() if emit.open and not turn.held and turn.payload is not None else None
            if self._find_stop is not None or self._find_opener is not None:
                self._shut_short_ways()
            if stops is not None:
                self._stops, self._find_stop = stops, stops[0]
            return
        self._shut_short_ways()
        if mode == TEXT:
            if not turn.long_space and turn.owed is None and emit.unmarked:
                self._set_short_ways_of_text()
        elif mode == DONE and emit.clean:
            self.guard = self.second = NO_GUARD

    def _must_look(self) -> bool:
        # Whether code, or JSON, goes on, so that all content is looked at.
        quotes, strings = self.turn.quotes, self.turn.strings
        return (quotes is not None and quotes.waits) or (strings is not None and strings.is_open)

    def _set_short_ways_of_text(self) -> None:
        turn = self.turn
        if turn.lane != CONTENT:
            if not turn.held:
                self._finder = self.plan.text_finder(turn)
                self._find_opener = self._finder.search
        elif turn.said and turn.emit.clean and not turn.wrapper and not self._must_look():
            if turn.missing[0]:
                if self.pos <= turn.missing[1] + WINDOW:  # no closer is as long
                    return
                turn.missing = (), 0
            finder = self._finder = self.plan.text_finder(turn)
            if turn.quotes is None:
                self._find_opener, self._guards = finder.search, finder.guards
            else:
                self._find_opener, self._guards = turn.quotes.watch(finder)
            self._token_begun = turn.quotes is not None and turn.quotes.begun
            self.guard, self.second = ("", "") if turn.held or self._token_begun else self._guards

    def _tell_quotations(self, text: str, start: int) -> None:
        # Content that has something in it with which a quotation, or JSON, may begin; mostly it does not.
        quotes, strings = self.turn.quotes, self.turn.strings
        if quotes is not None:
            last = self.last or quotes.last
            if self._token_begun or quotes.signs(text) or (text[0] == ">" and last[-1] == "\n"):
                self._look_for_quotes(quotes, text, start)
            else:
                self.last = text
        if strings is not None and ("{" in text or "[" in text):
            strings.scan(text)
            if strings.is_open:
                self._shut_short_ways()

    def _look_for_quotes(self, quotes: Quotes, text: str, start: int) -> None:
        self._catch_up()
        quotes.scan(text, start)
        self._token_begun = quotes.begun
        if quotes.waits:
            self._shut_short_ways()

    def _catch_up(self) -> None:
        # Quotations are told of the text that went past them.
        if self.last and self.turn.quotes is not None:
            self.turn.quotes.pass_by(self.last)
        self.last = ""

    # Each of these returns None if the chunk must be read; then nothing of it was taken in.

    def _beside_opener(self, chunk: str) -> list[Event] | None:
        # Most of what might begin an opener is refuted by the characters behind it, in this chunk or in the next.
        turn = self.turn
        finder = self._finder
        text, start = turn.held + chunk, self.pos - len(turn.held)
        if finder is None or start < 0 or len(chunk) > WINDOW or (not turn.lane and "`" in text):
            return None  # a place below 0: what waits is of the prompt
        hit, place = finder.search(text), len(text)
        if hit is not None:
            place = hit.start() if hit.lastindex else 0
            if not place:
                place, found = finder.find(text, 0, turn.last)
                if found:
                    return None
        said, event = text[:place], None
        if place:
            event = turn.emit.plain_reasoning(said, start) if turn.lane else Content(said, start)
            if event is None:  # white space alone, which may have to wait
                return None
            turn.last = said
        self.pos += len(chunk)
        turn.held = text[place:]
        if not turn.lane:
            if place:
                self._tell_quotations(said, start)
            self.guard, self.second = ("", "") if turn.held or self._token_begun else self._guards
        return [] if event is None else [event]

    def _beside_stop(self, chunk: str) -> list[Event] | None:
        # Most of what might end a string belongs to it: escapes, and in text the beginnings of markers that are none.
        if self._lent:
            self._own_payload()
        turn = self.turn
        start = self.pos - len(turn.held)
        if turn.payload is None or start < 0 or len(chunk) > WINDOW:
            return None
        passed = turn.payload.passed(turn, turn.held + chunk)
        if passed is None:
            return None
        self.pos += len(chunk)
        text, waits = passed
        self._find_stop = _anything if waits else self._stops[0]
        return [turn.emit.plain_delta(text, start)] if text else []

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _run(self, text: str, base: int, *, last: bool = False) -> None:
        if self._lent:
            self._own_payload()
        self._catch_up()
        turn = self.turn
        stack: list[Piece] = []  # texts to read again lie on top
        piece: Piece | None = (text, 0, base)
        while piece is not None:
            draft = turn.draft
            text, i, turn.base = piece if draft is None else draft.admit(piece, last=last)
            if turn.held and i < len(text):
                text, i = self._with_held(text, i, stack)
            text, i = self._read(text, i, stack)
            if draft is not None and turn.draft is not draft:  # it was kept
                _lay_under(stack, draft.unread)
            if turn.again.waiting is not None:
                if i < len(text):
                    stack.append((text, i, turn.base))
                (again, place), turn.again.waiting = turn.again.waiting, None
                piece = again, 0, place
            else:
                piece = stack.pop() if stack else None
            if turn.draft is not None:
                piece = self._beside_draft(turn.draft, piece, stack)
        self._set_short_ways()

    def _beside_draft(self, draft: Draft, piece: Piece | None, stack: list[Piece]) -> Piece | None:
        """What is to be read next, if it was that piece: something else where the draft is over."""
        if draft.passed and not (piece is not None and draft.lets_through(piece)):
            self.turn.keep_draft()
            if piece is not None:
                stack.append(piece)
            _lay_under(stack, draft.unread)
            return stack.pop() if stack else None
        if draft.over is None or (piece is not None and draft.is_before(piece)):
            return piece
        if piece is not None:
            stack.append(piece)
        text, rest = draft.split()
        self.turn.take_back(draft, text)
        stack[:] = [each for each in stack if draft.is_beyond(each)]
        return rest if rest[0] else stack.pop() if stack else None

    def _read_rest_of_draft(self) -> bool:
        """At the end of the turn: what waited because it might have become a marker. True: there was something."""
        if self.turn.draft is None or not self.turn.draft.waits:
            return False
        self._run("", self.pos, last=True)
        return True

    def _settle_draft(self) -> bool:
        """At the end of the turn: what a draft is. True: there was text to read again."""
        draft = self.turn.draft
        if draft is None:
            return False
        if draft.quoted and draft.close and draft.over is None:
            self.turn.end_draft(self.pos)
        if draft.over is not None:
            self._run("", self.pos, last=True)
            return True
        self.turn.keep_draft()
        return False

    def _read(self, text: str, i: int, stack: list[Piece]) -> tuple[str, int]:
        """Read on, until something is to be read again. Returns the text, as far as it is read now, and the place."""
        turn = self.turn
        again = turn.again
        n = len(text)
        beyond = ""  # the first character that passes the limit
        while i < n and again.waiting is None:
            room = turn.bound.at - turn.base
            if n > room:
                if i >= room:
                    turn.stop(turn.bound.name, text[i], turn.base + i)
                else:  # read up to the limit first, so that it is passed at its own character
                    stack.append((text, room, turn.base))
                    beyond = text[room]
                    text, n = text[:room], room
            elif turn.payload is not None and turn.mode == CALL:
                i = turn.payload.read(turn, text, i)
            else:
                i = STEPS[turn.mode](turn, self.plan, text, i)
        if beyond and turn.held and turn.bound.at <= turn.base + n:  # it cannot wait for what lies after the limit
            turn.held = ""
            turn.stop(turn.bound.name, beyond, turn.base + n)
        return text, i

    def _with_held(self, text: str, i: int, stack: list[Piece]) -> tuple[str, int]:
        turn = self.turn
        held, turn.held = turn.held, ""
        if len(text) - i > WINDOW:
            stack.append((text, i + WINDOW, turn.base))
        turn.base += i - len(held)
        return held + text[i : i + WINDOW], 0

    def _release_at_end(self) -> bool:
        """Let go of what waits for more text. True: there was text to read again, and something may wait anew."""
        self._own_payload()
        turn = self.turn
        held, turn.held = turn.held, ""
        if turn.mending is not None:
            return self._release_mending()
        if turn.emit.open and turn.mode == CALL and turn.payload is not None and turn.payload.completes(turn):
            pass
        elif turn.emit.open:
            turn.emit.end_call("malformed" if turn.mode == SKIP else "incomplete", self.pos)
            turn.mode, turn.payload = TEXT, None
        elif turn.payload is not None:
            turn.payload.finish(turn)
        elif turn.wrapper and held == turn.wrapper:
            turn.emit.markup(held, self.pos - len(held))
        elif held and turn.mode in {START, TEXT} and (read := self._begun(held)) >= 0:
            self._run(held[read:], self.pos - len(held) + read)
            return True
        elif self.plan.is_header(held):
            turn.emit.problem(CUT_OFF, held, self.pos - len(held))
            turn.emit.markup(held, self.pos - len(held))
        else:
            turn.say(held, self.pos - len(held))
        if turn.again.waiting is None:
            return False
        (again, place), turn.again.waiting = turn.again.waiting, None
        self._run(again, place)
        return True

    def _begun(self, held: str) -> int:
        # What waited, because a longer marker might have come of it, may begin with a whole one. How much of that has
        # been read then; -1: it does not.
        turn = self.turn
        place, found = self.plan.finder(turn.lane, turn.only).find(held + NOTHING, 0, turn.last)
        if place or not found or found[0] == "`":
            return -1
        return begin(turn, self.plan, found, self.pos - len(held))

    def _release_mending(self) -> bool:
        # The call that was to be repaired is over, one way or the other: what was kept is read, and may hold more.
        turn = self.turn
        repairer().finish_repair(turn)
        if turn.again.waiting is not None:
            (again, place), turn.again.waiting = turn.again.waiting, None
            self._run(again, place)
        return True

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        self._catch_up()
        return LAYOUT, self.plan, self.turn, self.pos, self._finished, bool(self.turn.emit.out)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[0] != LAYOUT:
            raise UsageError(f"a parser pickled by another version of toolglean (layout {state[0]}, not {LAYOUT})")
        _, self.plan, self.turn, self.pos, self._finished, waits = state
        self._lent, self.last = False, ""
        self._shut_short_ways()
        if not waits and not self._finished:
            self._set_short_ways()


def _lay_under(stack: list[Piece], rest: Piece) -> None:
    # It comes after the pieces that are before it in the turn.
    if rest[0]:
        beyond = sum(1 for _, i, base in stack if base + i >= rest[2])
        stack.insert(beyond, rest)
