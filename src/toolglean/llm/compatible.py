# What this file knows: how a chat becomes a request to a server with OpenAI's chat API, how httpx sends it, and in
# which field each server accepts a grammar for calls.
# toolglean.conversation writes messages in the wire format and reads the events of the answer, and served.py has the
# four forms of a chat.
#
#   server        the grammar goes into                   the tools
#   "vllm"        response_format, as a structural tag    in the request, with tool_choice "none": for any other choice
#   "sglang"      the same                                the server makes a grammar of its own
#   "llama.cpp"   grammar, as GBNF                        in the messages: the server rejects a grammar with tools
#
# The answer is then text, and is read with the same format. docs/how-to/grammar-*.md give the sources for this.
"""Any server with OpenAI's chat API as a language model that calls functions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from json import JSONDecodeError
from typing import Any, ClassVar, Literal, TypeAlias

import httpx
from pydantic import BaseModel, Field, SecretStr, field_validator

from toolglean.clients.at_once import settled, steps_of
from toolglean.clients.parts import END_OF_EVENT, Parts
from toolglean.conversation import OpenAIChunkWrapper, OpenAIHistoryConverter
from toolglean.conversation.fields import field
from toolglean.conversation.reading.arguments import says_format
from toolglean.conversation.reading.chat_events import ChatEvents
from toolglean.conversation.told import described, with_one_system_message
from toolglean.errors import ToolgleanError
from toolglean.formats.registry import format_of_model
from toolglean.formats.spec import Format
from toolglean.grammar import grammar_of
from toolglean.llm.answers import Reading
from toolglean.llm.base import Messages
from toolglean.llm.errors import ConfigurationError
from toolglean.llm.faults import chunk_of, refusal
from toolglean.llm.replay import AsyncReplayClient, ReplayClient
from toolglean.llm.served import Frozen, Schemas, Served
from toolglean.llm.types import MessageList, with_system
from toolglean.options import with_defaults
from toolglean.parser import Parser, ParserArguments

__all__ = ["OpenAICompatible"]

FACTS = ("id", "model", "created", "usage", "system_fingerprint")
"""The fields of a chunk that describe the answer."""
OK = 200
MOST_BEGUN = 4096
"""Bytes of an answer that are kept, to say what it is if it is no stream of events."""
JSON_MODE = {"type": "json_object"}
Server: TypeAlias = Literal["vllm", "sglang", "llama.cpp"]
REPLACED = ("tool_choice", "parallel_tool_calls")
"""Fields of a request that the grammar replaces."""


class OpenAICompatible(Served):
    """A model on a server with OpenAI's chat API: vLLM, SGLang, llama.cpp, LM Studio, OpenAI itself. Its fields are
    frozen; no connection is made before the first request.

    Attributes:
        model: the model's name, as the server knows it.
        base_url: the API's URL, with its version: http://localhost:8000/v1.
        api_key: sent as a bearer token; None: no key. It is never printed.
        timeout: seconds to wait for the server.
        temperature: between 0 and 2; None: it is not sent, so the server's setting holds.
        context_window: the largest number of tokens in the model's context, for `metadata`; it is not sent.
        json_mode: whether the model must write JSON and nothing else.
        response_format: the required form of an answer: a pydantic class, whose schema is sent to the server, or a dict
            in the form of the API; None: any form.
        grammar: constrain the server to the grammar of the model's format, and the arguments of calls to the tools'
            schemas: "vllm", "sglang" or "llama.cpp", depending on the server; None: no constraint. The format is the
            one given in `parser`, or that of `model`.
        grammar_options: further arguments of `toolglean.grammar.grammar_of` (`reasoning`, `strict`).
        additional_kwargs: further fields of every request (`top_p`, `seed`, `max_tokens`, …). It is read-only.
        system_prompt: sent before the messages of every chat; "" for none.
        tools_in: "server": tools go into the request; "prompt": a system message describes them, for servers that do
            not support tools. llama.cpp's server does not accept a grammar together with tools, so with a grammar they
            are always in the prompt.
        parser: arguments of `toolglean.Parser` for calls that the model leaks into its text. If none of them gives the
            format of calls, it is detected.
        retry: when a failed request is sent again.
        client, async_client: an `httpx.Client` and an `httpx.AsyncClient` to use; None: created when first needed.
            A `ReplayClient` or an `AsyncReplayClient` replays turns, for the asynchronous methods and the others.

    In a chat, further arguments are fields of the request: `tool_choice`, `max_tokens`, `response_format`, ….

    Raises:
        ConfigurationError: a field is wrong; it names the field and its value.
    """

    base_url: str = "http://localhost:8000/v1"
    api_key: SecretStr | None = None
    temperature: float | None = Field(default=0.75, ge=0.0, le=2.0)
    response_format: Any = None
    grammar: Server | None = None
    grammar_options: dict[str, Any] = Field(default_factory=dict)
    tools_in: Literal["server", "prompt"] = "server"

    def __init__(
        self,
        model: str = "",
        *,
        client: httpx.Client | ReplayClient | None = None,
        async_client: httpx.AsyncClient | AsyncReplayClient | None = None,
        parser: ParserArguments | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(model, client=client, async_client=async_client, parser=parser, **fields)
        if self.grammar is not None:
            self._format()  # an error is raised here, not at the first chat

    @field_validator("grammar_options")
    @classmethod
    def _is_of_grammars(cls, given: dict[str, Any]) -> dict[str, Any]:
        wrong = sorted(given.keys() - {"reasoning", "strict"})
        if wrong:
            raise ValueError(f"{wrong[0]!r} is unknown: pass 'reasoning' or 'strict'")
        return Frozen(given)

    @field_validator("api_key")
    @classmethod
    def _is_of_a_header(cls, given: SecretStr | None) -> SecretStr | None:
        if given is not None and not given.get_secret_value().isprintable():
            raise ValueError("it contains a line break or another control character: strip what was read from a file")
        return given

    @field_validator("response_format")
    @classmethod
    def _is_format(cls, given: Any) -> Any:
        _response_format(given)
        return given

    # -- clients -------------------------------------------------------------------------------------------------------

    client_methods = ("build_request", "send")
    _package: ClassVar[Any] = httpx

    def _new_client(self, kind: Any) -> Any:
        return kind(timeout=self.timeout)

    async def _posted(self, request: dict[str, Any], *, is_async: bool, **more: Any) -> Any:
        client = self.async_client if is_async else self.client
        headers = {} if self.api_key is None else {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        built = client.build_request("POST", url, json=request, headers=headers)
        return await settled(client.send(built, **more))

    async def _sent(self, request: dict[str, Any], *, stream: bool, is_async: bool) -> Any:
        if stream:
            asked = request | {"stream": True, "stream_options": {"include_usage": True}}
            return self._read(asked, is_async=is_async)
        response = await self._posted(request, is_async=is_async)
        if response.status_code != OK:
            raise refusal(response.status_code, response.text)
        found = response.json()
        if isinstance(found, dict) and found.get("error"):
            raise refusal(-1, response.text)
        return found

    async def _read(self, request: dict[str, Any], *, is_async: bool) -> AsyncIterator[Any]:
        response = await self._posted(request, is_async=is_async, stream=True)
        try:
            if response.status_code != OK:
                await settled(response.aread() if is_async else response.read())
                raise refusal(response.status_code, response.text)
            parts, begun = Parts(END_OF_EVENT), b""
            async for data in steps_of(response.aiter_bytes() if is_async else response.iter_bytes()):
                begun = begun if len(begun) > MOST_BEGUN else begun + data
                for chunk in map(chunk_of, parts.feed(data)):
                    if chunk is not None:
                        yield chunk
            with suppress(JSONDecodeError):  # the last event may lack its empty line, or be cut off
                if (chunk := chunk_of(bytes(parts.left))) is not None:
                    yield chunk
            is_stream = "event-stream" in response.headers.get("content-type", "")
            if not is_stream and b"data:" not in begun:  # it says why, or does not know `stream`
                raise refusal(response.status_code, begun.decode(errors="replace"))
        finally:
            await settled(response.aclose() if is_async else response.close())

    # -- requests ------------------------------------------------------------------------------------------------------

    def _start(self, messages: Messages, tools: Schemas, kwargs: dict[str, Any]) -> tuple[dict[str, Any], Reading]:
        single = bool(kwargs.pop("single_call", False))
        kwargs.pop("stream", None)
        request = self._request(self._extend_messages(messages), tools, kwargs, single=single)
        known = {} if self.grammar is None or says_format(self.parser) else {"format": self._format()}
        # The orchestrators answer a call to an unknown tool with an error, from which the model can learn.
        parsing = with_defaults({**self.parser, **known}, unknown_tools="call") if tools else None
        return request, Reading(ChatEvents(tools, parsing), _facts, single_call=single)

    def _known_format(self) -> Format | None:
        """The format in which the model writes its calls; None if it is not known."""
        return Parser(None, **self.parser).format if says_format(self.parser) else format_of_model(self.model)

    def _format(self) -> Format:
        found = self._known_format()
        if found is None:
            message = (
                f"grammar={self.grammar!r} needs the format in which {self.model!r} writes its calls, but it is not "
                "known: pass parser={'format': ...}"
            )
            raise ConfigurationError(message, field="grammar", value=self.grammar)
        return found

    def _constrained(self, tools: Schemas, fields: dict[str, Any], form: Any, *, single: bool) -> dict[str, Any]:
        # The fields, with a grammar of calls in them.
        choice = fields.get("tool_choice")
        if self.grammar is None or not tools or choice == "none":
            return fields
        if form is not None:
            setting = "json_mode" if form == JSON_MODE else f"response_format={form!r:.80}"
            message = f"{setting} and grammar={self.grammar!r} exclude each other in a chat with tools: leave one out"
            raise ConfigurationError(message, field="response_format", value=form)
        functions, declared = [each["function"] for each in tools], self._format()
        parallel = not single and fields.get("parallel_tool_calls") is not False
        try:
            grammar = grammar_of(declared, functions, choice=_choice(choice), parallel=parallel, **self.grammar_options)
        except ToolgleanError as error:
            message = f"grammar={self.grammar!r}: {error}"
            raise ConfigurationError(message, field="grammar", value=self.grammar) from error
        rest = {name: value for name, value in fields.items() if name not in REPLACED}
        if self.grammar == "llama.cpp":
            return {**rest, "grammar": grammar.gbnf()}
        tag = grammar.structural_tag()
        return {**rest, "response_format": tag, "tool_choice": "none", "skip_special_tokens": False}

    def _request(
        self, messages: MessageList, tools: Schemas, kwargs: Mapping[str, Any], *, single: bool
    ) -> dict[str, Any]:
        fields = {**self._sampling(), **self.additional_kwargs, **kwargs}
        form = _response_format(fields.pop("response_format", self.response_format))
        if form is None and self.json_mode:
            form = JSON_MODE
        if form is not None:
            fields["response_format"] = form
        fields = self._constrained(tools, fields, form, single=single)
        if tools and (self.tools_in == "prompt" or self.grammar == "llama.cpp"):
            told = described((tool["function"] for tool in tools), self._known_format())
            messages = with_system(told, messages)
            fields.pop("tool_choice", None)
        elif tools:
            fields["tools"] = tools
        else:
            fields.pop("tool_choice", None)  # servers reject it without tools
        return {
            "model": self.model,
            "messages": with_one_system_message(OpenAIHistoryConverter().from_history(messages.to_history())),
            **fields,
        }


def _response_format(given: Any) -> dict[str, Any] | None:
    if given is None or isinstance(given, dict):
        return given
    if isinstance(given, type) and issubclass(given, BaseModel):
        schema = {"name": given.__name__, "schema": given.model_json_schema()}
        return {"type": "json_schema", "json_schema": schema}
    message = f"response_format={given!r:.80} is not valid: pass a pydantic class, or a dict in the form of the API"
    raise ConfigurationError(message, field="response_format", value=given)


def _facts(chunk: Any) -> dict[str, Any]:
    found = {name: value for name in FACTS if (value := field(chunk, name)) is not None}
    reason = OpenAIChunkWrapper(chunk).finish_reason
    return found | ({"done_reason": reason} if reason else {})


# -- grammars ----------------------------------------------------------------------------------------------------------


def _choice(given: Any) -> str:
    if given is None or given == "any":  # Mistral's name for "required"
        return "auto" if given is None else "required"
    name = field(field(given, "function") or given, "name")
    return name if isinstance(name, str) else str(given)
