# What this file knows: the openai package's clients (3.50 or later), and how theirs get an HTTP client that mends.
# What it must not know: what an answer becomes (openai_objects.py, repair.py), how HTTP clients are built (httpx.py).
#
#   ours                                     the openai package's
#   OpenAIClient, AsyncOpenAIClient          OpenAI, AsyncOpenAI: a copy of yours that sends through yours. What asks
#                                            over HTTP is mended: `create`, `parse`, `stream`, `with_raw_response`, …
#   chat_chunks, … response                  streams and answers: openai_objects.py
#   open_ai_handler, ollama_handler          AsyncOpenAI, for toolglean.conversation's handlers
"""Turns calls that leaked into the text of OpenAI's API, or of a compatible server, into calls."""

from __future__ import annotations

from typing import Any, Self

from toolglean._install import needs
from toolglean.clients.chat import adict_chunks, dict_chunks, dict_completion
from toolglean.clients.repair import Repair
from toolglean.clients.responses import adict_response_events, dict_response, dict_response_events
from toolglean.conversation import ApiHandlerOptions, McpIntegration, OllamaHandler, OpenAiHandler
from toolglean.errors import UsageError

try:
    from openai import AsyncOpenAI, OpenAI

    from toolglean.clients.httpx import in_front_of
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


class _Passing:
    """Passes on what it does not have itself."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._inner, name)


class _Responses(_Passing):
    """`client.responses`."""

    def connect(self, *_: Any, **__: Any) -> Any:
        """Refused: what comes over a websocket is not mended.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            "responses.connect() speaks over a websocket, where answers are not mended: use create(..., stream=True), "
            "or ask the client that was wrapped (.client.responses.connect)"
        )


class OpenAIClient(_Passing):
    """An `openai.OpenAI` whose answers have leaked calls as calls.

    Args:
        client: the client; None: `openai.OpenAI()`.
        options: as for `toolglean.clients.repair.Repair`: `format`, `model`, …; `whole_calls`.

    Attributes:
        client: the client that was given. Its own answers are not mended.
        counts: what was found in the answers.

    Raises:
        UsageError: `client` is not such a client, or an option is wrong; the message says what to pass.

    Everything is the package's own (its methods, types, errors and settings), on a copy of the client that sends
    through the HTTP client of yours. So the answers of all methods are mended that ask for a chat or a response with
    tools over HTTP, also those of `parse`, `stream`, `with_raw_response`, `with_streaming_response` and `with_options`.
    """

    def __init__(self, client: OpenAI | None = None, **options: Any) -> None:
        _check_client(client, OpenAI, AsyncOpenAI, "AsyncOpenAIClient")
        self.client = OpenAI() if client is None else client
        repair = Repair(**options)
        super().__init__(_mended(self.client, repair))
        self.counts = repair.counts
        self.responses = _Responses(self._inner.responses)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()


class AsyncOpenAIClient(_Passing):
    """An `openai.AsyncOpenAI` whose answers have leaked calls as calls: see `OpenAIClient`."""

    def __init__(self, client: AsyncOpenAI | None = None, **options: Any) -> None:
        _check_client(client, AsyncOpenAI, OpenAI, "OpenAIClient")
        self.client = AsyncOpenAI() if client is None else client
        repair = Repair(**options)
        super().__init__(_mended(self.client, repair))
        self.counts = repair.counts
        self.responses = _Responses(self._inner.responses)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()


def _mended(client: Any, repair: Repair) -> Any:
    # The package has no public name for a client's HTTP client; its own `copy` takes it from here, too.
    return client.copy(http_client=in_front_of(client._client, repair))


def _check_client(given: Any, wanted: type, other: type, ours: str) -> None:
    name = f"openai.{wanted.__name__}"
    if isinstance(given, other):
        raise UsageError(f"client={given!r:.80} is an openai.{other.__name__}: give an {name}, or use {ours}")
    if given is not None and not isinstance(given, wanted):
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
