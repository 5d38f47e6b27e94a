# What this file knows: the openai package's clients (3.50 or later), and which of their methods are mended.
# What it must not know: what an answer becomes (openai_objects.py), which requests it concerns (repair.py).
#
#   ours                                     the openai package's
#   OpenAIClient, AsyncOpenAIClient          OpenAI, AsyncOpenAI: `chat.completions.create` and `responses.create` are
#                                            mended, all else is passed on
#   chat_chunks, … response                  streams and answers: openai_objects.py
#   open_ai_handler, ollama_handler          AsyncOpenAI, for toolglean.routing's handlers
"""Turns calls that leaked into the text of OpenAI's API, or of a compatible server, into calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from toolglean._install import needs
from toolglean.clients.chat import adict_chunks, dict_chunks, dict_completion
from toolglean.clients.repair import Exchange, Kind, Repair
from toolglean.clients.responses import adict_response_events, dict_response, dict_response_events
from toolglean.errors import UsageError
from toolglean.routing import ApiHandlerOptions, McpIntegration, OllamaHandler, OpenAiHandler

try:
    from openai import AsyncOpenAI, OpenAI

    from toolglean.clients.openai_objects import (
        achat_chunks,
        aresponse_events,
        chat_chunks,
        chat_completion,
        response,
        response_events,
    )
except ImportError as error:
    raise ImportError(needs("toolglean.clients.openai needs openai 3.50 or later", "openai")) from error

__all__ = [
    "AsyncOpenAIClient",
    "OpenAIClient",
    "achat_chunks",
    "adict_chunks",
    "adict_response_events",
    "aresponse_events",
    "chat_chunks",
    "chat_completion",
    "dict_chunks",
    "dict_completion",
    "dict_response",
    "dict_response_events",
    "ollama_handler",
    "open_ai_handler",
    "response",
    "response_events",
]

# -- clients -----------------------------------------------------------------------------------------------------------

STREAMS: Mapping[Kind, Any] = {"chat": (chat_chunks, achat_chunks), "responses": (response_events, aresponse_events)}
WHOLE: Mapping[Kind, Any] = {"chat": chat_completion, "responses": response}


class _Passing:
    """Passes on what it does not have itself."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._inner, name)


class _Creating(_Passing):
    """`client.chat.completions` or `client.responses`."""

    def __init__(self, inner: Any, kind: Kind, repair: Repair) -> None:
        super().__init__(inner)
        self._kind: Kind = kind
        self._repair = repair

    def create(self, **asked: Any) -> Any:
        """The package's own `create`, with leaked calls as calls."""
        exchange = self._repair.asked(self._kind, asked)
        return self._mended(self._inner.create(**asked), exchange)

    def _mended(self, found: Any, exchange: Exchange | None, *, is_async: bool = False) -> Any:
        if exchange is None:
            return found
        if not exchange.streamed:
            return WHOLE[self._kind](found, exchange.tools, **exchange.options)
        return STREAMS[self._kind][is_async](found, exchange.tools, **exchange.options)


class _AsyncCreating(_Creating):
    async def create(self, **asked: Any) -> Any:
        """The package's own `create`, with leaked calls as calls."""
        exchange = self._repair.asked(self._kind, asked)
        return self._mended(await self._inner.create(**asked), exchange, is_async=True)


class _Chat(_Passing):
    """`client.chat`."""

    def __init__(self, inner: Any, completions: Any) -> None:
        super().__init__(inner)
        self.completions = completions


class OpenAIClient(_Passing):
    """An `openai.OpenAI` whose answers have leaked calls as calls. Everything else is passed through to it.

    Args:
        client: the client; None: `openai.OpenAI()`.
        options: as for `toolglean.clients.repair.Repair`: `format`, `model`, …; `whole_calls`.

    Raises:
        UsageError: `client` is not such a client, or an option is wrong; the message says what to pass.

    `chat.completions.create` and `responses.create` take what the package's take, and return its types. Other methods
    that ask a model (`parse`, `stream`, `with_raw_response`) are passed through and not mended: for those, give the
    client itself an HTTP client that mends, `OpenAI(http_client=toolglean.clients.httpx.toolglean_client())`.
    """

    def __init__(self, client: OpenAI | None = None, **options: Any) -> None:
        _check_client(client, OpenAI, AsyncOpenAI, "AsyncOpenAIClient")
        repair = Repair(**options)
        self.client = OpenAI() if client is None else client
        super().__init__(self.client)
        self.counts = repair.counts
        self.chat = _Chat(self.client.chat, _Creating(self.client.chat.completions, "chat", repair))
        self.responses = _Creating(self.client.responses, "responses", repair)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()


class AsyncOpenAIClient(_Passing):
    """An `openai.AsyncOpenAI` whose answers have leaked calls as calls: see `OpenAIClient`."""

    def __init__(self, client: AsyncOpenAI | None = None, **options: Any) -> None:
        _check_client(client, AsyncOpenAI, OpenAI, "OpenAIClient")
        repair = Repair(**options)
        self.client = AsyncOpenAI() if client is None else client
        super().__init__(self.client)
        self.counts = repair.counts
        self.chat = _Chat(self.client.chat, _AsyncCreating(self.client.chat.completions, "chat", repair))
        self.responses = _AsyncCreating(self.client.responses, "responses", repair)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()


def _check_client(given: Any, wanted: type, other: type, ours: str) -> None:
    name = f"openai.{wanted.__name__}"
    if isinstance(given, other):
        raise UsageError(f"client={given!r:.80} is an openai.{other.__name__}: give an {name}, or use {ours}")
    if given is not None and (isinstance(given, str) or not hasattr(given, "chat")):
        raise UsageError(f"client={given!r:.80} is not a client: give an {name}(base_url=...), or nothing")


# -- the handlers ------------------------------------------------------------------------------------------------------


def open_ai_handler(
    options: ApiHandlerOptions, mcp: McpIntegration | None = None, **client_options: Any
) -> OpenAiHandler:
    """An `OpenAiHandler` that makes its own client.

    Args:
        options: URL, key and model.
        mcp: the tools.
        client_options: further arguments of `AsyncOpenAI`.
    """
    client = AsyncOpenAI(base_url=options.open_ai_base_url, api_key=options.open_ai_api_key, **client_options)
    return OpenAiHandler(options, client=client, mcp=mcp)


def ollama_handler(
    options: ApiHandlerOptions, mcp: McpIntegration | None = None, **client_options: Any
) -> OllamaHandler:
    """An `OllamaHandler` that makes its own client, for `<ollama_base_url>/v1` and the key "ollama": see
    `open_ai_handler`.
    """
    inner = OllamaHandler.open_ai_options(options)
    client = AsyncOpenAI(base_url=inner.open_ai_base_url, api_key=inner.open_ai_api_key, **client_options)
    return OllamaHandler(options, client=client, mcp=mcp)
