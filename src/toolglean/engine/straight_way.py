# When calls are followed instead of read, and how the machine takes over again. Does not know how a course is followed
# (follower.py), or how the machine reads (machine.py).
#
# A call is followed from its opener on, where the machine has just opened a region for it, if nothing else is going on:
# no draft, no repair, no quotation, no reasoning. From there on the turn stays as it is. At the first character that is
# not as declared, and when the machine's own state is needed, the machine reads what is unread. Events that it returns
# and that were already returned are dropped.
"""The straight way around the machine's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toolglean.engine.fast import FastPath
from toolglean.engine.modes import CALL, CONTENT, START, Mode
from toolglean.events import CallDelta, Event
from toolglean.limits import Limits

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.straight.follower import Follower
    from toolglean.engine.straight.standing import Probe, Standing
    from toolglean.engine.tape import Piece
    from toolglean.engine.turn import Turn
    from toolglean.formats.compile import Program

__all__ = ["StraightWay"]

LEAST_CHARS = 1024
"""A limit that the text before the arguments of a call on the straight way cannot exceed."""
DEPTH = Limits().depth
"""How deep the arguments of samples may be: what reads on after a call in a list comes from there."""


class Told:
    """Events that were already returned, and that the machine will return again.

    Args:
        events: how many, without deltas.
        chars: how many characters of a call's arguments; place: the place after the text that they were made of.
    """

    __slots__ = ("_chars", "_events", "_place")

    def __init__(self, events: int = 0, chars: int = 0, place: int = 0) -> None:
        self._events, self._chars, self._place = events, chars, place

    def without(self, events: list[Event]) -> list[Event]:
        """These events without those that were already returned."""
        if not self._events and not self._chars:
            return events
        rest: list[Event] = []
        for event in events:
            if not isinstance(event, CallDelta):
                if not self._events:
                    rest.append(event)
                self._events -= self._events > 0
            elif len(event.text) > self._chars:
                size, self._chars = self._chars, 0
                start = max(event.start, self._place) if size else event.start
                rest.append(CallDelta(event.index, event.text[size:], start))
            else:
                self._chars -= len(event.text)
        return rest


NOTHING_TOLD = Told()


class StraightWay(FastPath):
    """Follows calls that are written as declared."""

    __slots__ = ("_behind", "_from", "_route")

    def __init__(self, plan: Plan, turn: Turn, pos: int = 0) -> None:
        super().__init__(plan, turn, pos)
        self._route: Program | None = _route(plan, turn)  # whose calls may be followed
        self._from = 0  # the place from which on calls are followed
        self._behind: Follower | None = None  # the calls that were followed, if the turn ended after them

    def fork(self) -> Self:
        """The same at the same place; the two continue independently."""
        twin = super().fork()
        twin._from, twin._route, twin._behind = self._from, self._route, self._behind and self._behind.copy()
        return twin

    def _run(self, text: str, place: int, *, i: int = 0, last: bool = False) -> None:
        raise NotImplementedError

    def _taken(self) -> list[Event]:
        raise NotImplementedError

    def _finish(self) -> list[Event]:
        raise NotImplementedError

    @property
    def _probe(self) -> Probe | Standing:
        raise NotImplementedError

    def _follow_nothing(self) -> None:
        self._route = None

    def _finish_straight(self) -> list[Event] | None:
        # The last events, if the turn may end right here; None if the machine must end it.
        self._own()
        straight = self._straight
        events = None if straight is None else straight.at_end(self._turn, self._pos)
        if events is not None:
            self._behind, self._straight = straight, None
        return events

    # -- on ------------------------------------------------------------------------------------------------------------

    def _follows(self, text: str, i: int) -> bool:
        # An opener was found at `i`: whether the calls that begin with it are followed from here on.
        turn = self._turn
        if self._route is None or turn.tape.base + i < self._from or not _is_calm(turn, self._route):
            return False
        from toolglean.engine.straight.follower import follower_at  # noqa: PLC0415  # imported by the first opener

        opener = text[i : i + turn.region.opener_length]
        self._straight = follower_at(self._route, opener, (text, i, turn.tape.base), self._probe)
        return self._straight is not None

    def _follows_at_once(self, chunk: str) -> bool:
        # The first chunk of a turn: whether it begins the calls of the one format that is read.
        route, turn = self._route, self._turn
        if route is None or turn.mode is not START or len(chunk) > LEAST_CHARS or not _is_fresh(turn):
            return False
        if not self._plan.begins(chunk[0]):
            return False
        from toolglean.engine.straight.follower import follower_at  # noqa: PLC0415  # see above

        self._straight = follower_at(route, "", (chunk, 0, 0), self._probe)
        return self._straight is not None

    def _go_on(self, events: list[Event], piece: Piece | None = None, told: Told = NOTHING_TOLD) -> list[Event]:
        # Read on after these events: calls are followed, or the machine reads.
        #
        # `piece`: what the machine reads first, if anything; `told`: the first events of it, which were already
        # returned.
        self._own()
        while True:
            if piece is not None:
                self._run(piece[0], piece[2], i=piece[1])
                events += told.without(self._taken())
            if self._straight is None:
                return events
            found: list[Event] | None = self._straight.begin(self._turn)
            if found is not None:
                return events + found
            events += self._straight.rest()
            piece, told = self._leave()

    def _astray(self) -> list[Event]:
        assert self._straight is not None
        return self._go_on(self._straight.rest(), *self._leave())

    def _leave(self) -> tuple[Piece, Told]:
        # The machine takes over. Returns what it reads first, and which events of that were already returned.
        self._own()
        straight, self._straight = self._straight, None
        assert straight is not None
        landed, standing, turn = straight.landed, straight.standing, self._turn
        if landed is not None and standing is not None:
            begun_anew = not (landed.is_first or standing.stays)
            payload = self._plan.behind(turn.payload, standing.behind(landed), landed, begun_anew=begun_anew)
            turn.pass_calls(payload, turn.narrowed(standing.formats), landed)
            self._said.forget()
        self._from = straight.astray + 1
        return straight.unread(), Told(straight.told, straight.told_chars, straight.told_to)

    def _get_off(self) -> list[Event]:
        # Bring the machine to the place that the followed calls have reached. Returns the events that were not yet
        # returned.
        if self._straight is None:
            return []
        piece, told = self._leave()
        self._from = self._pos
        return self._go_on([], piece, told)

    def _as_read(self) -> Turn:
        """The turn as it is once the machine has read all text so far."""
        if self._straight is None and self._behind is None:
            return self._turn
        twin = self.fork()
        twin._stand()
        return twin._turn

    def _mode(self) -> Mode:
        """What is done with text, once the machine has read all text so far."""
        followed = self._straight is not None and self._straight.is_in_call
        return CALL if followed else self._as_read().mode

    def _stand(self) -> None:
        """Bring the machine's own state up to date with all text so far."""
        if self._behind is not None:
            self._straight, self._behind = self._behind, None
            self._get_off()
            self._finish()  # all of its events were already returned
        elif self._straight is not None:
            told = self._get_off()
            self._turn.emit.tell_first(told)


def _route(plan: Plan, turn: Turn) -> Program | None:
    limits = turn.limits
    long = min(limits.held, limits.call_chars) >= LEAST_CHARS and limits.depth == DEPTH
    return plan.route if long and turn.names.tools is not None else None


def _is_fresh(turn: Turn) -> bool:
    # Whether nothing of the turn was read, and the prompt has left nothing open.
    judge = turn.judge
    begun = turn.tape.held or turn.channel or turn.narrowed_to or judge.fence or turn.calls_ignored
    return not begun and judge.draft is None and not (judge.code is not None and judge.code.waits)


def _is_calm(turn: Turn, route: Program) -> bool:
    # Whether nothing else is going on, so that the calls are what the machine would return at once.
    judge, tape, payload = turn.judge, turn.tape, turn.payload
    return (
        turn.channel == CONTENT
        and payload is not None
        and payload.reads_for(route)
        and judge.draft is None
        and judge.closers.awaited is None
        and not judge.closers.in_section
        and not (judge.fence or judge.mentioned or turn.calls_ignored or judge.in_doubt or turn.may_mention)
        and turn.emit.clean
        and not (turn.emit.strays.marks or turn.emit.repairs)
        and turn.candidate is None
        and turn.region.open  # not after a call that failed
        and turn.region.start >= 0
        and not turn.region.bare
        and not (tape.in_prompt or tape.ahead or tape.waiting)
    )
