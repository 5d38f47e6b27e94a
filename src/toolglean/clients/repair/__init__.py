"""Reads one request to a server, and repairs the bytes of its answer. No package is needed."""

from toolglean.clients.repair.answers import AnswerReader, decoded
from toolglean.clients.repair.exchange import Exchange, Kind, Repair, RepairArguments, kind_of
from toolglean.conversation.reading.arguments import FORMAT_OPTIONS
from toolglean.conversation.reading.counts import Counts

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
