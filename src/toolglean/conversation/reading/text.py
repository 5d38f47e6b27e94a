# The text of one turn on its way to a client: what was emitted unchanged, what waits, and how a call is held back until
# it is complete.
# Does not depend on any wire format (chat/, responses/ and ollama_lines.py write the events), or on how calls are
# written.
#
# There are two ways to emit a call:
#
#   whole                nothing until it has ended well. A call that was cut off or cannot be read stays text.
#   as it is written     its name first, then its arguments piece by piece. If it is cut off, the client has already
#                        seen a part of it, and some clients run that: they complete the half of an object, or assume
#                        that there are no arguments if they cannot read any. So this must be asked for.
#
# A call to an unknown tool stays text, unless the user has chosen otherwise: the parser sees to that. It is logged.
#
# The reasoning that the server has taken out of the text itself is read apart (reasoning_field.py).
#
# A call that the server has also parsed is one call (duplicates.py): if the server's was emitted first, ours stays
# text. While the server's is being written, ours waits until it is clear whether the two are the same, and so does
# everything after ours.
"""The text of one turn, on its way to a client."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.reading.counts import Counts, unknown_tool
from toolglean.conversation.reading.duplicates import DuplicateFilter, Ended, Rest, SentCall, Shared, in_one, shifted
from toolglean.conversation.reading.reasoning_field import NewField, ReasoningField, Said
from toolglean.conversation.reading.tape import Tape
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Problem, Reasoning
from toolglean.formats.headers import ENDS
from toolglean.options import UnknownTools
from toolglean.parser import Parser
from toolglean.tools import ToolLike, ToolSet

if TYPE_CHECKING:
    from toolglean.engine.evidence.kinds import Special

__all__ = ["Manner", "Tools", "TurnText", "is_all"]

Tools: TypeAlias = Iterable[ToolLike] | ToolSet | None
_OF_CALLS = frozenset({CallStart, CallDelta, CallEnd})
_ENDS_MARKUP = frozenset({Content, Reasoning, CallStart})
"""What shows that the markup after a call has ended."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the text of a turn is emitted.

    Attributes:
        id_prefix: the prefix of the ids that its parser makes.
        whole_calls: whether a call is emitted only once it has ended well, as one `CallStart`, `CallDelta` and
            `CallEnd`. The text of a call that does not is emitted as content. If False, calls are emitted as they are
            written.
        single_call: whether only the first call is emitted as a call; the text of further ones is content.
        unknown_tools: what to do with a call to an unknown tool in the server's own reasoning field: "content" leaves
            it there, with a `Problem`.
        keep_closers: whether a call that stays content keeps its closing markers. False for a caller that turns all
            markup of such a turn into content itself.
        reasoning: makes the reader of the server's own reasoning field; None: nothing in it is a call.
        counts: what was found is added to it.
        drop_duplicates: whether the text of a call that the server has sent, too, is dropped. If not, it is content.
    """

    id_prefix: str = "call_"
    whole_calls: bool = False
    single_call: bool = False
    unknown_tools: UnknownTools = "call"
    keep_closers: bool = True
    reasoning: NewField | None = None
    counts: Counts = field(default_factory=Counts)
    drop_duplicates: bool = False


class TurnText:
    """Reads the text of one turn.

    Args:
        parser: a parser for this turn, with the same choice for calls to unknown tools, and the same prefix of ids.
        manner: how the text is emitted.

    Attributes:
        pristine: whether everything emitted so far is content, and nothing of the text before it is missing.
        seen: how much text was read, in characters.
    """

    __slots__ = (
        *("_again", "_ended", "_field", "_last", "_manner", "_noted", "_open", "_parser", "_passes"),
        *("_shared", "_shift", "_tape", "_waiting", "id_prefix", "pristine", "seen"),
    )

    def __init__(self, parser: Parser, manner: Manner) -> None:
        self.id_prefix = manner.id_prefix
        self.pristine = True
        self._parser, self._manner = parser, manner
        self._tape = Tape()
        self._ended = 0  # the end of what was emitted
        self.seen = 0
        self._shared = Shared()
        self._passes = False  # whether the open call is emitted as it is written
        self._open: SentCall | None = None  # that call
        self._shift: tuple[int, str | None] = 0, None  # from the parser's index to ours, for the open call; a new id
        self._field: ReasoningField | None = None
        self._noted: list[Event] = []  # problems of calls in that field
        self._last: Ended | None = None  # the last call that was not emitted as it was written, up to what follows it
        self._waiting: deque[Event | Ended | Rest] = deque()  # a call that may be a duplicate, and what follows it
        self._again: deque[list[Event]] = deque()  # the events of texts that were read, and will be fed once more

    def fork(self) -> TurnText:
        """Another turn, to be read in the same way. Nothing must have been read yet."""
        return TurnText(self._parser.fork(), self._manner)

    def part(self, ended: TurnText | None) -> TurnText:
        """Another text of the same turn: its calls are counted on, and none of them is emitted twice.

        Args:
            ended: the text before it, which is over; a quotation that is open there goes on. None: there is none.
        """
        found = self.fork()
        found._shared = self._shared
        if ended is not None:
            found._parser._go_on_after(ended._parser)
        return found

    @property
    def duplicates(self) -> DuplicateFilter:
        """The calls of this turn that have arrived from one source only so far. A call in the text that the server has
        also sent stays text, so that it does not run twice.
        """
        return self._shared.duplicates

    @property
    def settled(self) -> bool:
        """Whether none of the text is held back."""
        return self._ended == self.seen and not self._waiting

    @property
    def waits(self) -> bool:
        """Whether the text is pristine so far, and some of it is held back."""
        if self._ended < self.seen:
            return self.pristine
        return self._field is not None and self.pristine and self._field.waits

    def feed(self, text: str, special: Special = None) -> list[Event]:
        """The events of a piece of text, of which special tokens wrote these characters (as for `Parser.feed`)."""
        if self._again:
            return self._again.popleft()
        events = self._parser.feed(text, special)
        place = self.seen
        self.seen = place + len(text)
        if len(events) == 1 and type(events[0]) is Content and place == self._ended and events[0].text == text:
            self._ended = self.seen  # most chunks
            return self._queued(events) if self._waiting else events
        self._tape.add(text, place)
        return self._told(events)

    def again(self, events: list[Event]) -> None:
        """A text was fed, with these events. It is fed once more, by somebody who writes what has become of it."""
        self._again.append(events)

    def settle(self) -> list[Event]:
        """The server has sent more of its calls: the events that no longer wait for them."""
        found: list[Event] = []
        while self._waiting:
            first = self._waiting[0]
            if isinstance(first, Ended):
                events = self._judged(first)
                if events is None:
                    break
                found += events
                first.stays = bool(events) and type(events[0]) is Content
            elif isinstance(first, Rest):
                found += [Content(first.text, first.start)] if first.call.stays else []
            else:
                found.append(first)
            self._waiting.popleft()
        return self._numbered(found)

    def finish(self) -> list[Event]:
        """The turn is over: the events that were held back. No call of the server may be open."""
        found = self._told(self._parser.finish(), at_end=True)
        self.pristine = self.pristine and self._ended == self.seen  # what was not emitted was markup
        return found

    def heard(
        self, thinking: str, text: str, *, goes_on: bool, cut: bool | None = None
    ) -> tuple[list[Event], list[Event]]:
        """The events of a message, or of a part of one that came at once: of its reasoning, and of its text.

        Args:
            thinking: the reasoning that the server has taken out of the text itself.
            text: the text.
            goes_on: whether a call that the server has parsed follows.
            cut: whether the turn was cut off, which is over; None: it is not over.
        """
        thoughts = self.think(thinking) if thinking else []
        if text or goes_on:
            thoughts = thoughts + self.stop_thinking()
        elif cut is not None:
            thoughts = thoughts + self.end_thinking(cut=cut)
        events = self.feed(text) if text else []
        return thoughts, events if cut is None else events + self.finish()

    # -- the server's own reasoning field ------------------------------------------------------------------------------

    def think(self, text: str) -> list[Event]:
        """The events of a piece of the reasoning that the server has taken out of the text itself."""
        if self._field is None:
            if self._manner.reasoning is None:
                return [Reasoning(text, self.seen)]
            self._field = self._manner.reasoning(self._takes)
        return self._thought(self._field.feed(text))

    @property
    def thinks(self) -> bool:
        """Whether some of such reasoning is held back."""
        return self._field is not None and self._field.waits

    def stop_thinking(self) -> list[Event]:
        """Content follows, or a call that the server has parsed: the events of the reasoning that was held back."""
        return self._thought(self._field.drop()) if self._field is not None and self.thinks else []

    def end_thinking(self, *, cut: bool) -> list[Event]:
        """The turn is over: the events of the reasoning that was held back, with the calls at its end.

        Args:
            cut: whether it was cut off, so that nobody knows how the reasoning would have gone on.
        """
        if self._field is None or not self.thinks:
            return []
        return self._thought(self._field.drop() if cut else self._field.finish())

    def _thought(self, said: list[Said]) -> list[Event]:
        found: list[Event] = [*self._noted]
        self._noted.clear()
        for each in said:
            found += [Reasoning(each, self.seen)] if isinstance(each, str) else self._from_reasoning(each)
        return found

    def _takes(self, event: CallEnd) -> bool:
        call = event.call
        if call.status != "ok" or not self._shared.free:
            return False
        if self._manner.unknown_tools == "content" and call.known is False:
            problem = unknown_tool(call)
            self._manner.counts.problem(problem)
            self._noted.append(problem)
            return False
        if self.duplicates.was_parsed(call.name, call.arguments) is not False:
            return False
        self.duplicates.add_written(call.name, call.arguments)
        self._shared.free = not self._manner.single_call
        return True

    def _from_reasoning(self, event: CallEnd) -> list[Event]:
        shift, call_id = self._shared.begin(event, self.id_prefix)
        event = shifted(event, shift, self.id_prefix, call_id)
        self.pristine = False
        self._manner.counts.call(event.call)
        return in_one(event)

    # -- the text ------------------------------------------------------------------------------------------------------

    def next_index(self) -> int:
        """The index of the next call, which the caller emits: calls are numbered in the order in which they begin."""
        self._shared.next += 1
        return self._shared.next - 1

    def parsed_id(self, own: Any, index: int) -> Any:
        """The id of a call of the server that is sent, at that index: its own, unless a call in the text has it."""
        known = isinstance(own, str) and own
        return self._shared.unused(own, f"{self.id_prefix}{index}", self._shared.parsed) if known else own

    def take(self) -> None:
        """The server has sent a call itself. If only one call may be emitted, it was this one."""
        self._shared.free = self._shared.free and not self._manner.single_call

    def take_whole(self, call: Any) -> bool:
        """The same for a call that came in one piece: an object with its `name` and its `arguments`.

        Returns:
            Whether it counts: not if the text has given the same call.
        """
        name, arguments = field_of(call, "name"), read_arguments(field_of(call, "arguments"))
        if arguments is not None:
            if self.duplicates.was_written(name, arguments):
                return False
            self.duplicates.add_parsed(name, arguments)
        self.take()
        return True

    def _told(self, events: Iterable[Any], *, at_end: bool = False) -> list[Event]:
        found: list[Any] = []
        only_text = self._last is None and not self._waiting  # of the user, most of the time
        for event in events:
            kind = type(event)
            if self._last is not None and kind in _ENDS_MARKUP:
                found += self._rest(self._last, event.start)
            if kind is Content:
                self.pristine = self.pristine and event.start == self._ended
                self._ended = event.start + len(event.text)
            elif kind in _OF_CALLS:
                only_text = False
                found += self._of_call(event)
                continue
            elif kind is Reasoning:
                self.pristine = False
                self._ended = event.start + len(event.text)
            elif kind is Problem:
                self._manner.counts.problem(event)
            found.append(event)
        if at_end and self._last is not None:
            found += self._rest(self._last, self.seen)
        self._tape.forget(self._ended)
        return found if only_text else self._queued(found)

    def _rest(self, call: Ended, end: int) -> list[Rest]:
        # What follows a call up to `end` is markup. If the call stays text, so do its closing markers.
        start, self._last = call.event.call.span[1], None
        text = self._tape.cut((start, end))
        over = min((place for place in map(text.find, ENDS) if place >= 0), default=end - start)
        text = text[:over] if end < self.seen and over == end - start else text[:over].rstrip()
        return [Rest(call, text, start)] if text and self._manner.keep_closers else []

    def _queued(self, events: list[Any]) -> list[Event]:
        if not self._waiting and not any(type(event) in {Ended, Rest} for event in events):
            return self._numbered(events)
        self._waiting += events
        return self.settle()

    def _numbered(self, events: list[Event]) -> list[Event]:
        found: list[Event] = []
        for event in events:
            if type(event) is CallStart:
                self._shift = self._shared.begin(event, self.id_prefix)
            if isinstance(event, CallStart | CallDelta | CallEnd):
                event = shifted(event, self._shift[0], self.id_prefix, self._shift[1])  # noqa: PLW2901
            found.append(event)
        return found

    def _of_call(self, event: CallStart | CallDelta | CallEnd) -> list[Event | Ended]:
        self.pristine = False
        if type(event) is CallStart:
            apart = self.duplicates.was_parsed(event.name) is False  # no call of the server has this name
            self._passes = self._shared.free and not self._manner.whole_calls and apart
            self._shared.free = self._shared.free and not (self._passes and self._manner.single_call)
            self._open = self.duplicates.add_written(event.name) if self._passes else None
        if type(event) is not CallEnd:
            return [event] if self._passes else []
        call, self._ended = event.call, event.call.span[1]
        if not self._passes:
            self._last = Ended(event, self._tape.cut(call.span))
            return [self._last]
        assert self._open is not None  # it passes
        if call.status == "ok":
            self.duplicates.know(self._open, call.arguments)
            self._manner.counts.call(event.call)
        else:
            self.duplicates.drop(self._open)
        return [event]

    def _judged(self, ended: Ended) -> list[Event] | None:
        # The events of a call that was held back until it was complete; None: that depends on a call of the server.
        call = ended.event.call
        if call.status != "ok" and not self._manner.whole_calls and self._shared.free:
            return in_one(ended.event)
        text: list[Event] = [Content(ended.text, call.span[0])]
        if call.status != "ok" or not (self._shared.free or self._manner.drop_duplicates):
            return text
        same = self.duplicates.was_parsed(call.name, call.arguments)
        if same is not False:
            return None if same is None else [] if self._manner.drop_duplicates else text
        if not self._shared.free:
            return text
        self.duplicates.add_written(call.name, call.arguments)
        self._shared.free = not self._manner.single_call
        self._manner.counts.call(call)
        return in_one(ended.event)


def is_all(events: list[Event], text: str, kind: type[Content | Reasoning] = Content) -> bool:
    """Whether the events are the text and nothing else, as for most chunks.

    Args:
        events: the events.
        text: the text.
        kind: which kind of text.
    """
    if len(events) == 1:
        first: Any = events[0]
        return type(first) is kind and bool(first.text == text)
    found = [event.text for event in events if isinstance(event, kind)]
    return len(found) == len(events) and "".join(found) == text
