# What this file knows: the ollama package's chunks (0.6), and what each of them becomes.
# What it must not know: how calls are found (turns.py reads them), where chunks come from (ollama.py).
"""Chunks of Ollama's chat and generate: as events, and as chunks whose leaked calls are calls."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any

import ollama
from ollama import GenerateResponse

from toolglean.clients.chat import is_all, parser_for, whole_turn
from toolglean.clients.ollama_ids import ChatResponse, Message, ToolCall
from toolglean.clients.streams import AsyncReading, Reading, aread, read
from toolglean.clients.turns import ServerTurn, Tape
from toolglean.events import CallEnd, Content, Event, Reasoning
from toolglean.events import ToolCall as Call
from toolglean.messages.wire import field
from toolglean.tools import ToolLike, ToolSet

__all__ = [
    "EventReader",
    "achat_chunks",
    "achat_events",
    "agenerate_chunks",
    "agenerate_events",
    "chat_chunks",
    "chat_events",
    "chat_response",
    "generate_chunks",
    "generate_events",
]

Tools = Iterable[ToolLike] | ToolSet | None


# -- events ------------------------------------------------------------------------------------------------------------


def chat_events(stream: Iterable[ollama.ChatResponse], tools: Tools = None, **options: Any) -> Reading[Event]:
    """The events of a chat stream: calls of either kind, those that the server has parsed and those in the text.

    Args:
        stream: `client.chat(..., stream=True)`.
        tools: the tools that the model may call: dicts, `ollama.Tool` objects, names of functions.
        options: further arguments of `toolglean.Parser`.

    Yields:
        Events: text, reasoning (`thinking`, or in the text), calls with their arguments as they come; a call of the
        server's comes whole.

    Raises:
        What `Parser` raises for wrong arguments, at once; what the client raises, once the text that was held back is
        out. Closing the iterator closes the stream.
    """
    return read(stream, EventReader(tools, options))


def achat_events(
    stream: AsyncIterable[ollama.ChatResponse], tools: Tools = None, **options: Any
) -> AsyncReading[Event]:
    """The same for `AsyncClient`: see `chat_events`."""
    return aread(stream, EventReader(tools, options))


def generate_events(stream: Iterable[GenerateResponse], tools: Tools = None, **options: Any) -> Reading[Event]:
    """The events of `client.generate(..., stream=True)`, with `raw=True` the model's own text: see `chat_events`.

    If the prompt opens the reasoning or a call, pass its end as `prompt=`.
    """
    return read(stream, EventReader(tools, options))


def agenerate_events(
    stream: AsyncIterable[GenerateResponse], tools: Tools = None, **options: Any
) -> AsyncReading[Event]:
    """The same for `AsyncClient`: see `generate_events`."""
    return aread(stream, EventReader(tools, options))


class EventReader:
    """Reads the chunks of one turn, for a loop of your own.

    Args:
        tools, options: as for `chat_events`.
    """

    def __init__(self, tools: Tools, options: Mapping[str, Any]) -> None:
        self.turn = ServerTurn(tools, options)

    def read(self, chunk: Any) -> list[Event]:
        """The events of a chunk."""
        message = field(chunk, "message")
        holder, key = (chunk, "response") if message is None else (message, "content")
        thinking, text = field(holder, "thinking"), field(holder, key)
        events = self.turn.thought(thinking) if thinking and isinstance(thinking, str) else []
        if text and isinstance(text, str):
            events = events + self.turn.text(text) if events else self.turn.text(text)
        calls = field(message, "tool_calls")
        for call in calls if isinstance(calls, list | tuple) else ():
            function = field(call, "function")
            events = events + self.turn.call(field(function, "name"), field(function, "arguments"), field(call, "id"))
        return events

    def finish(self) -> list[Event]:
        """The events of the end: what was held back."""
        return self.turn.finish()


# -- chunks ------------------------------------------------------------------------------------------------------------


def chat_chunks(
    stream: Iterable[ollama.ChatResponse], tools: Tools = None, **options: Any
) -> Reading[ollama.ChatResponse]:
    """Move the calls that a model leaked into its text to where the server puts those that it has parsed.

    Args, errors: as for `chat_events`.

    Yields:
        Chunks: those with plain text, and those with the server's own calls, as they are; a leaked call, once it is
        whole, in `message.tool_calls`, with an id (`ToolCall.id`); leaked reasoning in `message.thinking`. What was
        held back comes before the last chunk. A call that cannot be executed stays text.
    """
    return read(stream, _ChunkReader(tools, options))


def achat_chunks(
    stream: AsyncIterable[ollama.ChatResponse], tools: Tools = None, **options: Any
) -> AsyncReading[ollama.ChatResponse]:
    """The same for `AsyncClient`: see `chat_chunks`."""
    return aread(stream, _ChunkReader(tools, options))


def generate_chunks(
    stream: Iterable[GenerateResponse], tools: Tools = None, **options: Any
) -> Reading[ollama.ChatResponse]:
    """Chunks of `client.generate(..., stream=True)` as chunks of a chat, which have a field for calls.

    Args: as for `generate_events`; the rest as for `chat_chunks`.
    """
    return read(stream, _GenerateReader(tools, options))


def agenerate_chunks(
    stream: AsyncIterable[GenerateResponse], tools: Tools = None, **options: Any
) -> AsyncReading[ollama.ChatResponse]:
    """The same for `AsyncClient`: see `generate_chunks`."""
    return aread(stream, _GenerateReader(tools, options))


def _as_chat(chunk: GenerateResponse) -> ChatResponse:
    message = Message(role="assistant", content=chunk.response or "", thinking=chunk.thinking)
    fields = {name: getattr(chunk, name) for name in ChatResponse.model_fields if name != "message"}
    return ChatResponse(message=message, **fields)


class _ChunkReader:
    def __init__(self, tools: Tools, options: Mapping[str, Any]) -> None:
        self._turn = ServerTurn(tools, options)
        self._tape = Tape()
        self._last: Any = None
        self._over = False

    def read(self, chunk: Any) -> list[Any]:
        """The chunks that a chunk becomes."""
        if self._over:  # whatever comes behind the last chunk
            return [chunk]
        if chunk.done:
            return self._end(chunk)
        self._last = chunk
        message = chunk.message
        found = [chunk]
        if message.content:
            self._tape.add(message.content)
            events = self._turn.text(message.content)
            if is_all(events, message.content):
                self._tape.forget(_end(events))  # that text may be an earlier chunk's, and this chunk's still wait
            else:
                found = self._mended(chunk, events)
        for call in message.tool_calls or ():  # counted, so that ours go on behind them
            self._turn.call(call.function.name, call.function.arguments)
        return found

    def finish(self) -> list[Any]:
        """The stream is over: what was held back, where no last chunk came."""
        return [] if self._over else self._end(None)

    def _end(self, chunk: Any) -> list[Any]:
        self._over = True
        before: list[Any] = []
        if chunk is not None and chunk.message.content:  # some servers put text into the last chunk
            text = chunk.message.content
            self._tape.add(text)
            before = self._mended(_like(chunk), self._turn.text(text))
            chunk = chunk.model_copy(update={"message": chunk.message.model_copy(update={"content": ""})})
        last = self._last if chunk is None else _like(chunk)
        rest = self._mended(last, self._turn.finish()) if last is not None else []
        return before + rest + ([] if chunk is None else [chunk])

    def _mended(self, chunk: Any, events: list[Event]) -> list[Any]:
        texts, thoughts, calls = [], [], []
        for event in events:
            if type(event) is Content:
                texts.append(event.text)
            elif type(event) is Reasoning:
                thoughts.append(event.text)
            elif type(event) is CallEnd and event.call.status == "ok":
                calls.append(_tool_call(event.call))
            elif type(event) is CallEnd:
                texts.append(self._tape.cut(event.call.span))
        own = chunk.message
        thinking = (own.thinking or "") + "".join(thoughts)
        if not (texts or thinking or calls or own.tool_calls or chunk.logprobs):
            return []
        changed = {
            "content": "".join(texts),
            "thinking": thinking or None,
            "tool_calls": [*calls, *(own.tool_calls or ())] or None,
        }
        return [chunk.model_copy(update={"message": own.model_copy(update=changed)})]


def _end(events: list[Event]) -> int:
    last = events[-1] if events else None
    return last.start + len(last.text) if type(last) is Content else 0


class _GenerateReader(_ChunkReader):
    def read(self, chunk: Any) -> list[Any]:
        return super().read(_as_chat(chunk))


def _like(chunk: Any) -> ChatResponse:
    # A chunk of the same response, without what only the last one has.
    return ChatResponse(model=chunk.model, created_at=chunk.created_at, done=False, message=Message(role="assistant"))


def _tool_call(call: Call) -> ToolCall:
    return ToolCall(id=call.id, function=ToolCall.Function(name=call.name, arguments=call.arguments))


def chat_response(response: ollama.ChatResponse, tools: Tools = None, **options: Any) -> ollama.ChatResponse:
    """The same for a response that was not streamed: see `chat_chunks`. The argument is not changed."""
    text = response.message.content
    if not text:
        return response
    parser, _ = parser_for(tools, options)
    left, output = whole_turn(text, parser)
    if left == text:
        return response
    own = response.message
    changed = {
        "content": left,
        "thinking": (own.thinking or "") + output.reasoning or None,
        "tool_calls": [*(own.tool_calls or ()), *map(_tool_call, output.calls)] or None,
    }
    return response.model_copy(update={"message": own.model_copy(update=changed)})
