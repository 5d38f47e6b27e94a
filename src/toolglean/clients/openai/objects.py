# The openai package's objects (3.50 or later): streams and answers of the chat API and of the Responses API.
# Does not depend on how leaked calls are found and moved (chat/ and responses/ do that, on any kind of fields), or on
# the package's clients (client.py).
#
#   ours                                     the openai package's
#   chat_chunks, achat_chunks                Stream[ChatCompletionChunk] in, ChatCompletionChunk out
#   chat_completion                          ChatCompletion in and out
#   response_events, aresponse_events        Stream[ResponseStreamEvent] in, such events out
#   response                                 Response in and out
"""Turns calls that leaked into the text of OpenAI's API, or of a compatible server, into calls."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, Unpack, get_args

from openai.types import responses
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion import Choice as WholeChoice
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)
from pydantic import BaseModel

from toolglean.clients.chat.reader import StreamReader, Tools, dict_completion
from toolglean.clients.responses.reader import ResponseReader, dict_response
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.errors import UsageError

__all__ = [
    "achat_chunks",
    "aresponse_events",
    "chat_chunks",
    "chat_completion",
    "response",
    "response_events",
]

ResponseStreamEvent: TypeAlias = responses.ResponseStreamEvent


def _checked(given: Any, kind: str, use: Mapping[str, str]) -> Any:
    """The argument, if it is of that kind: "stream", "async stream" or "response"."""
    found = _kind(given)
    if found == kind:
        return given
    why = f"is not {_A[kind]} of the openai package: pass what create(...) returned"
    if found in use:
        why = f"is {_A[found]}, not {_A[kind]}: use {use[found]}"
    raise UsageError(f"the argument, of type {type(given).__name__}, {_NEVER.get(found, why)}")


def _kind(given: Any) -> str:
    if type(given).__module__.startswith("openai.lib.streaming"):
        return "helper"
    if inspect.isawaitable(given):
        return "coroutine"
    if isinstance(given, BaseModel):  # these can be iterated, too
        return "response"
    if hasattr(given, "__aiter__"):
        return "async stream"
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
        return "stream"
    return ""


_A = {"stream": "a stream", "async stream": "an asynchronous stream", "response": "a whole response"}
CHAT = {"stream": "chat_chunks", "async stream": "achat_chunks", "response": "chat_completion"}
RESPONSES = {"stream": "response_events", "async stream": "aresponse_events", "response": "response"}
"""Which function accepts which kind."""
_NEVER = {
    "helper": "is the SDK's .stream() helper, which reads the chunks itself: use create(..., stream=True) instead",
    "coroutine": "has not been awaited: await it first",
}
"""What none of them accepts."""


# -- the chat API ------------------------------------------------------------------------------------------------------


class _ObjectReader(StreamReader):
    """`StreamReader` on the package's objects. An object that changes is copied: the server's are never changed."""

    def read(self, chunk: Any) -> list[Any]:
        found = super().read(chunk)
        return found if found and found[0] is chunk else [_object(each) for each in found]

    def finish(self) -> list[Any]:
        return [_object(each) for each in super().finish()]

    def fields_of(self, holder: Any) -> Mapping[str, Any]:
        if not isinstance(holder, BaseModel):  # the package does not check what a server sends
            return super().fields_of(holder)
        return {
            name: value
            for name, value in [*vars(holder).items(), *(holder.model_extra or {}).items()]
            if value is not None
        }


_LEVELS: Sequence[tuple[BaseModel, str]] = (
    (ChatCompletionChunk.construct(), "choices"),
    (Choice.construct(finish_reason=None), "delta"),
    (ChoiceDelta(), "tool_calls"),
    (ChoiceDeltaToolCall(index=0), "function"),
    (ChoiceDeltaToolCallFunction(), ""),
)
"""The objects of a chunk, from the outside, each with the field of the next. To copy one is several times as fast as
the package's own `construct`, which inspects the type of every field."""


def _object(given: Any, level: int = 0) -> Any:
    # What is no dict is the server's own.
    if type(given) is not dict:
        return given
    empty, name = _LEVELS[level]
    if (inner := given.get(name)) is not None:
        below = level + 1
        given[name] = [_object(each, below) for each in inner] if isinstance(inner, list) else _object(inner, below)
    return empty.model_copy(update=given)


def chat_chunks(
    stream: Iterable[ChatCompletionChunk], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> Reading[ChatCompletionChunk]:
    """Move the calls that a model leaked into its text to where the chat API has them.

    Args:
        stream: `client.chat.completions.create(..., stream=True)`.
        tools: the tools, as passed to `create`, or in any other shape that `toolglean.Parser` accepts.
        parsing: further arguments of `toolglean.Parser`: `format`, `model`, `template`, …; none: the format is detected
            in the turn. Also `whole_calls` and `single_call`, as for `dict_chunks`.

    Yields:
        Chunks like those of `dict_chunks`. Calls that the server has parsed, and everything else, are unchanged.

    Raises:
        UsageError: at once: the argument is a whole response, a stream of the other kind, or the SDK's `.stream()`
            helper; the message says what to use.
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what the client raises, after the text that was held back. Closing the iterator closes the stream.
    """
    return Reading(_checked(stream, "stream", CHAT), _ObjectReader(tools, parsing))


def achat_chunks(
    stream: AsyncIterable[ChatCompletionChunk], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> AsyncReading[ChatCompletionChunk]:
    """The same for `AsyncOpenAI`: see `chat_chunks`."""
    return AsyncReading(_checked(stream, "async stream", CHAT), _ObjectReader(tools, parsing))


def chat_completion(
    completion: ChatCompletion, tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> ChatCompletion:
    """The same for a whole `completion`, which is not changed: see `chat_chunks`.

    Calls that were cut off, or cannot be read, stay in the text.
    """
    given = _dumped(_checked(completion, "response", CHAT))
    if not isinstance(given.get("choices"), list):
        return completion
    repaired = dict_completion(given, tools, **parsing)["choices"]
    rows = zip(completion.choices, given["choices"], repaired, strict=True)
    choices = [old if new == same else WholeChoice.construct(**new) for old, same, new in rows]
    return completion.model_copy(update={"choices": choices})


# -- the Responses API -------------------------------------------------------------------------------------------------


class _EventReader:
    """`ResponseReader` on the package's objects."""

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._reader = ResponseReader(tools, parsing)

    def read(self, event: Any) -> list[Any]:
        if not isinstance(event, BaseModel):
            return [event]
        given = _dumped(event)
        # An event that is not one of ours is the server's own, with another number.
        return [
            event if each == given else _KINDS.get(str(each.get("type")), type(event)).construct(**each)
            for each in self._reader.read(given)
        ]

    def finish(self) -> list[Any]:
        return [_KINDS[each["type"]].construct(**each) for each in self._reader.finish()]


def _dumped(model: BaseModel) -> dict[str, Any]:
    # Servers often send values of other types than the package declares; do not warn about that.
    return model.model_dump(exclude_unset=True, warnings=False)


_KINDS: Mapping[str, Any] = {
    kind: event
    for event in get_args(get_args(responses.ResponseStreamEvent)[0])
    for kind in get_args(event.model_fields["type"].annotation)
}
"""The package's classes of events, by the type of the event."""


def response_events(
    stream: Iterable[ResponseStreamEvent], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> Reading[ResponseStreamEvent]:
    """Move the calls that a model leaked into its text into separate items.

    Args:
        stream: `client.responses.create(..., stream=True)`.
        tools, parsing: as for `chat_chunks`.

    Yields:
        The events, renumbered: see `dict_response_events`.

    Raises:
        ToolgleanError: as `chat_chunks`.
    """
    return Reading(_checked(stream, "stream", RESPONSES), _EventReader(tools, parsing))


def aresponse_events(
    stream: AsyncIterable[ResponseStreamEvent], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> AsyncReading[ResponseStreamEvent]:
    """The same for `AsyncOpenAI`: see `response_events`."""
    return AsyncReading(_checked(stream, "async stream", RESPONSES), _EventReader(tools, parsing))


def response(whole: responses.Response, tools: Tools = None, **parsing: Unpack[TurnArguments]) -> responses.Response:
    """The same for a `whole` response, which is not changed: see `response_events`.

    Reasoning in a message's text becomes an item before the message, its calls become items after it. Calls that were
    cut off, or cannot be read, stay in the text.
    """
    given = _dumped(_checked(whole, "response", RESPONSES))
    repaired = dict_response(given, tools, **parsing)
    if repaired == given:
        return whole
    return whole.model_copy(update={"output": responses.Response.construct(**repaired).output})
