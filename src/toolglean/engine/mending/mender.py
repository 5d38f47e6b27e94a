# What this file knows: when to wait for the end of a call that cannot be read as written, what to try then, and what to
# do where nothing comes of it: exactly what is done where nothing is mended.
# What it must not know: how any payload is written. It asks payloads (`Payload.brackets`, `ends`, `goes_on`, …).
#
# While it waits, the turn stands still and the text is kept. That is so from the refused character up to the call's
# closer, an opener, a limit or the end of the turn: positions, never cuts, decide. Each call is tried once, with a
# bounded number of texts, so all of it stays linear.
"""Mending a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolglean.engine.mending.state import BRACKETS, CLOSER, FAULT, OFF, QUOTES, REGION, TRIAL, UNCLOSED, Mending
from toolglean.engine.mending.tails import Tail, meant, meant_by_quotes, meant_by_schema
from toolglean.engine.mending.trial import ENDED, FAILED, NEED, call_of, fits, key_of, read_call, trial_of
from toolglean.engine.modes import CALL
from toolglean.scan.rope import grown, joined
from toolglean.values.quoted import ODD_QUOTES

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
    if mending.ended >= 0 and mending.trial is not None and _is_over(turn, mending, at_end=True):
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
    winner = _mended(turn, mending, begin + place) if payload.is_closer(found) and not over else None
    if winner is not None:
        _adopt(turn, mending, winner)
    elif turn.mending is not None:
        _as_written(turn, mending)
    return i + taken


def _mended(turn: Turn, mending: Mending, closer: int) -> Winner | None:
    # The one call that comes of all the texts. Where several come, the call is given up here.
    payload, before = _payload(mending), mending.before
    assert before is not None
    tail = joined(mending.raw)[: closer - mending.place]
    found: dict[str, Winner] = {}
    written = ""
    for names, candidate in _candidates(mending, payload, tail, found):
        winner = _tried(mending, (names, candidate), closer)
        call = winner and call_of(winner[0])
        if winner is None or call is None or (names and not fits(before, call)):
            continue
        key = key_of(call)
        found.setdefault(key, winner)
        if not names:
            written = key
    if len(found) == 1:
        return next(iter(found.values()))
    if written:
        _refuse(turn, mending, AMBIGUOUS)
    return None


def _candidates(mending: Mending, payload: Payload, tail: str, found: dict[str, Winner]) -> Iterator[Tail]:
    brackets = payload.brackets()
    if mending.kind != QUOTES:
        yield from meant(tail, brackets, whole=payload.is_whole())
        return
    quote, keys = payload.quoting()
    if tail[:1] not in ODD_QUOTES:
        yield (), tail
    yield from meant_by_quotes(tail, quote, keys)
    if not found:
        yield from meant_by_schema(tail, quote, brackets, keys)


def _tried(mending: Mending, tail: Tail, closer: int) -> Winner | None:
    assert mending.before is not None
    names, text = tail
    turn = trial_of(mending.before, OFF)
    first = turn.emit.index - turn.emit.open
    _tell(turn, mending, names)
    status, place, rest = read_call(turn, first, [(text, closer)])
    if status == NEED and names and turn.payload is not None:
        missing = turn.payload.brackets()
        if BRACKETS not in names:
            _tell(turn, mending, (BRACKETS,))
        status, place, rest = read_call(turn, first, [(missing, closer)])
    if status != ENDED or not _payload(mending).is_markup(rest):
        return None
    return turn, place


def _tell(turn: Turn, mending: Mending, names: tuple[str, ...]) -> None:
    for name in names:
        turn.mended(name, mending.reason if mending.kind == UNCLOSED else mending.text, mending.place)


# -- values without a closing marker -----------------------------------------------------------------------------------


def _read_value(turn: Turn, mending: Mending, text: str, i: int) -> int:
    piece = text[i:]
    mending.raw = grown(mending.raw, piece)
    here = turn.base + len(text)
    if mending.ended < 0:
        pieces = [(piece, here)]
        if mending.trial is None:
            assert mending.before is not None
            mending.trial = trial_of(mending.before, TRIAL)
            mending.trial.before_closers = mending.final
            _tell(mending.trial, mending, (CLOSER,))
            pieces.insert(0, (mending.text, mending.place))
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
    return call is not None and trial is not None and fits(trial, call) and mending.text not in call.arguments_text


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
    turn.again.waiting = (rest, place) if rest else None


def _as_written(turn: Turn, mending: Mending) -> None:
    before = mending.before
    assert before is not None
    turn.mending, turn.mode = None, CALL
    turn.bound.set(before.bound.at, before.bound.name)
    turn.tried = turn.emit.index
    raw, place = joined(mending.raw), mending.place
    assert turn.payload is not None
    if mending.kind == FAULT:
        turn.give_up(mending.reason, mending.text, place)
    elif mending.kind == REGION:
        turn.payload.refuse(turn)
        if turn.again.waiting is not None:
            before_it, start = turn.again.waiting
            raw, place = before_it + raw, start
    else:
        turn.payload.take_as_written(place, doubtful=mending.kind == UNCLOSED and not mending.first_final)
    turn.again.waiting = (raw, place) if raw else None


def _refuse(turn: Turn, mending: Mending, reason: str) -> None:
    _as_written(turn, mending)
    turn.give_up(reason, mending.text, mending.place)


def _payload(mending: Mending) -> Payload:
    assert mending.before is not None
    assert mending.before.payload is not None
    return mending.before.payload


def _limit(mending: Mending) -> int:
    assert mending.before is not None
    return mending.before.bound.at
