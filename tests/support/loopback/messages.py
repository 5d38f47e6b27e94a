# The events and bodies of Anthropic's Messages API.
# Does not depend on HTTP; the other wires.
#
# Each block of the message is begun (content_block_start), filled by deltas, and ended (content_block_stop); one is open
# at a time. Every event has its name twice, on the SSE line "event:" and as `type`. There is no [DONE].
"""Anthropic: /v1/messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.loopback.turns import Call, Thought, Turn
from tests.support.loopback.wires import arguments_text, counts, faulty, runs, sse

__all__ = ["error_body", "events", "whole"]

ID = "msg_loopback"
REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
PING = {"type": "ping"}


def events(turn: Turn, request: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer."""
    given = turn.raw if turn.raw is not None else _events(turn, request)
    return faulty(
        map(sse, given),
        turn,
        wrap=lambda text: f"event: content_block_delta\ndata: {text}\n\n",
        error=lambda message: sse({"type": "error", "error": {"type": "api_error", "message": message}}),
    )


def error_body(message: str, code: int) -> dict[str, Any]:
    """The body of an answer with that status."""
    return {"type": "error", "error": {"type": ERRORS.get(code, "api_error"), "message": message}}


def _events(turn: Turn, request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asked, written = counts(turn)
    head = _message(request, [], None, {"input_tokens": asked, "output_tokens": 1})
    yield {"type": "message_start", "message": head}
    for index, pieces in enumerate(runs(turn)):
        begun, deltas = _block(pieces)
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        if not index:
            yield PING
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    reason = {"stop_reason": _reason(turn), "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": written}}
    yield {"type": "message_stop"}


def _reason(turn: Turn) -> str:
    calls = any(isinstance(each, Call) for each in turn.pieces())
    return REASONS.get(turn.finish, turn.finish) or ("tool_use" if calls else "end_turn")


def _block(pieces: list[Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    first = pieces[0]
    if isinstance(first, Call):
        text = arguments_text(first)
        parts = ["", *(text[begin : begin + first.cut] for begin in range(0, len(text), first.cut))]
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        return {"type": "tool_use", "id": first.id, "name": first.name, "input": {}}, deltas
    if isinstance(first, Thought):
        deltas = [{"type": "thinking_delta", "thinking": each.text} for each in pieces]
        return {"type": "thinking", "thinking": "", "signature": ""}, [
            *deltas,
            {"type": "signature_delta", "signature": "c2lnbmVk"},
        ]
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in pieces]


def whole(turn: Turn, request: Mapping[str, Any]) -> Any:
    """The answer without `stream`."""
    if turn.raw is not None:
        return turn.raw[0]
    asked, written = counts(turn)
    content = [_whole(pieces) for pieces in runs(turn)]
    return _message(request, content, _reason(turn), {"input_tokens": asked, "output_tokens": written})


def _whole(pieces: list[Any]) -> dict[str, Any]:
    begun, deltas = _block(pieces)
    if isinstance(pieces[0], Call):
        return {**begun, "input": json.loads(arguments_text(pieces[0]) or "{}")}
    for delta in deltas:
        for name, text in delta.items():
            begun |= {name: begun[name] + text} if name != "type" else {}
    return begun


def _message(
    request: Mapping[str, Any], content: list[dict[str, Any]], reason: str | None, usage: dict[str, int]
) -> dict[str, Any]:
    head = {"id": ID, "type": "message", "role": "assistant", "model": request.get("model", "")}
    return head | {"content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}
