# Puts events in order, and decides which white space belongs to what. Does not know what a call has gathered
# (open_call.py), or the text in which it was found.
#
# White space after a call is undecided: content if text follows, markup if a call or the end of the turn follows. It
# waits here. Markup is reported in whole runs, so that it does not show where the stream was cut.
"""The emitter: from findings to events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.ids import Ids
from toolglean.engine.open_call import NameAlone, OpenCall
from toolglean.engine.outbox import Outbox
from toolglean.engine.reasons import DUPLICATE_KEY, LEFTOVER_MARKER, Reason
from toolglean.engine.reasons import repaired as repaired_by
from toolglean.engine.strays import Mark, Strays
from toolglean.events import CallDelta, CallEnd, Content, Event, Markup, Problem, Reasoning, Status, parted
from toolglean.scan.plain import Rope, grown, joined

if TYPE_CHECKING:
    from toolglean.engine.quoted_values import Part

__all__ = ["Emitter"]

NO_CALL = OpenCall(-1, "", 0, known=None, model_id=None)
"""Before the first call."""


class Emitter(Outbox):
    """Collects the events of one `feed` in `out`.

    Attributes:
        index: how many calls were started.
        open: whether a call has started and not ended.
        call: the open call, or the last one.
        repairs: what was repaired in it, or in the one that is about to begin.
        strays: markers that wait, with white space, for what follows: see strays.py.
        ids: the ids of the calls so far.
        tells_markup: whether the user wants the text of the format.
    """

    __slots__ = (
        *("_markup", "_markup_start", "_ws", "_ws_start"),
        *("_alone", "_told", "call", "ids", "index", "open", "repairs", "strays", "tells_markup"),
    )

    ropes = frozenset({"_markup", "_ws"})

    def __init__(self, ids: Ids, *, markup: bool) -> None:
        super().__init__()
        self.index, self.open = 0, False
        self.call = NO_CALL
        self.repairs: tuple[str, ...] = ()
        self._alone: NameAlone | None = None  # the end of the last call, which waits for what follows
        self._told: tuple[Problem, ...] = ()  # the last ones that were reported
        self.tells_markup = markup
        self.ids = ids
        self._ws: Rope = ()
        self._ws_start = 0
        self._markup: Rope = ()
        self._markup_start = 0
        self.strays = Strays()

    def copy(self) -> Emitter:
        """The same emitter."""
        twin = Emitter.__new__(Emitter)
        twin.out, twin.index, twin.open = self.out.copy(), self.index, self.open
        twin._before, twin._kept = None if self._before is None else self._before.copy(), self._kept
        twin.call, twin.repairs = self.call.copy() if self.open else self.call, self.repairs
        twin.tells_markup, twin.ids, twin._told = self.tells_markup, self.ids.copy(), self._told
        twin._ws, twin._ws_start, twin.strays = self._ws, self._ws_start, self.strays
        twin._alone, twin._markup = self._alone and self._alone.copy(), self._markup
        twin._markup_start = self._markup_start
        return twin

    def release_up_to(self, place: int, earlier: Emitter | None, since: int) -> None:
        """Release what was held back up to that place.

        `earlier`: this emitter from before `since`, where it began, if it was changed by that content; else None.
        """
        kept, self.out, self._before = self.out, [], self._before or []
        if earlier is None:
            first, self.out = parted(kept, place)
            self._before += first
            return
        for event in kept:
            if event.start >= place:
                self.out.append(event)
            else:
                self.out += earlier.tell_part(event, since, place)
        earlier._flush_markup()  # of its own class
        self._before += earlier.take()

    def tell_part(self, event: Event, since: int, place: int) -> list[Event]:
        """Emit that event once more: its part between these places. Returns what follows it: none, or one event."""
        if isinstance(event, Content):
            start, size = max(since, event.start), place - event.start
            self._say(Content, event.text[start - event.start : size], start)  # what waited was text, too
            return [Content(event.text[size:], place)] if len(event.text) > size else []
        if event.start >= since:  # what waited before is still to come here
            if isinstance(event, Problem):
                if self._ws and event.start > self._ws_start:  # it is of text behind what waited
                    self._waited_is_text(Content)
                self._report(event)
            elif isinstance(event, Markup):
                self.markup(event.text, event.start)
        elif isinstance(event, Markup) and event.start <= self._ws_start < event.start + len(event.text):
            self.settle()  # what waited is part of that
        return []

    @property
    def clean(self) -> bool:
        """Whether the next content can be emitted as it comes."""
        return not (self._ws or self._markup or self._alone)

    @property
    def unmarked(self) -> bool:
        """Whether no markup waits: then the next reasoning can be emitted, after the white space that waits."""
        return not (self._markup or self._alone or self.strays.marks)

    def content(self, text: str, start: int) -> None:
        """Text for the user. White space that waited before it is content too."""
        if self.strays.patience and text and start + len(text) - self._ws_start <= self.strays.patience:
            self.space(text, start)
        else:
            self._say(Content, text, start)

    def reasoning(self, text: str, start: int) -> None:
        """Text of the reasoning. White space that waited before it is reasoning too."""
        self._say(Reasoning, text, start)

    def space(self, text: str, start: int) -> None:
        """White space after a call: what follows decides whether it is content or markup."""
        if text:
            self._ws, self._ws_start = grown(self._ws, text), self._ws_start if self._ws else start

    def space_is_text(self, channel: int) -> None:
        """More white space waits than the limit allows: it is content or reasoning, whatever follows."""
        self._settle_call(whole=True)
        self._waited_is_text(Reasoning if channel else Content)

    def set_aside(self, mark: Mark, closers: tuple[str, ...], patience: int) -> None:
        """A marker without a call: markup if a call, another marker or the end of the turn follows."""
        self.space(mark.text, mark.start)
        self.strays = self.strays.with_mark(mark, closers, patience)

    def space_before(self, now: int) -> int:
        """How many characters of white space wait, up to the place `now`."""
        return now - self._ws_start if self._ws else 0

    def markup(self, text: str, start: int) -> None:
        """Text of the format itself. White space that waited before it is markup too."""
        if self._alone is not None and text and self._alone.close():
            self._settle_call(whole=True)
        self.settle()
        self._add_markup(text, start)

    def closed(self, closer: str) -> None:
        """The closer of a marker that was set aside has come."""
        self.strays = self.strays.without(closer)

    def settle(self) -> None:
        """What follows is markup or a call: white space that waited is markup."""
        if self.strays.marks:
            self._settle_strays(call=False)
        elif self._ws:
            waited, self._ws = joined(self._ws), ()
            self._add_markup(waited, self._ws_start)

    def _settle_strays(self, *, call: bool) -> None:
        pieces = self.strays.pieces(joined(self._ws), self._ws_start)
        if not call and any(mark is None and not text.isspace() for mark, text, _ in pieces):
            self._waited_is_text(Content)
            return
        problems = self.strays.problems
        self._ws, self.strays = (), self.strays.as_markup()
        for mark, text, start in pieces:
            if mark is None and not text.isspace():
                self._put_text(Content, text, start)
            else:
                if mark is not None:
                    self.problem(LEFTOVER_MARKER, text, start)
                self._add_markup(text, start)
        for event in problems:
            self._put(event)

    def _waited_is_text(self, kind: type[Content | Reasoning]) -> None:
        waited, self._ws = joined(self._ws), ()
        strays = self.strays
        if strays.marks:
            self.strays = strays.as_text()
        told = (_problem(*mark.problem, mark.start) for mark in strays.marks if mark.problem is not None)
        own = [event for event in told if event is not None and self._is_new(event)]
        place, end = self._ws_start, self._ws_start + len(waited)
        # Each before the text that it is about.
        for event in sorted((*own, *strays.problems), key=lambda each: each.start):
            upto = min(max(event.start, place), end)
            self._put_text(kind, waited[place - self._ws_start : upto - self._ws_start], place)
            self._put(event)
            place = upto
        self._put_text(kind, waited[place - self._ws_start :], place)

    def begin_turn(self) -> None:
        """What was read so far was the prompt. A call that it left open is the turn's first call."""
        self._catch_up()
        self.out, self._ws, self._markup, self.index, self.strays = [], (), (), 0, Strays()
        self.ids = self.ids.none()
        self._alone = None
        if self.open:
            self.index = 1
            self.out.append(self.call.begin_turn())
            if self.call.has_arguments:
                self.out.append(CallDelta(0, self.call.arguments, 0))

    def flush(self) -> None:
        """The turn is over."""
        self._settle_call(whole=True)
        self.settle()
        self._flush_markup()

    def problem(self, reason: Reason, text: str, start: int) -> None:
        """Report something that could not be accepted as written."""
        event = _problem(reason, text, start)
        if event is not None:
            self._report(event)

    def tells_of(self, start: int, end: int) -> bool:
        """Whether one of the last problems is of something there."""
        return any(each.start < end and each.start + len(each.text) > start for each in self._told)

    def _is_new(self, problem: Problem) -> bool:
        # Each of the formats that tried to read a place refuses it.
        is_new = problem != next(reversed(self._told), None)
        self._told = (*self._told[-15:], problem) if is_new else self._told
        return is_new

    def _report(self, problem: Problem) -> None:
        if not self._is_new(problem):
            return
        # In the text that waits, if there is any: so its place among the events does not depend on how long that waits.
        if self.strays.marks and problem.start > self._ws_start:
            self.strays = self.strays.with_problem(problem)
            return
        self._catch_up()
        self._put(problem)

    def start_call(self, name: str, model_id: str | None, *, known: bool | None, start: int, may_get_id: bool) -> None:
        """A call whose name is certain. `start`: the place of its opener."""
        self._settle_call(whole=True)
        if self.strays.marks:
            self._settle_strays(call=True)
        self.settle()
        call = OpenCall(self.index, name, max(start, 0), known=known, model_id=model_id)
        self.call, self.open = call, True
        self._put(call.begin(None if may_get_id and model_id is None else self._free_id(call)))
        self.index += 1

    def delta(self, text: str, start: int, *, after_comma: bool = False) -> None:
        """A piece of the open call's arguments: see `OpenCall.delta`."""
        call = self.call
        if call.schema and (quoted := call.may_quote(text)) is not None:
            for part in quoted.read(text, start):
                self._add_part(part, after_comma=after_comma)
        elif (delta := call.delta(text, start, after_comma=after_comma)) is not None:
            self.out.append(delta)

    def _add_part(self, part: Part, *, after_comma: bool = False) -> None:
        # A part of the arguments in which values were looked for that are written as strings. Where such a value is
        # depends on how the text before it was escaped: the place is that of the arguments.
        place = part.place
        if part.repair:
            place = self.call.arguments_start
            self.problem(repaired_by(part.repair), part.instead_of, place)
            self.repaired(part.repair, place)
        if part.text and (delta := self.call.delta(part.text, place, after_comma=after_comma)) is not None:
            self.out.append(delta)

    def repaired(self, name: str, place: int) -> None:
        """The call was repaired at that place."""
        if self.open:
            self.call.repaired(place)
        if name not in self.repairs:
            self.repairs = (*self.repairs, name)

    def _catch_up(self) -> None:
        if self.open and (delta := self.call.catch_up()) is not None:
            self.out.append(delta)

    def plain_reasoning(self, chunk: str, start: int) -> Reasoning | None:
        """Reasoning that is returned at once, after the white space that waited; None if it is only white space.

        The white space at its end waits: it may be markup.
        """
        text = chunk.rstrip()
        if not text:
            return None
        event = Reasoning(joined(self._ws) + text, self._ws_start) if self._ws else Reasoning(text, start)
        self._ws = ()
        if len(text) < len(chunk):
            self._ws, self._ws_start = ((), chunk[len(text) :]), start + len(text)
        return event

    # -- calls that were returned elsewhere: see straight/ -------------------------------------------------------------

    def pass_call(self, call_id: str) -> None:
        """A call with that id was returned."""
        self.ids = self.ids.own()
        self.ids.add(call_id)
        self.index += 1

    @property
    def told(self) -> list[Event]:
        """The events since the trial began, with the end of a call that is complete unless something contradicts it."""
        told = self.out[self._kept :]
        return told if self._alone is None else [*told, *self._alone.whole()]

    @property
    def call_waits(self) -> bool:
        """Whether the last call may not be complete: what follows shows it."""
        return self._alone is not None

    def _settle_call(self, *, whole: bool) -> None:
        # If only the name of a call was written, what follows has shown whether it was complete.
        if self._alone is not None:
            self.out += self._alone.whole() if whole else self._alone.broken()
            self._alone = None

    def end_call(self, status: Status, end: int, *, name_alone: bool = False, keys: tuple[str, ...] = ()) -> None:
        """The open call ends before `end`. `name_alone`: nothing but its name was written, and nothing closed it;
        `keys`: what the tool takes, if the call has no arguments. See `NameAlone`.
        """
        end = max(end, 0)  # all of it may be in the prompt
        self._catch_up()
        if self.call.quoted is not None:
            self._add_part(self.call.quoted.rest()._replace(place=self.call.arguments_start))
        delta = self.call.delta("{}", end) if status == "ok" and not self.call.has_arguments else None
        waits = name_alone or keys != ()
        self.out += [delta] if delta is not None and not waits else []
        call_id = self.call.shown_id if self.call.shown_id is not None else self._free_id(self.call)
        call, repeated = self.call.ended(status, call_id, end, self.repairs if status == "ok" else ())
        self.repairs = ()
        if repeated is not None:
            self.problem(DUPLICATE_KEY, *repeated)
        self.ids = self.ids.own()
        self.ids.add(call_id)
        self.open = False
        if delta is not None and waits:
            self._alone = NameAlone(delta, CallEnd(call.index, call, end), is_open=name_alone, keys=keys)
        else:
            self.out.append(CallEnd(call.index, call, end))

    def _free_id(self, call: OpenCall) -> str:
        # The call's id: the model's own or, where it wrote none, ours.
        ids = self.ids = self.ids.own()
        return ids.free(ids.ours(call.index) if call.model_id is None else call.model_id)

    def _say(self, kind: type[Content | Reasoning], text: str, start: int) -> None:
        if text:
            if self._ws:
                self._waited_is_text(kind)
            self._put_text(kind, text, start)

    def _put_text(self, kind: type[Content | Reasoning], text: str, start: int) -> None:
        if start < 0:  # the prompt's end was read before the turn: what was in it is not reported
            text, start = text[-start:], 0
        if not text:
            return
        if self._alone is not None and (whole := kind is Reasoning or self._alone.is_whole(text)) is not None:
            self._settle_call(whole=whole)
        self._put(kind(text, start))

    def _put(self, event: Event) -> None:
        if self._markup:
            self._flush_markup()
        if self._alone is None:
            self.out.append(event)
        else:
            self._alone.tell(event)

    def _add_markup(self, text: str, start: int) -> None:
        if start < 0:
            text, start = text[-start:], 0
        if self.tells_markup and text:
            self._markup, self._markup_start = grown(self._markup, text), self._markup_start if self._markup else start

    def _flush_markup(self) -> None:
        if self._markup:
            whole, self._markup = Markup(joined(self._markup), self._markup_start), ()
            if self._alone is None:
                self.out.append(whole)
            else:
                self._alone.tell(whole)


def _problem(reason: Reason, text: str, start: int) -> Problem | None:
    # The prompt's end was read before the turn: what was in it is not reported.
    is_before = start < 0 and len(text) <= -start
    return None if is_before else Problem(*reason, text[max(-start, 0) :], max(start, 0))
