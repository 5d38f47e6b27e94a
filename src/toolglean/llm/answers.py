# What this file knows: how the events of a turn become responses.
# Does not depend on where the events come from, or on what is done with the responses.
#
# Every response of a stream contains the whole answer so far. If each were built at once, a long answer would be copied
# with every chunk. So the responses share the pieces, remember how many there were, and join them when they are read.
"""Responses from events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from toolglean.clients.streams import Reader
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Problem, Reasoning
from toolglean.llm.types import ChatResponse, Chunk, Message, ReasoningChunk, Role, TextChunk, ToolCallChunk

__all__ = ["Answer", "Reading"]

log = logging.getLogger("toolglean.llm")


class _Pieces:
    """A list of pieces that only grows; the caller says how many of them to use."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, count: int) -> str:
        return "".join(self.parts[:count])


@dataclass(slots=True)
class _Open:
    """A call that is being written."""

    name: str
    id: str | None
    arguments: _Pieces


@dataclass(frozen=True, slots=True)
class _Place:
    """A position in the answer: how many pieces of each kind had been received."""

    texts: int
    thoughts: int
    calls: int
    lost: int
    open: tuple[_Open, int] | None


class Answer:
    """One turn of a model, as far as it has been received.

    Args:
        single_call: keep only the first call, and drop all others everywhere.
    """

    def __init__(self, *, single_call: bool = False) -> None:
        self._single = single_call
        self._texts, self._thoughts = _Pieces(), _Pieces()
        self._calls: list[ToolCallChunk] = []
        self._lost: list[ToolCallChunk] = []  # cut off, or unreadable
        self._open: dict[int, _Open] = {}
        self._problems: list[Problem] = []
        self._begun: set[int] = set()
        self._first = ""
        self._warned = False

    def add(
        self, events: Iterable[Event], raw: Any = None, additional_kwargs: Mapping[str, Any] | None = None
    ) -> ChatResponse:
        """Add events, and return the response as it is now; `delta` is their text.

        The cost depends on these events only, not on the length of the answer: the message is joined when it is read.
        """
        given: list[Event] = []
        texts: list[str] = []
        for event in events:
            if not self._counts(event):
                continue
            given.append(event)
            if type(event) is Content:
                texts.append(event.text)
            else:
                self._take(event)
        delta = "".join(texts)
        if delta:
            self._texts.parts.append(delta)
        response = _StreamedResponse.model_construct(
            delta=delta,
            raw=raw,
            additional_kwargs=dict(additional_kwargs or {}),
            problems=list(self._problems),
            events=given,
        )
        del response.__dict__["unfinished"]  # the default: it is computed when it is first read
        response._answer, response._place = self, self._place()
        return response

    def whole(
        self, events: Iterable[Event], raw: Any = None, additional_kwargs: Mapping[str, Any] | None = None
    ) -> ChatResponse:
        """The same for an answer that was not streamed: `delta` is None."""
        found = self.add(events, raw, additional_kwargs)
        return ChatResponse(
            message=found.message,
            raw=raw,
            additional_kwargs=found.additional_kwargs,
            unfinished=found.unfinished,
            problems=found.problems,
            events=found.events,
        )

    def _counts(self, event: Event) -> bool:
        if not self._single or not isinstance(event, CallStart | CallDelta | CallEnd):
            return True
        if isinstance(event, CallStart):
            if self._begun and not self._warned:
                self._warned = True
                log.warning("the model made several calls, but only one is allowed: keeping the first, %r", self._first)
            elif not self._begun:
                self._begun.add(event.index)
                self._first = event.name
        return event.index in self._begun

    def _take(self, event: Event) -> None:
        if type(event) is Reasoning:
            self._thoughts.parts.append(event.text)
        elif type(event) is CallStart:
            self._open[event.index] = _Open(event.name, event.id, _Pieces())
        elif type(event) is CallDelta:
            self._open[event.index].arguments.parts.append(event.text)
        elif type(event) is CallEnd:
            self._open.pop(event.index, None)
            call = ToolCallChunk.of(event.call)
            (self._lost if call.unread else self._calls).append(call)
        elif type(event) is Problem:
            self._problems.append(event)

    def _place(self) -> _Place:
        call = next(iter(self._open.values()), None)
        return _Place(
            len(self._texts.parts),
            len(self._thoughts.parts),
            len(self._calls),
            len(self._lost),
            None if call is None else (call, len(call.arguments.parts)),
        )

    def message(self, place: _Place) -> Message:
        """The message at that position."""
        chunks: list[Chunk] = []
        if thoughts := self._thoughts.text(place.thoughts):
            chunks.append(ReasoningChunk(content=thoughts))
        if text := self._texts.text(place.texts):
            chunks.append(TextChunk(content=text))
        chunks += self._calls[: place.calls]
        return Message.model_construct(role=Role.MODEL, chunks=chunks, additional_kwargs={})

    def unfinished(self, place: _Place) -> list[ToolCallChunk]:
        """The calls that were not finished at that position."""
        found = self._lost[: place.lost]
        if place.open is not None:
            call, count = place.open
            found = [*found, ToolCallChunk(name=call.name, id=call.id, unread=call.arguments.text(count) or " ")]
        return found


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
    """Reads the chunks of one answer as responses.

    Args:
        events: reads the server's chunks as events.
        facts: the fields of a chunk that describe the answer, among them `done`, `done_reason` and `usage`.
        single_call: as for `Answer`.

    Attributes:
        last: the last response of a stream so far.
    """

    def __init__(self, events: Reader, facts: Callable[[Any], dict[str, Any]], *, single_call: bool) -> None:
        self._events, self._facts = events, facts
        self._answer = Answer(single_call=single_call)
        self.last: ChatResponse | None = None

    def whole(self, raw: Any) -> ChatResponse:
        """The response to a request that was not streamed."""
        events = self._events.read(raw)
        return self._answer.whole(events + self._events.finish(), raw, self._facts(raw))

    def step(self, chunk: Any) -> list[ChatResponse]:
        """What a chunk adds: one response, or none if all of it is held back."""
        events, facts = self._events.read(chunk), self._facts(chunk)
        if not (events or facts.get("done") is True or facts.get("done_reason") or "usage" in facts):
            return []
        self.last = self._answer.add(events, chunk, facts)
        return [self.last]

    def end(self) -> list[ChatResponse]:
        """What was held back until the end of a stream that did not say that it ends."""
        events = self._events.finish()
        if not events:
            return []
        self.last = self._answer.add(events)
        return [self.last]
