# The fields of the Responses API that toolglean reads or writes. Other fields of a server are passed through, but type
# checkers do not know them.
"""Events and answers of the Responses API as plain dicts, for type checkers."""

from __future__ import annotations

from typing import Any, Required, TypedDict

__all__ = ["ItemDict", "PartDict", "ResponseDict", "ResponseEventDict"]


class PartDict(TypedDict, total=False):
    """A part of a message, or of a reasoning.

    Attributes:
        type: "output_text", "reasoning_text", "refusal", …
        text: its text.
        annotations, logprobs: the server's own.
    """

    type: Required[str]
    text: str
    annotations: list[Any]
    logprobs: list[Any]


class ItemDict(TypedDict, total=False):
    """An item of the output.

    Attributes:
        type: "message", "function_call", "reasoning", …
        id: its id.
        status: "in_progress", "completed", "incomplete".
        role: of a message, "assistant".
        content: the parts of a message, or of a reasoning.
        summary: of a reasoning.
        call_id: the id of a function call, which its result repeats.
        name: of the function.
        arguments: of the call, JSON text.
    """

    type: Required[str]
    id: str
    status: str
    role: str
    content: list[PartDict]
    summary: list[Any]
    call_id: str
    name: str
    arguments: str


class ResponseDict(TypedDict, total=False):
    """A whole response.

    Attributes:
        output: its items.
        output_text: the text of its messages, from servers that repeat it.
        usage: the number of tokens.
        id, object, created_at, model, status, error: the server's own.
    """

    id: str
    object: str
    created_at: float
    model: str
    status: str
    error: Any
    output: Required[list[ItemDict]]
    output_text: str
    usage: dict[str, Any] | None


class ResponseEventDict(TypedDict, total=False):
    """An event of a streamed response.

    Attributes:
        type: "response.output_text.delta", "response.function_call_arguments.done", …: which other fields there are.
        sequence_number: its number in the stream.
        output_index: of its item.
        item_id: the id of that item.
        content_index: of its part.
        delta: a piece of text, of reasoning or of arguments.
        text: the whole text of a part.
        arguments: the whole arguments of a call.
        name: of the function.
        part: a part, as it begins or ends.
        item: an item, as it begins or ends.
        response: the whole response, at the beginning and at the end.
    """

    type: Required[str]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    delta: str
    text: str
    arguments: str
    name: str
    part: PartDict
    item: ItemDict
    response: ResponseDict
