# What this file knows: the ollama package's clients (0.6), and where a model's template is asked for.
# What it must not know: what a chunk becomes (ollama_chunks.py), how ids get by (ollama_ids.py), any other client.
#
#   ours                              the ollama package's
#   chat_events, achat_events         chunks of Client.chat(stream=True): ChatResponse in, toolglean's events out
#   chat_chunks, achat_chunks         the same in, ChatResponse out
#   chat_response                     ChatResponse in and out
#   generate_events, …_chunks         chunks of Client.generate(stream=True, raw=True): GenerateResponse in
#   OllamaClient, AsyncOllamaClient   Client, AsyncClient: `chat` mended, all else passed on
#
# The package's types have no field for the id of a call, though the server sends one and reads it back (ollama_ids.py).
"""Turns calls that leaked into the text of Ollama's chat into calls, and keeps ids."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast, overload

from toolglean._install import needs
from toolglean.conversation.fields import field
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.events import Event
from toolglean.formats.spec import Format
from toolglean.tools import ToolSet

try:
    import ollama
    from ollama import ResponseError

    from toolglean.clients.ollama_chunks import (
        EventReader,
        achat_chunks,
        achat_events,
        agenerate_chunks,
        agenerate_events,
        chat_chunks,
        chat_events,
        chat_response,
        generate_chunks,
        generate_events,
    )
    from toolglean.clients.ollama_ids import ChatResponse, Message, ToolCall, keeping
except ImportError as error:
    raise ImportError(needs("toolglean.clients.ollama needs ollama 0.6.2 or later", "ollama")) from error

__all__ = [
    "AsyncOllamaClient",
    "ChatResponse",
    "EventReader",
    "Message",
    "OllamaClient",
    "ToolCall",
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

BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which it is worth asking again."""
FORMAT_OPTIONS = ("format", "model", "template")
"""With one of these, the user says how calls are written, and the server is not asked for its template."""


class _Templates:
    """How the models of a server write, asked for once each."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = dict(options)
        self.shown: dict[str, Any] = {}  # what the server says of its models
        self._known: dict[str, dict[str, Any]] = {}

    def given(self, model: str) -> dict[str, Any] | None:
        """The parser's options, where they are known without asking."""
        if any(name in self.options for name in FORMAT_OPTIONS):
            return {"start": "content", **self.options}
        return self._known.get(model)

    def found(self, model: str, shown: Any) -> dict[str, Any]:
        """The parser's options, from what the server says of a model. An unreadable template is ignored."""
        options, template = {"start": "content", **self.options}, field(shown, "template")
        if isinstance(template, str) and template and _tells(template):
            options["template"] = template
        if model in self.shown:
            self._known[model] = options
        return options

    def unsaid(self, model: str, error: Exception) -> None:
        """The server did not say anything of a model: for good, unless it was only busy.

        A `ValueError` is the package's own, where the answer lacks a field.
        """
        if not (isinstance(error, ResponseError) and error.status_code in BUSY):
            self.shown[model] = None


def _tells(template: str) -> bool:
    # A template without a place for calls gives Ollama's last resort, a bare `{`: then the turn itself tells more.
    try:
        return Format.from_template(template).tag != "{"
    except (FormatError, TemplateError, UsageError):
        return False


class _ClientBase:
    """What both clients share."""

    _templates: _Templates
    client: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def knows(self, model: str) -> bool:
        """Whether the server need not be asked about that model any more."""
        return self._templates.given(model) is not None


class OllamaClient(_ClientBase):
    """An `ollama.Client` whose `chat` returns leaked calls as calls. Everything else is passed through to it.

    Args:
        client: the client; None: `ollama.Client()`.
        options: arguments of `toolglean.Parser` for every chat. With none that says how calls are written (`format`,
            `template`, …), the template of the model is asked of the server (`show`), once for each model. Where it has
            none, or one that cannot be read, the turn shows its format.

    Raises:
        UsageError: `client` is not such a client; the message says what to pass.

    `chat` takes what `ollama.Client.chat` takes. Without tools nothing is parsed. Ids: the server's own, also in the
    messages that are sent (`tool_calls[].id`, `tool_call_id`); for leaked calls ours, which no other turn has.
    """

    def __init__(self, client: ollama.Client | None = None, **options: Any) -> None:
        _check_client(client, ollama.Client, ollama.AsyncClient, "AsyncOllamaClient")
        self.client = ollama.Client() if client is None else client
        self._templates = _Templates(options)

    def parser_options(self, model: str) -> dict[str, Any]:
        """The parser's options for that model.

        Raises:
            Exception: what the client raises if there is no connection.
        """
        known = self._templates.given(model)
        return self._templates.found(model, self.shown(model)) if known is None else known

    def shown(self, model: str) -> Any:
        """What the server says of a model (`show`), asked for once; None if it does not know the model, or is busy.

        Raises:
            Exception: what the client raises if there is no connection.
        """
        known = self._templates.shown
        if model not in known:
            show = getattr(self.client, "show", None)  # what is only like a client may have none
            try:
                known[model] = show(model) if show is not None else None
            except (ResponseError, ValueError) as error:
                self._templates.unsaid(model, error)
        return known.get(model)

    @overload
    def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: Literal[True],
        **more: Any,
    ) -> Iterator[ollama.ChatResponse]: ...
    @overload
    def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: Literal[False] = False,
        **more: Any,
    ) -> ollama.ChatResponse: ...
    @overload
    def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: bool,
        **more: Any,
    ) -> ollama.ChatResponse | Iterator[ollama.ChatResponse]: ...
    def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: bool = False,
        **more: Any,
    ) -> Any:
        """`ollama.Client.chat`, with leaked calls as calls: a `ChatResponse`; with `stream=True` an iterator of them.

        Args:
            model, messages: as for `ollama.Client.chat`.
            tools: what the model may call: whatever `ollama.Client.chat` or `Tool` accepts; none: nothing is parsed.
            stream: whether the answer comes in chunks.
            more: further arguments of `ollama.Client.chat`.

        Raises:
            Exception: what `ollama.Client.chat` raises.
        """
        client = keeping(self.client, messages)
        if not tools:
            return client.chat(model, messages, tools=tools, stream=stream, **more)
        given = _sent(tools)
        options = self.parser_options(model)
        found = client.chat(model, messages, tools=given, stream=stream, **more)
        return (chat_chunks if stream else chat_response)(found, _known(given), **options)

    def chat_events(
        self, model: str = "", messages: Sequence[Any] | None = None, *, tools: Any = None, **more: Any
    ) -> Iterator[Event]:
        """The events of a streamed chat, with the tools and the model's format: see `chat_events`.

        Args:
            model, messages, tools, more: as for `chat`.
        """
        given = _sent(tools)
        options = self.parser_options(model)
        found = keeping(self.client, messages).chat(model, messages, tools=given or None, stream=True, **more)
        return chat_events(found, _known(given), **options)

    def generate_events(self, model: str, prompt: str, *, tools: Any = None, **more: Any) -> Iterator[Event]:
        """The events of a raw `generate`, for which you write the whole prompt.

        Args:
            model, more: as for `ollama.Client.generate`.
            prompt: the rendered prompt; if it opens the reasoning or a call, the turn begins there.
            tools: the tools that the prompt describes.
        """
        given = _sent(tools)
        options = {key: value for key, value in self.parser_options(model).items() if key != "start"}
        found = self.client.generate(model, prompt, raw=True, stream=True, **more)
        return generate_events(found, _known(given), prompt=prompt, **options)


class AsyncOllamaClient(_ClientBase):
    """An `ollama.AsyncClient` whose `chat` returns leaked calls as calls: see `OllamaClient`."""

    def __init__(self, client: ollama.AsyncClient | None = None, **options: Any) -> None:
        _check_client(client, ollama.AsyncClient, ollama.Client, "OllamaClient")
        self.client = ollama.AsyncClient() if client is None else client
        self._templates = _Templates(options)

    async def parser_options(self, model: str) -> dict[str, Any]:
        """The parser's options for that model: see `OllamaClient.parser_options`."""
        known = self._templates.given(model)
        if known is not None:
            return known
        # Reading a template may take a second, in which the loop should go on.
        return await asyncio.to_thread(self._templates.found, model, await self.shown(model))

    async def shown(self, model: str) -> Any:
        """What the server says of a model: see `OllamaClient.shown`."""
        known = self._templates.shown
        if model not in known:
            show = getattr(self.client, "show", None)
            try:
                asked = show(model) if show is not None else None
                known[model] = await asked if inspect.isawaitable(asked) else asked
            except (ResponseError, ValueError) as error:
                self._templates.unsaid(model, error)
        return known.get(model)

    @overload
    async def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: Literal[True],
        **more: Any,
    ) -> AsyncIterator[ollama.ChatResponse]: ...
    @overload
    async def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: Literal[False] = False,
        **more: Any,
    ) -> ollama.ChatResponse: ...
    async def chat(
        self,
        model: str = "",
        messages: Sequence[Any] | None = None,
        *,
        tools: Any = None,
        stream: bool = False,
        **more: Any,
    ) -> Any:
        """`ollama.AsyncClient.chat`, with leaked calls as calls: see `OllamaClient.chat`."""
        client = keeping(self.client, messages)
        if not tools:
            return await client.chat(model, messages, tools=tools, stream=stream, **more)
        given = _sent(tools)
        options = await self.parser_options(model)
        found = await client.chat(model, messages, tools=given, stream=stream, **more)
        return (achat_chunks if stream else chat_response)(found, _known(given), **options)

    async def chat_events(
        self, model: str = "", messages: Sequence[Any] | None = None, *, tools: Any = None, **more: Any
    ) -> AsyncIterator[Event]:
        """The events of a streamed chat: see `OllamaClient.chat_events`."""
        given = _sent(tools)
        options = await self.parser_options(model)
        client = keeping(self.client, messages)
        found = await client.chat(model, messages, tools=given or None, stream=True, **more)
        async with contextlib.aclosing(cast("Any", achat_events(found, _known(given), **options))) as events:
            async for event in events:
                yield event

    async def generate_events(self, model: str, prompt: str, *, tools: Any = None, **more: Any) -> AsyncIterator[Event]:
        """The events of a raw `generate`: see `OllamaClient.generate_events`."""
        given = _sent(tools)
        options = {key: value for key, value in (await self.parser_options(model)).items() if key != "start"}
        found = await self.client.generate(model, prompt, raw=True, stream=True, **more)
        events = agenerate_events(found, _known(given), prompt=prompt, **options)
        async with contextlib.aclosing(cast("Any", events)) as closing:
            async for event in closing:
                yield event


def _check_client(given: Any, wanted: type, other: type, ours: str) -> None:
    name = f"ollama.{wanted.__name__}"
    if isinstance(given, other):
        raise UsageError(f"client={given!r:.80} is an ollama.{other.__name__}: give an {name}, or use {ours}")
    if isinstance(given, str):
        raise UsageError(f"client={given!r:.80} is text: give a client, {name}(host={given!r:.80})")
    if given is not None and not callable(getattr(given, "chat", None)):
        raise UsageError(f"client={given!r:.80} has no method chat: give an {name}, or nothing")


def _sent(tools: Iterable[Any] | None) -> list[Any]:
    # The package knows functions, dicts and its own tools; all other shapes become dicts.
    return [
        tool if inspect.isroutine(tool) or isinstance(tool, Mapping | ollama.Tool) else ToolSet([tool]).to_openai()[0]
        for tool in tools or ()
    ]


def _known(tools: Iterable[Any]) -> ToolSet | None:
    # Functions become tools as the package makes them.
    found = [ollama._utils.convert_function_to_tool(tool) if inspect.isroutine(tool) else tool for tool in tools]
    return ToolSet(found) or None
