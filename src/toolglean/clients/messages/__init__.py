"""Leaked calls in Anthropic's Messages API, on plain dicts: for proxies. No package is needed."""

from toolglean.clients.messages.reader import adict_message_events, dict_message, dict_message_events
from toolglean.clients.messages.types import BlockDeltaDict, BlockDict, MessageDict, MessageEventDict

__all__ = [
    "BlockDeltaDict",
    "BlockDict",
    "MessageDict",
    "MessageEventDict",
    "adict_message_events",
    "dict_message",
    "dict_message_events",
]
