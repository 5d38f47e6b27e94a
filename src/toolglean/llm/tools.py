# What this file knows: how a function, or a model class, becomes a tool, and how tools are run.
# What it must not know: who called them.
#
# A tool's call never raises what the tool did wrong: the output says so. To get an exception, ask the executor for
# it. A tool is run once for a call, whatever happens.
"""Tools: functions and model classes that a language model can call."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PydanticInvalidForJsonSchema, ValidationError
from pydantic.errors import PydanticUserError

from toolglean.conversation.messages.wire import written
from toolglean.conversation.routing import coerce_arguments
from toolglean.llm.errors import (
    ConfigurationError,
    InvalidObjectError,
    LLMError,
    OutputError,
    ToolExecutionError,
    ToolSchemaError,
    UnknownToolError,
)
from toolglean.llm.functions import describe
from toolglean.llm.objects import invalid_object, valid_object
from toolglean.llm.types import ToolCallChunk

__all__ = ["AgentChatResponse", "CallableTool", "ToolExecutor", "ToolMetadata", "ToolOutput", "unknown_tool"]

MAX_DESCRIPTION = 1024
"""Characters: what OpenAI's API takes."""

log = logging.getLogger("toolglean.llm")


class ToolOutput(BaseModel):
    """The output of a tool.

    Attributes:
        content: the output as text, for the model.
        tool_name: the tool.
        raw_input: the arguments.
        raw_output: the output itself; None if there is none.
        is_error: whether it failed; `content` says how.
        error: the error, if it failed: an `InvalidObjectError`, a `ToolExecutionError` or an `UnknownToolError`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    content: str
    tool_name: str
    raw_input: dict[str, Any] = Field(default_factory=dict)
    raw_output: Any = None
    is_error: bool = False
    error: LLMError | None = Field(default=None, exclude=True, repr=False)

    def __str__(self) -> str:
        return self.content

    @classmethod
    def failed(cls, tool_name: str, arguments: Mapping[str, Any], error: LLMError) -> ToolOutput:
        """The output of the tool `tool_name`, which was called with `arguments`, and failed with `error`."""
        content = f"Encountered error: {error}"
        return cls(content=content, tool_name=tool_name, raw_input=dict(arguments), is_error=True, error=error)


class AgentChatResponse(BaseModel):
    """The outputs of the tools for one answer of the model.

    Attributes:
        response: the contents of all outputs, separated by blank lines; the model's text if no tool was run.
        sources: the outputs, in the order of the calls.
        unfinished: calls that were not run, because they were cut off or cannot be read.
        events: the toolglean events of the answer. Not in `model_dump`.
    """

    response: str = ""
    sources: list[ToolOutput] = Field(default_factory=list)
    unfinished: list[ToolCallChunk] = Field(default_factory=list)
    events: list[Any] = Field(default_factory=list, exclude=True, repr=False)

    def __str__(self) -> str:
        return self.response

    def parse_tool_outputs(
        self,
        allow_parallel_tool_calls: bool = False,  # noqa: FBT001, FBT002  # the seed's
        *,
        allow_parallel: bool | None = None,
    ) -> Any:
        """The value of the first output, or of all of them.

        Args:
            allow_parallel_tool_calls: whether to return the list of all values.
            allow_parallel: says the same, and counts first.

        Raises:
            OutputError: there is no output, or an output has no value.
            InvalidObjectError, ToolExecutionError, UnknownToolError: an output is an error.
        """
        parallel = allow_parallel_tool_calls if allow_parallel is None else allow_parallel
        wanted = self.sources if parallel else self.sources[:1]
        if not wanted:
            raise OutputError("no tool was run, so there is no output", response=self)
        for output in wanted:
            if output.error is not None:
                raise output.error
            if output.is_error:
                raise ToolExecutionError(output.content, tool_name=output.tool_name, output=output)
            if output.raw_output is None:
                raise OutputError(f"tool {output.tool_name!r} returned no value", response=self)
        values = [output.raw_output for output in wanted]
        return values if parallel else values[0]


class ToolMetadata(BaseModel):
    """What a model is told about a tool.

    Attributes:
        name: what the model calls.
        description: what it is good for.
        fn_schema: its parameters: a pydantic class, or a JSON schema; None: it cannot be described to a model.
    """

    name: str
    description: str = ""
    fn_schema: type[BaseModel] | dict[str, Any] | None = None

    def get_parameters_dict(self) -> dict[str, Any]:
        """The JSON schema of the parameters.

        Raises:
            ToolSchemaError: there is none, or the class has no JSON schema.
        """
        if self.fn_schema is None:
            raise ToolSchemaError(
                f"tool {self.name!r} has no schema for its parameters: give it an fn_schema", tool_name=self.name
            )
        if isinstance(self.fn_schema, dict):
            return self.fn_schema
        try:
            return self.fn_schema.model_json_schema()
        except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
            raise ToolSchemaError(f"tool {self.name!r} has no JSON schema: {error}", tool_name=self.name) from error

    def to_openai_tool(self, *, skip_length_check: bool = False) -> dict[str, Any]:
        """The tool in the form that OpenAI's chat API and Ollama accept.

        Args:
            skip_length_check: whether to allow a description of more than 1024 characters.

        Raises:
            ToolSchemaError: it has no schema, or its description is too long.
        """
        if len(self.description) > MAX_DESCRIPTION and not skip_length_check:
            length = f"{len(self.description)} characters; {MAX_DESCRIPTION} at most"
            raise ToolSchemaError(f"the description of tool {self.name!r} has {length}", tool_name=self.name)
        parameters = self.get_parameters_dict()
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


class CallableTool:
    """A tool that can be called: see `from_function` and `from_model`.

    Args:
        fn: the function, which is called with the arguments by name; plain or asynchronous.
        metadata: what the model is told about it.
    """

    def __init__(self, fn: Callable[..., Any], metadata: ToolMetadata) -> None:
        self.fn = fn
        self._metadata = metadata

    @property
    def metadata(self) -> ToolMetadata:
        """What the model is told about it."""
        return self._metadata

    def __repr__(self) -> str:
        return f"CallableTool({self.metadata.name!r})"

    @classmethod
    def from_model(cls, output_cls: type[BaseModel]) -> CallableTool:
        """A tool whose output is an instance of that class, made of the arguments.

        Args:
            output_cls: the class; its name and docstring are the tool's.

        Raises:
            ToolSchemaError: the class has no JSON schema, or its docstring is too long.
        """
        description = inspect.getdoc(output_cls) if output_cls.__doc__ else None
        metadata = ToolMetadata(name=output_cls.__name__, description=description or "", fn_schema=output_cls)
        metadata.to_openai_tool()
        return cls(_Make(output_cls), metadata)

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], *, name: str | None = None, description: str | None = None
    ) -> CallableTool:
        """A tool of a function.

        Args:
            fn: plain or asynchronous: a function, a method, a `functools.partial`, an object with `__call__`. Its
                annotations are the types of the parameters; what they say of them (`Annotated[int, "how many"]`, or
                with pydantic's `Field`), or else its docstring (Google's style, NumPy's or Sphinx's), describes them.
            name, description: None: the function's own name, and its docstring's text.

        Raises:
            ToolSchemaError: it has no name; its signature cannot be read; a parameter has a type without a JSON schema.
        """
        found = describe(fn, name)
        text = found.text if description is None else description
        metadata = ToolMetadata(name=found.name, description=text, fn_schema=found.parameters)
        metadata.to_openai_tool(skip_length_check=True)
        return cls(found.fn, metadata)

    @property
    def is_async(self) -> bool:
        """Whether the function is asynchronous."""
        return inspect.iscoroutinefunction(self.fn) or inspect.iscoroutinefunction(type(self.fn).__call__)

    def __call__(self, /, *args: Any, **arguments: Any) -> Any:
        """The function's own value, unchecked."""
        return self.fn(*args, **arguments)

    def call(self, given: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolOutput:
        """Run the tool. Errors are in the output: see `ToolOutput.error`.

        Args:
            given: the arguments as a mapping.
            arguments: the arguments, by name.

        Raises:
            ConfigurationError: the function is asynchronous, and a loop is running here: use `acall`.
        """
        arguments = {**(given or {}), **arguments}
        try:
            ready = self._ready(arguments)
        except InvalidObjectError as error:
            return ToolOutput.failed(self.metadata.name, arguments, error)
        if self.is_async:
            found: ToolOutput = _run(self._acalled(ready, arguments))
            return found
        try:
            value = ready()
            return self._output(arguments, _run(_awaited(value)) if inspect.isawaitable(value) else value)
        except Exception as error:  # noqa: BLE001  # whatever a tool raises is its output
            return self._failed(arguments, error)

    async def acall(self, given: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolOutput:
        """Run the tool, asynchronously; a plain function in a thread. `given` and `arguments`: see `call`."""
        arguments = {**(given or {}), **arguments}
        try:
            ready = self._ready(arguments)
        except InvalidObjectError as error:
            return ToolOutput.failed(self.metadata.name, arguments, error)
        return await self._acalled(ready, arguments)

    async def _acalled(self, ready: Callable[[], Any], arguments: dict[str, Any]) -> ToolOutput:
        try:
            found, error = (ready(), None) if self.is_async else await asyncio.to_thread(_tried, ready)
            if error is not None:
                return self._failed(arguments, error)
            return self._output(arguments, await found if inspect.isawaitable(found) else found)
        except Exception as error:  # noqa: BLE001  # whatever a tool raises is its output
            return self._failed(arguments, error)

    def _ready(self, arguments: Mapping[str, Any]) -> Callable[[], Any]:
        # The function with its arguments.
        # Texts become what the schema asks for, where it allows no text; then the class has the last word.
        schema = self.metadata.fn_schema
        if schema is None or isinstance(schema, dict):
            return functools.partial(self.fn, **(coerce_arguments(arguments, schema) if schema else arguments))
        try:
            if isinstance(self.fn, _Make):
                return functools.partial(self.fn, _made(schema, arguments))
            found = schema.model_validate(coerce_arguments(arguments, schema.model_json_schema()))
        except ValidationError as error:
            raise _invalid(self.metadata.name, arguments, error) from error
        extra = found.model_extra or {}
        given = {name: getattr(found, name) for name in type(found).model_fields if name in found.model_fields_set}
        return functools.partial(self.fn, **extra | given)

    def _output(self, arguments: Mapping[str, Any], value: Any) -> ToolOutput:
        return ToolOutput(
            content=_text(value), tool_name=self.metadata.name, raw_input=dict(arguments), raw_output=value
        )

    def _failed(self, arguments: Mapping[str, Any], error: Exception) -> ToolOutput:
        name = self.metadata.name
        found = ToolExecutionError(f"{type(error).__name__}: {error}", tool_name=name, arguments=arguments)
        found.__cause__ = error
        output = ToolOutput.failed(name, arguments, found)
        found.output = output
        return output


def callable_tool(given: Any) -> CallableTool:
    """The tool that is given: a `CallableTool` as it is, a function or a pydantic class as one.

    Raises:
        ToolSchemaError: a function or a class has no schema.
        ConfigurationError: it cannot be called.
    """
    if isinstance(given, CallableTool):
        return given
    if isinstance(given, type) and issubclass(given, BaseModel):
        return CallableTool.from_model(given)
    if callable(given):
        return CallableTool.from_function(given)
    message = f"only a CallableTool, a function or a pydantic class can be run, not {given!r:.200}"
    raise ConfigurationError(message, field="tools", value=given)


class _Make:
    """Makes an instance: that the arguments are valid has been seen, and the instance is there."""

    def __init__(self, output_cls: type[BaseModel]) -> None:
        self.output_cls = output_cls

    def __call__(self, made: BaseModel | None = None, /, **arguments: Any) -> BaseModel:
        return self.output_cls.model_validate(arguments) if made is None else made


class ToolExecutor:
    """Runs calls.

    Args:
        tools: `CallableTool`s, functions, pydantic classes; if two have the same name, the first counts.
        raise_on_error: whether a failing or unknown tool raises; otherwise its output reports the error.
        verbose: log each call and its output (`toolglean.llm`, level INFO).
    """

    def __init__(self, tools: Sequence[Any], *, raise_on_error: bool = False, verbose: bool = False) -> None:
        self._tools: dict[str, CallableTool] = {}
        for given in tools:
            tool = callable_tool(given)
            self._tools.setdefault(tool.metadata.name, tool)
        self._raise = raise_on_error
        self._verbose = verbose

    def execute(self, calls: Iterable[ToolCallChunk]) -> list[ToolOutput]:
        """Run the calls, one after the other.

        Returns:
            An output for each, in the order of the calls.

        Raises:
            ConfigurationError: something else than a complete call was given; nothing was run.
            ToolExecutionError, InvalidObjectError, UnknownToolError: with `raise_on_error`.
        """
        found = []
        for call in _checked_calls(calls):
            tool = self._tools.get(call.name)
            output = self._unknown(call) if tool is None else tool.call(**call.arguments)
            found.append(self._told(call, output))
        return found

    async def aexecute(self, calls: Iterable[ToolCallChunk]) -> list[ToolOutput]:
        """Run the calls at the same time, as `execute` does. If one raises, the others still run to their end."""
        given = _checked_calls(calls)
        outputs = await asyncio.gather(*(self._acall(call) for call in given))
        return [self._told(call, output) for call, output in zip(given, outputs, strict=True)]

    async def _acall(self, call: ToolCallChunk) -> ToolOutput:
        tool = self._tools.get(call.name)
        return self._unknown(call) if tool is None else await tool.acall(**call.arguments)

    def _unknown(self, call: ToolCallChunk) -> ToolOutput:
        return ToolOutput.failed(call.name, call.arguments, unknown_tool(call.name, self._tools))

    def _told(self, call: ToolCallChunk, output: ToolOutput) -> ToolOutput:
        if self._verbose:
            log.info("%s(%s) -> %s", call.name, json.dumps(call.arguments, default=str), output.content)
        if self._raise and output.error is not None:
            raise output.error
        return output


def unknown_tool(name: str, known: Iterable[str]) -> UnknownToolError:
    """Raised for a call to an unknown tool."""
    names = list(known)
    return UnknownToolError(
        f"unknown tool {name!r}; the tools are: {', '.join(names) or 'none'}", name=name, known=names
    )


def _checked_calls(calls: Iterable[ToolCallChunk]) -> list[ToolCallChunk]:
    given = list(calls)
    for call in given:
        if not isinstance(call, ToolCallChunk) or call.unread:  # type: ignore[redundant-expr]  # a Partial, say
            raise ConfigurationError(
                f"only finished calls can be executed, not {call!r:.200}", field="calls", value=call
            )
    return given


def _made(model: type[BaseModel], arguments: Mapping[str, Any]) -> BaseModel:
    # As an object in a stream is made: of JSON.
    try:
        text = written(arguments)
    except (TypeError, ValueError, RecursionError):  # values of this program's own, such as a date
        return model.model_validate(arguments)
    return valid_object(model, text)


def _tried(ready: Callable[[], Any]) -> tuple[Any, Exception | None]:
    # For a thread: a future cannot carry a StopIteration.
    try:
        return ready(), None
    except Exception as error:  # noqa: BLE001  # whatever a tool raises is its output
        return None, error


def _run(work: Any) -> Any:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigurationError("an asynchronous tool was called from within a running loop: use acall", field="fn")


async def _awaited(value: Any) -> Any:
    return await value


def _text(value: Any) -> str:
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def _invalid(name: str, arguments: Mapping[str, Any], error: ValidationError) -> InvalidObjectError:
    text = json.dumps(arguments, ensure_ascii=False, default=str)
    return invalid_object(f"the arguments of {name!r} are not valid", text, error)
