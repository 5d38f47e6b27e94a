# Moves leaked calls from the text of the Messages API's stream into blocks of their own, on plain dicts.
# Does not depend on the anthropic package, on how calls are found in text, or on how blocks are numbered (blocks.py).
#
#   the server's event                              what becomes of it
#   content_block_start (a text, a thinking)        unchanged, before the first text that remains; left out if there was
#                                                   text, and nothing remains: clients refuse an empty text later
#   content_block_delta (text_delta,                text without calls; between its pieces the blocks of calls, and of
#   thinking_delta)                                 reasoning that was in the text. Text after a call is a new block
#   events of other blocks                          unchanged, unless it is a call that the text has given (own.py)
#   content_block_stop                              unchanged, where the block is open
#   message_delta                                   after what was held back; "end_turn" becomes "tool_use"
#   all others (message_start, ping, error, …)      unchanged
#
# Text blocks that follow each other are one text: a code fence may begin in one and end in the next (sources.py).
"""Leaked calls in the Messages API's stream, on plain dicts."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any, Unpack

from toolglean.clients.messages.blocks import DELTA, START, STOP, Blocks, Event
from toolglean.clients.messages.own import OwnBlock
from toolglean.clients.messages.sources import FIELDS, Source, Sources
from toolglean.clients.messages.types import MessageEventDict
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.fields import field
from toolglean.conversation.reading.arguments import TurnArguments, text_for
from toolglean.conversation.reading.plain import Plain
from toolglean.conversation.reading.text import Tools, TurnText
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Reasoning
from toolglean.events import Event as Told

__all__ = ["MessageReader", "adict_message_events", "dict_message_events"]

OF_BLOCKS: Any = (START, DELTA, STOP)
"""The types of events about blocks. A tuple, because a server may send any value."""
COMPLETE = frozenset({"end_turn", "tool_use", "stop_sequence"})
"""The reasons of a message that was not cut off."""


class MessageReader:
    """Reads the events of one message.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._turn = text_for(tools, parsing)  # the reasoning that the server has parsed
        self._part: TurnText | None = None  # the text that is being read
        self._blocks = Blocks(self._turn.id_prefix)
        self._kept = True  # whether all texts that were read to their end were pristine
        self._sources = Sources(self._blocks)
        self._base = 0  # the position of the first character of `_part`
        self._last: Source | None = None  # the last text or thinking that began, until it ends
        self._own: OwnBlock | None = None  # a block of the server that is open
        self._later: dict[Any, list[Event]] = {}  # what the server has sent of other blocks meanwhile, by their index
        self._replays = False  # whether those events are being read
        self._broke = False

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it, in blocks as the protocol has them."""
        return (
            self._blocks.as_sent and self._kept and self._turn.pristine and (self._part is None or self._part.pristine)
        )

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back, or the beginning of a block."""
        held = self._turn.waits or (self._part is not None and self._part.waits)
        return held or self._sources.waits or bool(self._later)

    def read(self, event: Any) -> list[Any]:
        """The events that an event becomes. What is not an event is passed through."""
        if not isinstance(event, Mapping):
            return [event]
        kind = event.get("type")
        if kind not in OF_BLOCKS:
            return self._of_message(kind, event)
        if self._own is not None:
            return self._of_own(kind, self._own, event)
        return self._delta(event) if kind == DELTA else self._start(event) if kind == START else self._stop(event)

    def plain(self, event: dict[str, Any]) -> Plain | None:
        """What an event that was sent unchanged is, if it is nothing but a piece of the text that is being read."""
        delta, part = event.get("delta"), self._part
        text = field(delta, "text") if field(delta, "type") == FIELDS["text"] else None
        if part is None or self._own is not None or self._sources.waits or not isinstance(text, str) or not text:
            return None
        return Plain("text", text, part)

    def finish(self) -> list[Any]:
        """The stream is over: what was held back. A block that is not complete does not end."""
        self._broke = True
        found: list[Event] = []
        while self._own is not None:
            found += self._own.release()
            self._own = None
            self._blocks.leave_open()
            found += self._replayed()
        return found + self._rest(cut=True)

    # -- the message, and the server's other blocks --------------------------------------------------------------------

    def _of_message(self, kind: Any, event: Event) -> list[Event]:
        if kind == "message_stop":
            return [*self._over(cut=True), event]
        if kind != "message_delta":
            return [event]
        delta = event.get("delta")
        reason = field(delta, "stop_reason")
        found = self._over(cut=not (isinstance(reason, str) and reason in COMPLETE))
        if reason == "end_turn" and self._blocks.calls and isinstance(delta, Mapping):
            event = {**event, "delta": {**delta, "stop_reason": "tool_use"}}
        return [*found, event]

    def _over(self, *, cut: bool) -> list[Event]:
        found: list[Event] = []
        while self._own is not None:
            found += self._end_own(None)
        return [*found, *self._rest(cut=cut), *self._blocks.stop()]

    def _of_own(self, kind: Any, own: OwnBlock, event: Event) -> list[Event]:
        place = event.get("index")
        if kind == START and (place == own.place or own.is_whole()):  # servers forget ends, or send them late
            return [*self._end_own(None), *self.read(event)]
        if place == own.place:
            return own.read(event) if kind == DELTA else self._end_own(event)
        self._blocks.differ()  # one block at a time
        key = place if isinstance(place, str | int) else None
        if kind != STOP or key in self._later:  # else it is of a block that has ended, because this one began
            self._later.setdefault(key, []).append(event)
        return []

    def _end_own(self, event: Event | None) -> list[Event]:
        assert self._own is not None
        found = self._own.end(event)
        self._own = None
        return found + self._replayed()

    def _replayed(self) -> list[Event]:
        found: list[Event] = []
        while self._own is None and self._later and not self._replays:
            self._replays = True
            for event in self._later.pop(next(iter(self._later))):
                found += self.read(event)
            self._replays = False
        return found

    # -- blocks --------------------------------------------------------------------------------------------------------

    def _start(self, event: Event) -> list[Event]:
        block = event.get("content_block")
        kind = field(block, "type")
        if not (isinstance(kind, str) and kind in FIELDS):
            found = [*self._end_part(), *self._stop_thinking(), *self._sources.all()]
            self._sources.leave()
            self._own, self._last = OwnBlock(event, self._turn, self._blocks), None
            return found + self._own.begin()
        found = self._end_part() if kind == "thinking" else []
        self._last = Source(kind, event)
        found += self._marked(event, self._last)
        text = field(block, kind)  # some servers put the first text here
        return found + self._text(kind, text) if isinstance(text, str) and text else found

    def _delta(self, event: Event) -> list[Event]:
        delta = event.get("delta")
        kind = next((each for each in FIELDS if field(delta, "type") == FIELDS[each]), None)
        text = field(delta, kind) if kind else None
        if kind is None or not isinstance(text, str) or not text:
            return self._marked(event) if self._is_last(event) else []
        found: list[Event] = []
        if self._last is None or self._last.kind != kind:  # the server has not said that one begins
            self._blocks.differ()
            found = self._start({"type": START, "index": event.get("index"), "content_block": {"type": kind, kind: ""}})
        told = self._text(kind, text)
        return [event] if not found and len(told) == 1 and told[0] == event else found + told

    def _stop(self, event: Event) -> list[Event]:
        if not self._is_last(event):
            return []
        self._last = None
        return self._marked(event)

    def _is_last(self, event: Event) -> bool:
        # Whether it is about the last text or thinking; else it is about none that is open, and left out.
        found = self._last is not None and event.get("index") == self._last.event.get("index")
        if not found:
            self._blocks.differ()
        return found

    def _marked(self, event: Event, source: Source | None = None) -> list[Event]:
        self._reach()
        self._sources.mark(event, source)
        held = self._turn.thinks or not (self._part is None or self._part.settled)
        return [] if held else self._sources.all()

    # -- text ----------------------------------------------------------------------------------------------------------

    def _text(self, kind: str, text: str) -> list[Event]:
        assert self._last is not None
        self._last.said = True
        if kind == "thinking":
            found = self._end_part()
            self._sources.reach(self._sources.read + len(text))
            found += self._thought(self._turn.think(text))
            return found if self._turn.thinks else found + self._sources.all()
        found = self._stop_thinking()
        if self._part is None:
            self._part, self._base = self._turn.part(), self._sources.read
        return found + self._told(self._part.feed(text))

    def _reach(self) -> None:
        # Some of the text may have been read by somebody else (`plain`).
        if self._part is not None:
            self._sources.reach(self._base + self._part.seen)

    def _end_part(self) -> list[Event]:
        # Something other than text follows.
        part = self._part
        if part is None:
            return []
        self._reach()
        found = self._told(part.finish())
        self._kept, self._part = self._kept and part.pristine, None
        return found + self._sources.all()

    def _stop_thinking(self) -> list[Event]:
        return [*self._thought(self._turn.stop_thinking()), *self._sources.all()] if self._turn.thinks else []

    def _rest(self, *, cut: bool) -> list[Event]:
        found = self._end_part()
        ended = self._turn.end_thinking(cut=cut)
        # The reasoning ends before its calls begin.
        found += self._thought([each for each in ended if type(each) is Reasoning])
        found += self._sources.all()
        return found + self._thought([each for each in ended if type(each) is not Reasoning])

    def _thought(self, events: Iterable[Told]) -> list[Event]:
        # Where calls were taken out of it, positions are those of the text that remains, until nothing is held back.
        found: list[Event] = []
        for event in events:
            if type(event) is Reasoning:
                found += self._sources.text(event.text, self._sources.told)
            elif isinstance(event, CallStart | CallDelta | CallEnd):
                found += self._blocks.call(event, cut=self._broke)
        return found

    def _told(self, events: Iterable[Told]) -> list[Event]:
        found: list[Event] = []
        for event in events:
            if type(event) is Content:
                found += self._sources.text(event.text, self._base + event.start)
            elif isinstance(event, Reasoning | CallStart):
                found += self._sources.up_to(self._base + event.start)
                found += self._reasoning(event.text) if type(event) is Reasoning else []
            if isinstance(event, CallStart | CallDelta | CallEnd):
                found += self._blocks.call(event, cut=self._broke)
        return found

    def _reasoning(self, text: str) -> list[Event]:
        # Reasoning in the text: a block of ours. Only a server can sign it.
        found: list[Event] = []
        if self._blocks.owner is not Reasoning:
            found = self._blocks.start(Reasoning, {"type": "thinking", "thinking": "", "signature": ""})
        return [*found, self._blocks.delta("thinking_delta", "thinking", text)]


def dict_message_events(
    events: Iterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> Reading[MessageEventDict]:
    """Move the calls that a model leaked into its text into blocks of their own: for proxies.

    Args:
        events: the events of the Messages API's stream, as dicts.
        tools, parsing: as for `toolglean.clients.chat.dict_chunks`.

    Yields:
        The events, with blocks numbered anew: a call as a `tool_use` block, its arguments in `input_json_delta`;
        reasoning in the text as a `thinking` block with an empty signature; the text without them, in a new block after
        each call; `stop_reason` "tool_use" instead of "end_turn" if a call was completed. Arguments of a call that was
        cut off are not JSON, and cannot be completed to any. With `whole_calls=True` such a call stays text, and calls
        are sent once they are complete.

    Raises:
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what `events` raises, after the text that was held back. The source is closed at the end, and when
            the iterator is closed.
    """
    return Reading(events, MessageReader(tools, parsing))


def adict_message_events(
    events: AsyncIterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> AsyncReading[MessageEventDict]:
    """The same for an asynchronous stream: see `dict_message_events`."""
    return AsyncReading(events, MessageReader(tools, parsing))
