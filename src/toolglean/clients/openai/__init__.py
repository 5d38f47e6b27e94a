"""Turns calls that leaked into the text of OpenAI's API, or of a compatible server, into calls."""

from toolglean._install import needs

try:
    import openai as _openai  # noqa: F401  # before anything that is built on it, for the sake of the message
except ImportError as error:
    raise ImportError(needs("toolglean.clients.openai needs openai 3.50 or later", "openai")) from error

from toolglean.clients.chat import adict_chunks, dict_chunks, dict_completion
from toolglean.clients.openai.client import AsyncOpenAIClient, OpenAIClient, ollama_handler, open_ai_handler
from toolglean.clients.openai.objects import (
    achat_chunks,
    aresponse_events,
    chat_chunks,
    chat_completion,
    response,
    response_events,
)
from toolglean.clients.responses import adict_response_events, dict_response, dict_response_events

__all__ = [
    "AsyncOpenAIClient",
    "OpenAIClient",
    "achat_chunks",
    "adict_chunks",
    "adict_response_events",
    "aresponse_events",
    "chat_chunks",
    "chat_completion",
    "dict_chunks",
    "dict_completion",
    "dict_response",
    "dict_response_events",
    "ollama_handler",
    "open_ai_handler",
    "response",
    "response_events",
]
