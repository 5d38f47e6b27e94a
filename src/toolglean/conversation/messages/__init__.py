# What this room knows: the messages of a conversation, and how the providers' wires write them.
# What it must not know: any client, any transport.
"""Messages and histories, and their conversion to and from the wire formats of Ollama, OpenAI and MCP's blocks."""

from toolglean.conversation.messages.convert import ChunkWrapper, HistoryConverter, message_of_output
from toolglean.conversation.messages.deltas import ChatDeltas
from toolglean.conversation.messages.joining import ToolCallAggregator
from toolglean.conversation.messages.neutral import NeutralHistoryConverter
from toolglean.conversation.messages.ollama import OllamaHistoryConverter, OllamaResponseChunkWrapper
from toolglean.conversation.messages.openai import (
    OpenAIChunkWrapper,
    OpenAIHistoryConverter,
    OpenAIResponseChunkWrapper,
)
from toolglean.conversation.messages.types import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)

__all__ = [
    "ChatDeltas",
    "ChunkWrapper",
    "ContentPart",
    "ContentPartOther",
    "ContentPartReasoning",
    "ContentPartText",
    "ContentPartToolCall",
    "ContentPartToolResult",
    "History",
    "HistoryConverter",
    "Message",
    "NeutralHistoryConverter",
    "OllamaHistoryConverter",
    "OllamaResponseChunkWrapper",
    "OpenAIChunkWrapper",
    "OpenAIHistoryConverter",
    "OpenAIResponseChunkWrapper",
    "Role",
    "ToolCallAggregator",
    "message_of_output",
]
