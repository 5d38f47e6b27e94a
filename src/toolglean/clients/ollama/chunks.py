# The ollama package's chunks (0.6), and what each of them becomes.
# Does not depend on how calls are found (conversation/reading reads them), or on where chunks come from (client.py).
#
#   ours                              the ollama package's
#   chat_events, achat_events         chunks of Client.chat(stream=True): ChatResponse in, toolglean's events out
#   chat_chunks, achat_chunks         the same in, ChatResponse out
#   chat_response                     ChatResponse in and out
#   generate_events, …_chunks         chunks of Client.generate(stream=True, raw=True): GenerateResponse in
"""Chunks of Ollama's chat and generate: as events, and as chunks whose leaked calls are calls."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any, Unpack, cast

import ollama
from ollama import GenerateResponse

from toolglean.clients.ollama.requests import ChatResponse, Message, ToolCall, Tools
from toolglean.clients.ollama_lines import CUT_OFF, WHOLE, LineReader
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.fields import field, listed
from toolglean.conversation.ollama import OllamaResponseChunkWrapper
from toolglean.conversation.reading.server_turn import ServerTurn
from toolglean.events import Event
from toolglean.events import ToolCall as Call
from toolglean.options import with_defaults
from toolglean.parser import ParserArguments

__all__ = [
    "ChunkReader",
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

JSON = "call"
"""Ollama passes on the text of models whose template marks no calls, so JSON at the end of a turn is read."""


# -- events ------------------------------------------------------------------------------------------------------------


def chat_events(
    stream: Iterable[ollama.ChatResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> Reading[Event]:
    """The events of a chat stream, with the calls that the server has parsed and those in the text.

    Args:
        stream: `client.chat(..., stream=True)`.
        tools: the tools that the model may call: dicts, `ollama.Tool` objects, names of functions.
        parsing: further arguments of `toolglean.Parser`.

    Yields:
        Events: text, reasoning (from `thinking`, or from the text), calls with their arguments as they come. A call
        that the server has parsed is complete at once.

    Raises:
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what the client raises, after the text that was held back. Closing the iterator closes the stream.
    """
    return Reading(stream, EventReader(tools, parsing))


def achat_events(
    stream: AsyncIterable[ollama.ChatResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> AsyncReading[Event]:
    """The same for `AsyncClient`: see `chat_events`."""
    return AsyncReading(stream, EventReader(tools, parsing))


def generate_events(
    stream: Iterable[GenerateResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> Reading[Event]:
    """The events of `client.generate(..., stream=True)`, with `raw=True` the model's own text: see `chat_events`.

    If the prompt opens the reasoning or a call, pass its end as `prompt=`.
    """
    return Reading(stream, EventReader(tools, parsing))


def agenerate_events(
    stream: AsyncIterable[GenerateResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> AsyncReading[Event]:
    """The same for `AsyncClient`: see `generate_events` and `chat_events`."""
    return AsyncReading(stream, EventReader(tools, parsing))


class EventReader:
    """Reads the chunks of one turn, for a loop of your own.

    Args:
        tools, parsing: as for `chat_events`; `parsing=None`: text is only text, and calls are those that the server has
            parsed.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any] | None) -> None:
        self.turn = ServerTurn(tools, None if parsing is None else with_defaults(parsing, trailing_json=JSON))
        self._over = False

    def read(self, chunk: ollama.ChatResponse | GenerateResponse | Mapping[str, Any]) -> list[Event]:
        """The events of a chunk; those of the last one include what was held back."""
        wrapper = OllamaResponseChunkWrapper(chunk)
        events = self.turn.thought(wrapper.get_reasoning()) + self.turn.text(wrapper.get_text())
        for call in listed(field(chunk, "message"), "tool_calls"):
            function = field(call, "function")
            events = events + self.turn.call(field(function, "name"), field(function, "arguments"), field(call, "id"))
        is_last = field(chunk, "done") is True
        return events + self._end(cut=field(chunk, "done_reason") == CUT_OFF) if is_last else events

    def finish(self) -> list[Event]:
        """The events of the end: what was held back, if there was no last chunk."""
        return self._end(cut=True)

    def _end(self, *, cut: bool) -> list[Event]:
        over, self._over = self._over, True
        return [] if over else self.turn.finish(cut=cut)


# -- chunks ------------------------------------------------------------------------------------------------------------


def chat_chunks(
    stream: Iterable[ollama.ChatResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> Reading[ollama.ChatResponse]:
    """Move the calls that a model leaked into its text to where the server puts those that it has parsed.

    Arguments and errors are as for `chat_events`.

    Yields:
        Chunks: those with plain text, and those with the server's own calls, unchanged; a leaked call, once it is
        complete, in `message.tool_calls`, with an id (`ToolCall.id`); leaked reasoning in `message.thinking`. Text that
        was held back comes before the last chunk. A call that cannot be executed stays text.
    """
    return Reading(stream, ChunkReader(tools, parsing))


def achat_chunks(
    stream: AsyncIterable[ollama.ChatResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> AsyncReading[ollama.ChatResponse]:
    """The same for `AsyncClient`: see `chat_chunks`."""
    return AsyncReading(stream, ChunkReader(tools, parsing))


def generate_chunks(
    stream: Iterable[GenerateResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> Reading[ollama.ChatResponse]:
    """Chunks of `client.generate(..., stream=True)` as chunks of a chat, which have a field for calls.

    Arguments are as for `generate_events`, the rest is as for `chat_chunks`.
    """
    return Reading(stream, _GenerateReader(tools, parsing))


def agenerate_chunks(
    stream: AsyncIterable[GenerateResponse], tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> AsyncReading[ollama.ChatResponse]:
    """The same for `AsyncClient`: see `generate_chunks` and `chat_chunks`."""
    return AsyncReading(stream, _GenerateReader(tools, parsing))


def _as_chat(chunk: GenerateResponse) -> ChatResponse:
    message = Message(role="assistant", content=chunk.response or "", thinking=chunk.thinking)
    fields = {name: getattr(chunk, name) for name in ChatResponse.model_fields if name != "message"}
    return ChatResponse(message=message, **fields)


class ChunkReader(LineReader):
    """`LineReader` on the package's objects. An object that changes is copied: the server's are never changed."""

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        super().__init__(tools, with_defaults(parsing, trailing_json=JSON))

    def says_more(self, line: Any) -> bool:
        return bool(line.message.tool_calls or line.logprobs)

    def like(self, line: Any) -> Any:
        return ChatResponse(
            model=line.model, created_at=line.created_at, done=False, message=Message(role="assistant", content="")
        )

    def line_with(self, line: Any, content: str, thinking: str | None, calls: list[Any] | None) -> Any:
        changed = {"content": content, "thinking": thinking, "tool_calls": calls}
        return line.model_copy(update={"message": line.message.model_copy(update=changed)})

    def call(self, call: Call, index: int) -> Any:
        del index  # the package has no field for it
        return ToolCall(id=call.id, function=ToolCall.Function(name=call.name, arguments=call.arguments))

    def call_with(self, call: Any, id: str) -> Any:  # noqa: A002  # the wire's own word
        return call.model_copy(update={"id": id})


class _GenerateReader(ChunkReader):
    def read(self, line: Any) -> list[Any]:
        return super().read(_as_chat(line))


def chat_response(
    response: ollama.ChatResponse, tools: Tools = None, **parsing: Unpack[ParserArguments]
) -> ollama.ChatResponse:
    """The same for a response that was not streamed: see `chat_chunks`. The argument is not changed."""
    return cast("ollama.ChatResponse", ChunkReader(tools, {**parsing, **WHOLE}).whole(response))
