"""Reads one request to a server, and repairs the bytes of its answer. No package is needed."""

from toolglean.clients.repair.exchange import (
    AnswerReader,
    Counts,
    Exchange,
    Kind,
    Repair,
    RepairArguments,
    decoded,
    kind_of,
)
from toolglean.conversation.reading.arguments import FORMAT_OPTIONS

__all__ = [
    "FORMAT_OPTIONS",
    "AnswerReader",
    "Counts",
    "Exchange",
    "Kind",
    "Repair",
    "RepairArguments",
    "decoded",
    "kind_of",
]
