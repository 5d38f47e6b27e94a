# What this room knows: the way from a request for a tool, in whatever form, to its result.
# What it must not know: any client. Servers and clients are handed in.
"""Requests for tools, routed: OpenAI's form, XML, JSON and MCP's, to MCP servers and functions of this program."""

from toolglean.conversation.messages import ToolCallAggregator
from toolglean.conversation.routing.arguments import coerce_arguments, read_arguments
from toolglean.conversation.routing.convert import from_neutral, result_from_neutral, result_to_neutral, to_neutral
from toolglean.conversation.routing.detect import ToolUseFormat, detect_format
from toolglean.conversation.routing.executors import LocalTools, ToolExecutor
from toolglean.conversation.routing.history import messages_of_turn
from toolglean.conversation.routing.integration import McpIntegration
from toolglean.conversation.routing.neutral import ErrorCode, ToolFault, ToolResultContent, ToolUseContent
from toolglean.conversation.routing.providers import ApiHandlerOptions, BaseProvider, OllamaHandler, OpenAiHandler
from toolglean.conversation.routing.router import McpToolRouter
from toolglean.conversation.routing.system import UnifiedMcpToolSystem

__all__ = [
    "ApiHandlerOptions",
    "BaseProvider",
    "ErrorCode",
    "LocalTools",
    "McpIntegration",
    "McpToolRouter",
    "OllamaHandler",
    "OpenAiHandler",
    "ToolCallAggregator",
    "ToolExecutor",
    "ToolFault",
    "ToolResultContent",
    "ToolUseContent",
    "ToolUseFormat",
    "UnifiedMcpToolSystem",
    "coerce_arguments",
    "detect_format",
    "from_neutral",
    "messages_of_turn",
    "read_arguments",
    "result_from_neutral",
    "result_to_neutral",
    "to_neutral",
]
