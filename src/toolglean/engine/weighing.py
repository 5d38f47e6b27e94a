# What lies above a machine, if anything does: what its caller knows of special tokens, and what changes its events.
# Does not know how (evidence/, unknown.py, trailing/).
#
# A machine above which there is nothing is not slower for it.
"""A machine that may know which text special tokens wrote, and whose events may be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.machine import Machine
from toolglean.engine.modes import CONTENT

if TYPE_CHECKING:
    from toolglean.engine.evidence.evidence import Evidence
    from toolglean.engine.evidence.kinds import Special, Vocabulary
    from toolglean.engine.plan import Plan
    from toolglean.engine.sieve import Sieve
    from toolglean.engine.turn import Turn
    from toolglean.events import Event
    from toolglean.options import ParserOptions

__all__ = ["Weighing"]


class Weighing(Machine):
    """A machine, and what reads through it: what is known of special tokens (the markers that are one token, and the
    evidence of the turn), and what changes its events.
    """

    __slots__ = ("_evidence", "_sieve", "_vocabulary")

    _evidence: Evidence | None
    _sieve: Sieve | None
    _vocabulary: Vocabulary | None

    def _know(self, atomic: frozenset[str] | None) -> None:
        # Before anything is read. None: which markers are one token is not known, or does not matter.
        self._vocabulary = None
        if atomic:
            from toolglean.engine.evidence.kinds import Vocabulary  # noqa: PLC0415  # see below

            self._vocabulary = Vocabulary(atomic, self._turn.channel != CONTENT)
        self._evidence = None  # until it is known of some text which tokens wrote it

    def _choose(self, options: ParserOptions, json: Plan | None = None) -> None:
        # Before anything is read: what is done with calls to unknown tools, and with JSON at the end (`json` reads it).
        self._sieve = None
        tools = self._turn.names.tools
        if options.unknown_tools == "content" and tools is not None:
            from toolglean.engine.unknown import UnknownCalls  # noqa: PLC0415  # only with this option

            self._sieve = UnknownCalls(self._plan, options)
        if json is not None and tools is not None:
            from toolglean.engine.trailing.calls import TrailingCalls  # noqa: PLC0415  # only with this option

            self._sieve = TrailingCalls(json, tools, options, self._sieve)

    def _weigh(self, chunk: str, special: Special) -> list[Event]:
        if self._finished:
            return self._feed_loop(chunk)
        sieve, place = self._sieve, self._fed
        if self._evidence is None:
            from toolglean.engine.evidence.evidence import Evidence  # noqa: PLC0415  # most callers know no tokens

            self._evidence = Evidence(self._plan, self._vocabulary)
        events = self._evidence.feed(self, chunk, special)
        self._pass_nothing()
        return events if sieve is None else sieve.sift(events, chunk, place)

    def _pass_nothing(self) -> None:
        # Every chunk is seen: "" is in each, so none is plain content for `Parser.feed`.
        self._guard = ""

    def _feed_aside(self, chunk: str) -> list[Event]:
        # Something besides the machine must see the chunk, of whose tokens nothing is known.
        if self._evidence is not None:
            return self._weigh(chunk, None)
        return self._feed(chunk) if self._sieve is None else self._sift(self._sieve, chunk)

    def _sift(self, sieve: Sieve, chunk: str) -> list[Event]:
        # Nothing is known of special tokens.
        place = self._pos
        events = self._feed(chunk)
        if sieve.sees_all:
            self._pass_nothing()
        return sieve.sift(events, chunk, place)

    @property
    def _fed(self) -> int:
        # How many characters came. The evidence may have kept the last ones for itself.
        return self._pos if self._evidence is None or self._sieve is None else self._sieve.seen

    def finish(self) -> list[Event]:
        """End the turn. A second call does nothing."""
        if self._evidence is None and self._sieve is None:
            return self._end()
        place = self._fed
        evidence, self._evidence = self._evidence, None
        sieve, self._sieve = self._sieve, None
        machine, events = (self, self._end()) if evidence is None else evidence.finish(self)
        if machine is not self and isinstance(machine, Weighing):
            self.__setstate__(machine.__getstate__())
        return events if sieve is None else sieve.finish(events, place, machine._here)

    def _go_on_after(self, ended: Weighing) -> None:
        # Nothing was read yet. What quotes the end of the other text, which is over, quotes the beginning of this.
        code = ended._here.judge.code
        if code is not None and (opener := code.unclosed):
            self._read_prompt(opener, is_own=True)

    # -- what the evidence asks, and does: see evidence/reader.py ------------------------------------------------------

    def _end(self) -> list[Event]:
        return super().finish()

    def _alone(self) -> Weighing:
        twin = super().fork()
        twin._evidence, twin._sieve, twin._vocabulary = None, None, self._vocabulary
        return twin

    @property
    def _here(self) -> Turn:
        self._stand()
        self._catch_up()
        self._own()
        return self._turn

    @property
    def _place(self) -> int:
        return self._pos

    def _trust_next(self) -> None:
        self._own()
        self._turn.tape.tokens.trust(self._pos, 2 * self._turn.limits.held)

    def _hide_next(self) -> list[Event]:
        turn = self._here
        turn.tape.tokens.hide()
        turn.keep_nothing()
        self._set_fast_paths()
        return self._taken()

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        state = super().__getstate__()
        self._see_all()
        return state, self._vocabulary, self._evidence, self._sieve

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        # Versions before 1.0 have pickled nothing but what the machine has: it refuses that.
        whole = len(state) == 4
        own, self._vocabulary, self._evidence, self._sieve = state if whole else (state, None, None, None)
        super().__setstate__(own)
        self._see_all()

    def _see_all(self) -> None:
        if self._evidence is not None or (self._sieve is not None and self._sieve.sees_all):
            self._pass_nothing()
