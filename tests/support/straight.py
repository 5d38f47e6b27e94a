# The law of the straight way: a parser that may follow a call as its format declares it, without its machine, gives
# what a parser gives whose machine reads everything:
#
#   events     for the same chunks, after each of them, the same (adjacent deltas and texts within one chunk are joined)
#   answers    `state`, `format`, `tools`, `repr`, at any moment
#   copies     the same after `fork`, `copy`, `pickle`: of the copy, and of what it was copied from
#   the end    the same `finish` and `close`, and the same folded `add`
#   inside     behind a call, and wherever the parser gets off, the same state in every slot
#
# A turn is played from a script: its text, with a sign wherever a chunk ends. The sign says what is done there. So a
# script is text, and a fault is made smaller as text is.
#
# Does not depend on where scripts come from (fuzz/straight.py), or which slots matter (inside.py).
"""A parser that may leave its machine, beside one that never does."""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.support.inside import inside, state_difference
from toolglean import CallEnd, Event, Parser, UsageError, join

__all__ = ["CUT", "SIGNS", "ByMachine", "Difference", "Watched", "play", "scripted", "told"]

CUT, FORK, COPY, PICKLE, STRAY, LOOK, INSIDE, OFF, ADD, END, CLOSE = map(chr, range(0xE000, 0xE00B))
"""The signs: of a cut, where nothing is done; and of what is done there, before the next chunk."""
SIGNS = {
    CUT: "cut", FORK: "fork", COPY: "copy", PICKLE: "pickle", STRAY: "stray", LOOK: "look", INSIDE: "inside",
    OFF: "off", ADD: "add", END: "end", CLOSE: "close",
}  # fmt: skip
PAIRS = 4  # of parsers on one turn, at most
NONSENSE = '}"]<x'
_signs = re.compile(f"([{CUT}-{CLOSE}])")


class ByMachine(Parser):
    """A parser that never leaves its machine, not even in the prompt."""

    __slots__ = ()

    @property
    def _route(self) -> None:
        return None

    @_route.setter
    def _route(self, value: object) -> None:
        del value


class Watched(Parser):
    """A parser that counts how often it sets out on the straight way, and how often it gets off before the end.

    Attributes:
        counts: whether it counts now: what is done to compare it with another does not count.
        tally: `out` and `off`: how often; `chunks`: those that were read on the straight way, at least in part; `calls`:
            those that were followed to their end.
    """

    __slots__ = ("_first",)

    counts: ClassVar[bool] = False
    tally: ClassVar[Counter[str]] = Counter()

    @property
    def _straight(self) -> Any:
        return _slot.__get__(self)

    @_straight.setter
    def _straight(self, value: Any) -> None:
        was_on = hasattr(self, "_first") and self._straight is not None
        if value is not None and not was_on:
            self._first = self._turn.emit.index
            Watched.tally["out"] += Watched.counts
        elif was_on and value is None:
            Watched.tally["off"] += Watched.counts
            self.leave()
        _slot.__set__(self, value)

    def leave(self) -> None:
        """It leaves the straight way: the calls since it set out were followed to their end."""
        if Watched.counts and self._straight is not None:
            Watched.tally["calls"] += self._turn.emit.index - self._first


_slot: Any = Parser._straight  # type: ignore[misc]  # what the parser is following


@dataclass(frozen=True)
class Difference:
    """What a turn shows of a parser that may leave its machine, and not of one that may not.

    Attributes:
        law: which part of the law is broken.
        what: where: what tells this difference from others.
        detail: after which chunk, and both.
    """

    law: str
    what: str
    detail: str


class _DiffersError(Exception):
    def __init__(self, law: str, what: str, detail: str) -> None:
        super().__init__(law, what, detail)
        self.law, self.what, self.detail = law, what, detail


def told(events: Iterable[Event]) -> list[Event]:
    """The events of one chunk, with adjacent deltas of a call, and adjacent texts, joined.

    How many characters the loop joins at a time shows in where it cuts them, and nowhere else.
    """
    return join(events)


def scripted(chunks: Iterable[str]) -> str:
    """The script of these chunks, with nothing done between them."""
    return CUT.join(chunks)


def play(make: Callable[[type[Parser]], Parser], script: str) -> Difference | None:
    """Play a turn to two parsers, and return the first difference.

    Args:
        make: makes a parser of that class, with the arguments under which the law is tried.
        script: the turn, with signs.
    """
    Watched.tally.clear()
    Watched.counts = False
    pairs: list[_Pair] = []
    where = "at the start"
    try:
        pairs.append(_Pair(make(Watched), make(ByMachine)))
        parts = _signs.split(script)
        for number, chunk in enumerate(parts[::2]):
            sign = parts[2 * number - 1] if number else CUT
            where = f"in chunk {number}, {chunk!r}, after {SIGNS[sign]!r}"
            pairs = (pairs + [twin for pair in pairs for twin in pair.do(sign)])[:PAIRS]
            for pair in pairs:
                pair.read(chunk, add=sign == ADD)
        for number, pair in enumerate(pairs):
            where = f"at the end of pair {number}"
            pair.end(close=script.endswith(CLOSE))
    except _DiffersError as error:
        return Difference(error.law, error.what, f"{where}:\n{error.detail}")
    return None


_COPIES: dict[str, Callable[[Parser], Parser]] = {
    FORK: lambda parser: parser.fork(),
    COPY: copy.copy,
    PICKLE: lambda parser: pickle.loads(pickle.dumps(parser)),
}


class _Pair:
    # Two parsers that have read the same: one that may leave its machine, one that may not.

    def __init__(self, straight: Parser, machine: Parser) -> None:
        assert isinstance(straight, Watched)
        self.straight, self.machine = straight, machine

    def both(self, law: str, do: Callable[[Parser], Any]) -> Any:
        """What both parsers answer: the same. Errors are answers too."""
        found, due = _answer(do, self.straight), _answer(do, self.machine)
        if not _is_same(found, due):
            raise _DiffersError(law, _kind(found, due), f"  straight {found!r}\n  machine  {due!r}")
        return found

    def read(self, chunk: str, *, add: bool) -> None:
        """Read a chunk."""
        tally = Watched.tally
        out, was_on = tally["out"], self.straight._straight is not None
        Watched.counts = True
        if add:
            self.both("add", lambda parser: parser.add(chunk))
        else:
            self.both("events", lambda parser: told(parser.feed(chunk)))
        Watched.counts = False
        tally["chunks"] += was_on or tally["out"] > out

    def do(self, sign: str) -> list[_Pair]:
        """Do what the sign says. Returns another pair that reads on, or none."""
        if sign in _COPIES:
            copied = _COPIES[sign]
            return [_Pair(copied(self.straight), copied(self.machine))]
        if sign == LOOK:
            self.both("answers", _answers)
        elif sign == INSIDE:
            self.compare()
        elif sign == OFF:
            events = self.straight._get_off()
            if events:
                raise _DiffersError("inside", "something was not told before it got off", f"  {events}")
            self.compare()
        elif sign in {END, CLOSE}:
            _Pair(self.straight.fork(), self.machine.fork()).end(close=sign == CLOSE)
        elif sign == STRAY:  # what is done to a copy does not show in its original
            twin = _Pair(self.straight.fork(), self.machine.fork())
            twin.read(NONSENSE, add=False)
            twin.end(close=False)
        return []

    def compare(self) -> None:
        """Compare the state of both."""
        difference = state_difference(inside(self.straight), inside(self.machine))
        if difference:
            raise _DiffersError("inside", difference.partition(":")[0], f"  {difference}")

    def end(self, *, close: bool) -> None:
        """End the turn."""
        self.compare()
        Watched.counts = True
        self.straight.leave()
        Watched.counts = False
        if close:
            self.both("close", Parser.close)
        else:
            self.both("finish", lambda parser: told(parser.finish()))
        self.compare()
        self.both("after the end", lambda parser: (*_answers(parser), parser.finish(), parser.fork().close()))


def _answers(parser: Parser) -> tuple[Any, ...]:
    return parser.state, parser.format and parser.format.name, parser.tools and parser.tools.names, repr(parser)


def _is_same(found: Any, due: Any) -> bool:
    # `1 == 1.0 == True`, so values are compared as they are shown too. Only the end of a call has values.
    if isinstance(found, list) and not any(isinstance(each, CallEnd) for each in found):
        return bool(found == due)
    return found == due and repr(found) == repr(due)


def _answer(do: Callable[[Parser], Any], parser: Parser) -> Any:
    try:
        return do(parser)
    except UsageError as error:
        return f"{type(error).__name__}: {error}"


def _kind(found: Any, due: Any) -> str:
    if not isinstance(found, Sequence) or not isinstance(due, Sequence) or isinstance(found, str):
        return type(found).__name__
    for left, right in zip(found, due, strict=False):
        if repr(left) != repr(right):
            return f"{type(left).__name__} for {type(right).__name__}"
    return "more events" if len(found) > len(due) else "fewer events"
