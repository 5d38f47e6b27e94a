# What this file knows: how one request becomes one result, whatever happens on the way.
# What it must not know: in which form the request came.
#
# A tool runs in a separate task, so that a time limit holds even if the tool ignores its cancellation: it is cancelled
# and abandoned. Cancelling the caller cancels the tool and passes on to the caller; it never becomes a result.
"""Running tools, including unknown, failing and hanging ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolglean.conversation.messages.ollama import UNREAD_KEY
from toolglean.conversation.messages.wire import arguments_of
from toolglean.conversation.routing.arguments import coerce_arguments
from toolglean.conversation.routing.executors import ToolExecutor
from toolglean.conversation.routing.neutral import ErrorCode, ToolFault, ToolResultContent, ToolUseContent
from toolglean.errors import UsageError
from toolglean.scan.coerce import kinds_of, properties
from toolglean.tools import Tool, ToolSet

__all__ = ["UnifiedMcpToolSystem", "said"]

SHOWN = 500  # characters of what is wrong, in a message

_TYPES: tuple[tuple[Any, frozenset[str]], ...] = (  # bool before int, of which it is one
    (str, frozenset({"string"})),
    (bool, frozenset({"boolean"})),
    (int, frozenset({"integer", "number"})),
    (float, frozenset({"number"})),
    (Mapping, frozenset({"object"})),
    (list | tuple, frozenset({"array"})),
    (type(None), frozenset({"null"})),
)


class UnifiedMcpToolSystem:
    """Runs requests in the neutral form on executors: MCP servers, and functions of this program.

    Args:
        executors: objects that run tools; if two have a tool of the same name, the first runs it.
        timeout: seconds that a tool may take; None: no limit.

    Raises:
        UsageError: `timeout` is not above 0.
    """

    def __init__(self, executors: Iterable[ToolExecutor] = (), *, timeout: float | None = 60.0) -> None:
        if timeout is not None and not timeout > 0:
            raise UsageError(f"timeout must be a number of seconds above 0, or None, not {timeout!r}")
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
            "unknown_tool"; "bad_arguments" if the arguments could not be read, or if one is missing or has the wrong
            type for the tool's schema (the tool is then not run); "tool_failed" if the tool raised an exception or
            reported a failure; "timeout".

        Raises:
            asyncio.CancelledError: the caller was cancelled; so was the tool.
        """
        request = ToolUseContent.of(request)
        try:
            executor, arguments = self._ready(request)
        except _Refused as refused:
            return ToolResultContent.failed(request.id, refused.code, str(refused))
        except Exception as error:  # noqa: BLE001  # an executor that cannot say what it has
            return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {said(error)}")
        return await self._run(executor, request, arguments)

    def _ready(self, request: ToolUseContent) -> tuple[ToolExecutor, dict[str, Any]]:
        if not request.name:
            raise _Refused("bad_request", f"The call does not name a tool: {request.unread[:SHOWN]}")
        for executor in self.executors:
            tool = executor.tools.get(request.name)
            if tool is not None:
                return executor, _arguments(request, tool)
        there_are = ", ".join(self.tools.names) or "none"
        raise _Refused("unknown_tool", f"Tool {request.name!r} not found. The tools are: {there_are}")

    async def _run(
        self, executor: ToolExecutor, request: ToolUseContent, arguments: dict[str, Any]
    ) -> ToolResultContent:
        task = asyncio.create_task(_executed(executor, request, arguments))
        try:
            done, _ = await asyncio.wait({task}, timeout=self.timeout)
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_look_away)
        if not done:
            message = f"{request.name!r} gave no result within {self.timeout:g} seconds and was stopped"
            return ToolResultContent.failed(request.id, "timeout", message)
        return _result(request, task)


class _Refused(Exception):  # noqa: N818  # it never leaves this file
    """Why a request is not run."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def said(error: BaseException) -> str:
    """What an exception says, whoever wrote it."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # an exception that cannot even say what it is
        text = ""
    return f"{type(error).__name__}: {text}".removesuffix(": ")


def _arguments(request: ToolUseContent, tool: Tool) -> dict[str, Any]:
    if request.unread or not isinstance(request.input, Mapping):
        text = request.unread or repr(request.input)
        raise _Refused("bad_arguments", f"The arguments of {request.name!r} are not a JSON object: {text[:SHOWN]}")
    if unread := _unread_in_history(request.input, tool):
        raise _Refused("bad_arguments", f"The arguments of {request.name!r} are not a JSON object: {unread[:SHOWN]}")
    arguments = coerce_arguments(request.input, tool.parameters)
    if faults := faults_of(arguments, tool):
        raise _Refused("bad_arguments", f"{request.name!r}: {'; '.join(faults)}")
    return arguments


def _unread_in_history(given: Mapping[str, Any], tool: Tool) -> str:
    # A wire that has room for an object only holds arguments that could not be read as text under this key.
    text = given.get(UNREAD_KEY) if len(given) == 1 else None
    if not isinstance(text, str) or not arguments_of(text)[1]:
        return ""
    known = properties(tool.parameters)
    return text if known and UNREAD_KEY not in known else ""


async def _executed(executor: ToolExecutor, request: ToolUseContent, arguments: dict[str, Any]) -> ToolResultContent:
    # All that is the executor's happens in its task, also what it raises before it first waits.
    try:
        value = await executor.execute_tool(request.name, arguments, tool_use_id=request.id)
    except SystemExit as error:  # a tool that wants to end this program has failed
        return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {said(error)}")
    return ToolResultContent.of(request.id, value)


def _look_away(task: asyncio.Task[Any]) -> None:
    # What a tool raises after its time is nobody's: without this, the loop would complain of it.
    if not task.cancelled():
        task.exception()


def _result(request: ToolUseContent, task: asyncio.Task[ToolResultContent]) -> ToolResultContent:
    if task.cancelled():
        return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} was cancelled")
    error = task.exception()
    if error is not None:
        return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {said(error)}")
    found = task.result()
    fault = found.error or (ToolFault("tool_failed", found.text) if found.is_error else None)
    return replace(found, tool_use_id=request.id, error=fault)


def faults_of(arguments: Mapping[str, Any], tool: Tool) -> list[str]:
    """What is wrong with the arguments of a tool, by the schema of its parameters: those that are missing, and those of
    another kind. Checking deeper values is the tool's job.
    """
    schema = tool.parameters
    known = properties(schema)
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
    faults = [f"parameter {name!r} is missing" for name in names if name not in arguments]
    if schema.get("additionalProperties") is False:
        faults += [f"there is no parameter {name!r}" for name in arguments if name not in known]
    for name, value in arguments.items():
        kinds = kinds_of(known.get(name), schema)
        if kinds and not kinds & _kinds_of_value(value) and "enum" not in kinds:
            faults.append(f"parameter {name!r} must be {' or '.join(sorted(kinds))}, not {_shown(value)}")
    return faults


def _kinds_of_value(value: Any) -> frozenset[str]:
    if isinstance(value, float) and value.is_integer():
        return frozenset({"number", "integer"})
    return next((kinds for kind, kinds in _TYPES if isinstance(value, kind)), frozenset())


def _shown(value: Any) -> str:
    try:
        return repr(value)[:100]
    except RecursionError:
        return type(value).__name__
