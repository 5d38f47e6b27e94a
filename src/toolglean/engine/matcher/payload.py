# Where a reading by a format begins, which stage it enters at a slot, and its interface to the machine. Does not depend
# on how anything is read (between.py, arguments.py, values.py).
"""Formats, as the machine sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.matcher.arguments import Arguments, Objects
from toolglean.engine.matcher.between import AFTER, BETWEEN
from toolglean.engine.matcher.calls import begins, cut_off, no_call
from toolglean.engine.matcher.fallback import FALLBACK, ONLY, OWN, Fallback
from toolglean.engine.matcher.literals import accept, accept_with_follower
from toolglean.engine.matcher.reading import Field, Reading
from toolglean.engine.matcher.swallowed_markers import swallowed_markers_of
from toolglean.engine.matcher.values import JsonValue, OpenValue, Value
from toolglean.engine.matcher.walk import open_slot
from toolglean.engine.matcher.words import Word
from toolglean.engine.modes import CONTENT
from toolglean.engine.plan import Plan
from toolglean.formats.compile import Program
from toolglean.scan.text import FENCES

if TYPE_CHECKING:
    from toolglean.engine.followed_call import FollowedCall
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.matcher.reading import Description
    from toolglean.engine.repair.suspended import Put, Refusal
    from toolglean.engine.turn import Payload, Stops, Turn
    from toolglean.formats.fallback_formats import FallbackFormats
    from toolglean.formats.nfa import SlotEdge, StateSet
    from toolglean.formats.spec import Format
    from toolglean.scan.text import Finder

__all__ = ["FormatPayload", "FormatPlan"]


class FormatPlan(Plan):
    """What the machine looks for if formats are known: see `Plan`."""

    stops_after_bare = False
    drafts = True
    by_schema = True
    marked = True

    def __init__(
        self,
        program: Program,
        fallback_formats: FallbackFormats | None = None,
        formats: tuple[Format, ...] | None = None,
    ) -> None:
        # `formats`: those of the program, as they were given; the program may have been made for equal ones, which were
        # found in another way.
        self.program = self.route = program
        self.fallback_formats, self.thoughts = fallback_formats, program.thoughts
        self.formats = program.formats if formats is None else formats
        self._first_char = ""  # of the calls, if only one format is read
        if len(program.formats) == 1:
            self._first_char = (program.formats[0].section[0] + program.formats[0].call)[:1]
        self.bare = program.has_bare or fallback_formats is not None
        self.spaced = any(pattern[:1].isspace() for each in program.formats for pattern in each.openers)

    def finder(self, channel: int, only: tuple[int, ...]) -> Finder:
        """Finds the literals with which anything begins."""
        return self.program.channel(channel, only).finder

    def text_finder(self, turn: Turn) -> Finder:
        """Finds these literals, and those of the fallback formats."""
        fallback_formats = self._asked(turn)
        if fallback_formats is None:
            return self.finder(turn.channel, turn.narrowed_to)
        return fallback_formats.finder(turn.channel, turn.narrowed_to, widely=turn.is_foreign)

    def quotes(self, *, heeded: bool) -> Quotes:
        """What finds quotations: see `Plan`."""
        from toolglean.engine.judge.code import Quotes  # noqa: PLC0415  # the help of commands need not load it

        return Quotes(heeded=heeded)

    def reasoning_channel(self) -> int:
        """The channel in which a turn starts if the prompt has opened the reasoning."""
        return self.program.first_reasoning()

    def is_header(self, text: str) -> bool:
        """Whether the text begins a message's header: see `Plan`."""
        return text.startswith(self.program.headers)

    def marks(self, channel: int) -> tuple[str, ...]:
        """The markers of reasoning: see `Plan`."""
        return self.program.marks(channel)

    def _asked(self, turn: Turn) -> FallbackFormats | None:
        return None if turn.tape.in_prompt else self.fallback_formats  # a call in the prompt is not the model's

    def may_begin(self, turn: Turn, found: str) -> bool:
        """Whether anything begins with that literal there: some begin only at the beginning of a line."""
        channel = self.program.channel(turn.channel, turn.narrowed_to)
        if found in channel.foreign:
            channel = self.program.channel(turn.channel, ())
        if channel.states_after(turn.last_text) is channel.line or found.startswith(channel.anywhere):
            return True
        if found in channel.respelt:
            return True
        return self.fallback_formats is not None and not self.fallback_formats.own_opener(found, turn.channel)

    def opens_call(self, found: str) -> bool:
        """See `Plan`."""
        if found in self.program.opening_tags:
            return True
        return self.fallback_formats is not None and not self.fallback_formats.own_opener(found, CONTENT)

    def begin(self, turn: Turn, found: str, start: int) -> tuple[FormatPayload, int]:
        """A literal was found: the walk begins at the channel's opening."""
        fallback_formats, in_line = self._asked(turn), turn.in_line
        if found in self.program.channel(turn.channel, turn.narrowed_to).respelt:
            turn.open_region(start, len(found), alone=in_line)
            program = self.program.respelling(found)
            states = program.channel(CONTENT, ()).opening
            return FormatPayload.at(program, states, start, Fallback(FALLBACK, in_line=in_line)), 0
        opener = len(found) if fallback_formats is None else fallback_formats.begins_own(found, turn.channel)
        if fallback_formats is not None and not opener:
            other = fallback_formats.at_opener(found)
            if other is not None:
                alone = in_line or found in other[0].own_tags or found in other[0].last_tags or found[0] in FENCES
                turn.open_region(start, other[1], alone=alone)
                states = other[0].channel(CONTENT, ()).states_after(turn.last_text)
                return FormatPayload.at(other[0], states, start, Fallback(FALLBACK, in_line=in_line)), 0
        only = turn.narrowed_to
        if found in self.program.channel(turn.channel, only).foreign:  # the first call has ruled its format out
            fallback, only = Fallback(FALLBACK, in_line=in_line), ()
        else:
            fallback = _fallback(fallback_formats, in_line=in_line)
        alone = in_line or found in self.program.own_tags
        last = found in self.program.last_tags or (fallback_formats is not None and found in fallback_formats.last_tags)
        alone = last or alone or found[0] in FENCES
        turn.open_region(start, opener or len(found), alone=alone)
        states = self.program.channel(turn.channel, only).states_after(turn.last_text)
        return FormatPayload.at(self.program, states, start, fallback), 0

    def begins(self, char: str) -> bool:
        """See `Plan`."""
        return char == self._first_char

    def behind(self, payload: Payload | None, other: Payload, landed: FollowedCall, *, begun_anew: bool) -> Payload:
        """See `Plan`."""
        assert isinstance(other, FormatPayload)
        fallback = payload.fallback if isinstance(payload, FormatPayload) else _fallback(self.fallback_formats)
        if begun_anew:
            fallback = fallback._replace(in_line=False)
        return other.stand_behind(landed.seen, landed.end, fallback)

    def waits_at_start(self, turn: Turn, text: str, i: int) -> bool:
        """See `Plan`: a fallback format may begin so, or it is not certain yet whether the first word is prose."""
        fallback_formats, states = self._asked(turn), self._bare_states(turn, text, i)
        if states is not None:  # the prompt comes in one piece
            return self._is_prose(turn, states, text, i) is None and not turn.tape.in_prompt
        return fallback_formats is not None and fallback_formats.at_start(text, i).waits

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[FormatPayload, int] | None:
        """The turn begins at `i`: with a marker, or with a call that has none."""
        fallback_formats, start = self._asked(turn), turn.tape.base + i
        states = self._bare_states(turn, text, i)
        if states is not None and self._is_prose(turn, states, text, i):
            return None
        if states is not None:
            payload = FormatPayload.at(self.program, states, start, _fallback(fallback_formats, from_start=True))
        else:
            program = None if fallback_formats is None else fallback_formats.at_start(text, i).program
            if program is None:
                return None
            payload = FormatPayload.at(program, program.bare_start(()), start, Fallback(FALLBACK))
        turn.open_region(start, 0, bare=True)
        return payload, 0

    def _bare_states(self, turn: Turn, text: str, i: int) -> StateSet | None:
        # If the format's own calls need no marker: the states in which one may begin with that text.
        if not self.program.has_bare:
            return None
        states = self.program.bare_start(turn.narrowed_to)
        end = len(text) if self.fallback_formats is not None else i + 1  # what others may read must be certain
        return states if states.slot_for(text[i]) or self._reaches(states, text[i:end]) is not False else None

    def _reaches(self, states: StateSet, text: str) -> bool | None:
        # Whether that text completes a marker, or reaches a slot; None: it may, if more comes.
        for char in text:
            found = self.program.nfa.step(states, char)
            if found is None or found.slots or found.flags:
                return found is not None
            states = found
        return None

    def _is_prose(self, turn: Turn, states: StateSet, text: str, i: int) -> bool | None:
        # Nearly always a turn begins with a word that no marker begins with, and that is not the name of a tool: there
        # is not a call without a marker. None: more text is needed to tell.
        edges = states.slot_for(text[i])
        if any(edge.kind != "name" for edge in edges) or (edges and self.fallback_formats is not None):
            return False
        is_own = self._reaches(states, text[i:])
        if is_own or self.fallback_formats is not None:
            return None if is_own is None else False
        is_no_name = text[i].isalpha() and turn.names.cannot_begin(text, i)
        return None if is_own is None and is_no_name is not False else is_no_name

    def __reduce__(self) -> tuple[Any, ...]:
        own = all(each is other for each, other in zip(self.formats, self.program.formats, strict=True))
        return FormatPlan, (self.program, self.fallback_formats, None if own else self.formats)


def _fallback(fallback_formats: FallbackFormats | None, *, from_start: bool = False, in_line: bool = False) -> Fallback:
    return Fallback(ONLY if fallback_formats is None else OWN, fallback_formats, from_start, in_line)


MOST_OPENER = 64  # characters of a marker that opens reasoning

_FIELDS = {
    "value": Value,
    "open value": OpenValue,
    "json": JsonValue,
    "arguments": Arguments,
    "keywords": Arguments,
    "call": Objects,
}
"""The stage that reads a slot of that kind. Names, ids, indexes, keys and types are words."""


class FormatPayload(Reading):
    """A reading by a format, as the machine sees it: its questions are passed on to the stage."""

    __slots__ = ()

    between = BETWEEN
    after = AFTER

    def enter(self, turn: Turn, edges: tuple[SlotEdge, ...], i: int) -> None:
        """See `Reading`."""
        walk = self.walk
        slot = open_slot(walk.program, edges)
        if turn.region.open:
            turn.region.doubt(bare=slot.is_doubtful)
        walk.settle(walk.pending_start + walk.pending_chars if i < 0 else turn.tape.base + i)
        if begins(turn, self, slot):
            self.stage = _FIELDS.get(slot.kind, Word)(turn, self, slot)

    def reads_for(self, program: Program) -> bool:
        """See `Payload`."""
        return self.walk.program is program and not self.fallback.is_foreign

    # -- the machine's questions: see `Payload` ------------------------------------------------------------------------

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return self.stage.read(turn, self, text, i)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return self.stage.stops()

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return self.stage.passed(turn, text)

    def is_behind_call(self) -> bool:
        """See `Payload`."""
        return not self.stage.within

    def is_in_value(self) -> bool:
        """See `Payload`."""
        return self.stage.within == "value" or self.stage.stops() is not None

    def completes(self, turn: Turn) -> bool:
        """See `Payload`."""
        return self.stage.completes(turn, self)

    def is_too_long(self, turn: Turn) -> bool:
        """See `Payload`."""
        if self.fallback.is_foreign:
            no_call(turn, self, at_end=True)
        return self.fallback.is_foreign

    def skip(self, turn: Turn, text: str, i: int, thoughts: tuple[str, ...]) -> int:
        """Skip the rest of a malformed call: to its closer, or before the next opener, or reasoning."""
        program, number = self.walk.program, self.call.format
        opened = turn.judge.at_line and _opens(text, i, thoughts)
        if opened is None:
            return turn.hold(text, i)
        # The break before the line that opens reasoning ends the call, and is no closer.
        place, found = (i, "\n") if opened else program.skipper(number, thoughts).find(text, i)
        following = text[place + len(found) : place + len(found) + 1]
        is_fence = found.endswith("```")
        if not found or (is_fence and not following):
            return turn.hold(text, place)
        # A fence with a word behind it opens code, and so does one behind arguments that no fence is around: what is in
        # it was not written by this call.
        in_fence = turn.judge.fence != "" or self._is_in_fence()
        opens_code = is_fence and (following.isalnum() or not in_fence)
        is_other = opens_code or (found == ">" and _begins_line(turn, text[:place]))
        after = None if is_other else program.states_after_closer(number, found)
        closers, tags = program.ends(number)
        if self.call.stripped:  # nothing shows where its arguments quote a call: none is accepted any more
            closers, tags = (), ("",)
        turn.end_failed(turn.tape.base + place, "" if after is None else found, closers, tags)
        if after is None:
            turn.leave(text_follows=True)
            return place
        turn.resume()
        self.go_after(after)
        return place + len(found)

    def _is_in_fence(self) -> bool:
        # Whether a fence may end what is being read.
        if not isinstance(self.stage, Field):
            return True
        ends = self.walk.program.nfa.after_slot(self.stage.slot.edges)[1].literals
        return any("```" in each for each in ends)

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open."""
        if self.stage.finish(turn, self):
            pass
        elif self.walk.needs_follower:
            accept_with_follower(turn, self)
        elif self.walk.pending_action is not None:
            accept(turn, self)
        else:
            cut_off(turn, self)

    def describe(self) -> Description:
        """What is being read, for kit/explain/."""
        return self.stage.describe(self)

    # -- the repairer's questions: see `Payload` -----------------------------------------------------------------------

    def refusal(self, turn: Turn, char: str) -> Refusal:
        """See `Payload`."""
        return self.stage.refusal(turn, self, char)

    def repaired_with(self, put: Put) -> Self | None:
        """See `Payload`."""
        twin = self.copy()
        return twin if twin.stage.put_in(put) else None

    def before_refusal(self) -> Self | None:
        """See `Payload`."""
        twin = self.copy()
        return twin if twin.stage.undo_refusal() else None

    def brackets(self) -> str:
        """See `Payload`."""
        return self.stage.brackets()

    def is_whole(self) -> bool:
        """See `Payload`."""
        return self.stage.is_whole()

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Payload`."""
        return self.stage.quoting()

    def end_finder(self) -> Finder:
        """See `Payload`."""
        return self.walk.program.ender(self.call.format)

    def is_closer(self, found: str) -> bool:
        """See `Payload`."""
        return self.walk.program.states_after_closer(self.call.format, found) is not None

    def is_markup(self, text: str) -> bool:
        """See `Payload`."""
        for closer in self.walk.program.closers(self.call.format):
            text = text.replace(closer, "", 1)
        return not text.strip()

    def goes_on(self, before: str, after: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        """See `Payload`."""
        return swallowed_markers_of(self.walk.program, self.call.format).goes_on(before, after, is_name, at_end=at_end)

    def refuse(self, turn: Turn) -> None:
        """See `Payload`."""
        no_call(turn, self, at_end=True)

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """See `Payload`."""
        self.stage.undo_refusal()
        self.call.take_as_written(place, doubtful=doubtful)


def _opens(text: str, i: int, markers: tuple[str, ...]) -> bool | None:
    # Whether one of these markers is there; None: the beginning of one is.
    if text.startswith(markers, i):
        return True
    rest = text[i : i + MOST_OPENER]
    return None if any(each.startswith(rest) for each in markers) else False


def _begins_line(turn: Turn, text: str) -> bool:
    # Whether a line begins behind that text, but for blanks.
    _, broken, line = text.rpartition("\n")
    return not line.strip() and (broken != "" or turn.judge.begins_line)
