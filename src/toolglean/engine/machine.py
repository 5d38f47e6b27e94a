# What this file knows: the only loop, and the short ways past it.
# What it must not know: how a payload is written (discovery.py, places/), and what the user had to name the format.
#
# The loop hands the text to the step of the current mode until the text is used up. A step reads on from a position
# and returns the position that it reached; what it cannot decide yet it keeps in the turn's state. Text that is to be
# read again is laid on a stack in front of the text that follows.
#
# Most chunks never reach the loop: plain content, plain reasoning, and the inside of a string in the arguments go out
# as they come. What a chunk must not hold for that is found out when the loop ends, once, and not with each chunk.
"""The machine: LookingForTag, ToolCalling, Done."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.engine.draft import Draft, Piece
from toolglean.engine.emit import Emitter
from toolglean.engine.modes import BESIDE, CALL, CONTENT, DONE, SKIP, SPACE, START, TEXT
from toolglean.engine.names import Names
from toolglean.engine.quotes import Quotes, begins_fence, fence_at
from toolglean.engine.turn import Turn
from toolglean.errors import UsageError
from toolglean.events import Content, Event
from toolglean.scan.text import NO_GUARD, with_closers

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.limits import Limits
    from toolglean.tools import ToolSet

__all__ = ["Machine"]

WINDOW = 256  # how much text is joined to held-back text at once: joining to all of a long text would copy it each time
LAYOUT = 4  # of the pickled state

Search = Callable[[str], object]


class Machine:
    """Reads one turn, chunk by chunk. See `Parser` for the arguments.

    Attributes:
        plan: what is looked for.
        turn: where the turn stands.
        pos: how many characters of the turn were taken in.
        guard, second: a chunk that holds neither is plain content; "" is in every chunk.
    """

    __slots__ = (
        "_find_opener",
        "_find_stop",
        "_finished",
        "_lent",
        "_reasons",
        "guard",
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
    ) -> None:
        names = Names(tools, unknown=unknown_tools == "call")
        emit = Emitter(id_prefix, markup=markup)
        self.plan = plan
        self.turn = Turn(emit, names, limits, coerce=coerce, stops_after_bare=plan.stops_after_bare)
        self.turn.quotes = Quotes() if plan.quotable and quoted == "content" else None
        self.turn.fresh = self._may_begin_bare
        self.turn.mode = START if self.turn.fresh else SPACE if plan.spaced else TEXT
        self.turn.marks = plan.marks if plan.drafts and calls_in_reasoning == "draft" else None
        self.turn.deaf = calls_in_reasoning == "text"
        self.pos = 0
        self._finished = False
        self._lent = False  # whether a fork may have the same payload
        self._set_short_ways()

    # -- what was before the turn --------------------------------------------------------------------------------------

    @property
    def _may_begin_bare(self) -> bool:
        # Whether what stands first in a turn is looked at in a way of its own.
        return self.plan.bare or self.turn.quotes is not None

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
            turn.keep_draft()
        elif turn.draft is not None:
            turn.end_draft(0)
            self._run("", 0)
        turn.in_prompt = False
        turn.emit.begin_turn()
        if turn.mode in {TEXT, SPACE, BESIDE, DONE} and turn.lane == CONTENT:
            if turn.held not in self.plan.finder(CONTENT, turn.only).literals:
                turn.held = ""
            turn.fresh, turn.owed, turn.last = self._may_begin_bare, None, ""
            turn.mode = START if turn.fresh else TEXT
            if turn.quotes is not None:
                turn.quotes = Quotes()
        self._set_short_ways()
        if turn.emit.out:  # the start of a call that the prompt has begun: it comes before anything else
            self._shut_short_ways()

    # -- the turn ------------------------------------------------------------------------------------------------------

    def feed(self, chunk: str) -> list[Event]:
        """Read one chunk; the short ways first. `Parser.feed` has the shortest, for plain content."""
        if self._finished:
            raise UsageError("the turn is over: use a new Parser for the next turn (or fork one before it reads)")
        if not chunk:
            return self._taken()
        if self._find_stop is not None:  # inside a string of the arguments
            turn, start, text = self.turn, self.pos, chunk
            end = start + len(chunk)
            if self._find_stop(chunk) and turn.payload is not None:
                text = turn.payload.passed(chunk)
            if text and end < turn.bound.at:
                self.pos = end
                return [turn.emit.plain_delta(text, start)]
        elif self._find_opener is not None and not self._find_opener(chunk) and (self._reasons or "`" not in chunk):
            if not self._reasons:  # text, where tags begin with several characters
                start = self.pos
                self.pos, self.turn.last = start + len(chunk), chunk
                return [Content(chunk, start)]
            event = self._plain_reasoning(chunk)
            if event is not None:
                return [event]
        start = self.pos
        self.pos += len(chunk)
        self._run(chunk, start)
        return self._taken()

    def finish(self) -> list[Event]:
        """End the turn; a second time: nothing."""
        if not self._finished:
            while self._release_at_end() or self._settle_draft():
                pass
            self.turn.emit.flush()
            self._finished = True
            self._shut_short_ways()
        return self._taken()

    def fork(self) -> Machine:
        """The same machine at the same place; both go on apart."""
        twin = Machine.__new__(Machine)
        twin.plan, twin.pos, twin._finished = self.plan, self.pos, self._finished
        twin.turn = self.turn.copy()
        # The payload is lent to both, and copied by whoever reads with it first: many a twin is dropped before that,
        # and plain arguments pass without it.
        self._lent = twin._lent = self.turn.payload is not None
        twin.guard, twin.second = self.guard, self.second
        twin._find_stop, twin._find_opener, twin._reasons = self._find_stop, self._find_opener, self._reasons
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
        self._find_stop: Search | None = None
        self._find_opener: Search | None = None
        self._reasons = False

    def _set_short_ways(self) -> None:
        self._shut_short_ways()
        turn = self.turn
        mode, emit = turn.mode, turn.emit
        if turn.draft is not None:  # all of it is kept, in case it is no call
            return
        if mode == TEXT:
            if turn.held or turn.long_space or turn.owed is not None or not emit.unmarked:
                return
            if turn.lane != CONTENT:
                self._reasons, self._find_opener = True, self.plan.finder(turn.lane, turn.only).search
            elif emit.clean and not turn.wrapper and not (turn.quotes is not None and turn.quotes.waits):
                finder = self.plan.finder(CONTENT, turn.only)
                self.guard, self.second = finder.guards
                self._find_opener = None if self.guard else finder.search
        elif mode == CALL:
            if emit.open and not turn.held and turn.payload is not None:
                self._find_stop = _stop_search(turn.payload.stops())
        elif mode == DONE and emit.clean:
            self.guard = self.second = NO_GUARD

    def _plain_reasoning(self, chunk: str) -> Event | None:
        # The white space at its end waits: it may be markup.
        turn, start = self.turn, self.pos
        text = chunk.rstrip()
        if not text:
            return None
        turn.last = chunk
        self.pos = start + len(chunk)
        event = turn.emit.plain_reasoning(text, start)
        if len(text) < len(chunk):
            turn.emit.space(chunk[len(text) :], start + len(text))
        return event

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _run(self, text: str, base: int, *, last: bool = False) -> None:
        if self._lent:
            self._own_payload()
        turn = self.turn
        stack: list[Piece] = [(text, 0, base)]  # texts to read again lie on top
        while stack:
            text, i, turn.base = stack.pop() if turn.draft is None else turn.draft.admit(stack.pop(), last=last)
            if turn.held and i < len(text):
                text, i = self._with_held(text, i, stack)
            text, i = self._read(text, i, stack)
            if turn.draft is not None and turn.draft.passed:
                turn.keep_draft()
            if turn.again.waiting is not None:
                if i < len(text):
                    stack.append((text, i, turn.base))
                again, place = turn.again.waiting
                turn.again.waiting = None
                stack.append((again, 0, place))
            draft = turn.draft
            if draft is not None and draft.over is not None and not (stack and draft.is_before(stack[-1])):
                self._take_back(draft, stack)
        self._set_short_ways()

    def _take_back(self, draft: Draft, stack: list[Piece]) -> None:
        text, rest = draft.split()
        self.turn.take_back(draft, text)
        stack[:] = [each for each in stack if draft.is_beyond(each)]
        if rest[0]:
            stack.append(rest)

    def _settle_draft(self) -> bool:
        """At the end of the turn: what a draft is. True: there was text to read again."""
        draft = self.turn.draft
        if draft is None:
            return False
        if draft.quoted and draft.close and not draft.waits and draft.over is None:
            self.turn.end_draft(self.pos)
        if draft.waits or draft.over is not None:
            self._run("", self.pos, last=True)
            return True
        self.turn.keep_draft()
        return False

    def _read(self, text: str, i: int, stack: list[Piece]) -> tuple[str, int]:
        """Read on, until something is to be read again. Returns the text, as far as it is read now, and the place."""
        turn = self.turn
        bound, again = turn.bound, turn.again
        n = len(text)
        beyond = ""  # the first character that passes the limit
        while i < n and again.waiting is None:
            room = bound.at - turn.base
            if n > room:
                if i >= room:
                    turn.stop(bound.name, text[i], turn.base + i)
                else:  # read up to the limit first, so that it is passed at its own character
                    stack.append((text, room, turn.base))
                    beyond = text[room]
                    text, n = text[:room], room
            elif turn.payload is not None and turn.mode == CALL:
                i = turn.payload.read(turn, text, i)
            else:
                i = _STEPS[turn.mode](self, text, i)
        if beyond and turn.held and bound.at <= turn.base + n:  # it cannot wait for what lies behind the limit
            turn.held = ""
            turn.stop(bound.name, beyond, turn.base + n)
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
        if turn.emit.open:
            turn.emit.end_call("malformed" if turn.mode == SKIP else "incomplete", self.pos)
            turn.mode = TEXT
        elif turn.payload is not None:
            turn.payload.finish(turn)
        elif turn.wrapper and held == "`" * turn.wrapper:
            turn.emit.markup(held, self.pos - len(held))
        else:
            turn.say(held, self.pos - len(held))
        if turn.again.waiting is None:
            return False
        (again, place), turn.again.waiting = turn.again.waiting, None
        self._run(again, place)
        return True

    # -- the steps: what is done with the text in each mode ------------------------------------------------------------

    def _read_start(self, text: str, i: int) -> int:
        """White space at the start of the turn; what begins there may be a call without a marker."""
        turn, plan = self.turn, self.plan
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        if plan.spaced:
            turn.emit.space(text[i:j], turn.base + i)
        else:
            turn.say(text[i:j], turn.base + i)
        if j < len(text):
            if text[j] == "`" and turn.quotes is not None and (read := self._read_fence(text, j)) >= 0:
                return read
            begun = plan.begin_bare(turn, text[j], turn.base + j) if plan.bare else None
            turn.mode = CALL if begun else DONE if plan.stops_after_bare else TEXT
            if begun:
                turn.payload, read = begun
                return j + read
        return j

    def _read_fence(self, text: str, i: int) -> int:
        """A fence that opens the turn, if a tag follows at once; -1 if it is text."""
        turn = self.turn
        line = fence_at(text, i)
        if line is None or line.end() == len(text):
            return turn.hold(text, i) if begins_fence(text, i) else -1
        place, found = self.plan.finder(turn.lane, turn.only).find(text, line.end(), "\n")
        if place > line.end():
            return -1
        if not found:
            return turn.hold(text, i)
        turn.mode = CALL
        turn.payload, read = self.plan.begin(turn, found, turn.base + place)
        turn.region.begin_before(line[0])
        turn.wrapper = len(line[1])
        return place + read

    def _read_wrapper(self, text: str, i: int) -> int:
        """What stands where the fence around the calls may end; returns its end, or `i` if it is something else."""
        turn = self.turn
        j = i
        while j < len(text) and text[j] == "`":
            j += 1
        if i < j == len(text) and j - i <= turn.wrapper:
            return turn.hold(text, i)
        if j - i >= turn.wrapper:
            turn.emit.markup(text[i:j], turn.base + i)
            turn.wrapper, turn.mode = 0, SPACE
            return j
        return i

    def _read_text(self, text: str, i: int) -> int:
        """Content or reasoning, until a tag."""
        turn = self.turn
        if turn.wrapper and (end := self._read_wrapper(text, i)) > i:
            return end
        finder = self.plan.finder(turn.lane, turn.only)
        if turn.owed:
            finder = with_closers(finder, turn.owed)
        place, found = finder.find(text, i, turn.last)
        if place > i:
            turn.say(text[i:place], turn.base + i)
        if not found:
            return turn.hold(text, place)
        if turn.quotes is not None and turn.lane == CONTENT:
            if found[0] == "`" and turn.said:  # a fence behind other text
                turn.say(found, turn.base + place)
                return place + len(found)
            turn.quotes.settle(turn.base + place)
        if turn.owed and found in turn.owed:
            turn.owed = None
            turn.say(found, turn.base + place)
            return place + len(found)
        turn.mode = CALL
        turn.payload, read = self.plan.begin(turn, found, turn.base + place)
        return place + read

    def _read_space(self, text: str, i: int) -> int:
        """White space behind a call: whose it is, what follows decides."""
        j = self.turn.wait_for_more(text, i)
        if j < len(text):
            self.turn.leave(text_follows=True)
        return j

    def _read_beside_marker(self, text: str, i: int) -> int:
        """White space beside a marker: markup."""
        turn = self.turn
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        turn.emit.markup(text[i:j], turn.base + i)
        if j < len(text):
            turn.mode = START if turn.fresh and turn.lane == CONTENT else TEXT
        return j

    def _read_call(self, text: str, i: int) -> int:
        """What a tag opened."""
        assert self.turn.payload is not None
        return self.turn.payload.read(self.turn, text, i)

    def _read_rest_of_call(self, text: str, i: int) -> int:
        """The rest of a malformed call."""
        assert self.turn.payload is not None
        return self.turn.payload.skip(self.turn, text, i)

    def _read_to_the_end(self, text: str, i: int) -> int:
        """All is content."""
        self.turn.emit.content(text[i:], self.turn.base + i)
        return len(text)

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return LAYOUT, self.plan, self.turn, self.pos, self._finished, bool(self.turn.emit.out)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[0] != LAYOUT:
            raise UsageError(f"a parser pickled by another version of toolglean (layout {state[0]}, not {LAYOUT})")
        _, self.plan, self.turn, self.pos, self._finished, waits = state
        self._lent = False
        if waits or self._finished:
            self._shut_short_ways()
        else:
            self._set_short_ways()


_STEPS: tuple[Callable[[Machine, str, int], int], ...] = (
    Machine._read_start,
    Machine._read_text,
    Machine._read_space,
    Machine._read_call,
    Machine._read_rest_of_call,
    Machine._read_to_the_end,
    Machine._read_beside_marker,
)


@lru_cache(maxsize=64)
def _stop_search(stops: str) -> Search | None:
    return re.compile("[" + re.escape(stops) + '"\\\\\x00-\x1f]').search if stops else None
