# What this file knows: what every language model can do in its plain, asynchronous and streaming forms: completions
# built on chats, and tool calls built on chats with tools. What makes a completion of a chat also decorates methods:
# then the object comes before the messages, and before the prompt.
# Does not depend on any server.
"""Language models."""

from __future__ import annotations

import abc
import contextlib
import functools
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from toolglean.llm.again import LastResponse
from toolglean.llm.errors import ConfigurationError, NoToolCallError
from toolglean.llm.outputs import AgentChatResponse, ToolOutput
from toolglean.llm.steps import AsyncSteps
from toolglean.llm.tools import CallableTool, ToolExecutor
from toolglean.llm.types import ChatResponse, CompletionResponse, Message, MessageList, Metadata, ToolCallChunk

__all__ = ["LLM", "FunctionCallingLLM", "Messages", "achat_to_completion", "astream_chat_to_completion"]
__all__ += ["chat_to_completion_decorator", "force_single_tool_call", "stream_chat_to_completion"]

Messages: TypeAlias = str | Message | Iterable[Message]
"""A text (of a user message), one message, or several."""

ToolLike: TypeAlias = "CallableTool | Callable[..., Any] | Mapping[str, Any]"
"""A tool, a function or a pydantic class; also a tool dict, where nothing is run."""

log = logging.getLogger("toolglean.llm")


def force_single_tool_call(response: ChatResponse) -> ChatResponse:
    """Keep the first call of a response and drop the others; everything that is not a call is kept.

    Returns:
        The same response, changed in place.
    """
    calls = response.tool_calls
    if len(calls) > 1:
        first = calls[0]
        log.warning("the model made %d calls, but only one is allowed: keeping the first, %r", len(calls), first.name)
        chunks = response.message.chunks
        response.message.chunks = [each for each in chunks if each is first or not isinstance(each, ToolCallChunk)]
    return response


# -- from chat to completion: a prompt is one user message, and the answer's text is the completion --------------------


def chat_to_completion_decorator(chat: Callable[..., ChatResponse]) -> Callable[..., CompletionResponse]:
    """Make `complete(prompt, **kwargs)` from `chat(messages, **kwargs)`. All of these also decorate methods.

    What is made raises `ConfigurationError` for `stream=True`: a completion in steps is `stream_complete`.
    """

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> CompletionResponse:
        return chat(*_messages(args, _whole(kwargs)), **kwargs).to_completion_response()

    return complete


def stream_chat_to_completion(
    chat: Callable[..., Iterator[ChatResponse]],
) -> Callable[..., Iterator[CompletionResponse]]:
    """Make `stream_complete(prompt, **kwargs)` from `chat`, a `stream_chat(messages, **kwargs)`."""

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> Iterator[CompletionResponse]:
        return (response.to_completion_response() for response in chat(*_messages(args, kwargs), **kwargs))

    return complete


def achat_to_completion(
    chat: Callable[..., Awaitable[ChatResponse]],
) -> Callable[..., Awaitable[CompletionResponse]]:
    """Make `acomplete(prompt, **kwargs)` from `chat`, an `achat(messages, **kwargs)`."""

    @functools.wraps(chat)
    async def complete(*args: Any, **kwargs: Any) -> CompletionResponse:
        return (await chat(*_messages(args, _whole(kwargs)), **kwargs)).to_completion_response()

    return complete


def astream_chat_to_completion(
    chat: Callable[..., AsyncIterable[ChatResponse] | Awaitable[AsyncIterable[ChatResponse]]],
) -> Callable[..., AsyncSteps[CompletionResponse]]:
    """Make `astream_complete(prompt, **kwargs)` from `chat`, an `astream_chat(messages, **kwargs)` that is a generator
    or a coroutine.
    """

    @functools.wraps(chat)
    def complete(*args: Any, **kwargs: Any) -> AsyncSteps[CompletionResponse]:
        return AsyncSteps(_completed(AsyncSteps(chat(*_messages(args, kwargs), **kwargs))))

    return complete


async def _completed(responses: AsyncSteps[ChatResponse]) -> AsyncIterator[CompletionResponse]:
    async with contextlib.aclosing(responses):
        async for response in responses:
            yield response.to_completion_response()


def _whole(kwargs: dict[str, Any]) -> dict[str, Any]:
    if kwargs.get("stream"):
        raise ConfigurationError(
            f"stream={kwargs['stream']!r:.80} cannot be used for a completion, which is returned whole: call "
            "stream_complete or astream_complete"
        )
    return kwargs


def _messages(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    # The arguments with messages in place of the prompt, which comes last.
    *before, prompt = args if "prompt" not in kwargs else (*args, kwargs.pop("prompt"))
    return *before, MessageList.from_str(prompt)


# -- models ------------------------------------------------------------------------------------------------------------


class LLM(abc.ABC):
    """A language model that answers messages, or a prompt.

    In every method, `messages` is a text, a message, or several; `kwargs` are passed on to the server.
    """

    @property
    @abc.abstractmethod
    def metadata(self) -> Metadata:
        """What is known about the model."""

    @abc.abstractmethod
    def chat(self, messages: Messages, **kwargs: Any) -> Any:
        """Answer `messages`: a `ChatResponse`."""

    @abc.abstractmethod
    async def achat(self, messages: Messages, **kwargs: Any) -> Any:
        """`chat`, asynchronously."""

    @abc.abstractmethod
    def stream_chat(self, messages: Messages, **kwargs: Any) -> Iterator[ChatResponse]:
        """Answer `messages`, step by step: each response contains the whole answer so far."""

    @abc.abstractmethod
    def astream_chat(
        self, messages: Messages, **kwargs: Any
    ) -> AsyncIterable[ChatResponse] | Awaitable[AsyncIterable[ChatResponse]]:
        """`stream_chat`, asynchronously: an asynchronous generator, or a coroutine that returns one."""

    # -- completions ---------------------------------------------------------------------------------------------------

    def complete(self, prompt: str, **kwargs: Any) -> CompletionResponse:
        """Answer a prompt. Arguments and errors: as for `chat`."""
        return chat_to_completion_decorator(self.chat)(prompt, **kwargs)

    def stream_complete(self, prompt: str, **kwargs: Any) -> Iterator[CompletionResponse]:
        """Answer a prompt, step by step."""
        return stream_chat_to_completion(self.stream_chat)(prompt, **kwargs)

    async def acomplete(self, prompt: str, **kwargs: Any) -> CompletionResponse:
        """Answer a prompt, asynchronously."""
        return await achat_to_completion(self.achat)(prompt, **kwargs)

    def astream_complete(self, prompt: str, **kwargs: Any) -> AsyncSteps[CompletionResponse]:
        """Answer a prompt, step by step and asynchronously. It may be awaited first."""
        return astream_chat_to_completion(self.astream_chat)(prompt, **kwargs)


class FunctionCallingLLM(LLM):
    """A language model that can be given tools.

    `chat` and its variants accept `tools=` and `single_call=` (which drops all calls after the first, in streams too).
    """

    def _extend_messages(self, messages: Messages) -> MessageList:
        """The messages that are sent. Subclasses may add a system prompt."""
        return MessageList.of(messages)

    def _prepare_chat_with_tools(
        self, messages: Messages, tools: Sequence[ToolLike], kwargs: dict[str, Any], *, allow_parallel: bool
    ) -> dict[str, Any]:
        allow_parallel = kwargs.pop("allow_parallel", allow_parallel)  # another name for it
        return {
            "messages": self._extend_messages(messages),
            "tools": list(tools),
            "single_call": not allow_parallel,
            **kwargs,
        }

    # -- calls ---------------------------------------------------------------------------------------------------------

    def generate_tool_calls(
        self,
        messages: Messages,
        tools: Sequence[ToolLike],
        *,
        allow_parallel_tool_calls: bool = False,
        **kwargs: Any,
    ) -> ChatResponse:
        """Let the model call tools, without running them.

        Args:
            messages: the conversation.
            tools: the tools that it may call.
            allow_parallel_tool_calls: whether to keep more than one call; otherwise only the first is kept.
            kwargs: as for `chat`.

        Returns:
            The answer; `tool_calls` are the complete calls, `unfinished` the others.

        Raises:
            ToolSchemaError: a tool has no schema; nothing was sent.
            RequestError: the server did not answer, or answered with an error.
        """
        arguments = self._prepare_chat_with_tools(messages, tools, kwargs, allow_parallel=allow_parallel_tool_calls)
        response: ChatResponse = self.chat(**arguments)
        return force_single_tool_call(response) if arguments["single_call"] else response

    async def agenerate_tool_calls(
        self,
        messages: Messages,
        tools: Sequence[ToolLike],
        *,
        allow_parallel_tool_calls: bool = False,
        **kwargs: Any,
    ) -> ChatResponse:
        """`generate_tool_calls`, asynchronously."""
        arguments = self._prepare_chat_with_tools(messages, tools, kwargs, allow_parallel=allow_parallel_tool_calls)
        response: ChatResponse = await self.achat(**arguments)
        return force_single_tool_call(response) if arguments["single_call"] else response

    def stream_chat_with_tools(
        self,
        tools: Sequence[ToolLike],
        messages: Messages,
        *,
        allow_parallel_tool_calls: bool = False,
        **kwargs: Any,
    ) -> Iterator[ChatResponse]:
        """`generate_tool_calls`, step by step: `unfinished` shows the call that is being written."""
        return self.stream_chat(
            **self._prepare_chat_with_tools(messages, tools, kwargs, allow_parallel=allow_parallel_tool_calls)
        )

    def astream_chat_with_tools(
        self,
        tools: Sequence[ToolLike],
        messages: Messages,
        *,
        allow_parallel_tool_calls: bool = False,
        **kwargs: Any,
    ) -> AsyncSteps[ChatResponse]:
        """`generate_tool_calls`, step by step and asynchronously. It may be awaited first."""
        arguments = self._prepare_chat_with_tools(messages, tools, kwargs, allow_parallel=allow_parallel_tool_calls)
        return AsyncSteps(self.astream_chat(**arguments))

    def stream_generate_tool_calls(
        self, messages: Messages, tools: Sequence[ToolLike], **kwargs: Any
    ) -> Iterator[ChatResponse]:
        """`generate_tool_calls`, step by step: see `stream_chat_with_tools`."""
        return self.stream_chat_with_tools(tools, messages, **kwargs)

    def astream_generate_tool_calls(
        self, messages: Messages, tools: Sequence[ToolLike], **kwargs: Any
    ) -> AsyncSteps[ChatResponse]:
        """`generate_tool_calls`, step by step and asynchronously. It may be awaited first."""
        return self.astream_chat_with_tools(tools, messages, **kwargs)

    def get_tool_calls_from_response(
        self, response: ChatResponse, *, error_on_no_tool_call: bool = True
    ) -> list[ToolCallChunk]:
        """The calls of a response that can be executed.

        Raises:
            NoToolCallError: there are none, and `error_on_no_tool_call` is set.
        """
        calls = response.tool_calls
        if not calls and error_on_no_tool_call:
            cut = ", ".join(repr(call.name) for call in response.unfinished)
            detail = f"the calls of {cut} are incomplete" if cut else f"it wrote: {response.message.content[:200]!r}"
            raise NoToolCallError(f"Expected at least one tool call, but got none; {detail}", response=response)
        return calls

    # -- calls, run ----------------------------------------------------------------------------------------------------

    def predict_and_call(
        self,
        tools: Sequence[ToolLike],
        messages: Messages,
        *,
        allow_parallel_tool_calls: bool = False,
        error_on_no_tool_call: bool = True,
        error_on_tool_error: bool = False,
        verbose: bool = False,
        **kwargs: Any,
    ) -> AgentChatResponse:
        """Let the model call tools, and run them.

        Args:
            tools: the tools that it may call.
            messages: the conversation.
            allow_parallel_tool_calls: whether to run more than one call; otherwise only the first is run.
            error_on_no_tool_call: whether an answer without a call raises; otherwise its text is the response.
            error_on_tool_error: whether a failing tool raises; otherwise its output reports the error (`is_error`).
            verbose: log each call and its output.
            kwargs: as for `chat`.

        Returns:
            The outputs in the order of the calls, in `sources`; their contents, separated by blank lines, in
            `response`.

        Raises:
            NoToolCallError: see `error_on_no_tool_call`.
            ToolExecutionError, InvalidObjectError, UnknownToolError: see `error_on_tool_error`.
            ToolSchemaError, RequestError: as for `generate_tool_calls`.
        """
        response = self.generate_tool_calls(
            messages, tools, allow_parallel_tool_calls=allow_parallel_tool_calls, **kwargs
        )
        calls = self.get_tool_calls_from_response(response, error_on_no_tool_call=error_on_no_tool_call)
        executor = ToolExecutor(tools, raise_on_error=error_on_tool_error, verbose=verbose)
        with LastResponse(response):
            return _agent_response(response, executor.execute(calls))

    async def apredict_and_call(
        self,
        tools: Sequence[ToolLike],
        messages: Messages,
        *,
        allow_parallel_tool_calls: bool = False,
        error_on_no_tool_call: bool = True,
        error_on_tool_error: bool = False,
        verbose: bool = False,
        **kwargs: Any,
    ) -> AgentChatResponse:
        """`predict_and_call`, asynchronously; several tools run concurrently."""
        response = await self.agenerate_tool_calls(
            messages, tools, allow_parallel_tool_calls=allow_parallel_tool_calls, **kwargs
        )
        calls = self.get_tool_calls_from_response(response, error_on_no_tool_call=error_on_no_tool_call)
        executor = ToolExecutor(tools, raise_on_error=error_on_tool_error, verbose=verbose)
        with LastResponse(response):
            return _agent_response(response, await executor.aexecute(calls))


def _agent_response(response: ChatResponse, outputs: list[ToolOutput]) -> AgentChatResponse:
    text = "\n\n".join(output.content for output in outputs) if outputs else response.message.content
    return AgentChatResponse(response=text, sources=outputs, unfinished=response.unfinished, events=response.events)
