# What this package knows: objects while they are being written: how they are built from JSON, read, and validated at
# the end. Does not depend on language models or clients.
"""Partial objects, and the processor that makes them."""

from toolglean.llm.objects.final import invalid_object, object_of, valid_object, validated
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
    "valid_object",
    "validated",
]
