"""Turns calls that leaked into the text of Ollama's chat into calls, and keeps ids."""

from toolglean._install import needs

try:
    import ollama as _ollama  # noqa: F401  # before anything that is built on it, for the sake of the message
except ImportError as error:
    raise ImportError(needs("toolglean.clients.ollama needs ollama 0.6.2 or later", "ollama")) from error

from toolglean.clients.ollama.chunks import (
    EventReader,
    achat_chunks,
    achat_events,
    agenerate_chunks,
    agenerate_events,
    chat_chunks,
    chat_events,
    chat_response,
    generate_chunks,
    generate_events,
)
from toolglean.clients.ollama.client import AsyncOllamaClient, OllamaClient
from toolglean.clients.ollama.requests import ChatResponse, Message, ToolCall

__all__ = [
    "AsyncOllamaClient",
    "ChatResponse",
    "EventReader",
    "Message",
    "OllamaClient",
    "ToolCall",
    "achat_chunks",
    "achat_events",
    "agenerate_chunks",
    "agenerate_events",
    "chat_chunks",
    "chat_events",
    "chat_response",
    "generate_chunks",
    "generate_events",
]
