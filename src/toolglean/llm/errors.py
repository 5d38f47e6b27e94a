# What this file knows: every error of this package: what happened, and its data.
# Does not depend on what raises it.
#
# docs/reference/llm-errors.md has a table row for each class. An error is also the built-in error that programs already
# catch (ValueError, KeyError, ConnectionError, …). The cause is in `__cause__`. Every attribute has a default, so that
# errors can be copied and pickled.
"""The errors of `toolglean.llm`. All of them are an `LLMError`, which is a `ToolgleanError`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from toolglean.errors import ToolgleanError, UsageError

__all__ = [
    "ClientError",
    "ConfigurationError",
    "IncompleteObjectError",
    "InvalidObjectError",
    "LLMError",
    "MalformedObjectError",
    "MissingLLMError",
    "MissingVariablesError",
    "NoToolCallError",
    "ObjectError",
    "OutputError",
    "ParseError",
    "PromptError",
    "RequestConnectionError",
    "RequestError",
    "RequestTimeoutError",
    "ServerError",
    "StreamInterruptedError",
    "ToolExecutionError",
    "ToolSchemaError",
    "UnknownToolError",
    "UnsetFieldError",
]


class LLMError(ToolgleanError):
    """The root of every error that `toolglean.llm` raises on purpose.

    Attributes:
        response: the `ChatResponse` that caused the error; None if there is none, or it is not known.
        failed_attempts: if the model was asked again (`max_retries`): each `Attempt`, including the last one.
    """

    response: Any = None
    failed_attempts: tuple[Any, ...] = ()

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        for name, value in data.items():
            default = getattr(type(self), name)  # an unknown attribute is an AttributeError: a mistake of ours
            setattr(self, name, tuple(value) if isinstance(default, tuple) else value)

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


# -- the caller's arguments --------------------------------------------------------------------------------------------


class ConfigurationError(LLMError, UsageError, ValueError):
    """A setting is wrong: `field` is its name, `value` the given value. Nothing was sent. Fix the calling code."""

    field: str = ""
    value: Any = None


class MissingLLMError(ConfigurationError, AssertionError):
    """No language model was given, and `Configs.llm` is not set. Pass `llm=`, or set it."""


class ClientError(LLMError, ValueError, ConnectionError):
    """The client could not be created for `base_url`; the cause says why. The next use tries again."""

    base_url: str = ""


class ToolSchemaError(LLMError, ValueError):
    """A tool cannot be described to a model: it has no schema, or its description is too long. `tool_name` names it."""

    tool_name: str = ""


class PromptError(LLMError, ValueError):
    """A prompt template is broken or cannot be formatted. `template` is its text. Correct the template."""

    template: str = ""


class MissingVariablesError(PromptError, KeyError):
    """Variables of the template were not given. `missing` has their names in the template's order."""

    missing: tuple[str, ...] = ()


# -- requests and answers --------------------------------------------------------------------------------------------


class RequestError(LLMError):
    """A request failed.

    Attributes:
        operation: "chat", or "show" if the server was asked about the model.
        model: the requested model.
        base_url: the server.
        attempts: how many times the request was sent.
    """

    operation: str = "chat"
    model: str = ""
    base_url: str = ""
    attempts: int = 1


class RequestTimeoutError(RequestError, TimeoutError):
    """The server did not answer in time. Increase `timeout`, or try again."""


class RequestConnectionError(RequestError, ConnectionError):
    """The server cannot be reached. Is it running at `base_url`?"""


class ServerError(RequestError):
    """The server answered with an error.

    Attributes:
        status: the HTTP status; -1 if the error was inside an answer.
        body: the text of the error.
    """

    status: int = -1
    body: str = ""


class StreamInterruptedError(RequestConnectionError):
    """The stream broke after it had begun. What was received is kept; the request is not sent again automatically.

    Attributes:
        partial: the last response that was yielded (a `ChatResponse`), or None if there was none. Calls that were open
            are in `partial.unfinished`: they are not executed.
        operation, model, base_url, attempts: as for `RequestError`.
    """

    partial: Any = None


# -- the model's output -----------------------------------------------------------------------------------------------


class NoToolCallError(LLMError, ValueError):
    """A tool call was expected, but there is none. `response` is the model's answer."""


class UnknownToolError(LLMError, KeyError):
    """The model called an unknown tool. `name` is what it wrote, `known` has the names of your tools."""

    name: str = ""
    known: tuple[str, ...] = ()


class ObjectError(LLMError, ValueError):
    """The model's text did not become an object.

    Attributes:
        text: the JSON text, as far as it was written.
        span: (start, end) of the fault, in characters of `text`; the whole text if the fault has no position.
        index: which object of the turn it is; the first is 0.
        partial: the `Partial` view at that moment, for display; None if there is none.
    """

    text: str = ""
    span: tuple[int, int] = (0, 0)
    index: int = 0
    partial: Any = None

    def __init__(self, message: str, *, span: tuple[int, int] | None = None, **data: Any) -> None:
        super().__init__(message, **data)
        self.span = (0, len(self.text)) if span is None else span


class IncompleteObjectError(ObjectError):
    """The stream ended inside the object. Ask again, or allow more tokens; use the partial for display only."""


class MalformedObjectError(ObjectError):
    """The text is not a JSON object. `span` is the first fault. Ask again, or show the model the message."""


class InvalidObjectError(ObjectError):
    """The JSON is complete, but not valid for the model class.

    Attributes:
        validation_error: pydantic's error, with one entry for each fault; also the cause.
        spans: the positions in `text` of the values of these entries, in the order of `validation_error.errors()`. For
            a missing field, the position of the object around it.
    """

    validation_error: ValidationError | None = None
    spans: tuple[tuple[int, int], ...] = ()

    def errors(self) -> list[Any]:
        """The entries of `validation_error`, as pydantic gives them."""
        return [] if self.validation_error is None else list(self.validation_error.errors())


class ParseError(LLMError, ValueError):
    """The text of an answer does not contain an object of the requested class. `text` is the whole answer.

    If JSON was found but is not valid, the cause is an `InvalidObjectError` with the position.
    """

    text: str = ""


# -- the tools -------------------------------------------------------------------------------------------------------


class ToolExecutionError(LLMError, ValueError):
    """A tool raised an exception, which is the cause.

    Attributes:
        tool_name: the tool.
        arguments: the arguments of the call.
        output: the `ToolOutput` that reports the error.
    """

    tool_name: str = ""
    arguments: Mapping[str, Any] = MappingProxyType({})
    output: Any = None


class OutputError(LLMError, ValueError, IndexError):
    """There is no output: no tool was run, or it returned no value. `response` is the `AgentChatResponse`."""


class UnsetFieldError(LLMError, AttributeError):
    """A field of a `Partial` was read that the model has not begun to write. Check `is_set(name)` first.

    Attributes:
        name: the field.
        model_name: the class of the object.
    """

    name: str = ""
    model_name: str = ""
