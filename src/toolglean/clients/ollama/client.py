# The ollama package's clients (0.6), and how a model's template is requested.
# Does not depend on what a chunk becomes (chunks.py), on how ids are kept (requests.py), or on any other client.
#
# `OllamaClient` is an `ollama.Client`. Its `chat` is repaired; everything else is a method of your client, which may be
# of a subclass, or only similar to a client of the package.
"""An `ollama.Client` whose `chat` returns leaked calls as calls."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import ollama
from ollama import ResponseError

from toolglean.clients.at_once import at_once, settled
from toolglean.clients.ollama.chunks import ChunkReader, EventReader
from toolglean.clients.ollama.requests import ChatOptions, GenerateOptions, Messages, Tools, keeping, tools_of_request
from toolglean.clients.ollama_lines import WHOLE
from toolglean.clients.streams import reading_of
from toolglean.conversation.fields import text_in
from toolglean.conversation.reading.arguments import check_parsing, says_format
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.events import Event
from toolglean.formats.spec import Format
from toolglean.parser import ParserArguments

__all__ = ["AsyncOllamaClient", "OllamaClient"]

BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which a later request may succeed."""


def _with_template(parsing: ParserArguments, shown: Any) -> ParserArguments:
    """The parser's arguments, with what the server says about the model. An unreadable template is ignored."""
    template = text_in(shown, "template")
    try:
        # For a template without calls, the tag is Ollama's fallback, a bare `{`: then the turn itself tells more.
        tells = template and Format.from_template(template).tag != "{"
    except (FormatError, TemplateError, UsageError):
        tells = False
    return {**parsing, "template": template} if tells else parsing


class _Shared:
    """What both clients share: also how the models of the server write, requested once for each model."""

    client: Any
    parser_arguments: Any

    if not TYPE_CHECKING:  # the types are the package's own

        def __getattr__(self, name: str) -> Any:
            return getattr(self.client, name)

    def _begin(self, client: Any, kind: type[Any], other: type, ours: str, parsing: ParserArguments) -> None:
        """Take over the client, or a new one of that kind, with all its methods; the others: as for `_check_client`."""
        _check_client(client, kind, other, ours)
        check_parsing(parsing)
        self.client = kind() if client is None else client
        self._parsing: ParserArguments = {"start": "content", **parsing}
        self._shown: dict[str, ollama.ShowResponse | None] = {}  # what the server says about its models
        self._known: dict[str, ParserArguments] = {}
        own = {name for each in type(self).__mro__ if each.__module__ == __name__ for name in vars(each)}
        for name in dir(kind):
            if not name.startswith("__") and name not in own and hasattr(self.client, name):
                vars(self)[name] = getattr(self.client, name)

    def knows(self, model: str) -> bool:
        """Whether the parser's arguments for that model are known without a request to the server."""
        return says_format(self._parsing) or model in self._known

    async def _arguments(self, model: str, run: Callable[..., Any]) -> ParserArguments:
        # The user has said how calls are written, or the server has been asked.
        if says_format(self._parsing):
            return self._parsing
        if model in self._known:
            return self._known[model]
        found: ParserArguments = await settled(run(_with_template, self._parsing, await self._asked(model)))
        if model in self._shown:
            self._known[model] = found
        return found

    async def _asked(self, model: str) -> ollama.ShowResponse | None:
        if model not in self._shown:
            show = getattr(self.client, "show", None)  # an object that is only similar to a client may not have it
            try:
                self._shown[model] = await settled(show(model)) if show is not None else None
            except (ResponseError, ValueError) as error:  # a `ValueError`: the answer lacks a field
                if not (isinstance(error, ResponseError) and error.status_code in BUSY):  # otherwise that is final
                    self._shown[model] = None
        return self._shown.get(model)

    async def _chat(self, model: str, messages: Messages, *, tools: Tools = None, **more: Any) -> Any:
        client = keeping(self.client, messages)
        if not tools:
            return await settled(client.chat(model, messages, tools=tools, **more))
        sent, known = tools_of_request(tools)
        parsing = await settled(self.parser_arguments(model))
        found = await settled(client.chat(model, messages, tools=sent, **more))
        reader = ChunkReader(known, parsing if more["stream"] else {**parsing, **WHOLE})
        return reading_of(found, reader) if more["stream"] else reader.whole(found)

    async def _events(self, ask: Any, model: str, prompt: dict[str, str], *, tools: Tools = None, **more: Any) -> Any:
        sent, known = tools_of_request(tools)
        parsing = {**await settled(self.parser_arguments(model)), **prompt}
        if prompt:  # it tells how the turn begins
            parsing.pop("start", None)
        found = await settled(ask(model, stream=True, **more, **({} if prompt else {"tools": sent or None})))
        return reading_of(found, EventReader(known, parsing))


class OllamaClient(_Shared, ollama.Client):
    """An `ollama.Client` whose `chat` returns leaked calls as calls. All other methods are those of your client.

    Args:
        client: the client; None: `ollama.Client()`.
        parsing: arguments of `toolglean.Parser` for every chat. If none of them says how calls are written (`format`,
            `template`, …), the template of the model is requested from the server (`show`), once for each model. If it
            has none, or one that cannot be read, the format is detected from the turn.

    Raises:
        UsageError: `client` is not such a client, or an argument is unknown or wrong; the message says what to pass.
        FormatError, TemplateError: a format or a template that you pass cannot be used.

    `chat` accepts the arguments of `ollama.Client.chat`. Without tools nothing is parsed. Calls have ids: the server's
    own, which are also sent back in messages (`tool_calls[].id`, `tool_call_id`); leaked calls get ids that toolglean
    makes, which no other turn has.
    """

    def __init__(self, client: ollama.Client | None = None, **parsing: Unpack[ParserArguments]) -> None:
        self._begin(client, ollama.Client, ollama.AsyncClient, "AsyncOllamaClient", parsing)

    def parser_arguments(self, model: str) -> ParserArguments:
        """The parser's arguments for that model.

        Raises:
            Exception: what the client raises if it cannot connect.
        """
        return at_once(self._arguments(model, lambda do, *given: do(*given)))

    def shown(self, model: str) -> ollama.ShowResponse | None:
        """What the server says about a model (`show`), requested once; None if it does not know the model, or is busy.

        Raises:
            Exception: what the client raises if it cannot connect.
        """
        return at_once(self._asked(model))

    # The package declares that its overload for streams may be called without `stream`; ours must not be.
    @overload  # type: ignore[override]
    def chat(
        self, model: str = "", messages: Messages = None, *, stream: Literal[True], **more: Unpack[ChatOptions]
    ) -> Iterator[ollama.ChatResponse]: ...
    @overload
    def chat(
        self, model: str = "", messages: Messages = None, *, stream: Literal[False] = False, **more: Unpack[ChatOptions]
    ) -> ollama.ChatResponse: ...
    @overload
    def chat(
        self, model: str = "", messages: Messages = None, *, stream: bool, **more: Unpack[ChatOptions]
    ) -> ollama.ChatResponse | Iterator[ollama.ChatResponse]: ...
    def chat(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, model: str = "", messages: Messages = None, *, stream: bool = False, **more: Unpack[ChatOptions]
    ) -> Any:
        """`ollama.Client.chat`, with leaked calls as calls: a `ChatResponse`; with `stream=True` an iterator of them.

        Args:
            model, messages: as for `ollama.Client.chat`.
            stream: whether the answer is streamed.
            more: `tools`: what the model may call, in any shape that `ollama.Client.chat` or `Parser` accepts; none:
                nothing is parsed. Also further arguments of `ollama.Client.chat`.

        Raises:
            Exception: what `ollama.Client.chat` raises.
        """
        return at_once(self._chat(model, messages, stream=stream, **more))

    def chat_events(self, model: str = "", messages: Messages = None, **more: Unpack[ChatOptions]) -> Iterator[Event]:
        """The events of a streamed chat, with the tools and the model's format: see `chat_events`.

        Args:
            model, messages, more: as for `chat`.
        """
        ask = partial(keeping(self.client, messages).chat, messages=messages)
        return at_once(self._events(ask, model, {}, **more))

    def generate_events(self, model: str, prompt: str, **more: Unpack[GenerateOptions]) -> Iterator[Event]:
        """The events of a raw `generate`, whose whole prompt is yours.

        Args:
            model: as for `ollama.Client.generate`.
            prompt: the rendered prompt; if it opens the reasoning or a call, the turn begins inside it.
            more: `tools`, those that the prompt describes; and further arguments of `ollama.Client.generate`.
        """
        ask = partial(self.client.generate, prompt=prompt, raw=True)
        return at_once(self._events(ask, model, {"prompt": prompt}, **more))


class AsyncOllamaClient(_Shared, ollama.AsyncClient):
    """An `ollama.AsyncClient` whose `chat` returns leaked calls as calls: see `OllamaClient`."""

    def __init__(self, client: ollama.AsyncClient | None = None, **parsing: Unpack[ParserArguments]) -> None:
        self._begin(client, ollama.AsyncClient, ollama.Client, "OllamaClient", parsing)

    async def parser_arguments(self, model: str) -> ParserArguments:
        """The parser's arguments for that model: see `OllamaClient.parser_arguments`."""
        # Reading a template may take a second; do not block the event loop.
        return await self._arguments(model, asyncio.to_thread)

    async def shown(self, model: str) -> ollama.ShowResponse | None:
        """What the server says about a model: see `OllamaClient.shown`."""
        return await self._asked(model)

    # The package declares that its overload for streams may be called without `stream`; ours must not be.
    @overload  # type: ignore[override]
    async def chat(
        self, model: str = "", messages: Messages = None, *, stream: Literal[True], **more: Unpack[ChatOptions]
    ) -> AsyncIterator[ollama.ChatResponse]: ...
    @overload
    async def chat(
        self, model: str = "", messages: Messages = None, *, stream: Literal[False] = False, **more: Unpack[ChatOptions]
    ) -> ollama.ChatResponse: ...
    async def chat(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, model: str = "", messages: Messages = None, *, stream: bool = False, **more: Unpack[ChatOptions]
    ) -> Any:
        """`ollama.AsyncClient.chat`, with leaked calls as calls: see `OllamaClient.chat`."""
        return await self._chat(model, messages, stream=stream, **more)

    async def chat_events(
        self, model: str = "", messages: Messages = None, **more: Unpack[ChatOptions]
    ) -> AsyncIterator[Event]:
        """The events of a streamed chat: see `OllamaClient.chat_events`."""
        ask = partial(keeping(self.client, messages).chat, messages=messages)
        async with contextlib.aclosing(await self._events(ask, model, {}, **more)) as events:
            async for event in events:
                yield event

    async def generate_events(self, model: str, prompt: str, **more: Unpack[GenerateOptions]) -> AsyncIterator[Event]:
        """The events of a raw `generate`: see `OllamaClient.generate_events`."""
        ask = partial(self.client.generate, prompt=prompt, raw=True)
        async with contextlib.aclosing(await self._events(ask, model, {"prompt": prompt}, **more)) as events:
            async for event in events:
                yield event


def _check_client(given: Any, wanted: type, other: type, ours: str) -> None:
    name = f"ollama.{wanted.__name__}"
    if isinstance(given, other):
        raise UsageError(f"client={given!r:.80} is an ollama.{other.__name__}: pass an {name}, or use {ours}")
    if isinstance(given, str):
        raise UsageError(f"client={given!r:.80} is text: pass a client, {name}(host={given!r:.80})")
    if given is not None and not callable(getattr(given, "chat", None)):
        raise UsageError(f"client={given!r:.80} has no method chat: pass an {name}, or leave it out")
