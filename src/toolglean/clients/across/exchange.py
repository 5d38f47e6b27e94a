# One request of the Messages API to a server of the chat API, and how its answer is read. Does not depend on HTTP.
"""A request of the Messages API, and its answer, by a server of the chat API."""

from __future__ import annotations

from typing import Any

from toolglean.clients.across.answer import ChatAnswer
from toolglean.clients.across.request import CrossingError, chat_request
from toolglean.clients.repair import AnswerReader, Repair
from toolglean.clients.repair.answers import ServerSentEvents, Whole
from toolglean.clients.repair.exchange import UNSAID
from toolglean.conversation.reading.chat_events import ChatEvents

__all__ = ["Crossing"]


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
        """As `Exchange.reader`."""
        kind = content_type.partition(";")[0].strip().lower()
        kind = self._type if kind in UNSAID else kind
        if status != 200 or kind not in {"text/event-stream", "application/json"}:
            return None
        is_stream, asked = kind == "text/event-stream", self._exchange
        whole = {} if is_stream else {"whole_calls": True}
        parsing: Any = None if asked is None else {**asked.parsing, **whole}
        answer = ChatAnswer(ChatEvents(None if asked is None else asked.tools, parsing), self._model)
        return _Events(answer) if is_stream else Whole(answer.whole)


class _Events(ServerSentEvents):
    def __init__(self, answer: ChatAnswer) -> None:
        super().__init__(answer, named=True)
        self._answer = answer

    def _done(self, block: bytes) -> bytes:
        del block  # the Messages API has no such event
        return self._rest()

    def _error(self, item: dict[str, Any], block: bytes) -> bytes:
        del block
        return self._rest() + self.event(self._answer.error(item))
