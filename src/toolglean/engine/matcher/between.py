# What is read between slots, and after a call. Does not depend on how the contents of a slot are read (arguments.py,
# values.py), on how arguments end without a marker (ending.py), or on what is done with a call without a marker whose
# line continues (judge/drafts.py).
#
# Between slots: if no literal fits, a slot may begin. If no slot fits either, the walk goes back to the last place with
# an alternative: a slot that was passed over for a marker (a marker takes precedence over a slot), or a complete marker
# with an action (a longer one still fitted). If there is no alternative, the text is not a call.
"""Between slots, and after a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.matcher.calls import begins, no_call
from toolglean.engine.matcher.literals import accept, arrived
from toolglean.engine.matcher.reading import Stage
from toolglean.engine.matcher.walk import open_slot
from toolglean.engine.modes import DONE
from toolglean.engine.reasons import ANOTHER_MESSAGE, LEFTOVER_MARKER, NO_MARKER
from toolglean.engine.repair.suspended import Refusal
from toolglean.engine.strays import Mark
from toolglean.formats.builder import BETWEEN_CALLS
from toolglean.formats.nfa import CLOSED_AGAIN, LEFTOVER, LITERAL, MARKUP, STOP

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import Walk
    from toolglean.engine.repair.suspended import Put
    from toolglean.engine.turn import Turn
    from toolglean.formats.nfa import StateSet

__all__ = ["AFTER", "BETWEEN"]


# -- between slots -----------------------------------------------------------------------------------------------------


class Between(Stage):
    """Literals and white space between slots."""

    __slots__ = ()

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        while i < len(text):
            j = walk.step(turn, text, i)
            if j == i:
                _astray(turn, reading, text[i], i)
                return i
            i, flags = j, walk.states.flags
            if not flags:
                continue
            closed = reading.call.closed
            if flags & CLOSED_AGAIN and closed is not None and not closed.is_closed_again(turn):
                closed.resume(turn, reading)
                return i
            # When a call begins, another limit is in force: the machine checks it before reading on.
            open_before = turn.emit.open
            if not arrived(turn, reading, turn.tape.base + i) or turn.emit.open != open_before:
                return i
        return i

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return Refusal(char, marker=_value_opener(reading.walk) if turn.emit.open else "")

    def put_in(self, put: Put) -> bool:
        """See `Stage`."""
        return True


def _value_opener(walk: Walk) -> str:
    # The marker that must precede a value, if only that may lead to one; "" elsewhere, and once it has begun.
    literals = () if walk.unsettled[0].strip() else walk.program.nfa.literals_at(walk.states)
    leading = [each for each in literals if _leads_to_value(walk, each)]
    return leading[0] if len(leading) == 1 else ""


def _leads_to_value(walk: Walk, literal: str) -> bool:
    states: StateSet | None = walk.states
    for char in literal:
        states = states and walk.program.nfa.step(states, char)
    return states is not None and any(edge.kind == "value" for edge in states.slots)


def _astray(turn: Turn, reading: Reading, char: str, i: int) -> None:
    """No literal fits."""
    walk = reading.walk
    edges, passed = walk.states.slot_for(char), walk.others
    if edges:
        reading.enter(turn, edges, i)
    elif reading.call.closed is not None:
        reading.call.closed.resume(turn, reading)
    elif _gone_back(turn, reading):
        pass
    elif walk.pending_action is not None and turn.region.open:
        accept(turn, reading)
    elif turn.emit.open:
        turn.give_up(NO_MARKER, char, turn.tape.base + i)
    elif not reading.call.name or char == "\n" or turn.region.text.endswith("\n\n"):
        no_call(turn, reading)  # behind an empty line, or in its place, nothing stands for arguments
    else:
        awaited = [each for states in (walk.states, *(other for other, _ in passed)) for each in states.formats]
        no_call(turn, reading, awaits=(reading.call.name, awaited))


def _gone_back(turn: Turn, reading: Reading) -> bool:
    # Go back to a slot that was passed over for a marker.
    walk = reading.walk
    pending, start = walk.unsettled
    while (other := walk.back()) is not None:
        states, chars = other
        edges = states.slot_for(pending[chars])
        if not edges:
            continue
        if not begins(turn, reading, open_slot(walk.program, edges)):
            return True
        if not turn.read_again(pending[chars:], start + chars):
            return False
        if turn.region.open:
            turn.region.shorten(len(pending) - chars)
        reading.enter(turn, edges, -1)
        return True
    return False


# -- after the call ----------------------------------------------------------------------------------------------------


class After(Stage):
    """What follows a call: markup, another call without an opener, or the end of the section."""

    __slots__ = ()

    within = ""

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        if not walk.pending_chars:
            if text[i].isspace():
                return turn.wait_for_more(text, i)
            walk.set_out(turn.tape.base + i)
        j = walk.advance(text, i)
        if j == i:
            _beyond(turn, reading, text[i], i)
        elif walk.states.flags & LITERAL:
            _literal_after(turn, reading, turn.tape.base + j)
        elif turn.judge.draft is not None and turn.judge.draft.is_alone and walk.unsettled[0].strip() in BETWEEN_CALLS:
            # the rest of a line decides
            turn.leave(text_follows=False)
            turn.read_again(*walk.unsettled, always=True)
        return j

    def finish(self, turn: Turn, reading: Reading) -> bool:
        """See `Stage`."""
        text, start = reading.walk.unsettled
        walk, begun = reading.walk, text.strip()
        is_cut = len(begun) > 1 and any(each.startswith(begun) for each in walk.program.nfa.closers_at(walk.origin()))
        turn.leave(text_follows=text != "" and not is_cut)
        if is_cut:
            turn.emit.markup(text, start)
        else:
            turn.say(text, start)
        return True


def _beyond(turn: Turn, reading: Reading, char: str, i: int) -> None:
    # What follows no longer belongs to the call. Its closer may still come, after text that should not be there.
    walk = reading.walk
    pending, start = walk.unsettled
    closers, until = walk.program.nfa.closers_at(walk.origin() if pending else walk.states), turn.tape.base + i
    turn.expect_late_closers(closers, until + turn.limits.held, foreign=reading.fallback.is_foreign)
    if pending.strip() in BETWEEN_CALLS and char == "{" and walk.states.slot_for(char):
        turn.emit.set_aside(Mark(pending, start), (), 0)
        walk.settle_all()
    elif pending:
        if not _is_name(turn, reading, pending, start):
            turn.leave(text_follows=False)
            if not turn.read_again(pending, start):
                turn.say(pending, start)
        return
    edges = walk.states.slot_for(char)
    if edges:
        turn.open_region(turn.tape.base + i, 0, bare=turn.region.bare)  # if it is not a call, a marker may begin there
        reading.enter(turn, edges, i)
    else:
        turn.leave(text_follows=False)


def _is_name(turn: Turn, reading: Reading, pending: str, start: int) -> bool:
    # A call without a marker may begin like a marker: `plan(` like `print(`.
    origin = reading.walk.origin()
    edges = origin.slot_for(pending[0])
    if origin is reading.walk.states or not edges or not turn.read_again(pending, start):
        return False
    _open_region(turn, start)
    reading.walk.settle(start)
    reading.enter(turn, edges, -1)
    return True


def _open_region(turn: Turn, start: int) -> None:
    # A call may have begun at that place, from which on the text was walked along.
    turn.open_region(start, 0, bare=turn.region.bare)
    if turn.judge.attempt is not None:  # if it is none, that text is read again
        turn.judge.attempt.before.payload.walk.go_back_to(start)


def _literal_after(turn: Turn, reading: Reading, here: int) -> None:
    walk = reading.walk
    text, start = walk.unsettled
    flags = walk.states.flags
    if flags & STOP:
        draft = turn.judge.draft
        turn.leave(text_follows=True)
        if draft is not None and draft.is_last:  # text makes the call content; what follows it is made up all the same
            turn.end_draft(start, ("message", text.strip(), start))
        elif draft is None or not draft.is_plain:
            turn.enter(DONE)
            turn.emit.problem(ANOTHER_MESSAGE, text.strip(), start)
        turn.say(text, start)
    elif flags & (MARKUP | LEFTOVER):
        if not flags & MARKUP:
            turn.emit.problem(LEFTOVER_MARKER, text, start)
        turn.emit.markup(text, start)
        walk.settle_all()
    else:
        _open_region(turn, start)  # a call whose first literal is JSON itself, or a word
        turn.region.keep(text)
        reading.go_on()
        arrived(turn, reading, here)


BETWEEN, AFTER = Between(), After()
"""They have no state, so one of each is enough."""
