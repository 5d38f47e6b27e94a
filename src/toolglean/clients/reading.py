# What this file knows: the text of one turn on its way to a client: what of it came out as it is, what waits, and how a
# call is held until it is whole.
# What it must not know: any wire (chat.py, responses.py, ollama_lines.py write the events), how calls are written.
#
# There are two ways to hand out a call:
#
#   whole                nothing of it until it has ended well. A call that was cut off or cannot be read stays text.
#   as it is written     its name first, then its arguments piece by piece. A call that breaks off has then already been
#                        seen, and some clients run what they saw: they complete half of an object, or take no arguments
#                        where they cannot read any. So this must be asked for.
#
# A call that the server has parsed, too, is one call (both_ways.py): if theirs went out first, ours stays text. While
# theirs is being written, ours waits until it shows whether the two are the same, and what comes behind ours waits too.
"""The text of one turn, on its way to a client."""

from __future__ import annotations

import uuid
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from toolglean.clients.both_ways import BothWays, Met
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Output, Problem, Reasoning, fold
from toolglean.options import ParserOptions, changed, options_of
from toolglean.parser import Parser
from toolglean.tools import ToolLike, ToolSet

__all__ = ["Counts", "Tape", "Tools", "TurnText", "is_all", "listed", "text_for", "whole_turn"]

Tools: TypeAlias = Iterable[ToolLike] | ToolSet | None


@dataclass(slots=True)
class Counts:
    """What was found in the answers.

    Attributes:
        calls: how many calls were moved from the text to their place.
        repairs: how often each repair was made in those calls (`ToolCall.repairs`).
        problems: how often each `Problem` was met, by its code.
    """

    calls: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)


def text_for(tools: Tools, options: Mapping[str, Any]) -> TurnText:
    """The text of a turn that nothing was read of yet.

    Args:
        tools: as for `toolglean.Parser`.
        options: as for `toolglean.Parser`; and `whole_calls`, `single_call`, `counts` as for `TurnText`.

    Raises:
        What `Parser` raises.
    """
    own = {name: options[name] for name in ("whole_calls", "single_call", "counts") if name in options}
    chosen = with_own_ids(options.get("options"))
    asked = {name: value for name, value in options.items() if name not in own}
    return TurnText(Parser(tools, **{**asked, "options": chosen}), chosen.id_prefix or "", **own)


def with_own_ids(given: ParserOptions | None) -> ParserOptions:
    """The options, with a prefix of ids that no other turn has, if none was chosen."""
    options = options_of(given)
    return changed(options, id_prefix=f"call_{uuid.uuid4().hex[:12]}_") if options.id_prefix is None else options


class _Ended(NamedTuple):
    """A call that has ended, but did not come out yet."""

    event: CallEnd
    text: str


class TurnText:
    """Reads the text of one turn.

    Args:
        parser: a parser for this turn.
        id_prefix: the prefix of the ids that it makes.
        whole_calls: whether a call comes out only once it has ended well, as one `CallStart`, `CallDelta` and
            `CallEnd`. The text of a call that does not comes out as content. If False, calls come out as they are
            written.
        single_call: whether only the first call comes out as a call; the text of further ones is content.
        counts: what was found is added to it.

    Attributes:
        pristine: whether all that came out so far is content, and all of the text up to there.
        both: the calls of this turn that came one way only so far. A call in the text that the server has sent, too,
            stays text, so that nobody runs it twice.
    """

    __slots__ = (
        *("_counts", "_ended", "_free", "_open", "_parser", "_passes", "_seen", "_single", "_tape", "_waiting"),
        *("_whole", "both", "id_prefix", "pristine"),
    )

    def __init__(
        self,
        parser: Parser,
        id_prefix: str = "call_",
        *,
        whole_calls: bool = False,
        single_call: bool = False,
        counts: Counts | None = None,
    ) -> None:
        self.id_prefix = id_prefix
        self.pristine = True
        self.both = BothWays()
        self._parser = parser
        self._whole = whole_calls
        self._single = single_call
        self._counts = counts
        self._tape = Tape()
        self._ended = 0  # the end of what came out
        self._seen = 0  # the end of what went in
        self._free = True  # whether another call may come out
        self._passes = False  # whether the open call comes out as it is written
        self._open: Met | None = None  # that call
        self._waiting: deque[Event | _Ended] = deque()  # a call that may have come both ways, and what is behind it

    def fork(self) -> TurnText:
        """Another turn, read in the same way. Nothing must have been read yet."""
        twin = TurnText(
            self._parser.fork(),
            self.id_prefix,
            whole_calls=self._whole,
            single_call=self._single,
            counts=self._counts,
        )
        twin._free = self._free
        return twin

    @property
    def waits(self) -> bool:
        """Whether the text is pristine so far, and some of it is held back."""
        return self.pristine and self._ended < self._seen

    def feed(self, text: str) -> list[Event]:
        """The events of a piece of text."""
        events = self._parser.feed(text)
        place = self._seen
        self._seen = place + len(text)
        if len(events) == 1 and type(events[0]) is Content and place == self._ended and events[0].text == text:
            self._ended = self._seen  # most chunks
            self._tape.skip(len(text))
            return self._queued(events) if self._waiting else events
        self._tape.add(text)
        return self._told(events)

    def settle(self) -> list[Event]:
        """The server has sent more of its calls: what no longer waits for them."""
        found: list[Event] = []
        while self._waiting:
            first = self._waiting[0]
            if isinstance(first, _Ended):
                events = self._judged(first)
                if events is None:
                    break
                found += events
            else:
                found.append(first)
            self._waiting.popleft()
        return found

    def finish(self) -> list[Event]:
        """The turn is over: what was held back. No call of the server's may be open."""
        found = self._told(self._parser.finish())
        self.pristine = self.pristine and self._ended == self._seen  # what did not come out was markup
        return found

    def take(self) -> None:
        """A call came in another way than in the text: where only one may come out, it was this one."""
        self._free = self._free and not self._single

    def _told(self, events: list[Event]) -> list[Event]:
        found: list[Any] = []
        for event in events:
            if isinstance(event, CallStart | CallDelta | CallEnd):
                self.pristine = False
                found += self._of_call(event)
                continue
            if type(event) is Content:
                self.pristine = self.pristine and event.start == self._ended
                self._ended = event.start + len(event.text)
            elif type(event) is Reasoning:
                self.pristine = False
                self._ended = event.start + len(event.text)
            elif type(event) is Problem and self._counts is not None:
                self._counts.problems[event.code] += 1
            found.append(event)
        self._tape.forget(self._ended)
        return self._queued(found)

    def _queued(self, events: list[Any]) -> list[Event]:
        if not self._waiting and not any(type(event) is _Ended for event in events):
            return events
        self._waiting += events
        return self.settle()

    def _of_call(self, event: CallStart | CallDelta | CallEnd) -> list[Event | _Ended]:
        if type(event) is CallStart:
            apart = self.both.was_parsed(event.name) is False  # no call of the server's has this name
            self._passes = self._free and not self._whole and apart
            self._free = self._free and not (self._passes and self._single)
            self._open = self.both.written(event.name) if self._passes else None
        if type(event) is not CallEnd:
            return [event] if self._passes else []
        call, self._ended = event.call, event.call.span[1]
        if not self._passes:
            return [_Ended(event, self._tape.cut(call.span))]
        assert self._open is not None  # it passes
        if call.status == "ok":
            self._open.arguments = call.arguments
            self._count(event)
        else:
            self.both.drop(self._open)
        return [event]

    def _judged(self, ended: _Ended) -> list[Event] | None:
        # What becomes of a call that was held until it was whole; None: that depends on a call of the server's.
        call = ended.event.call
        if call.status != "ok" and not self._whole and self._free:
            return _at_once(ended.event)
        if call.status != "ok" or not self._free:
            return [Content(ended.text, call.span[0])]
        same = self.both.was_parsed(call.name, call.arguments)
        if same is not False:
            return [Content(ended.text, call.span[0])] if same else None
        self.both.written(call.name, call.arguments)
        self._free = not self._single
        self._count(ended.event)
        return _at_once(ended.event)

    def _count(self, event: CallEnd) -> None:
        if self._counts is not None:
            self._counts.calls += 1
            self._counts.repairs.update(event.call.repairs)


def _at_once(event: CallEnd) -> list[Event]:
    call, place = event.call, event.call.span[0]
    text = call.arguments_text or ("{}" if call.status == "ok" else "")
    pieces = [CallDelta(event.index, text, place)] if text else []
    return [CallStart(event.index, call.id, call.name, call.known, place), *pieces, event]


def listed(holder: Mapping[str, Any], name: str) -> Iterable[Any]:
    """The items of that field; () where a server put something else there."""
    found = holder.get(name)
    return found if isinstance(found, list | tuple) else ()


def is_all(events: list[Event], text: str) -> bool:
    """Whether the events are the text and nothing else: so it is for most chunks."""
    if len(events) == 1:
        return type(events[0]) is Content and events[0].text == text
    found = [event.text for event in events if type(event) is Content]
    return len(found) == len(events) and "".join(found) == text


def whole_turn(text: str, turn: TurnText) -> tuple[str, Output]:
    """A whole text, read: what remains text, and the rest. Calls that cannot be executed remain text.

    Args:
        text: the text.
        turn: reads it, with `whole_calls`.
    """
    events = turn.feed(text) + turn.finish()
    output = fold(events)
    return output.content, output


class Tape:
    """The text of a turn, kept as long as it may be needed again. Each character costs the same, however it is cut."""

    __slots__ = ("_end", "_parts", "_start")

    def __init__(self) -> None:
        self._parts: deque[str] = deque()
        self._start = 0  # of the first part
        self._end = 0

    def add(self, text: str) -> None:
        """More text."""
        self._parts.append(text)
        self._end += len(text)

    def skip(self, length: int) -> None:
        """More text, of which nothing will be needed, nor of what stands before it."""
        self._parts.clear()
        self._end += length
        self._start = self._end

    def forget(self, place: int) -> None:
        """The text before that place of the turn is no longer needed."""
        while self._parts and self._start + len(self._parts[0]) <= place:
            self._start += len(self._parts.popleft())

    def cut(self, span: tuple[int, int]) -> str:
        """The text at these places of the turn; what stands before is not asked for again."""
        begin, end = span
        self.forget(begin)
        found, place = [], self._start
        for part in self._parts:
            if place >= end:
                break
            found.append(part[max(begin - place, 0) : end - place])
            place += len(part)
        self.forget(end)
        return "".join(found)
