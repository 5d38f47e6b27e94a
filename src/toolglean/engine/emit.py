# What this file knows: how events are put in order: which white space is whose, what a call has gathered so far.
# What it must not know: what the text looked like in which a call was found.
#
# White space after a call is undecided: content if text follows, markup if a call or the end of the turn follows. It
# waits here. Markup is reported in whole runs, so that no cut of the stream shows in it.
"""The emitter: from findings to events."""

from __future__ import annotations

from typing import Any

from toolglean.engine.strays import Mark, Strays
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Problem, Reasoning, Status, ToolCall
from toolglean.scan.json import decode
from toolglean.scan.rope import Rope, flat, grown, joined

__all__ = ["LEFT_OVER", "Emitter"]

LEFT_OVER = "left over beside a call"

LATE = 128  # pieces of the arguments that are joined at once
SPACE_AFTER_COMMA = 256  # with more of it, the comma goes out


class Emitter:
    """Collects the events of one `feed` in `out`.

    Attributes:
        out: the events so far; the machine hands them out and gives a new list.
        index: how many calls were started.
        open: whether a call is open: started and not ended.
        name, start: the name of the last call, and where it began.
        repairs: what was mended of the open call.
        floor: where the open call began, or the last place that was mended in it: what was put in there has no place of
            its own.
        strays: markers that wait, with white space, for what follows: see strays.py.
    """

    __slots__ = (
        "_args",
        "_args_start",
        "_id",
        "_id_prefix",
        "_ids",
        "_ids_shared",
        "_known",
        "_lag",
        "_lag_start",
        "_late",
        "_markup",
        "_markup_start",
        "_markup_wanted",
        "_shown",
        "_ws",
        "_ws_start",
        "floor",
        "index",
        "name",
        "open",
        "out",
        "repairs",
        "start",
        "strays",
    )

    def __init__(self, id_prefix: str, *, markup: bool) -> None:
        self.out: list[Event] = []
        self.index = 0
        self.open = False
        self._markup_wanted = markup
        self._id_prefix = id_prefix
        self._ws: Rope = ()
        self._ws_start = 0
        self._markup: Rope = ()
        self._markup_start = 0
        self.name = ""
        self._id: str | None = None
        self._shown: str | None = None  # the id that the call's start has told
        self._ids: dict[str, int] = {}  # of the calls so far, and the number with which the next alike ends
        self._ids_shared = False  # with a copy: the first that adds one makes its own
        self._known: bool | None = None
        self.start = 0
        self._args: Rope = ()
        self._late: list[str] = []  # of the arguments, the end, which is still to be joined to the rope
        self._args_start: int | None = None
        self._lag = ""  # of the arguments, a comma and the white space after it: it goes out with what follows
        self._lag_start = 0
        self.floor = 0
        self.strays = Strays()
        self.repairs: tuple[str, ...] = ()

    def copy(self) -> Emitter:
        """The same emitter."""
        self._gather()
        twin = Emitter.__new__(Emitter)
        twin.out, twin.index, twin.open = list(self.out), self.index, self.open
        twin._markup_wanted, twin._id_prefix = self._markup_wanted, self._id_prefix
        twin._ws, twin._ws_start = self._ws, self._ws_start
        twin._markup, twin._markup_start = self._markup, self._markup_start
        twin.name, twin.start, twin._known = self.name, self.start, self._known
        twin._id, twin._shown, twin._ids = self._id, self._shown, self._ids
        self._ids_shared = twin._ids_shared = True
        twin._args, twin._late, twin._args_start = self._args, [], self._args_start
        twin._lag, twin._lag_start = self._lag, self._lag_start
        twin.repairs, twin.floor, twin.strays = self.repairs, self.floor, self.strays
        return twin

    def take(self) -> list[Event]:
        """The events so far, which are handed out."""
        events, self.out = self.out, []
        return events

    def tell_first(self, events: list[Event]) -> None:
        """These events come before those so far."""
        self.out = events + self.out if self.out else events

    @property
    def clean(self) -> bool:
        """Whether the next content can go out as it comes."""
        return not self._ws and not self._markup

    @property
    def unmarked(self) -> bool:
        """Whether no markup waits: then the next reasoning can go out, with the white space that waits before it."""
        return not self._markup and not self.strays.marks

    def content(self, text: str, start: int) -> None:
        """Text for the user. White space that waited before it is content too."""
        if self.strays.patience and text and start + len(text) - self._ws_start <= self.strays.patience:
            self.space(text, start)
            return
        self._say(Content, text, start)

    def reasoning(self, text: str, start: int) -> None:
        """Text of the reasoning. White space that waited before it is reasoning too."""
        self._say(Reasoning, text, start)

    def space(self, text: str, start: int) -> None:
        """White space after a call: content or markup, as what follows decides."""
        if not text:
            return
        if not self._ws:
            self._ws_start = start
        self._ws = grown(self._ws, text)

    def space_is_text(self, lane: int) -> None:
        """More white space waits than may be held: it is content, or reasoning, whatever follows."""
        self._waited_is_text(Reasoning if lane else Content)

    def set_aside(self, mark: Mark, closers: tuple[str, ...], patience: int) -> None:
        """A marker of which no call came: markup if a call follows, or another marker, or the end of the turn."""
        self.space(mark.text, mark.start)
        self.strays = self.strays.with_mark(mark, closers, patience)

    def space_before(self, now: int) -> int:
        """How many characters of white space wait, up to the place `now`."""
        return now - self._ws_start if self._ws else 0

    def markup(self, text: str, start: int) -> None:
        """Text of the format itself. White space that waited before it is markup too."""
        self.settle()
        self._add_markup(text, start)

    def closed(self, closer: str) -> None:
        """What closes a marker that was set aside came."""
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
        self._ws, self.strays = (), self.strays.as_markup()
        for mark, text, start in pieces:
            if mark is None and not text.isspace():
                self._put_text(Content, text, start)
                continue
            if mark is not None:
                self.problem(LEFT_OVER, text, start)
            self._add_markup(text, start)

    def _waited_is_text(self, kind: type[Content | Reasoning]) -> None:
        waited, self._ws = joined(self._ws), ()
        for mark in self.strays.marks:
            if mark.problem[0]:
                self.problem(*mark.problem, mark.start)
        if self.strays.marks:
            self.strays = self.strays.as_text()
        self._put_text(kind, waited, self._ws_start)

    def begin_turn(self) -> None:
        """What was read so far was the prompt. A call that it left open is the turn's first."""
        self._catch_up()
        self.out, self._ws, self._markup, self.index, self.strays = [], (), (), 0, Strays()
        self._ids = {}
        if self.open:
            self.index, self.start = 1, 0
            self.out.append(CallStart(0, self._shown, self.name, self._known, 0))
            if self.has_arguments:
                self.out.append(CallDelta(0, self.arguments(), 0))

    def flush(self) -> None:
        """The turn is over."""
        self.settle()
        self._flush_markup()

    def problem(self, reason: str, text: str, start: int) -> None:
        """Something that could not be taken as it stood."""
        if start < 0:  # the prompt's end was read before the turn: what stood in it is not reported
            text, start = text[-start:], 0
            if not text:
                return
        self._catch_up()
        self._put(Problem(reason, text, start))

    def start_call(self, name: str, model_id: str | None, *, known: bool | None, start: int, may_get_id: bool) -> None:
        """A call whose name is certain. `start` is where its opener stands."""
        if self.strays.marks:
            self._settle_strays(call=True)
        self.settle()
        start = max(start, 0)
        self.name, self._id, self._known, self.start = name, model_id, known, start
        self._args, self._args_start, self.floor = (), None, start
        self.open = True
        self._shown = None if may_get_id and model_id is None else self._free_id(self.index)
        self._put(CallStart(self.index, self._shown, name, known, start))
        self.index += 1

    def set_id(self, model_id: str) -> None:
        """The model's own id, written after the name. Where one was shown already, that stays."""
        self._id = model_id

    def delta(self, text: str, start: int, *, after_comma: bool = False) -> None:
        """A piece of the open call's arguments as JSON text.

        `after_comma`: it ends with a comma between two values. That waits for what follows: a repair may take it back.
        """
        if self._lag:
            text, start, self._lag = self._lag + text, self._lag_start, ""
        if after_comma:
            comma = text.rfind(",")
            if comma >= 0 and len(text) - comma <= SPACE_AFTER_COMMA:
                text, self._lag, self._lag_start = text[:comma], text[comma:], start + comma
                if not text:
                    return
        start = max(start, self.floor)
        if self._args_start is None:
            self._args_start = start
        self.out.append(self.plain_delta(text, start))

    def plain_delta(self, text: str, start: int) -> CallDelta:
        """A piece of a string in the open call's arguments, handed out at once; some of them was written before."""
        late = self._late
        late.append(text)
        if len(late) >= LATE:
            self._gather()
        return CallDelta(self.index - 1, text, start)

    def plain_reasoning(self, chunk: str, start: int) -> Reasoning | None:
        """Reasoning, handed out at once, behind the white space that waited; None if it is white space alone.

        The white space at its end waits: it may be markup.
        """
        text = chunk.rstrip()
        if not text:
            return None
        if self._ws:
            waited, self._ws = joined(self._ws), ()
            event = Reasoning(waited + text, self._ws_start)
        else:
            event = Reasoning(text, start)
        if len(text) < len(chunk):
            self._ws, self._ws_start = ((), chunk[len(text) :]), start + len(text)
        return event

    def repaired(self, name: str, place: int) -> None:
        """What is at that place of the open call was repaired."""
        self.floor = place
        if name not in self.repairs:
            self.repairs = (*self.repairs, name)

    @property
    def lags(self) -> bool:
        """Whether a comma waits for what follows it."""
        return bool(self._lag)

    def drop_comma(self) -> None:
        """The comma that waits was not meant."""
        self._lag = ""

    def _catch_up(self) -> None:
        if self._lag:
            self.delta("", self._lag_start)

    def arguments(self) -> str:
        """The open call's arguments so far."""
        self._gather()
        self._args = flat(self._args)
        return joined(self._args)

    def _gather(self) -> None:
        if self._late:
            self._args = (self._args, "".join(self._late))
            self._late = []

    @property
    def arguments_end(self) -> str:
        """The last few characters of the open call's arguments."""
        self._gather()
        return self._args[1][-4:] if self._args else ""

    @property
    def has_arguments(self) -> bool:
        """Whether any of the open call's arguments was written."""
        return self._args_start is not None

    def end_call(self, status: Status, end: int) -> None:
        """The open call ends before `end`."""
        end = max(end, 0)  # all of it may stand in the prompt
        self._catch_up()
        if status == "ok" and not self.has_arguments:
            self.delta("{}", end)
        self._gather()
        text, self._args = joined(self._args), ()
        arguments: dict[str, Any] = {}
        if status == "ok":
            arguments, twice = decode(text)
            if twice is not None:
                self.problem("duplicate key", twice, self._args_start or 0)
        index = self.index - 1
        self._own_ids()
        call_id = self._free_id(index) if self._shown is None else self._shown
        self._ids.setdefault(call_id, 2)
        span = (self.start, end)
        repairs, self.repairs = self.repairs if status == "ok" else (), ()
        call = ToolCall(call_id, index, self.name, self._known, arguments, text, span, status, repairs)
        self.out.append(CallEnd(index, call, end))
        self.open = False

    def __getstate__(self) -> tuple[Any, ...]:
        self._gather()
        long = {"_ws", "_markup", "_args"}  # a long rope is too deep for pickle
        return tuple(flat(getattr(self, each)) if each in long else getattr(self, each) for each in self.__slots__)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for slot, value in zip(self.__slots__, state, strict=True):
            setattr(self, slot, value)

    def _own_ids(self) -> None:
        if self._ids_shared:
            self._ids, self._ids_shared = self._ids.copy(), False

    def _free_id(self, index: int) -> str:
        # The call's id: the model's own or, where it wrote none, ours; in any case one that no call before it has.
        self._own_ids()
        wanted = found = self._id if self._id is not None else f"{self._id_prefix}{index}"
        while found in self._ids:
            number = self._ids[wanted]
            found, self._ids[wanted] = f"{wanted}_{number}", number + 1
        return found

    def _say(self, kind: type[Content | Reasoning], text: str, start: int) -> None:
        if not text:
            return
        if self._ws:
            self._waited_is_text(kind)
        self._put_text(kind, text, start)

    def _put_text(self, kind: type[Content | Reasoning], text: str, start: int) -> None:
        if start < 0:  # the prompt's end was read before the turn: what stood in it is not reported
            text, start = text[-start:], 0
        if text:
            self._put(kind(text, start))

    def _put(self, event: Event) -> None:
        if self._markup:
            self._flush_markup()
        self.out.append(event)

    def _add_markup(self, text: str, start: int) -> None:
        if start < 0:
            text, start = text[-start:], 0
        if self._markup_wanted and text:
            if not self._markup:
                self._markup_start = start
            self._markup = grown(self._markup, text)

    def _flush_markup(self) -> None:
        if self._markup:
            whole, self._markup = joined(self._markup), ()
            self.out.append(Markup(whole, self._markup_start))
