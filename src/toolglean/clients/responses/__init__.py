"""Leaked calls in OpenAI's Responses API, on plain dicts: for proxies. No package is needed."""

from toolglean.clients.responses.reader import adict_response_events, dict_response, dict_response_events
from toolglean.clients.responses.types import ItemDict, PartDict, ResponseDict, ResponseEventDict

__all__ = [
    "ItemDict",
    "PartDict",
    "ResponseDict",
    "ResponseEventDict",
    "adict_response_events",
    "dict_response",
    "dict_response_events",
]
