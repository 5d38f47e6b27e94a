# What this file knows: how a chat becomes a request to Ollama, and its chunks responses.
# What it must not know: how calls are found in text (toolglean.clients.ollama), how messages are written on the wire
# (toolglean.messages), how the server is reached (the ollama package).
#
# There is one core: chunks of the server go through an `EventReader`, its events through an `Answer`, and each step is
# a response. The four forms (whole or in steps, plain or asynchronous) are thin loops around it; a whole answer is a
# stream of one chunk. Without tools, text is text.
"""Ollama as a language model that calls functions."""

from __future__ import annotations

import asyncio
import json
import logging
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import ollama
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from toolglean.clients.ollama import AsyncOllamaClient, EventReader, OllamaClient
from toolglean.clients.ollama_ids import keeping
from toolglean.clients.streams import aclose, close
from toolglean.clients.turns import ServerTurn
from toolglean.events import Content, Event, Reasoning
from toolglean.llm.answers import Answer
from toolglean.llm.base import FunctionCallingLLM, Messages, force_single_tool_call
from toolglean.llm.errors import ClientError, ConfigurationError, ToolSchemaError
from toolglean.llm.faults import Asked, interrupted, wrapped
from toolglean.llm.retries import RetryPolicy
from toolglean.llm.steps import AsyncSteps
from toolglean.llm.tools import callable_tool
from toolglean.llm.types import ChatResponse, Message, MessageList, Metadata, Role
from toolglean.messages import OllamaHistoryConverter
from toolglean.messages.wire import field

__all__ = ["Ollama"]

log = logging.getLogger("toolglean.llm")

REQUEST_FIELDS = ("format", "keep_alive", "think", "logprobs", "top_logprobs")
"""What goes into a request beside `options`."""
FACTS = (
    "model", "created_at", "done", "done_reason", "total_duration", "load_duration",
    "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
)  # fmt: skip
"""What a response tells of itself."""

PROMPT = """You may call these functions:

{tools}

To call one, write this and nothing behind it, once for each call:

<tool_call>
{{"name": "the function's name", "arguments": {{"a parameter": "its value"}}}}
</tool_call>"""
"""What a model is told of the tools whose template has no place for them."""


class Ollama(BaseModel, FunctionCallingLLM):
    """A model behind Ollama. Its fields are frozen; no connection is made before the first request.

    Attributes:
        model: the model's name, such as `qwen3:8b`.
        base_url: the server's URL.
        timeout: seconds to wait for the server.
        temperature: between 0 and 1.
        context_window: how many tokens the model can see; None: the server's setting.
        json_mode: whether the model must write JSON and nothing else.
        additional_kwargs: further options of the model (`top_p`, `seed`, …); `max_tokens` is sent as `num_predict`, the
            name that Ollama knows. It cannot be changed.
        keep_alive: how long the server keeps the model loaded.
        system_prompt: sent before the messages of every chat; "" for none.
        tools_in: "server": tools go into the request; "prompt": a system message describes them, for models whose
            template has no place for them; "auto": the server is asked once which applies (`show`).
        parser: arguments of `toolglean.Parser` for calls that the model leaks into its text (`format`, …). If none of
            them tells how calls are written, the server is asked for the model's template.
        retry: when a request is tried again.

    Raises:
        ConfigurationError: a field is wrong; it names the field and its value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    model: str = Field(min_length=1)
    base_url: str = "http://localhost:11434"
    timeout: float = Field(default=60.0, gt=0)
    temperature: float = Field(default=0.75, ge=0.0, le=1.0)
    context_window: int | None = Field(default=None, gt=0)
    json_mode: bool = False
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    keep_alive: float | str | None = None
    system_prompt: str = ""
    tools_in: Literal["auto", "server", "prompt"] = "auto"
    parser: dict[str, Any] = Field(default_factory=dict)
    retry: RetryPolicy = Field(default_factory=RetryPolicy)

    _client: ollama.Client | None = PrivateAttr(default=None)
    _async_client: ollama.AsyncClient | None = PrivateAttr(default=None)
    _handed_in: tuple[bool, bool] = PrivateAttr(default=(False, False))
    _loop: weakref.ref[asyncio.AbstractEventLoop] | None = PrivateAttr(default=None)  # of the asynchronous client
    _options: dict[str, Any] | None = PrivateAttr(default=None)  # of the parser
    _in_prompt: bool | None = PrivateAttr(default=None)
    _settled: bool = PrivateAttr(default=False)  # whether these two are known for good

    def __init__(
        self,
        model: str = "",
        *,
        client: ollama.Client | None = None,
        async_client: ollama.AsyncClient | None = None,
        **fields: Any,
    ) -> None:
        try:
            super().__init__(model=model, **fields)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            message = f"{name}: {first['msg']} (given: {first['input']!r})"
            raise ConfigurationError(message, field=name, value=first["input"]) from error
        self._client, self._async_client = client, async_client
        self._handed_in = (client is not None, async_client is not None)

    @field_validator("model")
    @classmethod
    def _is_named(cls, model: str) -> str:
        if not model.strip():
            raise ValueError("must not be empty")
        return model

    @field_validator("additional_kwargs", "parser")
    @classmethod
    def _stays(cls, given: dict[str, Any]) -> dict[str, Any]:
        return _Frozen(given)

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be a URL such as http://localhost:11434")
        _ = parts.port  # a ValueError where it is not a number
        return url

    @property
    def metadata(self) -> Metadata:
        """What is known about the model."""
        known: dict[str, Any] = {} if self.context_window is None else {"context_window": self.context_window}
        return Metadata(model_name=self.model, is_chat_model=True, is_function_calling_model=True, **known)

    # -- clients -------------------------------------------------------------------------------------------------------

    @property
    def client(self) -> ollama.Client:
        """The client: made at its first use, the same ever after.

        Raises:
            ClientError: it cannot be made; the cause says why.
        """
        if self._client is None:
            self._client = self._made(ollama.Client)
        return self._client

    @property
    def async_client(self) -> ollama.AsyncClient:
        """The asynchronous client: as `client`; but each event loop gets its own, as connections belong to it."""
        loop = _running_loop()
        strange = loop is not None and self._loop is not None and self._loop() is not loop
        if self._async_client is None or (strange and not self._handed_in[1]):
            self._async_client = self._made(ollama.AsyncClient)
            self._loop = None
        if loop is not None:
            self._loop = weakref.ref(loop)
        return self._async_client

    def _made(self, kind: Any) -> Any:
        try:
            return kind(host=self.base_url, timeout=self.timeout)
        except Exception as error:
            raise ClientError(f"no client for {self.base_url!r}: {error}", base_url=self.base_url) from error

    def close(self) -> None:
        """Close the plain client's connections; the next use makes a new client. One that was handed in stays open."""
        if self._client is not None and not self._handed_in[0]:
            self._client._client.close()
            self._client = None

    async def aclose(self) -> None:
        """The same for the asynchronous client."""
        if self._async_client is not None and not self._handed_in[1]:
            await self._async_client._client.aclose()
            self._async_client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- requests ------------------------------------------------------------------------------------------------------

    def _extend_messages(self, messages: Messages) -> MessageList:
        found = MessageList.of(messages)
        if not self.system_prompt or (found and _says(found[0], Role.SYSTEM, self.system_prompt)):
            return found  # nothing to add, or it is there already
        return MessageList([Message.from_str(self.system_prompt, Role.SYSTEM), *found])

    def _request(self, messages: MessageList, tools: list[dict[str, Any]], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: kwargs[name] for name in REQUEST_FIELDS if name in kwargs}
        options = {name: value for name, value in kwargs.items() if name not in {*REQUEST_FIELDS, "options"}}
        given: Mapping[str, Any] = kwargs.get("options") or {}
        all_options = {"temperature": self.temperature, **self._window, **self.additional_kwargs, **given, **options}
        if tools and self._in_prompt:
            told = PROMPT.format(tools="\n".join(json.dumps(tool["function"]) for tool in tools))
            messages = MessageList([Message.from_str(told, Role.SYSTEM), *messages])
        request: dict[str, Any] = {
            "model": self.model,
            "messages": _merged(OllamaHistoryConverter().from_history(messages.to_history())),
            "options": _in_its_words(all_options),
        }
        if self.json_mode:
            request["format"] = "json"
        if tools and not self._in_prompt:
            request["tools"] = tools
        if self.keep_alive is not None:
            request["keep_alive"] = self.keep_alive
        return request | own

    @property
    def _window(self) -> dict[str, Any]:
        return {} if self.context_window is None else {"num_ctx": self.context_window}

    def _asked(self, operation: str = "chat") -> Asked:
        return Asked(operation, self.model, self.base_url)

    def _parser_options(self, tools: Sequence[Any]) -> None:
        # Asked of the server once; what it is asked for is a template, and whether that has a place for tools.
        if tools and not self._settled:
            client = OllamaClient(self.client, **self.parser)
            with wrapped(self._asked("show")) as asked:
                for attempt in self.retry.retrying():
                    with attempt:
                        asked.attempts = attempt.retry_state.attempt_number
                        self._options = client.parser_options(self.model)
                        shown = client.shown(self.model) if self.tools_in == "auto" else None
            self._in_prompt, self._settled = self._must_prompt(shown), client.knows(self.model)

    async def _aparser_options(self, tools: Sequence[Any]) -> None:
        if tools and not self._settled:
            client = AsyncOllamaClient(self.async_client, **self.parser)
            with wrapped(self._asked("show")) as asked:
                async for attempt in self.retry.aretrying():
                    with attempt:
                        asked.attempts = attempt.retry_state.attempt_number
                        self._options = await client.parser_options(self.model)
                        shown = await client.shown(self.model) if self.tools_in == "auto" else None
            self._in_prompt, self._settled = self._must_prompt(shown), client.knows(self.model)

    def _must_prompt(self, shown: Any) -> bool:
        if self.tools_in != "auto":
            return self.tools_in == "prompt"
        capabilities = field(shown, "capabilities")
        return isinstance(capabilities, list | tuple) and bool(capabilities) and "tools" not in capabilities

    def _begun(
        self, messages: Messages, tools: Sequence[Any] | None, kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], _Reading]:
        single = bool(kwargs.pop("single_call", False))
        kwargs.pop("tool_choice", None)  # Ollama's API has none
        kwargs.pop("stream", None)
        schemas = [_schema(tool) for tool in tools or ()]
        request = self._request(self._extend_messages(messages), schemas, kwargs)
        return request, _Reading(schemas, self._options or {}, single=single)

    # -- chats ---------------------------------------------------------------------------------------------------------

    def chat(
        self, messages: Messages, *, stream: bool = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> Any:
        """Answer messages.

        Args:
            messages: a text, a message, or several.
            stream: answer step by step: an iterator of responses, each with all that was said so far.
            tools: what the model may call: `CallableTool`s, functions, pydantic classes, or tool dicts.
            kwargs: `format`, `keep_alive`, `think`, `logprobs`, `top_logprobs`; everything else is an option of the
                model (`temperature`, `seed`, …). `single_call`: only the first call counts.

        Returns:
            A `ChatResponse`, or an iterator of them.

        Raises:
            ToolSchemaError: a tool has no schema; nothing was sent.
            MessageError: a message cannot be written for Ollama.
            ClientError: no client could be made.
            RequestTimeoutError, RequestConnectionError, ServerError: after the attempts of `retry`.
            StreamInterruptedError: the stream broke; `partial` is the last response.
        """
        if stream:
            return self.stream_chat(messages, tools=tools, **kwargs)
        _check(tools)
        self._parser_options(tools or ())
        request, reading = self._begun(messages, tools, kwargs)
        client = keeping(self.client, request["messages"])
        with wrapped(self._asked()) as asked:
            for attempt in self.retry.retrying():
                with attempt:
                    asked.attempts = attempt.retry_state.attempt_number
                    raw = client.chat(**request, stream=False)
        return reading.whole(raw)

    async def achat(
        self, messages: Messages, *, stream: bool = False, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> Any:
        """Answer messages, asynchronously: see `chat`."""
        if stream:
            return self.astream_chat(messages, tools=tools, **kwargs)
        _check(tools)
        await self._aparser_options(tools or ())
        request, reading = self._begun(messages, tools, kwargs)
        client = keeping(self.async_client, request["messages"])
        with wrapped(self._asked()) as asked:
            async for attempt in self.retry.aretrying():
                with attempt:
                    asked.attempts = attempt.retry_state.attempt_number
                    raw = await client.chat(**request, stream=False)
        return reading.whole(raw)

    def stream_chat(
        self, messages: Messages, *, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> Iterator[ChatResponse]:
        """Answer messages, step by step: see `chat`. Tools and messages are checked when it is called."""
        _check(tools)
        self._parser_options(tools or ())
        request, reading = self._begun(messages, tools, kwargs)
        return self._streamed(request, reading)

    def _streamed(self, request: dict[str, Any], reading: _Reading) -> Iterator[ChatResponse]:
        client = keeping(self.client, request["messages"])
        chunk: Any = None
        with wrapped(self._asked()) as asked:
            for attempt in self.retry.retrying():
                with attempt:
                    asked.attempts = attempt.retry_state.attempt_number
                    stream = iter(client.chat(**request, stream=True))
                    chunk = next(stream, None)
        try:
            while chunk is not None:
                yield from reading.step(chunk)
                with interrupted(asked, reading):
                    chunk = next(stream, None)
            yield from reading.end()
        finally:
            close(stream)

    def astream_chat(
        self, messages: Messages, *, tools: Sequence[Any] | None = None, **kwargs: Any
    ) -> AsyncSteps[ChatResponse]:
        """Answer messages, step by step and asynchronously: see `chat`. It can be awaited first.

        Tools are checked when it is called.
        """
        _check(tools)
        return AsyncSteps(self._astreamed(messages, tools, kwargs))

    async def _astreamed(
        self, messages: Messages, tools: Sequence[Any] | None, kwargs: dict[str, Any]
    ) -> AsyncIterator[ChatResponse]:
        await self._aparser_options(tools or ())
        request, reading = self._begun(messages, tools, kwargs)
        client = keeping(self.async_client, request["messages"])
        chunk: Any = None
        with wrapped(self._asked()) as asked:
            async for attempt in self.retry.aretrying():
                with attempt:
                    asked.attempts = attempt.retry_state.attempt_number
                    stream = aiter(await client.chat(**request, stream=True))
                    chunk = await anext(stream, None)
        try:
            while chunk is not None:
                for response in reading.step(chunk):
                    yield response
                with interrupted(asked, reading):
                    chunk = await anext(stream, None)
            for response in reading.end():
                yield response
        finally:
            await aclose(stream)

    # -- tools ---------------------------------------------------------------------------------------------------------

    force_single_tool_call = staticmethod(force_single_tool_call)


class _Reading:
    """The core: chunks in, responses out."""

    def __init__(self, schemas: list[dict[str, Any]], options: dict[str, Any], *, single: bool) -> None:
        self._events = EventReader(schemas, options) if schemas else None
        self._turn: ServerTurn | None = None  # where the server calls tools though none were given
        self._answer = Answer(single_call=single)
        self.last: ChatResponse | None = None

    def whole(self, raw: Any) -> ChatResponse:
        """The response to a request that was not streamed."""
        return self._answer.whole(self._read(raw) + self._finish(), raw, _facts(raw))

    def step(self, chunk: Any) -> list[ChatResponse]:
        """What a chunk adds: one response, or none where all of it waits for more."""
        events = self._read(chunk)
        done = field(chunk, "done") is True
        if done and self._events is not None:
            events = events + self._finish()
            self._events = None
        if not events and not done:
            return []
        self.last = self._answer.add(events, chunk, _facts(chunk))
        return [self.last]

    def end(self) -> list[ChatResponse]:
        """What waited to the end of a stream that had no last chunk."""
        events = self._finish()
        if not events:
            return []
        self.last = self._answer.add(events)
        return [self.last]

    def _read(self, chunk: Any) -> list[Event]:
        _warn_of_odd(chunk)
        if self._events is not None:
            return self._events.read(chunk)
        return _plain(chunk) + self._calls(field(field(chunk, "message"), "tool_calls"))

    def _calls(self, calls: Any) -> list[Event]:
        if not calls or not isinstance(calls, list | tuple):
            return []
        self._turn = self._turn or ServerTurn(None, {})
        functions = [(field(call, "function"), field(call, "id")) for call in calls]
        found = [self._turn.call(field(each, "name"), field(each, "arguments"), own) for each, own in functions]
        return [event for events in found for event in events]

    def _finish(self) -> list[Event]:
        return [] if self._events is None else self._events.finish()


def _in_its_words(options: dict[str, Any]) -> dict[str, Any]:
    # What everybody else calls `max_tokens` is `num_predict` to Ollama, which drops options that it does not know.
    most = options.pop("max_tokens", None)
    return options if most is None else {"num_predict": most, **options}


class _Frozen(dict[str, Any]):
    """A dict that does not change, nor those within it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__((key, _frozen(value)) for key, value in given.items())

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the fields of Ollama are frozen: make a copy with model_copy(update=...)")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> Any:
        return _Frozen, (dict(self),)

    def __copy__(self) -> _Frozen:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> _Frozen:
        return self


def _frozen(value: Any) -> Any:
    return _Frozen(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _says(message: Message, role: Role, text: str) -> bool:
    return message.role == role and message.content == text


def _warn_of_odd(chunk: Any) -> None:
    # What is not as Ollama writes it counts as not there.
    message = field(chunk, "message")
    content, calls = field(message, "content"), field(message, "tool_calls")
    if not isinstance(message, Mapping) and not hasattr(message, "content"):
        log.warning("a response of Ollama has no message: %.200r", chunk)
    elif not isinstance(content, str | None):
        log.warning("the content of Ollama's response is not text: %.200r", content)
    elif not isinstance(calls, list | tuple | None):
        log.warning("the calls of Ollama's response are not a list: %.200r", calls)


def _plain(chunk: Any) -> list[Event]:
    # Without tools, text is text.
    message = field(chunk, "message")
    thinking, text = field(message, "thinking"), field(message, "content")
    found: list[Event] = [Reasoning(thinking, 0)] if isinstance(thinking, str) and thinking else []
    return [*found, Content(text, 0)] if isinstance(text, str) and text else found


def _facts(chunk: Any) -> dict[str, Any]:
    return {name: value for name in FACTS if (value := field(chunk, name)) is not None}


def _merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Several system messages at the beginning are one for most templates.
    heads = [message["content"] for message in messages if message["role"] == "system"]
    begin = next((place for place, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if begin < 2:
        return messages
    return [{"role": "system", "content": "\n\n".join(heads[:begin])}, *messages[begin:]]


def _check(tools: Sequence[Any] | None) -> None:
    for tool in tools or ():
        _schema(tool)


def _schema(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, Mapping) and callable(tool):
        found: dict[str, Any] = callable_tool(tool).metadata.to_openai_tool()
        return found
    if isinstance(tool, Mapping) and isinstance(field(field(tool, "function"), "name"), str):
        return dict(tool)
    raise ToolSchemaError(f"not a tool with a schema: {tool!r:.200}", tool_name=str(field(tool, "name") or ""))
