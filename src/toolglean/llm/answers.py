# What this file knows: how the events of a turn become responses.
# Does not depend on where the events come from, or on what is done with the responses.
#
# Every response of a stream contains the whole answer so far. If each were built at once, a long answer would be copied
# with every chunk. So the responses share the events, remember how many there were, and fold them when they are read.
"""Responses from events."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from toolglean.clients.streams import Reader
from toolglean.conversation import message_of_output
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Problem, fold
from toolglean.llm.types import ChatResponse, Message, Role, ToolCallChunk

__all__ = ["Reading"]

log = logging.getLogger("toolglean.llm")


class _StreamedResponse(ChatResponse):
    """A response of a stream. Its message is joined when it is first read."""

    _answer: Any = PrivateAttr(default=None)
    _place: Any = PrivateAttr(default=None)

    def __getattr__(self, name: str) -> Any:
        # Called for fields that are not set yet; they are set here.
        if name not in {"message", "unfinished"}:
            return super().__getattr__(name)  # type: ignore[misc]  # pydantic has one, for its private attributes
        found = getattr(self._answer, name)(self._place)
        self.__dict__[name] = found
        return found

    @model_serializer(mode="wrap")
    def _with_message(self, handler: SerializerFunctionWrapHandler) -> Any:
        _ = self.message, self.unfinished
        return handler(self)

    def __repr__(self) -> str:
        _ = self.message, self.unfinished
        return super().__repr__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatResponse) and self.model_dump() == other.model_dump()

    __hash__ = None  # type: ignore[assignment]  # it is mutable


class Reading:
    """Reads the chunks of one answer as responses: one turn of a model, as far as it has been received.

    Args:
        events: reads the server's chunks as events.
        facts: the fields of a chunk that describe the answer, among them `done`, `done_reason` and `usage`.
        single_call: keep only the first call, and drop all others everywhere.

    Attributes:
        last: the last response of a stream so far.
    """

    def __init__(self, events: Reader, facts: Callable[[Any], dict[str, Any]], *, single_call: bool) -> None:
        self._reader, self._facts, self._single = events, facts, single_call
        self._events: list[Event] = []
        self._problems: list[Problem] = []
        self._first: CallStart | None = None
        self._warned = False
        self.last: ChatResponse | None = None

    def whole(self, raw: Any) -> ChatResponse:
        """The response to a request that was not streamed: `delta` is None."""
        found = self._added([*self._reader.read(raw), *self._reader.finish()], raw, self._facts(raw))
        return ChatResponse(**{name: getattr(found, name) for name in ChatResponse.model_fields if name != "delta"})

    def step(self, chunk: Any) -> list[ChatResponse]:
        """What a chunk adds: one response, or none if all of it is held back."""
        events, facts = self._reader.read(chunk), self._facts(chunk)
        if not (events or facts.get("done") is True or facts.get("done_reason") or "usage" in facts):
            return []
        self.last = self._added(events, chunk, facts)
        return [self.last]

    def end(self) -> list[ChatResponse]:
        """What was held back until the end of a stream that did not say that it ends."""
        events = self._reader.finish()
        if not events:
            return []
        self.last = self._added(events, None, {})
        return [self.last]

    def _added(self, events: list[Event], raw: Any, facts: dict[str, Any]) -> ChatResponse:
        # The response as it is with these events; `delta` is their text. The cost depends on them only, not on the
        # length of the answer: the message is joined when it is read.
        given = [event for event in events if self._counts(event)]
        self._events += given
        self._problems += [event for event in given if type(event) is Problem]
        delta = "".join(event.text for event in given if type(event) is Content)
        response = _StreamedResponse.model_construct(
            delta=delta, raw=raw, additional_kwargs=facts, problems=list(self._problems), events=given
        )
        del response.__dict__["unfinished"]  # the default: it is computed when it is first read
        response._answer, response._place = self, len(self._events)
        return response

    def _counts(self, event: Event) -> bool:
        if not self._single or not isinstance(event, CallStart | CallDelta | CallEnd):
            return True
        if self._first is None and isinstance(event, CallStart):
            self._first = event
        found = self._first is not None and event.index == self._first.index
        if self._first is not None and not (found or self._warned):
            self._warned = True
            name = self._first.name
            log.warning("the model made several calls, but only one is allowed: keeping the first, %r", name)
        return found

    def message(self, place: int) -> Message:
        """The message after so many events."""
        found = message_of_output(fold(self._events[:place]))
        return Message(role=Role.MODEL) if found is None else Message.from_neutral(found)

    def unfinished(self, place: int) -> list[ToolCallChunk]:
        """The calls that were not finished after so many events."""
        told = self._events[:place]
        lost = [ToolCallChunk.of(call) for call in fold(told).unfinished]
        ended = {event.index for event in told if type(event) is CallEnd}
        begun = next((event for event in told if type(event) is CallStart and event.index not in ended), None)
        if begun is None:
            return lost
        text = "".join(event.text for event in told if type(event) is CallDelta and event.index == begun.index)
        return [*lost, ToolCallChunk(name=begun.name, id=begun.id, unread=text or " ")]
