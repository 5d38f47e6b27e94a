# Leaked calls in a whole response of the Responses API: it is read as a stream of which only the last event has come,
# so both agree. Does not depend on how that stream is read (reader.py).
"""Leaked calls in whole answers of the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from toolglean.clients.responses.reader import ResponseReader
from toolglean.clients.responses.types import ResponseDict
from toolglean.conversation.reading.arguments import TurnArguments
from toolglean.conversation.reading.text import Tools

__all__ = ["dict_response"]


def dict_response(response: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]) -> ResponseDict:
    """The same for a response that was not streamed: see `dict_response_events`. The argument is not changed.

    Reasoning in a message's text becomes an item before the message, its calls become items after it. A message that
    ends up empty is left out. Calls that were cut off, or cannot be read, stay in the text.
    """
    cut = response.get("status") in ("incomplete", "failed")  # a server may send any value
    end = {"type": "response.incomplete" if cut else "response.completed", "response": response}
    [*_, found] = ResponseReader(tools, {**parsing, "whole_calls": True}).read(end)
    repaired: Any = dict(found["response"])
    typed: ResponseDict = repaired  # it has whatever fields the server sent
    return typed
