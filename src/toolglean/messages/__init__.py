# What this room knows: the messages of a conversation, and how the providers' wires write them.
# What it must not know: any client, any transport.
"""Messages and histories, and their conversion to and from what Ollama and OpenAI send."""

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
    "ContentPart",
    "ContentPartOther",
    "ContentPartReasoning",
    "ContentPartText",
    "ContentPartToolCall",
    "ContentPartToolResult",
    "History",
    "Message",
    "Role",
]
