# What this room knows: the messages of a conversation, and how the providers' wires write them.
# What it must not know: any client, any transport.
"""Messages and histories, and their conversion to and from the wire formats of Ollama, OpenAI and MCP's blocks."""

from toolglean.messages.convert import ChunkWrapper, HistoryConverter, message_of_output
from toolglean.messages.deltas import ChatDeltas
from toolglean.messages.joining import ToolCallAggregator
from toolglean.messages.neutral import NeutralHistoryConverter
from toolglean.messages.ollama import OllamaHistoryConverter, OllamaResponseChunkWrapper
from toolglean.messages.openai import OpenAIChunkWrapper, OpenAIHistoryConverter, OpenAIResponseChunkWrapper
from toolglean.messages.types import (
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
