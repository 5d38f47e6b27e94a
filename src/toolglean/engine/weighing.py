# What a machine does with what its caller knows of special tokens. Does not know what follows from it (evidence/).
#
# A machine without such knowledge has no evidence, and is not slower for it.
"""A machine that may know which text special tokens wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.machine import Machine
from toolglean.engine.modes import CONTENT

if TYPE_CHECKING:
    from toolglean.engine.evidence.evidence import Evidence
    from toolglean.engine.evidence.kinds import Special
    from toolglean.engine.evidence.vocabulary import Vocabulary
    from toolglean.engine.turn import Turn
    from toolglean.events import Event

__all__ = ["Weighing"]


class Weighing(Machine):
    """A machine, and what is known of special tokens: the markers that are one token, and the evidence of the turn."""

    __slots__ = ("_evidence", "_vocabulary")

    _evidence: Evidence | None
    _vocabulary: Vocabulary | None

    def _know(self, atomic: frozenset[str] | None) -> None:
        # Before anything is read. None: which markers are one token is not known, or does not matter.
        self._vocabulary = None
        if atomic:
            from toolglean.engine.evidence.vocabulary import Vocabulary  # noqa: PLC0415  # see below

            self._vocabulary = Vocabulary(atomic, self._turn.channel != CONTENT)
        self._evidence = None  # until it is known of some text which tokens wrote it

    def _weigh(self, chunk: str, special: Special) -> list[Event]:
        if self._finished:
            return self._feed_loop(chunk)
        if self._evidence is None:
            from toolglean.engine.evidence.evidence import Evidence  # noqa: PLC0415  # most callers know no tokens

            self._evidence = Evidence(self._plan, self._vocabulary)
        return self._evidence.feed(self, chunk, special)

    def finish(self) -> list[Event]:
        """End the turn. A second call does nothing."""
        if self._evidence is None:
            return self._end()
        evidence, self._evidence = self._evidence, None
        machine, events = evidence.finish(self)
        if machine is not self and isinstance(machine, Weighing):
            self.__setstate__(machine.__getstate__())
        return events

    # -- what the evidence asks, and does: see evidence/reader.py ------------------------------------------------------

    def _end(self) -> list[Event]:
        return super().finish()

    def _alone(self) -> Weighing:
        twin = super().fork()
        twin._evidence, twin._vocabulary = None, self._vocabulary
        return twin

    @property
    def _here(self) -> Turn:
        self._stand()
        self._catch_up()
        return self._turn

    @property
    def _place(self) -> int:
        return self._pos

    def _trust_next(self) -> None:
        self._turn.tape.tokens.trust(self._pos, 2 * self._turn.limits.held)

    def _hide_next(self) -> list[Event]:
        turn = self._here
        turn.tape.tokens.hide()
        turn.keep_nothing()
        self._set_fast_paths()
        return self._taken()

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return super().__getstate__(), self._vocabulary, self._evidence

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        # Older versions have pickled nothing but what the machine has.
        own, self._vocabulary, self._evidence = state if len(state) == 3 else (state, None, None)
        super().__setstate__(own)
