# What this file knows: how a prompt, a model and a class become a function that returns instances of the class.
# Does not depend on any server. objects/ builds the objects, and tools.py runs tools.
"""From a prompt to a typed object."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, overload

from pydantic import BaseModel

from toolglean.clients.at_once import at_once, plainly, settled, steps_of
from toolglean.llm import errors
from toolglean.llm.again import CORRECTABLE, Attempt, Attempts, LastResponse, checked_retries, with_error
from toolglean.llm.base import FunctionCallingLLM
from toolglean.llm.objects.final import object_of
from toolglean.llm.objects.partial import Partial
from toolglean.llm.objects.processor import StreamingObjectProcessor, check_class
from toolglean.llm.outputs import AgentChatResponse
from toolglean.llm.prompts import BasePromptTemplate, Kwargs, WithPrompt, validated_llm, validated_prompt
from toolglean.llm.steps import AsyncSteps
from toolglean.llm.tools import CallableTool, unknown_tool
from toolglean.llm.types import ChatResponse

__all__ = ["ToolOrchestratingLLM"]

Model = TypeVar("Model", bound=BaseModel)
_fenced = re.compile(r"\s*```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL).fullmatch
OWN_OPTIONS = frozenset({"verbose", "error_on_tool_error", "error_on_no_tool_call", "tools", "messages"})
"""Arguments that the orchestrator sets itself. In `llm_kwargs` they would be sent to the model."""


class ToolOrchestratingLLM(WithPrompt, Generic[Model]):
    """A function that returns an object, which the model writes as the arguments of a call.

    Args:
        output_cls: the class of the object, which is offered to the model as a tool.
        prompt: a template, or its text.
        llm: a model that calls functions; None: `Configs.llm`.
        tool_choice: passed on to the model, if it supports it.
        allow_parallel_tool_calls: whether to return a list of all objects, instead of the first.
        verbose: log calls and outputs.
        max_retries: how often the model is asked again, with its answer and the error, if the answer is not a valid
            object. Every attempt costs a request; a stream yields the views of every attempt.
        on_attempt: called with each failed `Attempt`.

    Raises:
        MissingLLMError: there is no model.
        ConfigurationError: the model cannot call functions, the prompt is neither a text nor a template, or
            `max_retries` is not a number of 0 or more.
    """

    def __init__(
        self,
        output_cls: type[Model],
        prompt: BasePromptTemplate | str,
        llm: FunctionCallingLLM | None = None,
        *,
        tool_choice: Any = None,
        allow_parallel_tool_calls: bool = False,
        verbose: bool = False,
        max_retries: int = 0,
        on_attempt: Callable[[Attempt], Any] | None = None,
    ) -> None:
        check_class(output_cls)
        self._output_cls = output_cls
        self._llm = self.validate_llm(llm)
        self._prompt = validated_prompt(prompt)
        self._tool_choice = tool_choice
        self._allow_parallel_tool_calls = allow_parallel_tool_calls
        self._verbose = verbose
        self._max_retries, self._on_attempt = checked_retries(max_retries), on_attempt

    @staticmethod
    def validate_llm(llm: FunctionCallingLLM | None) -> FunctionCallingLLM:
        """The model `llm`, or `Configs.llm`.

        Raises:
            ConfigurationError: it is not a model, or cannot call functions.
            MissingLLMError: neither is given.
        """
        found: Any = validated_llm(llm)
        if not found.metadata.is_function_calling_model:
            name = found.metadata.model_name
            raise errors.ConfigurationError(
                f"model {name!r} cannot call functions: use TextCompletionLLM", field="llm", value=llm
            )
        function_calling: FunctionCallingLLM = found
        return function_calling

    validate_prompt = staticmethod(validated_prompt)

    @property
    def output_cls(self) -> type[Model]:
        """The class of the objects."""
        return self._output_cls

    def _arguments(
        self, llm_kwargs: Kwargs, variables: Mapping[str, Any], *, parallel: bool | None
    ) -> tuple[dict[str, Any], bool]:
        # The arguments for the model, and whether all objects are wanted.
        wants_all = self._allow_parallel_tool_calls if parallel is None else parallel
        choice = {} if self._tool_choice is None else {"tool_choice": self._tool_choice}
        arguments = {
            "tools": [CallableTool.from_model(self._output_cls)],
            "messages": self._prompt.format_messages(**variables),
            "allow_parallel_tool_calls": wants_all,
            **choice,
            **{name: value for name, value in (llm_kwargs or {}).items() if name not in OWN_OPTIONS},
        }
        return arguments, wants_all

    # -- whole ---------------------------------------------------------------------------------------------------------

    @overload
    def __call__(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: Literal[True], **variables: Any
    ) -> list[Model]: ...
    @overload
    def __call__(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: Literal[False] | None = None, **variables: Any
    ) -> Model: ...
    def __call__(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: bool | None = None, **variables: Any
    ) -> Any:
        """An object, or with parallel calls a list of objects. If the model answers with the JSON object, plain or in a
        code fence, instead of a call, that is accepted too.

        Args:
            llm_kwargs: passed on to the model.
            allow_parallel_tool_calls: for this call only; None: as given to the constructor.
            variables: the prompt's variables.

        Raises:
            ToolSchemaError: the class cannot be described to a model.
            MissingVariablesError: variables of the prompt are missing.
            RequestError: the server did not answer, or answered with an error.
            NoToolCallError: the model did not call the tool; `response` is its answer.
            IncompleteObjectError, MalformedObjectError: its call was cut off, or cannot be read.
            InvalidObjectError: its arguments are not valid for the class.
            UnknownToolError: it called another tool.
        """
        given = self._arguments(llm_kwargs, variables, parallel=allow_parallel_tool_calls)
        return at_once(self._called(self._llm.predict_and_call, *given))

    @overload
    async def acall(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: Literal[True], **variables: Any
    ) -> list[Model]: ...
    @overload
    async def acall(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: Literal[False] | None = None, **variables: Any
    ) -> Model: ...
    async def acall(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: bool | None = None, **variables: Any
    ) -> Any:
        """The same, asynchronously: see `__call__`."""
        given = self._arguments(llm_kwargs, variables, parallel=allow_parallel_tool_calls)
        return await self._called(self._llm.apredict_and_call, *given)

    async def _called(self, predict: Any, arguments: dict[str, Any], parallel: bool) -> Any:  # noqa: FBT001
        attempts = self._attempts()
        while True:
            try:
                try:
                    response = await settled(predict(**arguments, error_on_tool_error=True, verbose=self._verbose))
                except errors.NoToolCallError as error:
                    return self._written_out(error, parallel=parallel)
                return self._output(response, parallel=parallel)
            except CORRECTABLE as error:
                arguments["messages"] = with_error(arguments["messages"], attempts.failed(error))

    # -- streams -------------------------------------------------------------------------------------------------------

    def stream_call(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: bool | None = None, **variables: Any
    ) -> Iterator[Partial[Model] | Model | list[Partial[Model]] | list[Model]]:
        """The object while it is written. The arguments are those of a plain call (`__call__`).

        Yields:
            A `Partial` view (with parallel calls, a list of views) whenever something was added; at the end the
            validated object (or a list of objects).

        Raises:
            LLMError: the errors of a plain call.
            StreamInterruptedError: the connection broke during the stream.
        """
        arguments, parallel = self._arguments(llm_kwargs, variables, parallel=allow_parallel_tool_calls)
        ask = self._llm.stream_chat_with_tools
        return plainly(self._streamed(arguments, ask, ask(**arguments), parallel=parallel))

    def astream_call(
        self, /, *, llm_kwargs: Kwargs = None, allow_parallel_tool_calls: bool | None = None, **variables: Any
    ) -> AsyncSteps[Partial[Model] | Model | list[Partial[Model]] | list[Model]]:
        """The object while it is written, asynchronously: see `stream_call`. The arguments are those of a plain call
        (`__call__`). It may be awaited first.
        """
        arguments, parallel = self._arguments(llm_kwargs, variables, parallel=allow_parallel_tool_calls)

        def ask(**given: Any) -> AsyncSteps[ChatResponse]:
            return AsyncSteps(self._llm.astream_chat_with_tools(**given))

        return AsyncSteps(self._streamed(arguments, ask, ask(**arguments), parallel=parallel))

    async def _streamed(
        self, arguments: dict[str, Any], ask: Callable[..., Any], responses: Any, *, parallel: bool
    ) -> AsyncGenerator[Any]:
        attempts = self._attempts()
        while True:
            try:
                async with contextlib.aclosing(self._attempted(responses, parallel=parallel)) as shown:
                    async for each in shown:
                        yield each
            except CORRECTABLE as error:
                arguments["messages"] = with_error(arguments["messages"], attempts.failed(error))
            else:
                return
            responses = ask(**arguments)

    async def _attempted(self, responses: Any, *, parallel: bool) -> AsyncGenerator[Any]:
        processor = self._processor(parallel=parallel)
        shown = None
        last = LastResponse()
        with last:
            async with contextlib.aclosing(steps_of(responses)) as steps:
                async for response in steps:
                    last.response = response
                    partials = processor.process(response, shown)
                    if partials and partials is not shown:
                        yield _shown(partials, parallel=parallel)
                    shown = partials
            yield _shown(self._finished(processor, last.response), parallel=parallel)

    def _attempts(self) -> Attempts:
        return Attempts(self._max_retries, self._on_attempt)

    def _output(self, response: AgentChatResponse, *, parallel: bool) -> Any:
        if parallel and response.unfinished:
            raise self._lost(response, len(response.sources), parallel=parallel)
        return response.parse_tool_outputs(allow_parallel_tool_calls=parallel)

    def _written_out(self, error: errors.NoToolCallError, *, parallel: bool) -> Any:
        # There is no call: the answer may be the object itself.
        response: ChatResponse | None = error.response
        is_cut = response is not None and response.unfinished
        found = None if response is None or is_cut else self._plain(response)
        if found is None:
            reason = self._lost(response, 0, parallel=False) if response is not None and is_cut else error
            reason.response = response
            raise reason from error
        return [found] if parallel else found

    def _plain(self, response: ChatResponse) -> Model | None:
        # The whole answer must be the object: an object in prose may be an example.
        fenced = _fenced(response.message.content)
        text = fenced[1] if fenced is not None else response.message.content
        try:
            return object_of(self._output_cls, text) if text.lstrip().startswith("{") else None
        except errors.ObjectError:
            return None

    def _lost(self, response: ChatResponse | AgentChatResponse, index: int, *, parallel: bool) -> errors.ObjectError:
        # The error that a stream of the same events would have raised.
        try:
            processor = self._processor(parallel=parallel)
            processor.feed(response.events)
            processor.finish()
        except errors.ObjectError as error:
            if not isinstance(error, errors.InvalidObjectError):
                return error
        lost = response.unfinished[0]
        return errors.IncompleteObjectError(f"the call of {lost.name!r} is incomplete", text=lost.unread, index=index)

    def _finished(self, processor: StreamingObjectProcessor[Model], response: ChatResponse | None) -> list[Model]:
        own = self._output_cls.__name__
        other = next((call.name for call in response.tool_calls if call.name != own), None) if response else None
        if other is not None:
            raise unknown_tool(other, [own])
        found = processor.finish()
        if not found and response is not None and (plain := self._plain(response)) is not None:
            return [plain]
        if not found:
            text = "" if response is None else response.message.content[:200]
            message = f"Expected at least one tool call, but got none; it wrote: {text!r}"
            raise errors.NoToolCallError(message, response=response)
        return found

    def _processor(self, *, parallel: bool) -> StreamingObjectProcessor[Model]:
        name = self._output_cls.__name__
        return StreamingObjectProcessor(self._output_cls, allow_parallel_tool_calls=parallel, tool_name=name)


def _shown(objects: Sequence[Any], *, parallel: bool) -> Any:
    return list(objects) if parallel else objects[0]
