# What this file knows: how one request becomes one result, whatever happens on the way.
# What it must not know: in which form the request came.
#
# A tool runs in a task of its own, so that a time limit holds also where the tool swallows its cancellation: it is
# cancelled, and let go. Cancelling the caller cancels the tool and goes on outwards; it is never made a result.
"""Running tools: the unknown, the wrong, the failing and the hanging."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.coerce import kinds_of, properties
from toolglean.errors import UsageError
from toolglean.routing.arguments import coerce_arguments
from toolglean.routing.executors import ToolExecutor
from toolglean.routing.neutral import ToolFault, ToolResultContent, ToolUseContent
from toolglean.tools import Tool, ToolSet

__all__ = ["UnifiedMcpToolSystem"]

_TYPES: Mapping[type, tuple[str, ...]] = {
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    dict: ("object",),
    list: ("array",),
    type(None): ("null",),
}


class UnifiedMcpToolSystem:
    """Runs requests in the neutral form on executors: MCP servers, and functions of this program.

    Args:
        executors: who runs tools; of two that have a tool of one name, the first does.
        timeout: seconds that a tool may take; None: for ever.
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

    async def execute_tool_from_neutral_format(self, request: ToolUseContent) -> ToolResultContent:
        """Run one request.

        Returns:
            What the tool gave; or an error, with the request's id: "unknown_tool"; "bad_arguments", when they could not
            be read, or one is missing or of another kind than the tool's schema says (the tool is not run then);
            "tool_failed", when it raised or said that it failed; "timeout".

        Raises:
            asyncio.CancelledError: the caller was cancelled; so was the tool.
        """
        executor = next((each for each in self.executors if request.name in each.tools), None)
        tool = executor.tools.get(request.name) if executor is not None else None
        if executor is None or tool is None:
            there_are = ", ".join(self.tools.names) or "none"
            return ToolResultContent.failed(
                request.id, "unknown_tool", f"Tool {request.name!r} not found. The tools are: {there_are}"
            )
        if request.unread:
            message = f"The arguments of {request.name!r} are not a JSON object: {request.unread[:500]}"
            return ToolResultContent.failed(request.id, "bad_arguments", message)
        arguments = coerce_arguments(request.input, tool.parameters)
        faults = faults_of(arguments, tool)
        if faults:
            return ToolResultContent.failed(request.id, "bad_arguments", f"{request.name!r}: {'; '.join(faults)}")
        return await self._run(executor, request, arguments)

    async def _run(
        self, executor: ToolExecutor, request: ToolUseContent, arguments: dict[str, Any]
    ) -> ToolResultContent:
        task = asyncio.ensure_future(executor.execute_tool(request.name, arguments, tool_use_id=request.id))
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


def _look_away(task: asyncio.Future[Any]) -> None:
    # What a tool raises after its time is nobody's: without this, the loop would complain of it.
    if not task.cancelled():
        task.exception()


def _result(request: ToolUseContent, task: asyncio.Future[Any]) -> ToolResultContent:
    if task.cancelled():
        return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} was cancelled")
    error = task.exception()
    if error is not None:
        message = f"{request.name!r} failed: {type(error).__name__}: {error}".removesuffix(": ")
        return ToolResultContent.failed(request.id, "tool_failed", message)
    found = ToolResultContent.of(request.id, task.result())
    found.tool_use_id = request.id
    if found.is_error and found.error is None:
        found.error = ToolFault("tool_failed", found.text)
    return found


def faults_of(arguments: Mapping[str, Any], tool: Tool) -> list[str]:
    """What is wrong with the arguments of a tool, by the schema of its parameters: those that are missing, and those of
    another kind. What lies deeper is for the tool to judge.
    """
    schema = tool.parameters
    known = properties(schema)
    required = schema.get("required")
    missing = [name for name in required if name not in arguments] if isinstance(required, list) else []
    faults = [f"parameter {name!r} is missing" for name in missing]
    if schema.get("additionalProperties") is False:
        faults += [f"there is no parameter {name!r}" for name in arguments if name not in known]
    for name, value in arguments.items():
        kinds = kinds_of(known.get(name), schema)
        if kinds and not kinds & _kinds_of_value(value) and "enum" not in kinds:
            faults.append(f"parameter {name!r} must be {' or '.join(sorted(kinds))}, not {str(value)[:100]!r}")
    return faults


def _kinds_of_value(value: Any) -> frozenset[str]:
    if isinstance(value, float) and value.is_integer():
        return frozenset({"number", "integer"})
    return frozenset(_TYPES.get(type(value), ()))
