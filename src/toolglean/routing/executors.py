# What this file knows: what runs a tool, and the tools that are plain functions of this program.
# What it must not know: how a call was written; MCP (clients/mcp.py is such an executor too).
"""Who runs tools."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Protocol

from toolglean.errors import UsageError
from toolglean.tools import Tool, ToolLike, ToolSet, as_tool

__all__ = ["LocalTools", "ToolExecutor"]


class ToolExecutor(Protocol):
    """Runs tools by name."""

    @property
    def tools(self) -> ToolSet:
        """The tools that there are."""

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
    """Functions of this program as tools, for those who have no MCP server.

    Functions that are not asynchronous run in a thread: a time limit lets go of them, but cannot end them.
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
            tool: its name and JSON schema, in any accepted shape; None: the function's own name, and a schema that
                knows the names of its parameters and which are required.

        Raises:
            UsageError: there is a tool of that name.
            ToolError: `tool` is none.
        """
        added = _described(function) if tool is None else as_tool(tool)
        if added.name in self._functions:
            raise UsageError(f"there is a tool {added.name!r} already")
        self._functions[added.name] = function
        self._tools.append(added)
        return added

    async def execute_tool(self, name: str, input: dict[str, Any], *, tool_use_id: str = "") -> Any:  # noqa: A002
        """Call the function of that name: see `ToolExecutor`."""
        del tool_use_id
        function = self._functions[name]
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
            return await function(**input)
        found = await asyncio.to_thread(function, **input)
        return await found if inspect.isawaitable(found) else found


_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}
_NAMES = {kind.__name__: word for kind, word in _KINDS.items()}


def _described(function: Callable[..., Any]) -> Tool:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
            continue
        said: Any = parameter.annotation
        word = _NAMES.get(said) if isinstance(said, str) else _KINDS.get(said)
        properties[name] = {"type": word} if word else {}
        if parameter.default is parameter.empty:
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(getattr(function, "__name__", type(function).__name__), schema, inspect.getdoc(function) or "")
