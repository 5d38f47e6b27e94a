# What the machine is given of text whose special tokens are known, and what is returned of its events. Does not know
# how text is read: the machine reads it as it reads any other.
#
# A marker that a special token wrote is a marker, also in code and in other quotations. A marker that is spelled out in
# ordinary tokens, although the vocabulary has one token for it, is most likely text: an example, a document that is
# quoted, a value. But some models, and some grammars, spell markers out. So:
#
# - inside a value of a call it is text; between the values of a call it is a marker, because nothing else can be there;
# - a marker of reasoning is one as long as no special token has written one, if it opens the turn, or closes something;
# - elsewhere there are two readings from there on. First it is read as a marker (rival.py), and nothing is returned.
#   That reading is used if the turn ends, nothing but complete calls to known tools has followed, and no special token
#   has written the opener of a call. If not, the marker is read as text (hidden.py), and so are the calls after it.
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
    from toolglean.engine.evidence.kinds import Special, Vocabulary
    from toolglean.engine.evidence.reader import Reader
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Turn

__all__ = ["Evidence"]

NOTHING = "\0"  # is in no marker


class Evidence(Plain):
    """What is known of a turn's special tokens.

    Args:
        plan: what the machine looks for.
        vocabulary: what is known of the model's tokens; None if nothing is: then no marker is doubted.
    """

    __slots__ = (
        *("_disarms", "_hides", "_hides_next", "_hopeless", "_kinds", "_markers", "_plan", "_rival", "_spelled"),
        *("_text", "_unclosed", "_vocabulary"),
    )

    owned = ("_rival",)

    def __init__(self, plan: Plan, vocabulary: Vocabulary | None) -> None:
        self._plan, self._vocabulary = plan, vocabulary
        self._markers: Markers = markers_of(plan, vocabulary and vocabulary.atomic)
        self._text, self._kinds = "", b""  # the end of the text, which may be the beginning of a marker
        # Whether no call that is spelled out runs any more: a special token has written the opener of a call, or one
        # that is spelled out is malformed, and those after it may be a part of it.
        self._hopeless = False
        # Whether markers of reasoning are spelled out in this turn; None: not known.
        self._spelled: bool | None = False if vocabulary is not None and vocabulary.in_reasoning else None
        self._hides = self._hides_next = False  # whether a marker was hidden; whether what comes next is
        self._disarms = False  # whether a call may follow a hidden marker directly: such a call is text
        self._unclosed: tuple[str, int] | None = None  # the last hidden marker of reasoning, inside reasoning
        self._rival: Rival | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_markers": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._markers = markers_of(self._plan, self._vocabulary and self._vocabulary.atomic)

    def feed(self, machine: Reader, chunk: str, special: Special) -> list[Event]:
        """Read one chunk: the events that are certain now."""
        if (special is False or special is None or special is True) and self._passes(chunk):
            events = self._told(machine, cleaned(chunk))
            return shown(events) if self._hides else events
        text, kinds = self._text + cleaned(chunk), self._kinds + kinds_of(chunk, special)
        out: list[Event] = []
        rest = self._read(machine, text, kinds, out)
        self._text, self._kinds = text[rest:], kinds[rest:]
        return shown(out) if self._hides else out

    def _passes(self, chunk: str) -> bool:
        # Most chunks contain no marker, and complete none: what is known of them does not matter.
        return not self._text and self._rival is None and not self._markers.finder.search(chunk)

    def finish(self, machine: Reader) -> tuple[Reader, list[Event]]:
        """End the turn: its last events, and the machine that has read it."""
        out: list[Event] = []
        rest, known, self._text, self._kinds = self._text, self._kinds, "", b""
        self._read_all(machine, rest, known, out)
        while self._rival is not None and not self._rival.wins():
            self._give_way(machine, out)
        if self._rival is None:
            out += machine._end()
        else:
            machine, events = self._rival.taken()
            self._rival = None
            out += events
        if self._unclosed is not None and machine._here.channel != CONTENT:
            out.append(Problem(*SPELLED_CLOSER, *self._unclosed))
        self._unclosed = None
        return machine, shown(out) if self._hides else out

    def _read_all(self, machine: Reader, text: str, kinds: bytes, out: list[Event], *, decided: bool = False) -> None:
        # Read text of whose end nothing becomes a longer marker.
        self._read(machine, text + NOTHING, kinds, out, decided=decided)

    def _read(self, machine: Reader, text: str, kinds: bytes, out: list[Event], *, decided: bool = False) -> int:
        # Read on, up to what may be the beginning of a marker: its place. `decided`: markers that are spelled out here
        # are text.
        begun = i = 0  # what was read, and what was searched
        while True:
            place, found = self._markers.finder.find(text, i)
            if not found:
                break
            i = place + len(found)
            known = kinds[place:i]
            written = is_special(known if self._vocabulary is not None else known[:1])
            if not written and (self._vocabulary is None or not is_ordinary(known)):
                continue
            self._pass(machine, text[begun:place], kinds[begun:place], out)
            begun = place
            while self._rival is not None and self._rival.room < len(found):  # it cannot read the marker
                self._give_way(machine, out)
            self._disarms = False
            if written:
                self._trust(machine, found, out)
                self._disarms = False
            elif self._rival is None:
                self._doubt(machine, found, out, decided=decided)
            else:
                self._rival.meet_marker()
            self._pass(machine, found, known, out)
            begun = i
        place = min(place, len(kinds))
        self._pass(machine, text[begun:place], kinds[begun:place], out)
        return place

    # -- the two readings ----------------------------------------------------------------------------------------------

    def _pass(self, machine: Reader, text: str, kinds: bytes, out: list[Event]) -> None:
        rival, hides, self._hides_next = self._rival, self._hides_next, False
        if not text:
            return
        if rival is None:
            out += machine._feed(hidden(text)) if hides else self._told(machine, text)
            return
        room = rival.room
        if not rival.read(text[:room], kinds[:room]) or room < len(text):
            self._give_way(machine, out)
            self._pass(machine, text[room:], kinds[room:], out)

    def _told(self, machine: Reader, text: str) -> list[Event]:
        # Read text. A bracket with which it begins opens no call, if a hidden marker comes before it.
        if self._disarms and (rest := text.lstrip()):
            self._disarms = False
            text = text[: -len(rest)] + hidden(rest[0]) + rest[1:]
        return machine._feed(text)

    def _give_way(self, machine: Reader, out: list[Event]) -> None:
        # The second reading is wrong: what it has read is read in the first one. What it took for calls is text.
        rival, self._rival = self._rival, None
        if rival is None:
            return
        rival.read_all()
        (text, kinds), end, least = rival.kept(), rival.calls_end, len(rival.marker)
        self._hide(machine, out, rival.marker)
        out += rival.missed()
        self._hopeless = self._hopeless or rival.is_broken
        begun = max(end, least)
        self._pass(machine, text[:begun], kinds[:begun], out)
        # Of the markers after one without a call, only the last may still open one, so that no text is read many times.
        last = begun if end > least else max(rival.last, begun)
        self._disarms = rival.is_broken or (self._disarms and end <= least)
        self._read_all(machine, text[begun:last], kinds[begun:last], out, decided=True)
        self._read_all(machine, text[last:], kinds[last:], out)

    # -- markers -------------------------------------------------------------------------------------------------------

    def _trust(self, machine: Reader, marker: str, out: list[Event]) -> None:
        # A special token has written that marker, which comes next.
        if marker in self._markers.calls and marker in self._markers.openers:
            self._hopeless = True
            while self._rival is not None:  # what it has read may begin another one
                self._give_way(machine, out)
        elif marker in self._markers.reasoning:
            self._spelled, self._unclosed = False, None
        machine._trust_next()

    def _doubt(self, machine: Reader, marker: str, out: list[Event], *, decided: bool) -> None:
        # That marker, which comes next, is spelled out.
        turn, markers = machine._here, self._markers
        if marker in markers.reasoning and self._counts(turn, marker):
            return
        if _is_in_value(turn):
            self._hide(machine, out, "" if turn.emit.open else marker)
        elif turn.mode is CALL and marker not in markers.openers:  # in a call, or directly after one
            if self._hides and turn.region.open and not turn.tape.is_trusted(turn.region.start):
                self._hide(machine, out)  # what opened it may be hidden
        elif marker in markers.reasoning or turn.mode is DONE or decided:
            if marker in markers.reasoning and turn.channel != CONTENT:
                self._unclosed = marker, machine._place
            self._hide(machine, out, marker)
        else:
            opens = _is_at_start(turn) and not self._hopeless and self._spelled is None
            most, place = turn.limits.call_chars, machine._place
            self._rival = Rival(machine._alone(), marker, place, most, hopeless=self._hopeless, opens_turn=opens)

    def _counts(self, turn: Turn, marker: str) -> bool:
        # Whether that marker of reasoning is one although it is spelled out.
        if self._spelled is None and marker in self._markers.openers:
            self._spelled = True if _is_at_start(turn) else None
            return self._spelled is True
        return self._spelled is not False

    def _hide(self, machine: Reader, out: list[Event], marker: str = "") -> None:
        # What comes next is text. `marker`: a call that it opens is text, too.
        out += machine._hide_next()
        self._hides = self._hides_next = True
        self._disarms = marker in self._markers.calls and marker in self._markers.openers


def _is_at_start(turn: Turn) -> bool:
    return turn.at_start and turn.channel == CONTENT and not turn.tape.held.strip()


def _is_in_value(turn: Turn) -> bool:
    # Whether what comes next is text of a value, or the rest of a malformed call.
    payload = turn.payload
    if turn.mode is not CALL or payload is None:
        return turn.mode in {SKIP, REPAIR}
    return not payload.is_behind_call() and payload.is_in_value()
