# What this file knows: every error of the llm room: what happened, at which boundary, and the data that it carries.
# What it must not know: what raised it.
#
# docs/reference/llm-errors.md was written first; each class here is a line of its tables. An error is also the plain
# Python error that people already catch (ValueError, KeyError, ConnectionError, …). The cause is kept in `__cause__`.
# Every attribute has a default, so that errors can be copied and pickled.
"""The errors of `toolglean.llm`. All of them are an `LLMError`, which is a `ToolgleanError`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        response: the `ChatResponse` that was the reason; None where there is none, or it is not known.
        failed_attempts: where a model was asked again (`max_retries`): each `Attempt`, this one included.
    """

    response: Any = None
    failed_attempts: tuple[Any, ...] = ()


# -- what the caller gave ----------------------------------------------------------------------------------------------


class ConfigurationError(LLMError, UsageError, ValueError):
    """A setting is wrong: `field` names it, `value` is what was given. Nothing was sent. Fix the calling code."""

    def __init__(self, message: str, *, field: str = "", value: Any = None) -> None:
        super().__init__(message)
        self.field = field
        self.value = value


class MissingLLMError(ConfigurationError, AssertionError):
    """No language model was given, and `Configs.llm` is not set. Give one, or set it."""


class ClientError(LLMError, ValueError, ConnectionError):
    """The client could not be made from `base_url`. Its cause says why; the next use tries again."""

    def __init__(self, message: str, *, base_url: str = "") -> None:
        super().__init__(message)
        self.base_url = base_url


class ToolSchemaError(LLMError, ValueError):
    """A tool cannot be described to a model: it has no schema, or its description is too long. `tool_name` names it."""

    def __init__(self, message: str, *, tool_name: str = "") -> None:
        super().__init__(message)
        self.tool_name = tool_name


class PromptError(LLMError, ValueError):
    """A prompt template is broken or cannot be formatted. `template` is its text. Correct the template."""

    def __init__(self, message: str, *, template: str = "") -> None:
        super().__init__(message)
        self.template = template


class MissingVariablesError(PromptError, KeyError):
    """The template asks for variables that were not given. `missing` names them in the template's order."""

    def __init__(self, message: str, *, missing: Iterable[str] = (), template: str = "") -> None:
        super().__init__(message, template=template)
        self.missing = tuple(missing)

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


# -- the way to the server and back ------------------------------------------------------------------------------------


class RequestError(LLMError):
    """A request failed.

    Attributes:
        operation: "chat", or "show" where the server was asked about the model.
        model: the model that was asked for.
        base_url: the server.
        attempts: how many times it was tried.
    """

    def __init__(
        self, message: str, *, operation: str = "chat", model: str = "", base_url: str = "", attempts: int = 1
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.model = model
        self.base_url = base_url
        self.attempts = attempts


class RequestTimeoutError(RequestError, TimeoutError):
    """The server did not answer in time. Raise `timeout`, or try again."""


class RequestConnectionError(RequestError, ConnectionError):
    """The server cannot be reached. Is it running at `base_url`?"""


class ServerError(RequestError):
    """The server answered with an error.

    Attributes:
        status: the HTTP status; -1 where the answer had none.
        body: what the server wrote.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = -1,
        body: str = "",
        operation: str = "chat",
        model: str = "",
        base_url: str = "",
        attempts: int = 1,
    ) -> None:
        super().__init__(message, operation=operation, model=model, base_url=base_url, attempts=attempts)
        self.status = status
        self.body = body


class StreamInterruptedError(RequestConnectionError):
    """The stream broke after it had begun. You keep what was received; the request is not sent again by itself.

    Attributes:
        partial: the last response that was handed out (a `ChatResponse`), or None where there was none. Calls that
            were open are in `partial.unfinished`: they are not executed.
        operation, model, base_url, attempts: as for `RequestError`.
    """

    def __init__(
        self,
        message: str,
        *,
        partial: Any = None,
        operation: str = "chat",
        model: str = "",
        base_url: str = "",
        attempts: int = 1,
    ) -> None:
        super().__init__(message, operation=operation, model=model, base_url=base_url, attempts=attempts)
        self.partial = partial


# -- what the model wrote ----------------------------------------------------------------------------------------------


class NoToolCallError(LLMError, ValueError):
    """A tool call was expected, but there is none. `response` is what the model said instead."""

    def __init__(self, message: str, *, response: Any = None) -> None:
        super().__init__(message)
        self.response = response


class UnknownToolError(LLMError, KeyError):
    """The model called a tool that it was not given. `name` is what it wrote, `known` are your tools."""

    def __init__(self, message: str, *, name: str = "", known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.known = tuple(known)

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class ObjectError(LLMError, ValueError):
    """What the model wrote did not become an object.

    Attributes:
        text: the JSON text, as far as it was written.
        span: (start, end) of the fault, in characters of `text`; the whole text where the fault has no place.
        index: which object of the turn, the first is 0.
        partial: the `Partial` view at that moment, to show; None where there is none.
    """

    def __init__(
        self, message: str, *, text: str = "", span: tuple[int, int] | None = None, index: int = 0, partial: Any = None
    ) -> None:
        super().__init__(message)
        self.text = text
        self.span = (0, len(text)) if span is None else span
        self.index = index
        self.partial = partial


class IncompleteObjectError(ObjectError):
    """The stream ended inside the object. Ask again, or allow more tokens; the partial is only for showing."""


class MalformedObjectError(ObjectError):
    """The text is not a JSON object. `span` is where it stops being one. Ask again, or show the model the message."""


class InvalidObjectError(ObjectError):
    """The JSON is complete, but not valid for the model class.

    Attributes:
        validation_error: pydantic's error, with one entry for each fault; also the cause.
        spans: where the value of each entry stands in `text`, in the order of `validation_error.errors()`. The object
            around it where a field is missing.
    """

    def __init__(
        self,
        message: str,
        *,
        validation_error: ValidationError | None = None,
        spans: Iterable[tuple[int, int]] = (),
        text: str = "",
        span: tuple[int, int] | None = None,
        index: int = 0,
        partial: Any = None,
    ) -> None:
        super().__init__(message, text=text, span=span, index=index, partial=partial)
        self.validation_error = validation_error
        self.spans = tuple(spans)

    def errors(self) -> list[Any]:
        """The entries of `validation_error`, as pydantic gives them."""
        return [] if self.validation_error is None else list(self.validation_error.errors())


class ParseError(LLMError, ValueError):
    """The text of an answer holds no object of the class that was asked for. `text` is the whole answer.

    Where JSON was found and is not valid, the cause is an `InvalidObjectError` with the place.
    """

    def __init__(self, message: str, *, text: str = "") -> None:
        super().__init__(message)
        self.text = text


# -- what the tools did ------------------------------------------------------------------------------------------------


class ToolExecutionError(LLMError, ValueError):
    """A tool raised, or refused its arguments. The cause is the tool's own exception.

    Attributes:
        tool_name: the tool.
        arguments: what it was called with.
        output: the `ToolOutput` that says so.
    """

    def __init__(
        self, message: str, *, tool_name: str = "", arguments: Mapping[str, Any] | None = None, output: Any = None
    ) -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.arguments = dict(arguments or {})
        self.output = output


class OutputError(LLMError, ValueError, IndexError):
    """There is no output: no tool ran, or none returned a value. `response` is the `AgentChatResponse`."""

    def __init__(self, message: str, *, response: Any = None) -> None:
        super().__init__(message)
        self.response = response


class UnsetFieldError(LLMError, AttributeError):
    """You read a field of a `Partial` that the model has not begun to write. Check `is_set(name)` first.

    Attributes:
        name: the field.
        model_name: the class of the object.
    """

    def __init__(self, message: str, *, name: str = "", model_name: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.model_name = model_name
