# The openai package's clients (3.50 or later), with an HTTP client that repairs answers.
# Does not depend on what an answer becomes (objects.py, ../repair), or on how HTTP clients are built (../httpx).
#
# `OpenAIClient` is an `openai.OpenAI`: it has everything that the package's client has, with the package's own types.
# The package's `copy` copies your client with another HTTP client, and `OpenAIClient` takes over the fields of that
# copy. Since `copy` (and its alias `with_options`) calls the class with the arguments of `openai.OpenAI`, our `copy`
# copies as the class of your client, and makes an `OpenAIClient` of the result.
"""An `openai.OpenAI` that returns leaked calls as calls."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar, Unpack

from openai import AsyncOpenAI, OpenAI
from openai.resources.responses import AsyncResponses, Responses

from toolglean.clients.httpx import in_front_of
from toolglean.clients.repair import Counts, Repair, RepairArguments
from toolglean.conversation import ApiHandlerOptions, McpIntegration, OllamaHandler, OpenAiHandler
from toolglean.conversation.handlers import check_options
from toolglean.errors import UsageError

__all__ = ["AsyncOpenAIClient", "OpenAIClient", "ollama_handler", "open_ai_handler"]

Given = TypeVar("Given")

WEBSOCKET = (
    "responses.connect() uses a websocket, where answers are not repaired: use create(..., stream=True), or the client "
    "that was wrapped (.client.responses.connect)"
)


class _NoSocket:
    """`client.responses`."""

    def connect(self, *_: Any, **__: Any) -> NoReturn:
        """Refused, because messages of a websocket are not repaired.

        Raises:
            UsageError: always.
        """
        raise UsageError(WEBSOCKET)


class _Responses(_NoSocket, Responses):
    """That of `OpenAIClient`."""


class _AsyncResponses(_NoSocket, AsyncResponses):
    """That of `AsyncOpenAIClient`."""


class _Repairing(Generic[Given]):
    """What both clients have in common."""

    client: Given
    counts: Counts
    _repair: Repair
    _plain: Any  # the package's client
    _other: Any  # the one that is not to be given, and who takes it
    _responses: Any

    def __init__(self, client: Given | None = None, **parsing: Unpack[RepairArguments]) -> None:
        repair = Repair(**parsing)
        given: Any = self._plain() if client is None else client
        # The package has no public name for a client's HTTP client; its own `copy` uses this one, too.
        copied = given.copy(http_client=in_front_of(given._client, repair))
        vars(self).update(vars(copied), client=given, counts=repair.counts, _repair=repair)

    if not TYPE_CHECKING:  # the types are the package's own

        def __new__(cls, client: Any = None, **_: Any) -> Self:
            _check_client(client, cls._plain, *cls._other)
            # Keep what a subclass of the package's client overrides: `AzureOpenAI` builds requests in its own way.
            theirs: Any = type(client)
            own = issubclass(theirs, cls._plain) and theirs is not cls._plain
            return super().__new__(_with_base(cls, theirs) if own else cls)

        def copy(self, **changes: Any) -> Self:
            kind = type(self.client)
            plain = object.__new__(kind)
            vars(plain).update(vars(self))
            if changes.get("http_client") is not None:
                changes["http_client"] = in_front_of(changes["http_client"], self._repair)
            twin = object.__new__(type(self))
            ours = {name: getattr(self, name) for name in ("client", "counts", "_repair")}
            vars(twin).update(vars(kind.copy(plain, **changes)), **ours)
            return twin

        with_options = copy

        @cached_property
        def responses(self) -> Any:
            return self._responses(self)


class OpenAIClient(_Repairing[OpenAI], OpenAI):
    """An `openai.OpenAI` that returns leaked calls as calls.

    Args:
        client: the client; None: `openai.OpenAI()`. A client of a subclass (`AzureOpenAI`) remains one.
        parsing: as for `toolglean.clients.repair.Repair`: `format`, `model`, …; `whole_calls`.

    Attributes:
        client: the client that was given. Its own answers are not repaired.
        counts: what was found in the answers.

    Raises:
        UsageError: `client` is not such a client, or an option is wrong; the message says what to pass.

    Everything is the package's own (its methods, types, errors and settings), on a copy of the client that sends
    through the HTTP client of yours. So each method that asks for a chat or a response with tools over HTTP returns
    repaired answers, including `parse`, `stream`, `with_raw_response`, `with_streaming_response` and `with_options`.
    """

    _plain, _other, _responses = OpenAI, (AsyncOpenAI, "AsyncOpenAIClient"), _Responses

    def __exit__(self, *_: object) -> None:
        self.client.close()


class AsyncOpenAIClient(_Repairing[AsyncOpenAI], AsyncOpenAI):
    """An `openai.AsyncOpenAI` that returns leaked calls as calls: see `OpenAIClient`."""

    _plain, _other, _responses = AsyncOpenAI, (OpenAI, "OpenAIClient"), _AsyncResponses

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()


@lru_cache(maxsize=32)
def _with_base(ours: Any, theirs: Any) -> Any:
    return type(ours.__name__, (ours, theirs), {"__module__": ours.__module__, "__doc__": ours.__doc__})


def _check_client(given: Any, wanted: type, other: type, ours: str) -> None:
    name = f"openai.{wanted.__name__}"
    if isinstance(given, OpenAIClient | AsyncOpenAIClient):
        raise UsageError(f"client={given!r:.80} repairs answers already: use it as it is")
    if isinstance(given, other):
        raise UsageError(f"client={given!r:.80} is an openai.{other.__name__}: pass an {name}, or use {ours}")
    if given is not None and not isinstance(given, wanted):
        raise UsageError(f"client={given!r:.80} is not a client: pass an {name}(base_url=...), or leave it out")


# -- the handlers ------------------------------------------------------------------------------------------------------


def open_ai_handler(
    options: ApiHandlerOptions, mcp: McpIntegration | None = None, **client_options: Any
) -> OpenAiHandler:
    """An `OpenAiHandler` with a new client.

    Args:
        options: URL, key and model.
        mcp: the tools.
        client_options: further arguments of `AsyncOpenAI`.

    Raises:
        UsageError: `options` is something else, such as the name of a model; the message says what to pass.
    """
    check_options(options)
    client = AsyncOpenAI(base_url=options.open_ai_base_url, api_key=options.open_ai_api_key, **client_options)
    return OpenAiHandler(options, client=client, mcp=mcp)


def ollama_handler(
    options: ApiHandlerOptions, mcp: McpIntegration | None = None, **client_options: Any
) -> OllamaHandler:
    """An `OllamaHandler` with a new client, for `<ollama_base_url>/v1` and the key "ollama": see
    `open_ai_handler`.
    """
    check_options(options)
    inner = OllamaHandler.open_ai_options(options)
    client = AsyncOpenAI(base_url=inner.open_ai_base_url, api_key=inner.open_ai_api_key, **client_options)
    return OllamaHandler(options, client=client, mcp=mcp)
