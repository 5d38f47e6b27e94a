# What this file knows: when to wait for the end of a call that cannot be read as written, what to try then, and what to
# do where nothing comes of it: exactly what is done where nothing is mended.
# What it must not know: how any payload is written. It asks payloads (`Payload.brackets`, `ends`, `goes_on`, …).
#
# While it waits, the turn stands still and the text is kept. That is so from the refused character up to the call's
# closer, an opener, a limit or the end of the turn: positions, never cuts, decide. Each call is tried once, with a
# bounded number of texts, so all of it stays linear.
"""Mending a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from toolglean.engine.mending.state import BRACKETS, CLOSER, FAULT, OFF, QUOTES, REGION, TRIAL, UNCLOSED, Mending
from toolglean.engine.mending.tails import Tail, meant, meant_by_python, meant_by_quotes, meant_by_schema
from toolglean.engine.mending.trial import (
    ENDED,
    FAILED,
    NEED,
    call_of,
    ends_with_stray_tag,
    fits,
    is_placed,
    key_of,
    read_call,
    trial_of,
)
from toolglean.engine.modes import CALL
from toolglean.scan.rope import grown, joined
from toolglean.values.bare import ODD_QUOTES

if TYPE_CHECKING:
    from toolglean.engine.turn import Payload, Turn

__all__ = ["finish_mending", "read_mending"]

AMBIGUOUS = "malformed arguments: they can be meant in more than one way"

Winner = tuple["Turn", int]
"""A copy of the turn whose call ended, and the place from which on it has read nothing."""


def read_mending(turn: Turn, text: str, i: int) -> int:
    """Take in more of the text. Returns the place reached."""
    mending = turn.mending
    assert mending is not None
    return _read_value(turn, mending, text, i) if mending.kind == UNCLOSED else _read_tail(turn, mending, text, i)


def finish_mending(turn: Turn) -> None:
    """The turn ended: the closer never came, unless all that a value lacked was its own."""
    mending = turn.mending
    assert mending is not None
    if mending.kind != UNCLOSED:
        _end_tail(turn, mending, mending.place + len(joined(mending.raw)), closed=False)
    elif mending.ended >= 0 and mending.trial is not None and _is_over(turn, mending, at_end=True):
        _adopt(turn, mending, (mending.trial, mending.ended))
    else:
        _as_written(turn, mending)


# -- arguments, up to the closer ---------------------------------------------------------------------------------------


def _read_tail(turn: Turn, mending: Mending, text: str, i: int) -> int:
    payload = _payload(mending)
    piece = text[i:]
    near = mending.edge + piece
    begin = turn.base + i - len(mending.edge)
    place, found = payload.end_finder().find(near, 0)
    over = begin + place + len(found) > _limit(mending)
    if not found:
        mending.raw, mending.edge = grown(mending.raw, piece), near[place:]
        if over:
            _as_written(turn, mending)
        return len(text)
    taken = max(place + len(found) - len(mending.edge), 0)
    mending.raw = grown(mending.raw, piece[:taken])
    if over:
        _as_written(turn, mending)
    else:
        _end_tail(turn, mending, begin + place, closed=payload.is_closer(found))
    return i + taken


def _end_tail(turn: Turn, mending: Mending, end: int, *, closed: bool) -> None:
    # The arguments can go no further than `end`; `closed`: the call's closer stands there.
    tail = joined(mending.raw)[: end - mending.place]
    found: dict[str, Winner] = {}
    written = ""
    for candidates in _candidates(mending, tail, closed=closed):
        if written and _counts(mending, found[written][0]):
            break  # what follows is less certain than a reading as written, of which the schema knows all
        for candidate in candidates:
            winner = _tried(mending, candidate, end, closed=closed)
            call = winner and call_of(winner[0])
            if winner is None or call is None or (candidate[0] and not _counts(mending, winner[0])):
                continue
            key = key_of(call)
            found.setdefault(key, winner)
            written = written if candidate[0] else key
    if len(found) == 1:
        _adopt(turn, mending, next(iter(found.values())))
        return
    _as_written(turn, mending)
    if found and mending.kind == QUOTES:
        turn.give_up(AMBIGUOUS, mending.text, mending.place)


def _candidates(mending: Mending, tail: str, *, closed: bool) -> Iterator[Iterable[Tail]]:
    # In the order of how certain they are.
    payload = _payload(mending)
    if not closed:
        yield meant_by_python(tail) if mending.kind != QUOTES else ()
    elif mending.kind != QUOTES:
        yield meant(tail, payload.brackets(), whole=payload.is_whole())
    else:
        quote, keys = payload.quoting()
        as_it_is = [] if tail[:1] in ODD_QUOTES else [("", "", tail)]
        yield [*as_it_is, *meant_by_quotes(tail, quote, keys)]
        yield meant_by_schema(tail, quote, payload.brackets(), keys)


def _tried(mending: Mending, tail: Tail, end: int, *, closed: bool) -> Winner | None:
    name, brackets, text = tail
    turn = trial_of(mending.before, OFF)
    first = turn.emit.index - turn.emit.open
    _tell(turn, mending, name)
    # Each bracket by itself: the call ends with one of them, and those behind it are not read.
    pieces = [(each, mending.place if text else end) for each in brackets] + [(text, end)]
    if not closed:  # JSON without a marker is a call only if its line ends with it
        pieces.append(("\n", end + 1))
    status, place, rest = read_call(turn, first, pieces)
    if status == NEED and name and closed and turn.payload is not None:
        if name != BRACKETS:
            _tell(turn, mending, BRACKETS)
        status, place, rest = read_call(turn, first, [(each, end) for each in turn.payload.brackets()])
    if status != ENDED or not _is_nothing(turn, mending, rest):
        return None
    return turn, place


def _is_nothing(turn: Turn, mending: Mending, rest: str) -> bool:
    # What is left behind the call only closes what stands around it.
    brackets = turn.payload.brackets() if turn.payload is not None else ""
    return brackets.startswith("".join(rest.split())) or _payload(mending).is_markup(rest)


def _counts(mending: Mending, trial: Turn) -> bool:
    # A call without a marker counts only if it is certainly one of the tools'.
    call = call_of(trial)
    bare = mending.kind == REGION and mending.before.region.bare
    if call is None or not fits(mending.before, call) or (bare and call.known is not True):
        return False
    return BRACKETS not in call.repairs or is_placed(mending.before, call)


def _tell(turn: Turn, mending: Mending, name: str) -> None:
    if name:
        turn.mended(name, mending.reason if mending.kind == UNCLOSED else mending.text, mending.place)


# -- values without a closing marker -----------------------------------------------------------------------------------


def _read_value(turn: Turn, mending: Mending, text: str, i: int) -> int:
    piece = text[i:]
    mending.raw = grown(mending.raw, piece)
    here = turn.base + len(text)
    if mending.ended < 0:
        pieces = [(piece, here)]
        if mending.trial is None:
            mending.trial = trial_of(mending.before, TRIAL)
            mending.trial.before_closers = mending.final
            _tell(mending.trial, mending, CLOSER)
            pieces = [(mending.text, mending.place + mending.skip), (piece[mending.skip :], here)]
        status, place, _ = read_call(mending.trial, mending.trial.emit.index - 1, pieces)
        if status == FAILED or (status == ENDED and not _is_meant(mending)):
            _as_written(turn, mending)
        elif status == ENDED:
            mending.ended, mending.final = place, mending.trial.before_closers
    if turn.mending is not None and mending.trial is not None and mending.ended >= 0:
        over = _is_over(turn, mending, at_end=False)
        if over:
            _adopt(turn, mending, (mending.trial, mending.ended))
        elif over is not None:
            _as_written(turn, mending)
    return len(text)


def _is_meant(mending: Mending) -> bool:
    # A closing marker in a value would belong to a parameter that the value quotes.
    trial = mending.trial
    call = None if trial is None else call_of(trial)
    if call is None or trial is None or not fits(trial, call) or mending.text in call.arguments_text:
        return False
    return not any(isinstance(value, str) and ends_with_stray_tag(value) for value in call.arguments.values())


def _is_over(turn: Turn, mending: Mending, *, at_end: bool) -> bool | None:
    # Where a value lacks its marker before the call's own closers, these must end the call: nothing may follow them
    # but what ends a section or a turn, or the next call. None: it is still to be seen.
    if not mending.final:
        return True
    raw = joined(mending.raw)
    place = mending.ended - mending.place
    return _payload(mending).goes_on(raw[:place], raw[place:], turn.names.may_be, at_end=at_end)


# -- what comes of it --------------------------------------------------------------------------------------------------


def _adopt(turn: Turn, mending: Mending, winner: Winner) -> None:
    trial, place = winner
    rest = joined(mending.raw)[place - mending.place :]
    turn.take_over(trial)
    turn.read_instead(rest, place)


def _as_written(turn: Turn, mending: Mending) -> None:
    before = mending.before
    turn.mending, turn.mode = None, CALL
    turn.bound.set(before.bound.at, before.bound.name)
    turn.tried = turn.emit.index
    raw, place = joined(mending.raw), mending.place
    assert turn.payload is not None
    if mending.kind == FAULT:
        turn.give_up(mending.reason, mending.text, place)
    elif mending.kind == REGION:
        turn.payload.refuse(turn)
        waiting = turn.tape.take_waiting()
        if waiting is not None and waiting[0]:  # else only the loop was interrupted
            raw, place = waiting[0] + raw, waiting[1]
    else:
        turn.payload.take_as_written(place, doubtful=mending.kind == UNCLOSED and not mending.first_final)
    turn.read_instead(raw, place)


def _payload(mending: Mending) -> Payload:
    payload: Payload = mending.before.payload
    return payload


def _limit(mending: Mending) -> int:
    limit: int = mending.before.bound.at
    return limit
