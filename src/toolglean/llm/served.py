# What this file knows: what models on servers have in common: settings, clients that are created once, and the four
# forms of a chat.
# Does not depend on any wire format or client.
#
# The four forms (whole or streamed, plain or asynchronous) are thin loops around one core: a reader turns the server's
# chunks into events, and an `Answer` turns these into responses. A whole answer is a stream of one chunk. Without
# tools, text is never parsed. What asks the server is written once, asynchronously (clients/at_once.py); `is_async`
# says which of the two clients it uses.
"""Language models on servers."""

from __future__ import annotations

import abc
import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias, overload
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from toolglean.clients.at_once import at_once, plainly, steps_of
from toolglean.conversation.reading.arguments import check_parsing
from toolglean.conversation.runner import loop_here
from toolglean.llm.answers import Reading
from toolglean.llm.base import FunctionCallingLLM, Messages, force_single_tool_call
from toolglean.llm.errors import ClientError, ConfigurationError
from toolglean.llm.faults import RequestInfo, RetryPolicy, converting_errors
from toolglean.llm.replay import clients_of
from toolglean.llm.steps import AsyncSteps
from toolglean.llm.tools import schema_of
from toolglean.llm.types import ChatResponse, MessageList, Metadata, Role, with_system
from toolglean.parser import ParserArguments

__all__ = ["Frozen", "Schemas", "Served"]

Schemas: TypeAlias = list[dict[str, Any]]
"""The tools of a chat, as OpenAI's chat API has them."""


class Served(BaseModel, FunctionCallingLLM):
    """A model on a server. Its fields are frozen; no connection is made before the first request."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    model: str = Field(min_length=1)
    base_url: str
    timeout: float = Field(default=60.0, gt=0)
    temperature: float | None
    context_window: int | None = Field(default=None, gt=0)
    json_mode: bool = False
    additional_kwargs: dict[str, Any] = Field(default_factory=dict, validate_default=True)
    system_prompt: str = ""
    parser: dict[str, Any] = Field(default_factory=dict, validate_default=True)
    retry: RetryPolicy = Field(default_factory=RetryPolicy)

    client_methods: ClassVar[tuple[str, ...]]  # those that a client must have
    _package: ClassVar[Any]  # whose `Client` and `AsyncClient` they are
    _client: Any = PrivateAttr(default=None)
    _async_client: Any = PrivateAttr(default=None)
    _handed_in: tuple[bool, bool] = PrivateAttr(default=(False, False))
    _loop: weakref.ref[asyncio.AbstractEventLoop] | None = PrivateAttr(default=None)  # of `async_client`

    def __init__(
        self,
        model: str = "",
        *,
        client: Any = None,
        async_client: Any = None,
        parser: ParserArguments | None = None,
        **fields: Any,
    ) -> None:
        try:
            super().__init__(model=model, parser={} if parser is None else parser, **fields)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            why = first["msg"].removeprefix("Value error, ")
            if name == "api_key":  # it is shown nowhere, also not as the cause
                raise ConfigurationError(f"{name} is not valid: {why}", field=name) from None
            message = f"{name}={first['input']!r} is not valid: {why}"
            raise ConfigurationError(message, field=name, value=first["input"]) from error
        kinds = self._package.Client, self._package.AsyncClient
        self._client, self._async_client = clients_of(client, async_client, kinds, self.client_methods)
        self._handed_in = (self._client is not None, self._async_client is not None)

    @field_validator("model")
    @classmethod
    def _is_named(cls, model: str) -> str:
        if not model.strip():
            raise ValueError("must not be empty")
        return model

    @field_validator("additional_kwargs", "parser")
    @classmethod
    def _stays(cls, given: dict[str, Any]) -> dict[str, Any]:
        return Frozen(given)

    @field_validator("parser")
    @classmethod
    def _is_for_parsers(cls, given: dict[str, Any]) -> dict[str, Any]:
        check_parsing(given)
        return given

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be a URL such as http://localhost:11434")
        _ = parts.port  # raises a ValueError if it is not a number
        return url

    @property
    def metadata(self) -> Metadata:
        """What is known about the model."""
        known: dict[str, Any] = {} if self.context_window is None else {"context_window": self.context_window}
        return Metadata(model_name=self.model, is_chat_model=True, is_function_calling_model=True, **known)

    # -- clients -------------------------------------------------------------------------------------------------------

    @property
    def client(self) -> Any:
        """The client. It is created at its first use, and kept.

        Raises:
            ClientError: it cannot be created; the cause says why.
        """
        if self._client is None:
            self._client = self._made(self._package.Client)
        return self._client

    @property
    def async_client(self) -> Any:
        """The asynchronous client: as `client`, but each event loop gets its own, as connections belong to a loop."""
        loop = loop_here()
        strange = loop is not None and self._loop is not None and self._loop() is not loop
        if self._async_client is None or (strange and not self._handed_in[1]):
            self._async_client = self._made(self._package.AsyncClient)
            self._loop = None
        if loop is not None:
            self._loop = weakref.ref(loop)
        return self._async_client

    def _made(self, kind: Any) -> Any:
        try:
            return self._new_client(kind)
        except Exception as error:
            message = f"cannot create a client for base_url={self.base_url!r}: {error}"
            raise ClientError(message, base_url=self.base_url) from error

    def close(self) -> None:
        """Close the plain client's connections; the next use creates a new client. Your own client stays open."""
        if self._client is not None and not self._handed_in[0]:
            self._closing(self._client).close()
            self._client = None

    async def aclose(self) -> None:
        """The same for the asynchronous client."""
        if self._async_client is not None and not self._handed_in[1]:
            await self._closing(self._async_client).aclose()
            self._async_client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- messages ------------------------------------------------------------------------------------------------------

    def _extend_messages(self, messages: Messages) -> MessageList:
        found = MessageList.of(messages)
        first = (found[0].role, found[0].content) if found else None
        if not self.system_prompt or first == (Role.SYSTEM, self.system_prompt):
            return found  # there is nothing to add, or it has been added already
        return with_system(self.system_prompt, found)

    def _sampling(self) -> dict[str, float]:
        return {} if self.temperature is None else {"temperature": self.temperature}

    # -- what depends on the server ------------------------------------------------------------------------------------

    @abc.abstractmethod
    def _new_client(self, kind: Any) -> Any:
        """A client of that class."""

    def _closing(self, client: Any) -> Any:
        """The part of a client that is closed."""
        return client

    async def _prepare(self, tools: Schemas, *, is_async: bool) -> None:
        """Ask the server for whatever a request with these tools needs."""

    @abc.abstractmethod
    def _start(self, messages: Messages, tools: Schemas, kwargs: dict[str, Any]) -> tuple[dict[str, Any], Reading]:
        """The request, and the reader of its answer."""

    @abc.abstractmethod
    async def _sent(self, request: dict[str, Any], *, stream: bool, is_async: bool) -> Any:
        """The whole answer to a request; with `stream`, its chunks: an iterable, or an asynchronous one."""

    async def _tried(self, info: RequestInfo, work: Callable[[], Awaitable[Any]], *, is_async: bool) -> Any:
        """What the work returns, at the attempt that succeeds."""
        found: Any = None
        async for attempt in steps_of(self.retry.retrying(is_async=is_async)):
            with attempt:
                info.attempts = attempt.retry_state.attempt_number
                found = await work()
        return found

    def _request_info(self, operation: str = "chat") -> RequestInfo:
        return RequestInfo(operation, self.model, self.base_url)

    # -- chats ---------------------------------------------------------------------------------------------------------

    @overload
    def chat(
        self, messages: Messages, *, stream: Literal[False] = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse: ...
    @overload
    def chat(
        self, messages: Messages, *, stream: Literal[True], tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> Iterator[ChatResponse]: ...
    @overload
    def chat(
        self, messages: Messages, *, stream: bool, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse | Iterator[ChatResponse]: ...
    def chat(
        self, messages: Messages, *, stream: bool = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse | Iterator[ChatResponse]:
        """Answer messages.

        Args:
            messages: a text, a message, or several.
            stream: answer step by step: an iterator of responses, each with the whole answer so far.
            tools: what the model may call: `CallableTool`s, functions, pydantic classes, or tool dicts.
            kwargs: further fields of the request (see the class); `single_call`: keep only the first call.

        Returns:
            A `ChatResponse`, or an iterator of them.

        Raises:
            ToolSchemaError: a tool has no schema; nothing was sent.
            MessageError: a message cannot be written for this server.
            ClientError: the client could not be created.
            RequestTimeoutError, RequestConnectionError, ServerError: after the attempts of `retry`.
            StreamInterruptedError: the stream broke; `partial` is the last response.
        """
        if stream:
            return self.stream_chat(messages, tools=tools, **kwargs)
        return at_once(self._whole(messages, _schemas(tools), kwargs, is_async=False))

    @overload
    async def achat(
        self, messages: Messages, *, stream: Literal[False] = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse: ...
    @overload
    async def achat(
        self, messages: Messages, *, stream: Literal[True], tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> AsyncSteps[ChatResponse]: ...
    @overload
    async def achat(
        self, messages: Messages, *, stream: bool, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse | AsyncSteps[ChatResponse]: ...
    async def achat(
        self, messages: Messages, *, stream: bool = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> ChatResponse | AsyncSteps[ChatResponse]:
        """Answer messages, asynchronously: see `chat`."""
        if stream:
            return self.astream_chat(messages, tools=tools, **kwargs)
        return await self._whole(messages, _schemas(tools), kwargs, is_async=True)

    async def _whole(
        self, messages: Messages, tools: Schemas, kwargs: dict[str, Any], *, is_async: bool
    ) -> ChatResponse:
        await self._prepare(tools, is_async=is_async)
        request, reading = self._start(messages, tools, kwargs)
        with converting_errors(self._request_info()) as info:
            raw = await self._tried(
                info, partial(self._sent, request, stream=False, is_async=is_async), is_async=is_async
            )
        return reading.whole(raw)

    def stream_chat(
        self, messages: Messages, *, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> Iterator[ChatResponse]:
        """Answer messages, step by step: see `chat`. Tools and messages are checked when it is called."""
        schemas = _schemas(tools)
        at_once(self._prepare(schemas, is_async=False))
        return plainly(self._streamed(*self._start(messages, schemas, kwargs), is_async=False))

    def astream_chat(
        self, messages: Messages, *, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> AsyncSteps[ChatResponse]:
        """Answer messages, step by step and asynchronously: see `chat`. It may be awaited first.

        Tools are checked when it is called.
        """
        return AsyncSteps(self._prepared(messages, _schemas(tools), kwargs))

    async def _prepared(
        self, messages: Messages, tools: Schemas, kwargs: dict[str, Any]
    ) -> AsyncIterator[ChatResponse]:
        await self._prepare(tools, is_async=True)
        async with aclosing(self._streamed(*self._start(messages, tools, kwargs), is_async=True)) as responses:
            async for response in responses:
                yield response

    async def _streamed(
        self, request: dict[str, Any], reading: Reading, *, is_async: bool
    ) -> AsyncGenerator[ChatResponse]:
        async def begun() -> tuple[AsyncGenerator[Any], Any]:
            stream = steps_of(await self._sent(request, stream=True, is_async=is_async))
            return stream, await anext(stream, None)

        with converting_errors(self._request_info()) as info:
            stream, chunk = await self._tried(info, begun, is_async=is_async)
        async with aclosing(stream):
            while chunk is not None:
                for response in reading.step(chunk):
                    yield response
                with converting_errors(info, reading):
                    chunk = await anext(stream, None)
            for response in reading.end():
                yield response

    force_single_tool_call = staticmethod(force_single_tool_call)


def _schemas(tools: Sequence[Any] | None) -> Schemas:
    return [schema_of(tool) for tool in tools or ()]


# -- what cannot be changed --------------------------------------------------------------------------------------------


class Frozen(dict[str, Any]):
    """A read-only dict; the dicts in it are read-only too."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__((key, _frozen(value)) for key, value in given.items())

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the fields of a model are frozen: make a copy with model_copy(update=...)")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> Any:
        return Frozen, (dict(self),)

    def __copy__(self) -> Frozen:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Frozen:
        return self


def _frozen(value: Any) -> Any:
    return Frozen(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
