# What this file knows: how a function, or a model class, becomes a tool, and how calls of tools become outputs.
# Does not depend on what calls it. toolglean/conversation/runner.py runs the function.
#
# Calling a tool does not raise the tool's errors: they are in the output. `ToolExecutor(raise_on_error=True)` raises
# them. A tool is run only once for a call, whatever happens.
"""Tools: functions and model classes that a language model can call."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, PydanticInvalidForJsonSchema, ValidationError
from pydantic.errors import PydanticUserError

from toolglean.conversation import ToolResultContent, coerce_arguments
from toolglean.conversation.fields import field, written
from toolglean.conversation.runner import Outcome, arun, error_text, is_async, run, unknown_tool_text
from toolglean.errors import UsageError
from toolglean.llm import errors
from toolglean.llm.functions import describe
from toolglean.llm.objects.final import invalid_object, valid_object
from toolglean.llm.outputs import ToolOutput
from toolglean.llm.types import ToolCallChunk
from toolglean.tools import Tool, ToolDict

__all__ = ["CallableTool", "ToolExecutor", "ToolMetadata", "callable_tool", "schema_of", "unknown_tool"]

MAX_DESCRIPTION = 1024
"""Characters: the limit of OpenAI's API."""

log = logging.getLogger("toolglean.llm")


class ToolMetadata(BaseModel):
    """What a model is told about a tool.

    Attributes:
        name: the name by which the model calls it.
        description: what it is used for.
        fn_schema: its parameters: a pydantic class, or a JSON schema; None: it cannot be described to a model.
    """

    name: str
    description: str = ""
    fn_schema: type[BaseModel] | dict[str, Any] | None = None

    def get_parameters_dict(self) -> dict[str, Any]:
        """The JSON schema of the parameters.

        Raises:
            ToolSchemaError: `fn_schema` is None, or the class has no JSON schema.
        """
        if self.fn_schema is None:
            raise errors.ToolSchemaError(
                f"tool {self.name!r} has no schema for its parameters: pass fn_schema", tool_name=self.name
            )
        if isinstance(self.fn_schema, dict):
            return self.fn_schema
        try:
            return self.fn_schema.model_json_schema()
        except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
            raise errors.ToolSchemaError(
                f"tool {self.name!r} has no JSON schema: {error}", tool_name=self.name
            ) from error

    def to_openai_tool(self, *, skip_length_check: bool = False) -> ToolDict:
        """The tool in the form that OpenAI's chat API and Ollama accept.

        Args:
            skip_length_check: whether to allow descriptions longer than 1024 characters.

        Raises:
            ToolSchemaError: it has no schema, or its description is too long.
        """
        length = len(self.description)
        if length > MAX_DESCRIPTION and not skip_length_check:
            message = f"the description of tool {self.name!r} has {length} characters; shorten it to {MAX_DESCRIPTION}"
            raise errors.ToolSchemaError(message, tool_name=self.name)
        return Tool(self.name, self.get_parameters_dict(), self.description).to_openai()


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
        """A tool whose output is an instance of that class, made from the arguments.

        Args:
            output_cls: the class; the tool has its name and docstring.

        Raises:
            ToolSchemaError: the class has no JSON schema, or its docstring is too long.
        """
        description = inspect.getdoc(output_cls) if output_cls.__doc__ else None
        metadata = ToolMetadata(name=output_cls.__name__, description=description or "", fn_schema=output_cls)
        metadata.to_openai_tool()
        return cls(output_cls, metadata)

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], *, name: str | None = None, description: str | None = None
    ) -> CallableTool:
        """A tool that calls a function.

        Args:
            fn: plain or asynchronous: a function, a method, a `functools.partial`, or an object with `__call__`. The
                types of its parameters come from the annotations; their descriptions from the annotations too
                (`Annotated[int, "how many"]`, or pydantic's `Field`), or from the docstring (in the style of Google,
                NumPy or Sphinx).
            name, description: None: the function's own name, and the text of its docstring.

        Raises:
            ToolSchemaError: it has no name, its parameters cannot be read, or one has a type without a JSON schema.
        """
        found = describe(fn, name)
        text = found.text if description is None else description
        metadata = ToolMetadata(name=found.name, description=text, fn_schema=found.parameters)
        metadata.to_openai_tool(skip_length_check=True)
        return cls(found.fn, metadata)

    @property
    def is_async(self) -> bool:
        """Whether the function is asynchronous."""
        return is_async(self.fn)

    def __call__(self, /, *args: Any, **arguments: Any) -> Any:
        """Call the function directly, without checking the arguments."""
        return self.fn(*args, **arguments)

    def call(self, given: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolOutput:
        """Run the tool. Errors are in the output: see `ToolOutput.error`.

        Args:
            given: the arguments as a mapping.
            arguments: the arguments by name.

        Raises:
            ConfigurationError: the function is asynchronous, and a loop is running in this thread: use `acall`.
        """
        arguments = {**(given or {}), **arguments}
        try:
            return self._output(arguments, run(self._ready(arguments)))
        except errors.InvalidObjectError as error:
            return ToolOutput.failed(self.metadata.name, arguments, error)
        except UsageError as error:
            raise errors.ConfigurationError(str(error), field="fn") from error

    async def acall(self, given: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolOutput:
        """Run the tool, asynchronously; a plain function in a thread. `given` and `arguments`: see `call`."""
        arguments = {**(given or {}), **arguments}
        try:
            ready = self._ready(arguments)
        except errors.InvalidObjectError as error:
            return ToolOutput.failed(self.metadata.name, arguments, error)
        return self._output(arguments, await arun(ready))

    def _ready(self, arguments: Mapping[str, Any]) -> Callable[[], Any]:
        # The function with its arguments. Strings are converted to the types in the schema; then the class validates.
        schema = self.metadata.fn_schema
        if schema is None or isinstance(schema, dict):
            return functools.partial(self.fn, **(coerce_arguments(arguments, schema) if schema else arguments))
        try:
            if self.fn is schema:  # the instance is the output
                made = _made(schema, arguments)
                return lambda: made
            found = schema.model_validate(coerce_arguments(arguments, schema.model_json_schema()))
        except ValidationError as error:
            text = json.dumps(arguments, ensure_ascii=False, default=str)
            raise invalid_object(f"the arguments of {self.metadata.name!r} are not valid", text, error) from error
        extra = found.model_extra or {}
        given = {name: getattr(found, name) for name in type(found).model_fields if name in found.model_fields_set}
        return functools.partial(self.fn, **extra | given)

    def _output(self, arguments: dict[str, Any], outcome: Outcome) -> ToolOutput:
        name, value, error = self.metadata.name, outcome.value, outcome.error
        if error is None:
            try:
                return ToolOutput(content=_text(value), tool_name=name, raw_input=arguments, raw_output=value)
            except Exception as raised:  # noqa: BLE001  # a value that cannot be written
                error = raised
        found = errors.ToolExecutionError(error_text(error), tool_name=name, arguments=arguments)
        found.__cause__ = error
        output = ToolOutput.failed(name, arguments, found)
        found.output = output
        return output


def callable_tool(given: Any) -> CallableTool:
    """The given `CallableTool`, or one made from a function or a pydantic class.

    Raises:
        ToolSchemaError: the function or the class has no schema.
        ConfigurationError: it is not one of these.
    """
    if isinstance(given, CallableTool):
        return given
    if isinstance(given, type) and issubclass(given, BaseModel):
        return CallableTool.from_model(given)
    if callable(given):
        return CallableTool.from_function(given)
    message = f"tools contain {given!r:.200}, which cannot be run: pass a CallableTool, a function or a pydantic class"
    raise errors.ConfigurationError(message, field="tools", value=given)


def schema_of(tool: Any) -> dict[str, Any]:
    """The tool as a dict in OpenAI's form.

    Raises:
        ToolSchemaError: it has no schema.
    """
    if not isinstance(tool, Mapping) and callable(tool):
        return dict(callable_tool(tool).metadata.to_openai_tool())
    if isinstance(tool, Mapping) and isinstance(field(field(tool, "function"), "name"), str):
        return dict(tool)
    raise errors.ToolSchemaError(
        f"{tool!r:.200} is not a tool with a schema: pass a function, a CallableTool or a tool dict",
        tool_name=str(field(tool, "name") or ""),
    )


class ToolExecutor:
    """Runs calls.

    Args:
        tools: `CallableTool`s, functions, pydantic classes; if two have the same name, the first is used.
        raise_on_error: whether a failing or unknown tool raises; otherwise its output reports the error.
        verbose: log each call and its output (`toolglean.llm`, level INFO).

    Raises:
        ConfigurationError: an entry of `tools` is none of these. The message shows it.
        ToolSchemaError: a tool cannot be described to a model.
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
            ConfigurationError: one of them is not a complete call; nothing was run.
            ToolExecutionError, InvalidObjectError, UnknownToolError: with `raise_on_error`.
        """
        found = []
        for call in _checked_calls(calls):
            tool = self._tools.get(call.name)
            output = self._unknown(call) if tool is None else tool.call(**call.arguments)
            found.append(self._reported(call, output))
        return found

    async def aexecute(self, calls: Iterable[ToolCallChunk]) -> list[ToolOutput]:
        """Run the calls concurrently; otherwise as `execute`. If one raises, the others still run to their end."""
        given = _checked_calls(calls)
        outputs = await asyncio.gather(*(self._acall(call) for call in given))
        return [self._reported(call, output) for call, output in zip(given, outputs, strict=True)]

    async def _acall(self, call: ToolCallChunk) -> ToolOutput:
        tool = self._tools.get(call.name)
        return self._unknown(call) if tool is None else await tool.acall(**call.arguments)

    def _unknown(self, call: ToolCallChunk) -> ToolOutput:
        return ToolOutput.failed(call.name, call.arguments, unknown_tool(call.name, self._tools))

    def _reported(self, call: ToolCallChunk, output: ToolOutput) -> ToolOutput:
        if self._verbose:
            log.info("%s(%s) -> %s", call.name, json.dumps(call.arguments, default=str), output.content)
        if self._raise and output.error is not None:
            raise output.error
        return output


def unknown_tool(name: str, known: Iterable[str]) -> errors.UnknownToolError:
    """The error for a call to an unknown tool."""
    names = list(known)
    return errors.UnknownToolError(unknown_tool_text(name, names), name=name, known=names)


def _checked_calls(calls: Iterable[ToolCallChunk]) -> list[ToolCallChunk]:
    given = list(calls)
    for call in given:
        if not isinstance(call, ToolCallChunk) or call.unread:  # type: ignore[redundant-expr]  # a `Partial`, for example
            message = f"calls contain {call!r:.200}, which is not finished: pass only complete calls"
            raise errors.ConfigurationError(message, field="calls", value=call)
    return given


def _made(model: type[BaseModel], arguments: Mapping[str, Any]) -> BaseModel:
    # From JSON, as an object in a stream is.
    try:
        text = written(arguments)
    except (TypeError, ValueError, RecursionError):  # values that JSON does not have, such as a date
        return model.model_validate(arguments)
    return valid_object(model, text)


def _text(value: Any) -> str:
    return value.model_dump_json() if isinstance(value, BaseModel) else ToolResultContent.of("", value).text
