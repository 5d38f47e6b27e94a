# What this file knows: how a request in any form becomes a result in the same form: the executors that run tools, the
# system that checks each request, the router around it, and the entry point to all of them.
# Does not depend on how a form is read (forms.py), or on how a function is run (runner.py).
"""Routes requests to tools, including unknown, failing and hanging ones."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, overload

from toolglean.conversation.arguments import coerce_arguments, faults_of
from toolglean.conversation.calls import ErrorCode, ToolFault, ToolResultContent, ToolUseContent
from toolglean.conversation.fields import arguments_of, field, id_of, json_of
from toolglean.conversation.forms import (
    ID_KEYS,
    ToolUseFormat,
    detect_format,
    is_item,
    result_from_neutral,
    to_neutral,
)
from toolglean.conversation.messages import ContentPartToolCall
from toolglean.conversation.runner import arun, error_text, run_within, unknown_tool_text
from toolglean.conversation.wire import UNREAD_KEY
from toolglean.errors import UsageError
from toolglean.events import ToolCall
from toolglean.scan.coerce import properties
from toolglean.tools import Tool, ToolDict, ToolLike, ToolSet, as_tool

__all__ = ["LocalTools", "McpIntegration", "McpToolRouter", "ToolExecutor", "UnifiedMcpToolSystem", "failed"]

SHOWN = 500  # characters of unreadable arguments in a message
OurCall: TypeAlias = ToolCall | ToolUseContent | ContentPartToolCall
"""Requests that are objects of this library: their results are too."""


class ToolExecutor(Protocol):
    """Runs tools by name."""

    @property
    def tools(self) -> ToolSet:
        """The tools that it can run."""

    async def execute_tool(self, name: str, input: dict[str, Any], *, tool_use_id: str = "") -> Any:  # noqa: A002
        """Run a tool.

        Args:
            name: one of `tools`.
            input: its arguments.
            tool_use_id: the id of the request.

        Returns:
            A `ToolResultContent`, or any JSON value.

        Raises:
            Any exception: it becomes the result "tool_failed".
        """


class LocalTools:
    """Functions of this program as tools, for use without an MCP server.

    A plain function runs in a separate thread: a time limit abandons it, but cannot end it. Such a thread does not
    block other tools, and does not keep the program from ending.
    """

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._tools: list[Tool] = []

    @property
    def tools(self) -> ToolSet:
        """The tools, in the order in which they were added."""
        return ToolSet(self._tools)

    def add(self, function: Callable[..., Any], tool: ToolLike | None = None) -> Tool:
        """Add a function, which is called with the arguments by name.

        Args:
            function: a plain or an asynchronous function.
            tool: its name and JSON schema, in any accepted shape; None: the function's own name, and a schema of its
                parameters: which are required, and the types in its annotations (`str`, `int`, `float`, `bool`, `dict`,
                `list[...]`, `Literal[...]`, and unions of them).

        Raises:
            UsageError: there is already a tool with that name, the function cannot be called by name, or its parameters
                cannot be read.
            ToolError: `tool` is not a tool.
        """
        added = as_tool(function if tool is None else tool)
        if added.name in self._functions:
            raise UsageError(f"tool {added.name!r} is already registered: pass a tool with another name")
        self._functions[added.name] = function
        self._tools.append(added)
        return added

    async def execute_tool(self, name: str, input: dict[str, Any], *, tool_use_id: str = "") -> Any:  # noqa: A002
        """Call the function with that name with `input`; `tool_use_id` is not used: see `ToolExecutor`."""
        del tool_use_id
        return (await arun(functools.partial(self._functions[name], **input))).result()


class UnifiedMcpToolSystem:
    """Runs requests in the neutral form on executors: MCP servers, and functions of this program.

    Args:
        executors: objects that run tools; if several have a tool with the same name, the first of them runs it.
        timeout: seconds that a tool may take; None: no limit.

    Raises:
        UsageError: `timeout` is not above 0.
    """

    def __init__(self, executors: Iterable[ToolExecutor] = (), *, timeout: float | None = 60.0) -> None:
        if timeout is not None and not timeout > 0:
            raise UsageError(
                f"timeout={timeout!r} is not valid: pass a number of seconds above 0, or None for no limit"
            )
        self.executors = list(executors)
        self.timeout = timeout

    @property
    def tools(self) -> ToolSet:
        """All tools."""
        return ToolSet(tool for executor in self.executors for tool in executor.tools)

    async def execute_tool_from_neutral_format(self, request: Any) -> ToolResultContent:
        """Run one request.

        Args:
            request: a `ToolUseContent`, MCP's own, a `ToolCall`, or a dict in the neutral form.

        Returns:
            The tool's result, or an error with the request's id: "bad_request" if the request does not name a tool;
            "unknown_tool"; "bad_arguments" if the arguments cannot be read, or if one is missing or has the wrong type
            for the tool's schema (the tool is then not run); "tool_failed" if the tool raised an exception or reported
            a failure; "timeout".

        Raises:
            asyncio.CancelledError: the caller was cancelled; so was the tool.
        """
        request = ToolUseContent.of(request)
        try:
            executor, arguments = self._ready(request)
        except _Refused as refused:
            return ToolResultContent.failed(request.id, refused.code, str(refused))
        except Exception as error:  # noqa: BLE001  # an executor that cannot list its tools
            return failed(request, error)

        async def execute() -> ToolResultContent:
            value = await executor.execute_tool(request.name, arguments, tool_use_id=request.id)
            return ToolResultContent.of(request.id, value)

        outcome = await run_within(self.timeout, execute)
        if outcome is None:
            message = f"{request.name!r} gave no result within {self.timeout:g} seconds and was stopped"
            return ToolResultContent.failed(request.id, "timeout", message)
        if isinstance(outcome.error, asyncio.CancelledError):
            return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} was cancelled")
        if outcome.error is not None:
            return failed(request, outcome.error)
        found: ToolResultContent = outcome.value
        fault = found.error or (ToolFault("tool_failed", found.text) if found.is_error else None)
        return replace(found, tool_use_id=request.id, error=fault)

    def _ready(self, request: ToolUseContent) -> tuple[ToolExecutor, dict[str, Any]]:
        if not request.name:
            raise _Refused("bad_request", f"The call does not name a tool: {request.unread[:SHOWN]}")
        for executor in self.executors:
            tool = executor.tools.get(request.name)
            if tool is not None:
                return executor, _arguments(request, tool)
        raise _Refused("unknown_tool", unknown_tool_text(request.name, self.tools.names))


class _Refused(Exception):  # noqa: N818  # it never leaves this file
    """Why a request is not run."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def failed(request: ToolUseContent, error: BaseException) -> ToolResultContent:
    """The result of a request that has raised that error."""
    return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {error_text(error)}")


def _arguments(request: ToolUseContent, tool: Tool) -> dict[str, Any]:
    given: Any = request.input
    unread = request.unread or (_unread_in_history(given, tool) if isinstance(given, Mapping) else repr(given))
    if unread:
        raise _Refused("bad_arguments", f"The arguments of {request.name!r} are not a JSON object: {unread[:SHOWN]}")
    arguments = coerce_arguments(given, tool.parameters)
    if faults := faults_of(arguments, tool.parameters):
        raise _Refused("bad_arguments", f"{request.name!r}: {'; '.join(faults)}")
    return arguments


def _unread_in_history(given: Mapping[str, Any], tool: Tool) -> str:
    # In a wire format whose arguments must be an object, unreadable arguments are text under this key.
    text = given.get(UNREAD_KEY) if len(given) == 1 else None
    if not isinstance(text, str) or not arguments_of(text)[1]:
        return ""
    known = properties(tool.parameters)
    return text if known and UNREAD_KEY not in known else ""


# -- from any form and back --------------------------------------------------------------------------------------------

_Writer: TypeAlias = Callable[[ToolResultContent, str], Any]


class McpToolRouter:
    """Routes requests for tools.

    Args:
        system: runs the tools.
    """

    def __init__(self, system: UnifiedMcpToolSystem) -> None:
        self.system = system
        self._made = 0  # ids

    @overload
    async def route_tool_use(self, content: OurCall) -> ToolResultContent: ...
    @overload
    async def route_tool_use(self, content: Any) -> Any: ...
    async def route_tool_use(self, content: Any) -> Any:
        """Run the tools that the content requests.

        Args:
            content: a `ToolCall` from a parser; a `ContentPartToolCall` from a history; a `ToolUseContent`, or MCP's
                own; a dict in the neutral form, in OpenAI's form, or in JSON with `name` and `input`; text with XML,
                JSON, or a call in any format of the library; or a list of these. An unfinished call (a `ToolCall` whose
                status is not "ok", an item of the Responses API in progress) is not run: its result is the error
                "bad_arguments".

        Returns:
            The result in the form of the request: a `ToolResultContent` for an object of this library or of the neutral
            form; OpenAI's tool message, or the Responses API's item; text for XML; otherwise a dict in the neutral
            form. Several requests are run one after another, and a list of results is returned in the same order. A
            request without an id gets one (`tool_0`, …). Errors are results too: "bad_request" if the content is not a
            request, with the id "error" if it has none.

        Raises:
            asyncio.CancelledError: the caller was cancelled. Nothing else.
        """
        try:
            form = detect_format(content)
            requests = to_neutral(content, self._tools(), form)
            write = _writer(content, form)
        except Exception as error:  # noqa: BLE001  # the content may be any object; the answer is always a result
            return self._refused(content, error)
        answers = [await self._answered(request, write) for request in requests]
        return answers[0] if len(answers) == 1 else answers

    def _tools(self) -> ToolSet:
        try:
            return self.system.tools
        except Exception:  # noqa: BLE001  # an executor that cannot list its tools: the result of running one says so
            return ToolSet()

    async def _answered(self, request: ToolUseContent, write: _Writer) -> Any:
        if not request.id:
            request = replace(request, id=f"tool_{self._made}")
            self._made += 1
        try:
            return write(await self.system.execute_tool_from_neutral_format(request), request.name)
        except Exception as error:  # noqa: BLE001  # another kind of system; a result that is not JSON
            return write(failed(request, error), request.name)

    def _refused(self, content: Any, error: Exception) -> Any:
        found = json_of(content.strip()) if isinstance(content, str) else content
        message = str(error) if isinstance(error, UsageError) else error_text(error)
        try:
            result = ToolResultContent.failed(id_of(found, *ID_KEYS) or "error", "bad_request", message)
            return _writer(content, detect_format(content))(result, "")
        except Exception:  # noqa: BLE001  # an object whose attributes raise
            return ToolResultContent.failed("error", "bad_request", message).to_dict()


def _writer(content: Any, form: ToolUseFormat) -> _Writer:
    # Makes the answer to that content from a result and the tool's name.
    if _is_object(content):
        return lambda result, _: result
    found = json_of(content.strip()) if isinstance(content, str) else content
    item = form == ToolUseFormat.OPENAI and is_item(found)
    return lambda result, name: result_from_neutral(result, form, name, is_item=item)


def _is_object(content: Any) -> bool:
    if isinstance(content, list | tuple):
        return bool(content) and all(isinstance(each, ToolCall | ContentPartToolCall) for each in content)
    if isinstance(content, ToolCall | ContentPartToolCall):
        return True
    return not isinstance(content, dict) and field(content, "type") == "tool_use"


# -- the entry point ---------------------------------------------------------------------------------------------------


class McpIntegration:
    """Routes requests for tools to MCP servers, and to functions of this program.

    Args:
        executors: objects that run tools, such as `toolglean.clients.mcp.EmbeddedMcpServer`. Functions added by
            `register_tool` come first.
        timeout: seconds that a tool may take; None: no limit.

    Raises:
        UsageError: `timeout` is not above 0.
    """

    def __init__(self, *executors: ToolExecutor, timeout: float | None = 60.0) -> None:
        self.local = LocalTools()
        self.system = UnifiedMcpToolSystem([self.local, *executors], timeout=timeout)
        self.router = McpToolRouter(self.system)

    @property
    def tools(self) -> ToolSet:
        """All tools: for the request to the model, and for the parser of its answer."""
        return self.system.tools

    @property
    def openai_tools(self) -> list[ToolDict]:
        """All tools, in the form that OpenAI's chat API and Ollama accept in a request."""
        return self.tools.to_openai()

    def register_tool(self, function: Callable[..., Any], tool: ToolLike | None = None) -> Tool:
        """Make a function of this program a tool: see `LocalTools.add`."""
        return self.local.add(function, tool)

    @overload
    async def route_tool_use(self, content: OurCall) -> ToolResultContent: ...
    @overload
    async def route_tool_use(self, content: Any) -> Any: ...
    async def route_tool_use(self, content: Any) -> Any:
        """Run the tools that the content requests; errors are results too: see `McpToolRouter.route_tool_use`."""
        return await self.router.route_tool_use(content)
