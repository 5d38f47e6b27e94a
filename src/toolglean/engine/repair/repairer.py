# When to wait for the end of a call that cannot be read as written, what to try then, and what to do if no repair fits:
# exactly what is done without repairs. Does not depend on how a payload is written: it asks payloads (`Repairable`).
#
# While it waits, the turn does not advance, and the text is kept: from the refused character up to the call's closer,
# an opener, a limit or the end of the turn. Positions decide that, never the cuts of the stream. Each call is tried
# once, with a bounded number of texts, so the work stays linear.
#
# A trial is an attempt that reads another text. Every text is given with the place at which it ends in the turn. So
# what was inserted, or replaces other text, ends where that text ended, and all places after it are those of the turn.
"""Repairs a call."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from toolglean.engine.reasons import AMBIGUOUS
from toolglean.engine.repair.candidates import (
    BACKSLASH,
    BRACKETS,
    OF_BARE,
    OF_VALUES,
    OPENER,
    QUOTE,
    Asked,
    Candidate,
    candidates,
)
from toolglean.engine.repair.meant import (
    bracket_is_unambiguous,
    call_of,
    closes_tag_of,
    ends_with_stray_tag,
    has_other_escapes,
    key_of,
    matches_schema,
    may_be_rest_of,
)
from toolglean.engine.repair.suspended import OFF, TRIAL, Fault, Kind, Put, Suspended
from toolglean.formats.headers import ENDS
from toolglean.scan.bare import ODD_QUOTES, has_rest
from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.repair.suspended import Repair
    from toolglean.engine.turn import Payload, Turn
    from toolglean.events import ToolCall

__all__ = ["finish_repair", "read_repair"]

SPACE_AFTER_CALL = 64  # how far to look for something that shows that the arguments have not ended

Piece = tuple[str, int]
"""A text, and the place at which it ends."""


class Status(IntEnum):
    """The progress of a trial."""

    NEED = 0
    ENDED = 1
    FAILED = 2


NEED, ENDED, FAILED = Status


class Trial(Plain):
    """A copy of a turn that reads another text, up to the end of one call.

    Attributes:
        status: whether the call has ended.
        end: the place up to which it has read; rest: the text given after it.
        final: whether the marker inserted last must be the last of its call.
        backslashes: how many were inserted.
    """

    __slots__ = ("_attempt", "_first", "backslashes", "end", "final", "rest", "status")
    owned = ("_attempt",)

    def __init__(self, attempt: Attempt, repair: Repair, *, final: bool = False) -> None:
        self._attempt = attempt.copy()
        self._first = self.turn.emit.index - self.turn.emit.open
        self.status = NEED
        self.end, self.rest = -1, ""
        self.final, self.backslashes = final, 0
        self.turn.begin_trial(repair)
        if (draft := self.turn.judge.draft) is not None:  # the turn itself returns what was before it
            draft.emit.release()
            draft.emit.take()

    @property
    def turn(self) -> Turn:
        """The copy."""
        turn: Turn = self._attempt.before
        return turn

    @property
    def call(self) -> ToolCall | None:
        """The call, if it may run and nothing about it is doubtful."""
        return call_of(self.turn)

    def repaired(self, name: str, fault: Fault) -> None:
        """Report what was repaired; "": nothing was."""
        self.backslashes += name == BACKSLASH
        if name and name not in self.turn.emit.repairs:
            self.turn.repaired(name, fault.text, fault.place)

    def read(self, pieces: list[Piece], *, last: bool = False) -> Status:
        """Read on, up to the end of the call. `last`: no more text comes."""
        turn = self.turn
        stack = [(text, end - len(text)) for text, end in reversed(pieces)]
        while stack:
            text = turn.tape.join(*stack.pop())
            i = 0
            while i < len(text):
                if not turn.reading_call or turn.payload is None or turn.limit_passed(i):
                    self.status = FAILED
                    return FAILED
                i = turn.payload.read(turn, text, i)
                waiting = turn.tape.take_waiting()
                if waiting is not None and not waiting[0]:  # only the loop was interrupted
                    waiting = None
                if turn.emit.index > self._first and not turn.emit.open:
                    rest = text[i:] + "".join(each for each, _ in reversed(stack))
                    return self._ended(waiting, turn.tape.base + i, rest)
                if waiting or turn.suspended is not None:
                    stack.append((text[i:], turn.tape.base + i))
                    stack.append(waiting or self._put_in(turn.suspended, stack))
                    break
            self.end = turn.tape.base + i
        if last and turn.reading_call and turn.payload and turn.emit.open and turn.payload.completes(turn):
            return self._ended(turn.tape.take_waiting(), self.end, "")
        return NEED

    def _ended(self, waiting: tuple[str, int] | None, place: int, rest: str) -> Status:
        text, self.end = waiting or ("", place)
        self.rest = text + rest
        self.status = ENDED
        return ENDED

    def _put_in(self, suspended: Suspended | None, stack: list[tuple[str, int]]) -> tuple[str, int]:
        # The call lacks something else too, for example another closing marker.
        assert suspended is not None
        fault, put = suspended.fault, suspended.fault.put
        assert put is not None
        self.repaired(fault.name, fault)
        self.final = put.final
        self.turn.resume()
        text, place = stack.pop()
        stack.append((text[put.skip :], place + put.skip))
        return put.text, place + put.skip - len(put.text)


def read_repair(turn: Turn, text: str, i: int) -> int:
    """Read more of the text. Returns the place reached."""
    suspended = turn.suspended
    assert suspended is not None
    if suspended.fault.put is not None:
        return _read_on(turn, suspended, suspended.fault.put, text, i)
    return _read_tail(turn, suspended, text, i)


def finish_repair(turn: Turn) -> None:
    """The turn ended: the closer never came, unless the call needs none, or lacked only what was inserted."""
    suspended = turn.suspended
    assert suspended is not None
    trial: Trial | None = suspended.trial
    if suspended.fault.put is None:
        _end_tail(turn, suspended, suspended.fault.place + len(suspended.raw), closed=False)
        return
    if trial is not None and trial.status == NEED:
        trial.read([], last=True)
    if (
        trial is not None
        and trial.status == ENDED
        and _is_meant(suspended, trial)
        and _is_over(turn, suspended, trial, at_end=True)
    ):
        _adopt(turn, suspended, trial)
    else:
        _as_written(turn, suspended)


# -- arguments, up to the closer ---------------------------------------------------------------------------------------


def _read_tail(turn: Turn, suspended: Suspended, text: str, i: int) -> int:
    payload = _payload(suspended)
    place, found, taken = suspended.find(payload.end_finder(), text[i:], turn.tape.base + i)
    if place + len(found) > suspended.before.bound.at:
        _as_written(turn, suspended)
    elif found:
        _end_tail(turn, suspended, place, closed=payload.is_closer(found))
    return i + taken


def _end_tail(turn: Turn, suspended: Suspended, end: int, *, closed: bool) -> None:
    # The arguments extend at most to `end`; `closed`: the call's closer is there.
    fault, payload = suspended.fault, _payload(suspended)
    quote, keys = payload.quoting()
    tail = suspended.raw[: end - fault.place]
    asked = Asked(fault.kind, tail, closed, payload.brackets(), payload.is_whole(), quote, keys)
    found: dict[str, Trial] = {}
    written = ""
    for equals in candidates(asked):
        if written and _counts(suspended, found[written]):
            break  # what follows is less certain than a reading as written that fits the schema
        for candidate in equals:
            trial = _tried(suspended, candidate, end, closed=closed)
            call = None if trial is None else trial.call
            if trial is None or call is None or (candidate.name and not _counts(suspended, trial)):
                continue
            key = key_of(call)
            found.setdefault(key, trial)
            written = written if candidate.name else key
    if len(found) == 1:
        _adopt(turn, suspended, next(iter(found.values())))
        return
    _as_written(turn, suspended)
    if found and fault.kind == Kind.QUOTES:
        turn.give_up(AMBIGUOUS, fault.text, fault.place)


def _tried(suspended: Suspended, candidate: Candidate, end: int, *, closed: bool) -> Trial | None:
    fault, (name, brackets, text, rest) = suspended.fault, candidate
    assert suspended.attempt is not None
    trial = Trial(suspended.attempt, OFF)
    trial.repaired(name, fault)
    # Feed brackets one at a time: the call ends at one of them, and the rest must stay unread.
    pieces = [(each, fault.place if text else end) for each in brackets] + [(text, end - len(rest)), (rest, end)]
    if not closed:  # JSON without a marker is a call only if its line ends with it
        pieces.append(("\n", end + 1))
    status = trial.read(pieces, last=True)
    if status == NEED and name and closed and trial.turn.payload is not None:
        if name != BRACKETS:
            trial.repaired(BRACKETS, fault)
        status = trial.read([(each, end) for each in trial.turn.payload.brackets()], last=True)
    return trial if status == ENDED and _is_nothing(suspended, trial, rest) else None


def _is_nothing(suspended: Suspended, trial: Trial, rest: str) -> bool:
    # Whether what is left after the call only closes what is around it, or, after a call that needs no closer, is on
    # the next line.
    if rest and trial.rest.startswith(rest) and not _is_bare(suspended):
        return "\n" in rest[: len(rest) - len(rest.lstrip())]
    brackets = trial.turn.payload.brackets() if trial.turn.payload is not None else ""
    return brackets.startswith("".join(trial.rest.split())) or _payload(suspended).is_markup(trial.rest)


def _counts(suspended: Suspended, trial: Trial) -> bool:
    # A call without a marker is accepted only if it certainly belongs to one of the tools.
    call, before = trial.call, suspended.before
    if call is None or not matches_schema(before, call):
        return False
    texts = [each for each in call.arguments.values() if isinstance(each, str)] if QUOTE in call.repairs else []
    if suspended.raw[:1] not in ODD_QUOTES and any(map(has_rest, texts)):
        return False  # what broke off has no closing marker, so what follows it became its value
    if _is_bare(suspended) and not (call.known is True and OF_BARE.issuperset(call.repairs)):
        return False
    if BRACKETS not in call.repairs:
        return True
    # A number that only the end of the message ends may be cut off.
    may_go_on = before.emit.call.written[-1:].isdigit() and suspended.raw.startswith(ENDS)
    return not may_go_on and bracket_is_unambiguous(before, call)


def _is_bare(suspended: Suspended) -> bool:
    # Whether it is JSON without a marker.
    return bool(suspended.fault.kind == Kind.REGION and suspended.before.region.bare)


# -- if it is clear at once what to insert -----------------------------------------------------------------------------


def _read_on(turn: Turn, suspended: Suspended, put: Put, text: str, i: int) -> int:
    fault, piece, here = suspended.fault, text[i:], turn.tape.base + len(text)
    if fault.name == OPENER and fault.kind == Kind.CHARACTER:
        if suspended.opens_call(_payload(suspended), piece, turn.tape.base + i):
            _as_written(turn, suspended)
            return len(text)
    else:
        suspended.keep(piece)
    pieces = [(piece, here)]
    trial: Trial | None = suspended.trial
    if trial is None:
        assert suspended.attempt is not None
        trial = Trial(suspended.attempt, TRIAL, final=put.final)
        suspended.begin_trial(trial)
        trial.repaired(fault.name, fault)
        pieces = [(put.text, fault.place + put.skip), (piece[put.skip :], here)]
    if trial.status == NEED and trial.read(pieces) == ENDED and not _is_meant(suspended, trial):
        _as_written(turn, suspended)
    elif trial.status == ENDED:
        over = _is_over(turn, suspended, trial, at_end=False)
        if over:
            _adopt(turn, suspended, trial)
        elif over is not None:
            _as_written(turn, suspended)
    elif trial.status == FAILED:
        _as_written(turn, suspended)
    return len(text)


def _is_meant(suspended: Suspended, trial: Trial) -> bool:
    # A closing marker in a value would belong to a parameter that the value quotes.
    fault = suspended.fault
    call, put = trial.call, fault.put
    if call is None or put is None or not matches_schema(trial.turn, call):
        return False
    if trial.backslashes and has_other_escapes(call.arguments_text, trial.backslashes):
        return False
    if fault.name not in OF_VALUES:
        return True
    if put.text in call.arguments_text or OF_VALUES.issubset(call.repairs):
        return False
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    heads = _payload(suspended).heads() if fault.name == OPENER else ()
    if any(head in text.casefold() for head in heads for text in texts):
        return False
    if fault.name == OPENER and any(may_be_rest_of(put.text, text) for text in texts):
        return False
    return not any(ends_with_stray_tag(text) or closes_tag_of(fault.text, text) for text in texts)


def _is_over(turn: Turn, suspended: Suspended, trial: Trial, *, at_end: bool) -> bool | None:
    # If a value lacks its marker before the call's own closers, these must end the call: nothing may follow them but
    # what ends a section or a turn, or the next call. None: more text is needed.
    raw, place = suspended.raw, trial.end - suspended.fault.place
    if suspended.fault.name not in OF_VALUES:
        return _is_whole(trial, raw[place : place + SPACE_AFTER_CALL], at_end=at_end)
    if not trial.final:
        return True
    return _payload(suspended).goes_on(raw[:place], raw[place:], turn.names.could_be_tool, at_end=at_end)


def _is_whole(trial: Trial, rest: str, *, at_end: bool) -> bool | None:
    # A bracket that nothing opened, or another member, shows that the JSON did not end there. None: more text is
    # needed.
    char = rest.lstrip()[:1]
    if not char:
        return True if at_end or len(rest) == SPACE_AFTER_CALL else None
    payload = trial.turn.payload
    closes = payload is not None and (payload.brackets().startswith(char) or payload.is_markup(char))
    return closes or char not in {'"', "}"}


# -- the outcome -------------------------------------------------------------------------------------------------------


def _adopt(turn: Turn, suspended: Suspended, trial: Trial) -> None:
    written = turn.region.text + suspended.raw[: trial.end - suspended.fault.place]
    turn.take_over(trial.turn, written if suspended.before.judge.draft is None else "")
    turn.tape.read_instead(suspended.raw[trial.end - suspended.fault.place :], trial.end)


def _as_written(turn: Turn, suspended: Suspended) -> None:
    fault, raw, place = suspended.fault, suspended.raw, suspended.fault.place
    assert turn.payload is not None
    turn.give_up_repair(suspended.before)
    if fault.reason is not None:
        turn.give_up(fault.reason, fault.text, place)
    elif fault.kind == Kind.REGION:
        turn.payload.refuse(turn)
        waiting = turn.tape.take_waiting()
        if waiting is not None and waiting[0]:  # else only the loop was interrupted
            raw, place = waiting[0] + raw, waiting[1]
    else:
        turn.payload.take_as_written(place, doubtful=fault.put is not None and not fault.put.final)
    turn.tape.read_instead(raw, place)


def _payload(suspended: Suspended) -> Payload:
    payload: Payload = suspended.before.payload
    return payload
