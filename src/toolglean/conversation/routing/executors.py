# What this file knows: what runs a tool, and the tools that are plain functions of this program.
# What it must not know: how a call was written; MCP (clients/mcp.py is such an executor too).
"""Objects that run tools."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any, Protocol

from toolglean.errors import UsageError
from toolglean.tools import Tool, ToolLike, ToolSet, as_tool

__all__ = ["LocalTools", "ToolExecutor"]


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
            Anything: it becomes the result "tool_failed".
        """


class LocalTools:
    """Functions of this program as tools, if you have no MCP server.

    A plain function runs in a separate thread: a time limit abandons it, but cannot end it. Such a thread blocks no
    other tools, and does not keep the program from ending.
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
            function: a plain or an asynchronous one.
            tool: its name and JSON schema, in any accepted shape; None: the function's own name, and a schema with its
                parameters, those that are required, and the types that its annotations name (`str`, `int`, `float`,
                `bool`, `dict`, `list[...]`, `Literal[...]`, and unions of them).

        Raises:
            UsageError: there is a tool of that name already, the function cannot be called by name, or its parameters
                cannot be read.
            ToolError: `tool` is not a tool.
        """
        added = as_tool(function if tool is None else tool)
        if added.name in self._functions:
            raise UsageError(f"tool {added.name!r} is registered already: give this one another name")
        self._functions[added.name] = function
        self._tools.append(added)
        return added

    async def execute_tool(self, name: str, input: dict[str, Any], *, tool_use_id: str = "") -> Any:  # noqa: A002
        """Call the function of that name with `input`; `tool_use_id` is not used: see `ToolExecutor`."""
        del tool_use_id
        function = self._functions[name]
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
            return await function(**input)
        found = await _in_thread(function, input)
        return await found if inspect.isawaitable(found) else found


async def _in_thread(function: Callable[..., Any], input: dict[str, Any]) -> Any:  # noqa: A002
    # Not asyncio.to_thread: a handful of functions that hang would fill its pool, and keep `asyncio.run` from ending.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        found: Any = None
        error: BaseException | None = None
        try:
            found = context.run(function, **input)
        except BaseException as raised:  # noqa: BLE001  # it goes on in the loop's thread
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, future, found, error)

    threading.Thread(target=run, name="toolglean-tool", daemon=True).start()
    return await future


def _settle(future: asyncio.Future[Any], found: Any, error: BaseException | None) -> None:
    if future.done():  # its time was up
        return
    if isinstance(error, StopIteration):  # no future takes this one
        error = RuntimeError(f"StopIteration: {error}")
    if error is None:
        future.set_result(found)
    else:
        future.set_exception(error)
