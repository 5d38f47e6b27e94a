# The bodies of OpenAI's chat API: chunks and completions.
# Does not depend on HTTP; the Responses API.
#
# A stream begins with the role, sends a call's id and name with empty arguments and the arguments in pieces after it,
# ends each choice with an empty delta that has the finish_reason, and, where stream_options asks for it, sends the
# usage in a last chunk without choices.
"""OpenAI: /v1/chat/completions, /v1/models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tests.support.loopback.turns import Call, Thought, Turn
from tests.support.loopback.wires import CREATED, arguments_text, counts, faulty, joined

__all__ = ["error_body", "events", "models", "sse", "whole"]

ID = "chatcmpl-loopback"


def sse(value: Any) -> str:
    """One event of a stream without event names."""
    return f"data: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}\n\n"


def error_body(message: str, code: int | None = None) -> dict[str, Any]:
    """The error object."""
    return {"error": {"message": message, "type": "server_error", "param": None, "code": code}}


def events(turn: Turn, request: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer."""
    return faulty(map(sse, _chunks(turn, request)), turn, wrap=sse, error=lambda message: sse(error_body(message)))


def _chunks(turn: Turn, request: Mapping[str, Any]) -> Iterator[Any]:
    if turn.raw is not None:
        yield from turn.raw
        yield "[DONE]"
        return
    head = {"id": ID, "object": "chat.completion.chunk", "created": CREATED, "model": request.get("model", "")}
    counted = bool((request.get("stream_options") or {}).get("include_usage"))
    head |= {"usage": None} if counted else {}
    each = [_choice(turn.choice(index), index) for index in range(request.get("n") or 1)]
    for row in zip_longest(*each):
        yield from (head | {"choices": [choice]} for choice in row if choice is not None)
    if counted:
        yield head | {"choices": [], "usage": _usage(turn)}
    yield "[DONE]"


def _choice(turn: Turn, index: int) -> Iterator[dict[str, Any]]:
    for delta in ({"role": "assistant", "content": ""}, *_deltas(turn)):
        yield {"index": index, "delta": delta, "logprobs": None, "finish_reason": None}
    yield {"index": index, "delta": {}, "logprobs": None, "finish_reason": _finish(turn)}


def _deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    index = 0
    for piece in turn.pieces():
        if isinstance(piece, Call):
            for fragment in _fragments(piece):
                yield {"tool_calls": [{"index": index} | fragment]}
            index += 1
        elif isinstance(piece, Thought):
            yield {turn.reasoning_key: piece.text}
        else:
            yield {"content": piece}


def _fragments(call: Call) -> Iterator[dict[str, Any]]:
    yield {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    text = arguments_text(call)
    for begin in range(0, len(text), call.cut):
        yield {"function": {"arguments": text[begin : begin + call.cut]}}


def _finish(turn: Turn) -> str:
    return turn.finish or ("tool_calls" if joined(turn)[2] else "stop")


def _usage(turn: Turn) -> dict[str, int]:
    prompt, answer = counts(turn)
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def whole(turn: Turn, request: Mapping[str, Any]) -> Any:
    """The answer without `stream`."""
    if turn.raw is not None:
        return turn.raw[0]
    choices = [
        {"index": index, "message": _message(own), "logprobs": None, "finish_reason": _finish(own)}
        for index in range(request.get("n") or 1)
        for own in [turn.choice(index)]
    ]
    head = {"id": ID, "object": "chat.completion", "created": CREATED, "model": request.get("model", "")}
    return head | {"choices": choices, "usage": _usage(turn)}


def _message(turn: Turn) -> dict[str, Any]:
    text, thinking, calls = joined(turn)
    found: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None}
    if thinking:
        found[turn.reasoning_key] = thinking
    if calls:
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}
            for call in calls
        ]
    return found


def models(names: list[str]) -> dict[str, Any]:
    """The models that the server has."""
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": CREATED, "owned_by": "loopback"} for name in names],
    }
