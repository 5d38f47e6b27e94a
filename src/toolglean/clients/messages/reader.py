# Moves leaked calls from the text of the Messages API into blocks of their own, on plain dicts. A whole answer is read
# as the stream that would send it, so both agree.
# Does not depend on the anthropic package, on how calls are found in text, on what waits for what
# (conversation/reading/sources.py), or on how blocks are numbered (blocks.py).
#
#   the server's event                              what becomes of it
#   content_block_start (a text, a thinking)        unchanged, before the first text that remains; left out if there was
#                                                   text, and at most white space remains: servers refuse that later
#   content_block_delta (text_delta,                text without calls; between its pieces the blocks of calls, and of
#   thinking_delta)                                 reasoning that was in the text. Text after a call is a new block
#   events of other blocks                          unchanged, unless it is a call that the text has given
#   content_block_stop                              unchanged, where the block is open
#   message_delta                                   after what was held back; "end_turn" becomes "tool_use"
#   all others (message_start, ping, error, …)      unchanged
"""Leaked calls in the Messages API, streamed and whole, on plain dicts."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from typing import Any, Unpack, cast

from toolglean.clients.lane import Plain
from toolglean.clients.messages.blocks import DELTA, FIELDS, START, STOP, Blocks, Event
from toolglean.clients.messages.types import MessageDict, MessageEventDict
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.anthropic import JoinedBlocks
from toolglean.conversation.fields import arguments_of, listed
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.conversation.reading.sources import Source, SourceReader
from toolglean.conversation.reading.text import Tools
from toolglean.events import CallDelta, CallEnd, CallStart, Reasoning

__all__ = ["MessageReader", "adict_message_events", "dict_message", "dict_message_events", "message_of"]

OF_BLOCKS: Any = (START, DELTA, STOP)
"""The types of events about blocks. A tuple, because a server may send any value."""
A_UUID = 36
"""The characters of one. vLLM sends one as a signature, and reads none; a signature is longer, and signs the text."""
COMPLETE = frozenset({"end_turn", "tool_use", "stop_sequence"})
"""The reasons of a message that was not cut off."""


class MessageReader(SourceReader):
    """Reads the events of one message.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        super().__init__(tools, parsing)
        self._blocks = Blocks(self._turn.id_prefix)

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it, in blocks as the protocol has them."""
        return self._blocks.as_sent and super().pristine

    def plain(self, event: dict[str, Any]) -> Plain | None:
        """What an event that was sent unchanged is, if it is nothing but a piece of the text that is being read."""
        delta, turn = event.get("delta"), self._flows
        text = field_of(delta, "text") if field_of(delta, "type") == FIELDS["text"] else None
        return Plain("text", text, turn) if turn is not None and isinstance(text, str) and text else None

    def _read(self, event: Event) -> list[Event]:
        kind = event.get("type")
        if kind not in OF_BLOCKS:
            return self._of_message(kind, event)
        if (own := self._own) is not None:
            if kind == DELTA and _place_in(event) == own.place and _said_in(event) is not None:
                # SGLang, and vLLM's first server of this API, end a call only after the text that follows it.
                return [*self._end_own(own, None), *self._delta(event)]
            piece = field_of(event.get("delta"), "partial_json")
            return self._of_own(own, event, _place_in(event), begins=kind == START, ends=kind == STOP, piece=piece)
        return self._delta(event) if kind == DELTA else self._start(event) if kind == START else self._of_last(event)

    def _of_message(self, kind: Any, event: Event) -> list[Event]:
        if kind == "message_stop":
            return [*self._over(cut=True), event]
        if kind != "message_delta":
            return [event]
        delta = event.get("delta")
        reason = field_of(delta, "stop_reason")
        if reason is None:  # some servers count the tokens in such events as they go
            return [event]
        found = self._over(cut=not (isinstance(reason, str) and reason in COMPLETE))
        if reason == "end_turn" and self._blocks.calls and isinstance(delta, Mapping):
            event = {**event, "delta": {**delta, "stop_reason": "tool_use"}}
        return [*found, event]

    def _over(self, *, cut: bool) -> list[Event]:
        return [*super()._over(cut=cut), *self._blocks.stop()]

    # -- the server's other blocks -------------------------------------------------------------------------------------

    def _sent(self, event: Event) -> list[Event]:
        kind = event.get("type")
        if kind == START:
            block = event.get("content_block")
            own = field_of(block, "id")
            if isinstance(block, Mapping) and own != (new := self._turn.parsed_id(own, self._blocks.index + 1)):
                block = {**block, "id": new}
            return self._blocks.start(event, block, event)
        return self._blocks.stop(event) if kind == STOP else [self._blocks.moved(event)]

    def _left_open(self, *, whole: bool) -> list[Event]:
        if not whole:  # a client would run what it takes for a whole call
            self._blocks.leave_open()
        return self._blocks.stop()

    def _comes_early(self, event: Event, place: Any) -> bool:
        self._blocks.differ()  # one block at a time
        return event["type"] != STOP or place in self._later  # else of a block that ended because another began

    # -- blocks of text, and of reasoning ------------------------------------------------------------------------------

    def _start(self, event: Event) -> list[Event]:
        block = event.get("content_block")
        kind = field_of(block, "type")
        if not (isinstance(kind, str) and kind in FIELDS):
            # Some servers write the arguments into the event that begins the block.
            name, given = field_of(block, "name"), field_of(block, "input")
            return self._begin_own(event, _place_in(event), name, given, is_call=kind == "tool_use")
        found = self._end_part() if kind == "thinking" else []
        self._last = Source(kind, event)
        found += [*self._signed(self._last, block), *self._mark(event, self._last)]
        text = field_of(block, kind)  # some servers put the first text here
        return found + self._text(self._last, text) if isinstance(text, str) and text else found

    def _delta(self, event: Event) -> list[Event]:
        said = _said_in(event)
        if said is None:
            return self._of_last(event)
        kind, text = said
        found: list[Event] = []
        if self._last is None or self._last.kind != kind:  # the server has not said that one begins
            self._blocks.differ()
            found = self._start(_begun(kind, event.get("index")))
        assert self._last is not None  # it has begun
        return found + self._text(self._last, text)

    def _of_last(self, event: Event) -> list[Event]:
        # Another event about the last text or thinking; one about any other is left out, because it has ended.
        last = self._last
        if last is None or event.get("index") != last.event.get("index"):
            self._blocks.differ()
            return []
        if event["type"] == STOP:
            self._last = None
        return [*self._signed(last, event.get("delta")), *self._mark(event, last)]

    def _signed(self, source: Source, said: Any) -> list[Event]:
        # Anthropic's API refuses a signed thinking whose text has changed: a call in it stays where it is.
        signature = field_of(said, "signature")
        if source.kind != "thinking" or not isinstance(signature, str) or len(signature) <= A_UUID:
            return []
        source.signed = True
        return self._stop_thinking()

    @property
    def _holds(self) -> bool:
        return self._source is not None and self._blocks.owner is not self._source

    def _passed(self, event: Event, about: Source) -> list[Event]:
        source, kind = about, event["type"]
        if kind == START:
            self._source = source
            return self._blocks.stop()
        is_open = self._blocks.owner is source
        if kind == STOP:
            self._source = None
            opened = [] if is_open or source.said else self._opened(source)  # it is empty, and the server's own
            if not (is_open or opened):  # nothing, or nothing but white space, remains of it
                self._blocks.differ()
                return []
            return [*opened, *self._blocks.stop(event)]
        if not is_open:
            source.hold(event)
        return [self._blocks.moved(event)] if is_open else []

    def _piece(self, text: str) -> list[Event]:
        source = self._source
        assert source is not None  # a text has one
        piece = self._blocks.delta(FIELDS[source.kind], source.kind, text)
        if self._blocks.owner is source:
            return [piece]
        if source.kind == "text" and text.isspace():  # it may be all that remains, which servers refuse later
            source.hold(piece)
            return []
        return [*self._opened(source), self._blocks.moved(piece)]

    def _opened(self, source: Source) -> list[Event]:
        block = source.event.get("content_block")
        empty = {**(block if isinstance(block, Mapping) else {}), source.kind: ""}
        found = self._blocks.start(source, empty, source.event)
        return [*found, *map(self._blocks.moved, source.released())]

    def _reasoning(self, text: str) -> list[Event]:
        return self._blocks.say(Reasoning, "thinking", text)

    def _call(self, event: CallStart | CallDelta | CallEnd, source: Source | None) -> list[Event]:
        del source
        return self._blocks.call(event, cut=self._broke)


def _place_in(event: Event) -> str | int | None:
    place = event.get("index")
    return place if isinstance(place, str | int) else None


def _said_in(event: Event) -> tuple[str, str] | None:
    # The piece of text in a delta, behind its kind; None if there is none.
    delta = event.get("delta")
    kind = next((each for each in FIELDS if field_of(delta, "type") == FIELDS[each]), None)
    text = field_of(delta, kind) if kind else None
    return (kind, text) if kind and isinstance(text, str) and text else None


def _begun(kind: str, place: Any) -> Event:
    return {"type": START, "index": place, "content_block": {"type": kind, kind: ""}}


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


# -- whole answers -----------------------------------------------------------------------------------------------------


def dict_message(message: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]) -> MessageDict:
    """The same for an answer that was not streamed: see `dict_message_events`. The argument is not changed.

    Calls that were cut off, or cannot be read, stay in the text.
    """
    reader = MessageReader(tools, {**parsing, "whole_calls": True})
    found: Any = dict(message)  # it has whatever fields the server sent
    reason = message.get("stop_reason")
    given = [*_events(message), {"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]
    events = [each for event in given for each in reader.read(event)]
    if not reader.pristine:
        found["content"] = _blocks(events)
        if reason is not None:
            found["stop_reason"] = events[-2]["delta"]["stop_reason"]
    return cast("MessageDict", found)


def _events(message: Mapping[str, Any]) -> Iterator[Event]:
    for place, block in enumerate(listed(message, "content")):
        found = field_of(block, "type") if isinstance(block, Mapping) else None
        kind = found if isinstance(found, str) and found in FIELDS and isinstance(block.get(found), str) else ""
        yield {"type": START, "index": place, "content_block": {**block, kind: ""} if kind else block}
        if kind:
            yield {"type": DELTA, "index": place, "delta": {"type": FIELDS[kind], kind: block[kind]}}
        yield {"type": STOP, "index": place}


def message_of(events: Iterable[Event]) -> dict[str, Any]:
    """The message that the events of its stream add up to."""
    given = [*events]
    found: dict[str, Any] = {}
    for event in given:
        if event["type"] == "message_start":
            found |= event["message"]
        elif event["type"] == "message_delta":
            found |= {**event["delta"], "usage": {**found.get("usage", {}), **event["usage"]}}
    return found | {"content": _blocks(given)}


def _blocks(events: Iterable[Event]) -> list[Any]:
    return [_filled(block, text) if text else block for block, text in JoinedBlocks(events).texts()]


def _filled(block: Mapping[str, Any], text: str) -> dict[str, Any]:
    kind = block["type"]
    return {**block, kind: text} if kind in FIELDS else {**block, "input": arguments_of(text)[0]}
