# One request of the Messages API to a server of the chat API, and what its answer is in the Messages API: its events
# (conversation/reading), each written as blocks. Does not depend on HTTP, or on how calls are found in text.
#
# Calls that the server has parsed come in one piece, when the turn is over: only then is it known which of them are
# complete. One that is not stays text.
"""A request of the Messages API, and its answer, by a server of the chat API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.clients.across.request import CrossingError, chat_request
from toolglean.clients.messages.blocks import Blocks, Event
from toolglean.clients.messages.reader import message_of
from toolglean.clients.parts import data_of
from toolglean.clients.repair import AnswerReader, Repair
from toolglean.clients.repair.answers import ServerSentEvents, Whole
from toolglean.clients.repair.exchange import type_of_answer
from toolglean.conversation.fields import field
from toolglean.conversation.reading.chat_events import ChatEvents
from toolglean.conversation.reading.duplicates import in_one
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Reasoning
from toolglean.events import Event as Told

__all__ = ["Crossing"]

REASONS = {"length": "max_tokens", "content_filter": "refusal"}
"""The reasons that do not depend on whether there are calls."""


class Crossing:
    """One exchange.

    Args:
        asked: the fields of the request's body; None: it has none.
        repair: how its answer is repaired.

    Attributes:
        asked: those of the request for the chat API.
        is_large: as `Exchange.is_large`.

    Raises:
        CrossingError: the request cannot be served; the message is for the caller.
    """

    def __init__(self, asked: dict[str, Any] | None, repair: Repair) -> None:
        if asked is None:
            raise CrossingError("the body of the request is not a JSON object")
        self.asked = chat_request(asked)
        self._exchange = repair.asked("messages", asked)
        self._model = str(asked.get("model", ""))
        self._type = "text/event-stream" if asked.get("stream") else "application/json"
        self.is_large = self._exchange is not None and self._exchange.is_large

    def reader(self, status: int, content_type: str) -> AnswerReader | None:
        """As `Exchange.reader`. An error of the server becomes one of the Messages API."""
        if 300 <= status < 400:
            return None
        is_stream = type_of_answer(status, content_type, self._type) == "text/event-stream"
        asked = self._exchange
        whole = {} if is_stream else {"whole_calls": True}
        parsing: Any = None if asked is None else {**asked.parsing, **whole}
        answer = ChatAnswer(ChatEvents(None if asked is None else asked.tools, parsing), self._model)
        return _Events(answer) if is_stream else _Message(answer, status)


UNREAD = {"error": "an answer of the server is not one of the chat API, or too long to be read"}
"""What is said instead of bytes that cannot be read: in the Messages API they mean nothing."""
ERRORS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The types of errors by their status. Other ones below 500 are an "invalid_request_error", the rest an "api_error"."""
OK, BAD_GATEWAY = 200, 502


class _Message(Whole):
    """An answer that is not a stream; also an error, and whatever else the server sends with such a status."""

    def __init__(self, answer: ChatAnswer, status: int) -> None:
        super().__init__(self._read)
        self._answer, self.status = answer, status
        self._told = False

    def _read(self, completion: dict[str, Any]) -> dict[str, Any]:
        if self.status == OK and field(completion, "choices"):
            return self._answer.whole(completion)
        said = completion if self.status >= 400 or completion.get("error") else UNREAD
        self.status = self.status if self.status >= 400 else BAD_GATEWAY
        kind = ERRORS.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        return error_of(said, kind, f"the server answered with status {self.status}")

    def _refused(self, item: dict[str, Any], data: bytes) -> bytes:
        del data
        return json.dumps(self._read({**item, "choices": None})).encode()

    def _strange(self, data: bytes) -> bytes:
        del data
        told, self._told = self._told, True
        return b"" if told else self._refused({}, b"")


class _Events(ServerSentEvents):
    def __init__(self, answer: ChatAnswer) -> None:
        super().__init__(answer, named=True)
        self._answer = answer
        self._told = False

    def _strange(self, block: bytes) -> bytes:
        if self._told or self._answer.reason is not None or not data_of(block).strip():
            return b""
        self._told = True
        return self._error(UNREAD, block)

    def _done(self, block: bytes) -> bytes:
        del block  # the Messages API has no such event
        self._answer.end()
        return self._rest()

    def _error(self, item: dict[str, Any], block: bytes) -> bytes:
        del block
        return self._rest() + self._write(self._answer.error(item))


class ChatAnswer:
    """Reads the chunks of one answer of the chat API, or its whole answer, and gives events of the Messages API.

    Args:
        events: reads the chunks.
        model: that of the request, in case the server does not name it.

    Attributes:
        reason: why the turn ended, in the server's words; None until it says so.
    """

    pristine, waits = False, False  # no event is sent as it came

    def __init__(self, events: ChatEvents, model: str) -> None:
        self._events = events
        self._model = model
        self._blocks = Blocks(events.turn.id_prefix)
        self._begun = False
        self.reason: str | None = None
        self._usage: Any = None
        self._is_whole = self._over = False

    def read(self, chunk: Any) -> list[Any]:
        """The events that a chunk becomes."""
        if self._over:
            return []
        found: list[Event] = [] if self._begun else [self._start(chunk)]
        found += self._written(self._events.read(chunk))
        self._usage = field(chunk, "usage") or self._usage
        if self._events.reason and self.reason is None:
            self.reason = self._events.reason
            found += self._blocks.stop()
        return found

    def end(self) -> None:
        """The server says that its answer is over; some do not say why."""
        self._is_whole = True

    def finish(self) -> list[Any]:
        """The stream is over, or broke off: what was held back; the end of the message, if the server has ended it."""
        if self._over:
            return []
        self._over = True
        is_broken, found = self.reason is None and not self._is_whole, []
        if self.reason is None:
            found = self._written(self._events.finish(ended=self._is_whole), broken=is_broken)
        if is_broken:
            return found
        reason = REASONS.get(self.reason or "", "tool_use" if self._blocks.calls else "end_turn")
        ending = {"stop_reason": reason, "stop_sequence": None}
        over = {"type": "message_delta", "delta": ending, "usage": _usage(self._usage)}
        return [*found, *self._blocks.stop(), over, {"type": "message_stop"}]

    def whole(self, completion: dict[str, Any]) -> dict[str, Any]:
        """The message that a whole answer becomes."""
        self.end()
        return message_of([*self.read(completion), *self.finish()])

    def error(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The event for an error of the server."""
        return error_of(said, "api_error", "the server reports an error")

    def _written(self, events: Iterable[Told], *, broken: bool = False) -> list[Event]:
        found: list[Event] = []
        for event in events:
            if isinstance(event, Content | Reasoning):
                kind = "text" if type(event) is Content else "thinking"
                found += self._blocks.say(kind, kind, event.text) if event.text else []
            elif not isinstance(event, CallStart | CallDelta | CallEnd):
                continue
            elif event.index not in self._events.turn.parsed:
                found += self._blocks.call(event, cut=broken)
            elif type(event) is CallEnd:
                found += self._own(event, broken=broken)
        return found

    def _own(self, event: CallEnd, *, broken: bool) -> list[Event]:
        call = event.call
        if broken or call.status != "ok":
            unread = "" if call.arguments_text == "{}" else call.arguments_text  # which nobody wrote
            return self._blocks.say("text", "text", f"{call.name}{unread}")
        parts: list[Any] = in_one(event)
        return [each for part in parts for each in self._blocks.call(part, cut=False)]

    def _start(self, chunk: Any) -> Event:
        self._begun = True
        own, model = field(chunk, "id"), field(chunk, "model")
        head = {"id": own if isinstance(own, str) else "msg", "type": "message", "role": "assistant"}
        model = model if isinstance(model, str) else self._model
        rest: dict[str, Any] = {
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(None),
        }
        return {"type": "message_start", "message": {**head, **rest}}


def error_of(said: Mapping[str, Any], kind: str, otherwise: str) -> dict[str, Any]:
    """The error of the Messages API for what a server said of its own.

    Args:
        said: that: `{"error": {"message": …}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`.
        kind: its type.
        otherwise: the message, if the server gives none.
    """
    inner = said.get("error")
    message = field(inner, "message") or inner or said.get("message") or said.get("detail")
    shown = message if isinstance(message, str) else json.dumps(message) if message else otherwise
    return {"type": "error", "error": {"type": kind, "message": shown}}


def _usage(given: Any) -> dict[str, int]:
    def count(holder: Any, name: str) -> int:
        found = field(holder, name)
        return found if isinstance(found, int) else 0

    cached = count(field(given, "prompt_tokens_details"), "cached_tokens")
    found = {"input_tokens": count(given, "prompt_tokens") - cached, "output_tokens": count(given, "completion_tokens")}
    return found | ({"cache_read_input_tokens": cached} if cached else {})
