# What this package knows: conversations, in every provider's wire format, and how their tools are run.
# Does not depend on any client or server: they are passed in.
#
#   messages.py          roles, messages, their parts, histories
#   fields.py            fields of dicts and objects, JSON in strings
#   wire.py              what converters do; openai.py, anthropic.py, ollama.py, blocks.py are the wire formats
#   deltas.py            OpenAI's stream: calls from fragments, events as fragments
#   reading/             one turn of a server: its text, its reasoning, and the calls that the server has parsed
#   told.py              tools as text, for a model whose server does not tell it
#   calls.py, forms.py   a tool's use and its result, and the forms in which they are written
#   arguments.py         arguments by schema
#   runner.py            runs one function; routing.py, handlers.py and turns.py find out which, and report the result
#
# Each name is imported when it is first used: what runs tools needs asyncio, and a log of turns needs only messages.
"""Conversations in one form for all providers: histories, wire formats, requests for tools, and what runs the tools."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolglean.conversation.anthropic import AnthropicChunkWrapper, AnthropicHistoryConverter
    from toolglean.conversation.arguments import coerce_arguments, read_arguments
    from toolglean.conversation.blocks import NeutralHistoryConverter
    from toolglean.conversation.calls import ErrorCode, ToolFault, ToolResultContent, ToolUseContent
    from toolglean.conversation.deltas import ChatDeltas, ToolCallAggregator
    from toolglean.conversation.forms import (
        ToolUseFormat,
        detect_format,
        from_neutral,
        result_from_neutral,
        result_to_neutral,
        to_neutral,
    )
    from toolglean.conversation.handlers import ApiHandlerOptions, BaseProvider, OllamaHandler, OpenAiHandler
    from toolglean.conversation.messages import (
        ContentPart,
        ContentPartOther,
        ContentPartReasoning,
        ContentPartText,
        ContentPartToolCall,
        ContentPartToolResult,
        History,
        Message,
        Role,
        message_of_output,
    )
    from toolglean.conversation.ollama import OllamaHistoryConverter, OllamaResponseChunkWrapper
    from toolglean.conversation.openai import OpenAIChunkWrapper, OpenAIHistoryConverter, OpenAIResponseChunkWrapper
    from toolglean.conversation.routing import (
        LocalTools,
        McpIntegration,
        McpToolRouter,
        ToolExecutor,
        UnifiedMcpToolSystem,
    )
    from toolglean.conversation.turns import messages_of_turn
    from toolglean.conversation.wire import ChunkWrapper, HistoryConverter

__all__ = [
    "AnthropicChunkWrapper",
    "AnthropicHistoryConverter",
    "ApiHandlerOptions",
    "BaseProvider",
    "ChatDeltas",
    "ChunkWrapper",
    "ContentPart",
    "ContentPartOther",
    "ContentPartReasoning",
    "ContentPartText",
    "ContentPartToolCall",
    "ContentPartToolResult",
    "ErrorCode",
    "History",
    "HistoryConverter",
    "LocalTools",
    "McpIntegration",
    "McpToolRouter",
    "Message",
    "NeutralHistoryConverter",
    "OllamaHandler",
    "OllamaHistoryConverter",
    "OllamaResponseChunkWrapper",
    "OpenAIChunkWrapper",
    "OpenAIHistoryConverter",
    "OpenAIResponseChunkWrapper",
    "OpenAiHandler",
    "Role",
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
    "message_of_output",
    "messages_of_turn",
    "read_arguments",
    "result_from_neutral",
    "result_to_neutral",
    "to_neutral",
]

_HOMES = {
    "anthropic": "AnthropicChunkWrapper AnthropicHistoryConverter",
    "arguments": "coerce_arguments read_arguments",
    "blocks": "NeutralHistoryConverter",
    "calls": "ErrorCode ToolFault ToolResultContent ToolUseContent",
    "deltas": "ChatDeltas ToolCallAggregator",
    "forms": "ToolUseFormat detect_format from_neutral result_from_neutral result_to_neutral to_neutral",
    "handlers": "ApiHandlerOptions BaseProvider OllamaHandler OpenAiHandler",
    "messages": "ContentPart ContentPartOther ContentPartReasoning ContentPartText ContentPartToolCall "
    "ContentPartToolResult History Message Role message_of_output",
    "ollama": "OllamaHistoryConverter OllamaResponseChunkWrapper",
    "openai": "OpenAIChunkWrapper OpenAIHistoryConverter OpenAIResponseChunkWrapper",
    "routing": "LocalTools McpIntegration McpToolRouter ToolExecutor UnifiedMcpToolSystem",
    "turns": "messages_of_turn",
    "wire": "ChunkWrapper HistoryConverter",
}
"""The modules, each with the names that come from it: the imports above, for Python."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        return found
    if name in _HOMES:  # a module, as in `toolglean.conversation.messages`
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
