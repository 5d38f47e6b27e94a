# What the machine is given of text whose special tokens are known, and what is returned of its events. Does not know
# how text is read: the machine reads it as it reads any other.
#
# A marker that a special token wrote is a marker, also in code and in other quotations. A marker that is spelled out in
# ordinary tokens, although the vocabulary has one token for it, is most likely text: an example, a document that is
# quoted, a value. But some models, and some grammars, spell markers out. So:
#
# - inside a value of a call it is text; between the values of a call it is a marker, because nothing else can be there;
# - a marker of reasoning counts as long as no special token has written one, if it opens the turn, or closes something;
# - elsewhere there are two readings from there on: in the first it is text (hidden.py), in the second (rival.py) a
#   marker. The second one is used only if the turn ends, nothing but complete calls of known tools follows, and no
#   special token has written a marker of a call.
#
# Whatever is not known is read as it is without evidence.
"""The evidence of special tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.evidence.hidden import cleaned, hidden, shown
from toolglean.engine.evidence.kinds import is_ordinary, is_special, kinds_of
from toolglean.engine.evidence.markers import Markers, markers_of
from toolglean.engine.evidence.rival import Rival
from toolglean.engine.modes import CALL, CONTENT, DONE, REPAIR, SKIP
from toolglean.engine.reasons import SPELLED_CLOSER
from toolglean.events import Event, Problem
from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from toolglean.engine.evidence.kinds import Special
    from toolglean.engine.evidence.reader import Reader
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Turn

__all__ = ["Evidence"]


class Evidence(Plain):
    """What is known of a turn's special tokens.

    Args:
        plan: what the machine looks for.
        atomic: the markers that are one token; None if that is not known: then none is doubted.
        in_reasoning: whether the prompt has opened the reasoning, which it does with special tokens.
    """

    __slots__ = (
        *("_atomic", "_hides", "_kinds", "_markers", "_plan", "_rival", "_spelled", "_text", "_unclosed", "_written"),
    )

    owned = ("_rival",)

    def __init__(self, plan: Plan, atomic: frozenset[str] | None, *, in_reasoning: bool) -> None:
        self._plan, self._atomic = plan, atomic
        self._markers: Markers = markers_of(plan, atomic)
        self._text, self._kinds = "", b""  # the end of the text, which may be the beginning of a marker
        self._written = False  # whether a special token has written a marker of a call
        # Whether markers of reasoning are spelled out in this turn; None: not known.
        self._spelled: bool | None = False if in_reasoning else None
        self._hides = False  # whether a marker was hidden
        self._unclosed: tuple[str, int] | None = None  # the last hidden marker of reasoning, inside reasoning
        self._rival: Rival | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_markers": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._markers = markers_of(self._plan, self._atomic)

    def feed(self, machine: Reader, chunk: str, special: Special) -> list[Event]:
        """Read one chunk: the events that are certain now."""
        text, kinds = self._text + cleaned(chunk), self._kinds + kinds_of(chunk, special)
        out: list[Event] = []
        begun = i = 0  # what was given to the machine, and what was searched
        while True:
            place, found = self._markers.finder.find(text, i)
            if not found:
                break
            i = place + len(found)
            known = kinds[place:i]
            if is_special(known if self._atomic is not None else known[:1]):
                self._pass(machine, text[begun:place], out)
                begun = place
                self._trust(machine, found, out)
            elif self._atomic is not None and is_ordinary(known):
                self._pass(machine, text[begun:place], out)
                begun = i
                self._doubt(machine, found, out)
        self._pass(machine, text[begun:place], out)
        self._text, self._kinds = text[place:], kinds[place:]
        return shown(out) if self._hides else out

    def finish(self, machine: Reader) -> tuple[Reader, list[Event]]:
        """End the turn: its last events, and the machine that has read it."""
        out: list[Event] = []
        rest, self._text, self._kinds = self._text, "", b""
        self._pass(machine, rest, out)
        rival, self._rival = self._rival, None
        last = machine._end()
        if rival is not None and rival.wins():
            machine, events = rival.taken()
            out += events
        elif rival is not None:
            rival.wait(last)
            out += rival.refuted()
        else:
            out += last
        if self._unclosed is not None and machine._here.channel != CONTENT:
            out.append(Problem(*SPELLED_CLOSER, *self._unclosed))
        self._unclosed = None
        return machine, shown(out) if self._hides else out

    # -- the two readings ----------------------------------------------------------------------------------------------

    def _pass(self, machine: Reader, text: str, out: list[Event], hidden: str = "") -> None:
        # Both readings read on. `hidden`: what the first one reads instead of the text.
        rival = self._rival
        if rival is None:
            out += machine._feed(hidden or text)
            return
        room = rival.room
        rival.wait(machine._feed((hidden or text)[:room]))
        if not rival.read(text[:room]) or room < len(text):
            self._refute(out)
            out += machine._feed((hidden or text)[room:])

    def _refute(self, out: list[Event]) -> None:
        # The second reading is wrong.
        if self._rival is not None:
            out += self._rival.refuted()
            self._rival = None

    # -- markers -------------------------------------------------------------------------------------------------------

    def _trust(self, machine: Reader, marker: str, out: list[Event]) -> None:
        # A special token has written that marker, which comes next.
        if marker in self._markers.calls:
            self._refute(out)
            self._written = True
        elif marker in self._markers.reasoning:
            self._spelled, self._unclosed = False, None
        machine._trust_next()

    def _doubt(self, machine: Reader, marker: str, out: list[Event]) -> None:
        # That marker, which comes next, is spelled out.
        if self._rival is not None:
            self._pass_hidden(machine, marker, out)
            return
        turn, markers = machine._here, self._markers
        if marker in markers.reasoning and self._counts(turn, marker):
            self._pass(machine, marker, out)
        elif _is_in_call(turn) and _is_in_value(turn):
            self._pass_hidden(machine, marker, out)
        elif turn.mode is CALL and marker not in markers.openers:  # in a call, or directly behind one
            self._pass(machine, marker, out)
        elif marker in markers.reasoning or turn.mode is DONE:
            self._unclosed = (marker, machine._place) if turn.channel != CONTENT else None
            self._pass_hidden(machine, marker, out)
        else:
            opens = turn.at_start and turn.channel == CONTENT and not self._written and self._spelled is None
            most, place = turn.limits.call_chars, machine._place
            self._rival = Rival(machine._alone(), marker, place, most, hopeless=self._written, opens_turn=opens)
            self._pass_hidden(machine, marker, out)

    def _counts(self, turn: Turn, marker: str) -> bool:
        # Whether that marker of reasoning is one although it is spelled out.
        if self._spelled is None and marker in self._markers.openers:
            self._spelled = True if turn.at_start and turn.channel == CONTENT else None
            return self._spelled is True
        return self._spelled is not False

    def _pass_hidden(self, machine: Reader, marker: str, out: list[Event]) -> None:
        self._hides = True
        events = machine._hide_next()
        if self._rival is None:
            out += events
        else:
            self._rival.wait(events)
        self._pass(machine, marker, out, hidden(marker))


def _is_in_call(turn: Turn) -> bool:
    # Whether what comes next is part of a call, or of what may become one.
    reads = turn.mode is CALL and turn.payload is not None and not turn.payload.is_behind_call()
    return reads or turn.mode in {SKIP, REPAIR}


def _is_in_value(turn: Turn) -> bool:
    return turn.mode is not CALL or turn.payload is None or turn.payload.is_in_value()
