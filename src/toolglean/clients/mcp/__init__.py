"""Tools of an MCP server, called as the model asks."""

from toolglean._install import needs

try:
    import mcp as _mcp  # noqa: F401  # before anything that is built on it, for the sake of the message
except ImportError as error:
    raise ImportError(needs("toolglean.clients.mcp needs mcp 2.3 or later", "mcp")) from error

from toolglean.clients.mcp.server import EmbeddedMcpServer, McpServerError, Progress

__all__ = ["EmbeddedMcpServer", "McpServerError", "Progress"]
