# The bodies of Ollama's API, as the server of November 2026 sends them.
# Does not depend on HTTP.
#
# A tool call carries an id beside its function, and the index within it (api/types.go, ToolCall and ToolCallFunction);
# a call is always sent whole. An error in mid-stream is a line {"error": …} (server/routes.go, streamResponse).
"""Ollama: /api/chat, /api/generate, /api/show, /api/tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.loopback.turns import Call, Piece, Thought, Turn
from tests.support.loopback.wires import counts, dumped, faulty, joined

__all__ = ["lines", "show", "tags", "whole"]

CREATED_AT = "2026-11-21T03:00:00.000000000Z"
DETAILS = {"parent_model": "", "format": "gguf", "family": "qwen3", "families": ["qwen3"], "parameter_size": "8.2B"}


def lines(turn: Turn, request: Mapping[str, Any], *, chat: bool) -> Iterator[str]:
    """The lines of a streamed answer, each with its line break."""
    return faulty(
        (line + "\n" for line in _objects(turn, request, chat=chat)),
        turn,
        wrap=lambda text: text + "\n",
        error=lambda message: dumped({"error": message}) + "\n",
    )


def _objects(turn: Turn, request: Mapping[str, Any], *, chat: bool) -> Iterator[str]:
    if turn.raw is not None:
        yield from (each if isinstance(each, str) else dumped(each) for each in turn.raw)
        return
    head = _head(request)
    index = 0
    for piece in turn.pieces():
        yield dumped(head | _body(*_parts(piece, index), chat=chat) | {"done": False})
        index += isinstance(piece, Call)
    yield dumped(head | _body("", "", [], chat=chat) | _end(turn))


def whole(turn: Turn, request: Mapping[str, Any], *, chat: bool) -> Any:
    """The answer without `stream`."""
    if turn.raw is not None:
        return turn.raw[0]
    text, thinking, calls = joined(turn)
    found = [_call(call, index) for index, call in enumerate(calls)]
    return _head(request) | _body(text, thinking, found, chat=chat) | _end(turn)


def _head(request: Mapping[str, Any]) -> dict[str, Any]:
    return {"model": request.get("model", ""), "created_at": CREATED_AT}


def _parts(piece: Piece, index: int) -> tuple[str, str, list[dict[str, Any]]]:
    if isinstance(piece, Thought):
        return "", piece.text, []
    return ("", "", [_call(piece, index)]) if isinstance(piece, Call) else (piece, "", [])


def _body(text: str, thinking: str, calls: list[dict[str, Any]], *, chat: bool) -> dict[str, Any]:
    more = ({"thinking": thinking} if thinking else {}) | ({"tool_calls": calls} if calls else {})
    return {"message": {"role": "assistant", "content": text} | more} if chat else {"response": text} | more


def _call(call: Call, index: int) -> dict[str, Any]:
    return {"id": call.id, "function": {"index": index, "name": call.name, "arguments": call.arguments}}


def _end(turn: Turn) -> dict[str, Any]:
    prompt, answer = counts(turn)
    times = {"total_duration": 9_000_000, "load_duration": 1_000_000}
    asked = {"prompt_eval_count": prompt, "prompt_eval_duration": 2_000_000}
    return (
        {"done": True, "done_reason": turn.finish or "stop"}
        | times
        | asked
        | {"eval_count": answer, "eval_duration": 6_000_000}
    )


def show(template: str) -> dict[str, Any]:
    """What the server knows of a model."""
    return {
        "license": "",
        "modelfile": "FROM loopback",
        "parameters": "",
        "template": template,
        "details": DETAILS,
        "model_info": {"general.architecture": "qwen3"},
        "capabilities": ["completion", "tools"] if ".Tools" in template else ["completion"],
        "modified_at": CREATED_AT,
    }


def tags(models: list[str]) -> dict[str, Any]:
    """The models that the server has."""
    own = {"modified_at": CREATED_AT, "size": 5_200_000_000, "digest": "0" * 64, "details": DETAILS}
    return {"models": [{"name": name, "model": name} | own for name in models]}
