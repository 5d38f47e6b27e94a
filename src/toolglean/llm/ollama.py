# What this file knows: how a chat becomes a request to Ollama, and how its chunks become responses.
# toolglean.clients.ollama finds calls in text, toolglean.conversation writes messages in the wire format, the ollama
# package connects to the server, and served.py has the four forms of a chat.
"""Ollama as a language model that calls functions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import ollama
from pydantic import Field, PrivateAttr

from toolglean.clients.at_once import settled
from toolglean.clients.ollama import AsyncOllamaClient, EventReader, OllamaClient
from toolglean.clients.ollama.requests import keeping
from toolglean.conversation import OllamaHistoryConverter
from toolglean.conversation.fields import field
from toolglean.conversation.told import described, with_one_system_message
from toolglean.events import Event
from toolglean.llm.answers import Reading
from toolglean.llm.base import Messages
from toolglean.llm.faults import converting_errors
from toolglean.llm.served import Schemas, Served
from toolglean.llm.types import MessageList, with_system
from toolglean.options import with_defaults
from toolglean.parser import ParserArguments

__all__ = ["Ollama"]

log = logging.getLogger("toolglean.llm")

REQUEST_FIELDS = ("format", "keep_alive", "think", "logprobs", "top_logprobs")
"""The fields of a request besides `options`."""
FACTS = (
    "model", "created_at", "done", "done_reason", "total_duration", "load_duration",
    "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
)  # fmt: skip
"""The fields that describe a response."""


class Ollama(Served):
    """A model served by Ollama. Its fields are frozen; no connection is made before the first request.

    Attributes:
        model: the model's name, such as `qwen3:8b`.
        base_url: the server's URL.
        timeout: seconds to wait for the server.
        temperature: between 0 and 1; None: it is not sent, so the server's setting holds.
        context_window: the largest number of tokens in the model's context; None: the server's setting.
        json_mode: whether the model must write JSON and nothing else.
        additional_kwargs: further options of the model (`top_p`, `seed`, …); `max_tokens` is sent under Ollama's name
            for it, `num_predict`. It is read-only.
        keep_alive: how long the server keeps the model loaded.
        system_prompt: sent before the messages of every chat; "" for none.
        tools_in: "server": tools go into the request; "prompt": a system message describes them, for models whose
            template does not support tools; "auto": the server is asked once which applies (`show`).
        parser: arguments of `toolglean.Parser` for calls that the model leaks into its text (`format`, …). If none of
            them gives the format of calls, the server is asked for the model's template. Calls in JSON after other text
            are read at the end of the turn, unless you pass `{"options": ParserOptions(trailing_json="content")}`.
        retry: when a failed request is sent again.
        client, async_client: an `ollama.Client` and an `ollama.AsyncClient` to use; None: created when first needed.
            A `ReplayClient` or an `AsyncReplayClient` replays turns, for the asynchronous methods and the others.

    Raises:
        ConfigurationError: a field is wrong; it names the field and its value.
    """

    base_url: str = "http://localhost:11434"
    temperature: float | None = Field(default=0.75, ge=0.0, le=1.0)
    keep_alive: float | str | None = None
    tools_in: Literal["auto", "server", "prompt"] = "auto"

    _options: dict[str, Any] | None = PrivateAttr(default=None)  # options of the parser
    _in_prompt: bool | None = PrivateAttr(default=None)
    _settled: bool = PrivateAttr(default=False)  # whether these two are final

    def __init__(
        self,
        model: str = "",
        *,
        client: ollama.Client | None = None,
        async_client: ollama.AsyncClient | None = None,
        parser: ParserArguments | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(model, client=client, async_client=async_client, parser=parser, **fields)

    # -- clients -------------------------------------------------------------------------------------------------------

    client_methods = ("chat",)
    _package: ClassVar[Any] = ollama

    def _new_client(self, kind: Any) -> Any:
        return kind(host=self.base_url, timeout=self.timeout)

    def _closing(self, client: Any) -> Any:
        return client._client

    async def _sent(self, request: dict[str, Any], *, stream: bool, is_async: bool) -> Any:
        client = self.async_client if is_async else self.client
        return await settled(keeping(client, request["messages"]).chat(**request, stream=stream))

    # -- requests ------------------------------------------------------------------------------------------------------

    def _request(self, messages: MessageList, tools: Schemas, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: kwargs[name] for name in REQUEST_FIELDS if name in kwargs}
        options = {name: value for name, value in kwargs.items() if name not in {*REQUEST_FIELDS, "options"}}
        given: Mapping[str, Any] = kwargs.get("options") or {}
        window = {} if self.context_window is None else {"num_ctx": self.context_window}
        all_options = {**self._sampling(), **window, **self.additional_kwargs, **given, **options}
        if tools and self._in_prompt:
            messages = with_system(described((tool["function"] for tool in tools), None), messages)
        request: dict[str, Any] = {
            "model": self.model,
            "messages": with_one_system_message(OllamaHistoryConverter().from_history(messages.to_history())),
            "options": _with_its_names(all_options),
        }
        if self.json_mode:
            request["format"] = "json"
        if tools and not self._in_prompt:
            request["tools"] = tools
        if self.keep_alive is not None:
            request["keep_alive"] = self.keep_alive
        return request | own

    async def _prepare(self, tools: Schemas, *, is_async: bool) -> None:
        # Ask the server once for the template, and whether that supports tools.
        if not tools or self._settled:
            return
        kind: Any = AsyncOllamaClient if is_async else OllamaClient
        client = kind(self.async_client if is_async else self.client, **self.parser)

        async def asked() -> Any:
            self._options = dict(await settled(client.parser_arguments(self.model)))
            return await settled(client.shown(self.model)) if self.tools_in == "auto" else None

        with converting_errors(self._request_info("show")) as info:
            shown = await self._tried(info, asked, is_async=is_async)
        self._in_prompt, self._settled = self._must_prompt(shown), client.knows(self.model)

    def _must_prompt(self, shown: Any) -> bool:
        if self.tools_in != "auto":
            return self.tools_in == "prompt"
        capabilities = field(shown, "capabilities")
        return isinstance(capabilities, list | tuple) and bool(capabilities) and "tools" not in capabilities

    def _start(self, messages: Messages, tools: Schemas, kwargs: dict[str, Any]) -> tuple[dict[str, Any], Reading]:
        single = bool(kwargs.pop("single_call", False))
        kwargs.pop("tool_choice", None)  # Ollama's API does not have it
        kwargs.pop("stream", None)
        request = self._request(self._extend_messages(messages), tools, kwargs)
        # The orchestrators answer a call to an unknown tool with an error, from which the model can learn.
        parsing = with_defaults(self._options or {}, unknown_tools="call") if tools else None
        return request, Reading(_Events(tools, parsing), _facts, single_call=single)


class _Events(EventReader):
    """Warns of fields of the wrong type, which are ignored."""

    def read(self, chunk: Any) -> list[Event]:
        message = field(chunk, "message")
        content, calls = field(message, "content"), field(message, "tool_calls")
        if not isinstance(message, Mapping) and not hasattr(message, "content"):
            log.warning("a response of Ollama has no message: %.200r", chunk)
        elif not isinstance(content, str | None):
            log.warning("the content of Ollama's response is not text: %.200r", content)
        elif not isinstance(calls, list | tuple | None):
            log.warning("the calls of Ollama's response are not a list: %.200r", calls)
        elif any(not isinstance(field(field(call, "function"), "name"), str) for call in calls or ()):
            log.warning("a call of Ollama's response does not name a tool: %.200r", calls)
        return super().read(chunk)


def _with_its_names(options: dict[str, Any]) -> dict[str, Any]:
    # Ollama's name for `max_tokens` is `num_predict`, and it ignores unknown options.
    most = options.pop("max_tokens", None)
    return options if most is None else {"num_predict": most, **options}


def _facts(chunk: Any) -> dict[str, Any]:
    return {name: value for name in FACTS if (value := field(chunk, name)) is not None}
