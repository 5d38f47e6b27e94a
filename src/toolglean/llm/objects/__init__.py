# What this room knows: objects that are not finished: how they grow from JSON, how they are seen, how they end.
# What it must not know: language models and clients.
"""Partial objects, and the processor that makes them."""

from toolglean.llm.objects.final import invalid_object, object_of, read_object, valid_object, validated
from toolglean.llm.objects.partial import Partial, PartialDict, PartialList
from toolglean.llm.objects.processor import Partials, StreamingObjectProcessor

__all__ = [
    "Partial",
    "PartialDict",
    "PartialList",
    "Partials",
    "StreamingObjectProcessor",
    "invalid_object",
    "object_of",
    "read_object",
    "valid_object",
    "validated",
]
