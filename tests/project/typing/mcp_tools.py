# A user's program, for the type checkers only: tools of an MCP server, called as a model asks. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Tools of an MCP server."""

from typing import Any, assert_type

from mcp import StdioServerParameters

from toolglean import ToolCall, ToolSet, parse
from toolglean.clients.mcp import EmbeddedMcpServer
from toolglean.conversation import McpIntegration, ToolResultContent

own = EmbeddedMcpServer()


@own.tool(description="The weather of a city.")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return city


assert_type(get_weather("Oslo"), str)
assert_type(own.tools, ToolSet)


async def answered(text: str) -> list[ToolResultContent]:
    """Run the calls of a turn."""
    results: list[ToolResultContent] = []
    async with EmbeddedMcpServer(StdioServerParameters(command="server"), read_timeout=5, mode="auto") as server:
        assert_type(server.openai_tools, list[dict[str, Any]])
        for call in parse(text, server.tools, model="qwen3:8b").calls:
            assert_type(call, ToolCall)
            results.append(await server.execute_tool(call.name, call.arguments, tool_use_id=call.id, timeout=9))
        routed = await McpIntegration(server).route_tool_use(parse(text, server.tools).calls[0])
        assert_type(routed, ToolResultContent)
    return results


EmbeddedMcpServer(3)  # type: ignore[arg-type]
EmbeddedMcpServer(read_timeouts=3)  # type: ignore[call-arg]
own.tool(descriptions="The weather.")  # type: ignore[call-arg]
