"""Leaked calls in OpenAI's chat API, on plain dicts: for proxies. No package is needed."""

from toolglean.clients.chat.reader import adict_chunks, dict_chunks, dict_completion
from toolglean.clients.chat.types import (
    CallDict,
    ChoiceDict,
    ChunkChoiceDict,
    ChunkDict,
    CompletionDict,
    DeltaDict,
    FunctionDict,
)

__all__ = [
    "CallDict",
    "ChoiceDict",
    "ChunkChoiceDict",
    "ChunkDict",
    "CompletionDict",
    "DeltaDict",
    "FunctionDict",
    "adict_chunks",
    "dict_chunks",
    "dict_completion",
]
