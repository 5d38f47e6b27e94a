# What this file knows: the text of one turn on its way to a client: what of it came out as it is, what waits, and how a
# call is held until it is whole.
# What it must not know: any wire (chat.py, responses.py, ollama_lines.py write the events), how calls are written.
#
# There are two ways to hand out a call:
#
#   as it is written     its name first, then its arguments piece by piece. A call that breaks off has then already been
#                        seen, and some clients run what they saw: they complete half of an object, or take no arguments
#                        where they cannot read any.
#   whole                nothing of it until it has ended well. A call that was cut off or cannot be read stays text.
"""The text of one turn, on its way to a client."""

from __future__ import annotations

import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Output, Problem, Reasoning, ToolCall, fold
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
        problems: how often each `Problem` was met, by its reason.
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
    prefix: str = options.get("id_prefix") or f"call_{uuid.uuid4().hex[:12]}_"  # no other turn has it
    asked = {name: value for name, value in options.items() if name not in own}
    return TurnText(Parser(tools, **{**asked, "id_prefix": prefix}), prefix, **own)


class TurnText:
    """Reads the text of one turn.

    Args:
        parser: a parser for this turn.
        id_prefix: the prefix of the ids that it makes.
        whole_calls: whether a call comes out only once it has ended well, as one `CallStart`, `CallDelta` and
            `CallEnd`. The text of a call that does not comes out as content.
        single_call: whether only the first call comes out as a call; the text of further ones is content.
        counts: what was found is added to it.

    Attributes:
        pristine: whether all that came out so far is content, and all of the text up to there.
        own_calls: gives the calls that the server has parsed itself, as (name, arguments). With `whole_calls`, a call
            in the text that is one of them is the same call: it stays text, so that nobody runs it twice.
    """

    __slots__ = (
        *("_counts", "_ended", "_free", "_parser", "_passes", "_seen", "_single", "_tape", "_twice", "_whole"),
        *("id_prefix", "own_calls", "pristine"),
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
        self._parser = parser
        self._whole = whole_calls
        self._single = single_call
        self._counts = counts
        self._tape = Tape() if whole_calls or single_call else None
        self._ended = 0  # the end of what came out
        self._seen = 0  # the end of what went in
        self._free = True  # whether another call may come out
        self._passes = False  # whether the open call comes out as it is written
        self._twice: list[tuple[str, Any]] = []  # calls that came both ways
        self.own_calls: Callable[[], list[tuple[str, Any]]] = list

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
            if self._tape is not None:
                self._tape.skip(len(text))
            return events
        if self._tape is not None:
            self._tape.add(text)
        return self._told(events)

    def finish(self) -> list[Event]:
        """The turn is over: what was held back."""
        found = self._told(self._parser.finish())
        self.pristine = self.pristine and self._ended == self._seen  # what did not come out was markup
        return found

    def take(self) -> None:
        """A call came in another way than in the text: where only one may come out, it was this one."""
        self._free = self._free and not self._single

    def _told(self, events: list[Event]) -> list[Event]:
        found: list[Event] = []
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
                self._counts.problems[event.reason] += 1
            found.append(event)
        if self._tape is not None:
            self._tape.forget(self._ended)
        return found

    def _of_call(self, event: CallStart | CallDelta | CallEnd) -> list[Event]:
        if type(event) is CallStart:
            self._passes = self._free and not self._whole
            self._free = self._free and not (self._passes and self._single)
        if type(event) is not CallEnd:
            return [event] if self._passes else []
        call, self._ended = event.call, event.call.span[1]
        found: list[Event] = [event]
        if not self._passes:
            if call.status != "ok" or not self._free or self._comes_twice(call):
                assert self._tape is not None  # without it every call passes
                return [Content(self._tape.cut(call.span), call.span[0])]
            self._free = not self._single
            found = _at_once(event)
        if call.status == "ok" and self._counts is not None:
            self._counts.calls += 1
            self._counts.repairs.update(call.repairs)
        return found

    def _comes_twice(self, call: ToolCall) -> bool:
        pair = (call.name, call.arguments)
        if self.own_calls().count(pair) <= self._twice.count(pair):
            return False
        self._twice.append(pair)
        return True


def _at_once(event: CallEnd) -> list[Event]:
    call, place = event.call, event.call.span[0]
    return [
        CallStart(event.index, call.id, call.name, call.known, place),
        CallDelta(event.index, call.arguments_text or "{}", place),
        event,
    ]


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
