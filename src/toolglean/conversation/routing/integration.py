# What this file knows: how executors, system and router are put together.
# What it must not know: what each of them does.
"""The entry point: takes tools, and routes requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from toolglean.conversation.routing.executors import LocalTools, ToolExecutor
from toolglean.conversation.routing.neutral import ToolResultContent, ToolUseContent
from toolglean.conversation.routing.router import McpToolRouter
from toolglean.conversation.routing.system import UnifiedMcpToolSystem
from toolglean.events import ToolCall
from toolglean.tools import Tool, ToolLike, ToolSet

__all__ = ["McpIntegration"]


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
        """All tools: for the request to the model, and for the parser of what it writes."""
        return self.system.tools

    @property
    def openai_tools(self) -> list[dict[str, Any]]:
        """All tools, in the form that OpenAI's chat API and Ollama accept in a request."""
        return self.tools.to_openai()

    def register_tool(self, function: Callable[..., Any], tool: ToolLike | None = None) -> Tool:
        """Make a function of this program a tool: see `LocalTools.add`."""
        return self.local.add(function, tool)

    @overload
    async def route_tool_use(self, content: ToolCall | ToolUseContent) -> ToolResultContent: ...
    @overload
    async def route_tool_use(self, content: Any) -> Any: ...
    async def route_tool_use(self, content: Any) -> Any:
        """Run what the content asks for; errors are results too: see `McpToolRouter.route_tool_use`."""
        return await self.router.route_tool_use(content)
