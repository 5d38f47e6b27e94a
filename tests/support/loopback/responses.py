# The events and bodies of OpenAI's Responses API.
# Does not depend on HTTP; the chat API.
#
# Each item of the output is opened (output_item.added), filled by deltas, and closed (…done, output_item.done); every
# event has its name twice, on the SSE line "event:" and as `type`, and a sequence_number. There is no [DONE].
"""OpenAI: /v1/responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.loopback.turns import Call, Thought, Turn
from tests.support.loopback.wires import CREATED, arguments_text, counts, faulty, runs, sse

__all__ = ["events", "whole"]

ID = "resp_loopback"


def events(turn: Turn, request: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer."""
    return faulty(
        map(sse, _numbered(turn, request)),
        turn,
        wrap=lambda text: f"event: response.output_text.delta\ndata: {text}\n\n",
        error=_error,
    )


def _error(message: str) -> str:
    return sse({"type": "error", "code": "server_error", "message": message, "param": None, "sequence_number": 0})


def _numbered(turn: Turn, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any] | str]:
    if turn.raw is not None:
        yield from turn.raw
        return
    for number, event in enumerate(_events(turn, request)):
        yield event | {"sequence_number": number}


def _events(turn: Turn, request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": _response(request, [], "in_progress")}
    yield {"type": "response.in_progress", "response": _response(request, [], "in_progress")}
    done: list[dict[str, Any]] = []
    for index, pieces in enumerate(runs(turn)):
        place = {"output_index": index}
        for event in _item(pieces, index):
            yield event | place
            if event["type"] == "response.output_item.done":
                done.append(event["item"])
    status = "incomplete" if turn.finish == "length" else "completed"
    yield {"type": f"response.{status}", "response": _response(request, done, status, counts(turn))}


def _item(pieces: list[Any], index: int) -> Iterator[dict[str, Any]]:
    if isinstance(pieces[0], Call):
        return _call(pieces[0], f"fc_{index}")
    if isinstance(pieces[0], Thought):
        return _thought([each.text for each in pieces], f"rs_{index}")
    return _message(pieces, f"msg_{index}")


def _message(texts: list[str], item_id: str) -> Iterator[dict[str, Any]]:
    def item(status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": item_id, "type": "message", "role": "assistant", "status": status, "content": content}

    def part(text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    whole_text, place = "".join(texts), {"item_id": item_id, "content_index": 0}
    yield {"type": "response.output_item.added", "item": item("in_progress", [])}
    yield {"type": "response.content_part.added", "part": part("")} | place
    for text in texts:
        yield {"type": "response.output_text.delta", "delta": text, "logprobs": []} | place
    yield {"type": "response.output_text.done", "text": whole_text, "logprobs": []} | place
    yield {"type": "response.content_part.done", "part": part(whole_text)} | place
    yield {"type": "response.output_item.done", "item": item("completed", [part(whole_text)])}


def _thought(texts: list[str], item_id: str) -> Iterator[dict[str, Any]]:
    def item(content: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": item_id, "type": "reasoning", "summary": [], "content": content}

    whole_text, place = "".join(texts), {"item_id": item_id, "content_index": 0}
    yield {"type": "response.output_item.added", "item": item([])}
    for text in texts:
        yield {"type": "response.reasoning_text.delta", "delta": text} | place
    yield {"type": "response.reasoning_text.done", "text": whole_text} | place
    yield {"type": "response.output_item.done", "item": item([{"type": "reasoning_text", "text": whole_text}])}


def _call(call: Call, item_id: str) -> Iterator[dict[str, Any]]:
    def item(status: str, arguments: str) -> dict[str, Any]:
        head = {"id": item_id, "type": "function_call", "call_id": call.id, "name": call.name}
        return head | {"arguments": arguments, "status": status}

    text, place = arguments_text(call), {"item_id": item_id}
    yield {"type": "response.output_item.added", "item": item("in_progress", "")}
    for begin in range(0, len(text), call.cut):
        yield {"type": "response.function_call_arguments.delta", "delta": text[begin : begin + call.cut]} | place
    yield {"type": "response.function_call_arguments.done", "arguments": text, "name": call.name} | place
    yield {"type": "response.output_item.done", "item": item("completed", text)}


def whole(turn: Turn, request: Mapping[str, Any]) -> Any:
    """The answer without `stream`."""
    if turn.raw is not None:
        return turn.raw[0]
    return list(_events(turn, request))[-1]["response"]


def _response(
    request: Mapping[str, Any], output: list[dict[str, Any]], status: str, count: tuple[int, int] | None = None
) -> dict[str, Any]:
    usage = (
        None
        if count is None
        else {
            "input_tokens": count[0],
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": count[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(count),
        }
    )
    head = {"id": ID, "object": "response", "created_at": CREATED, "model": request.get("model", "")}
    asked = {"tools": request.get("tools", []), "tool_choice": "auto", "parallel_tool_calls": True}
    why = {"reason": "max_output_tokens"} if status == "incomplete" else None
    return head | asked | {
        "status": status, "output": output, "error": None, "incomplete_details": why, "instructions": None,
        "metadata": {}, "temperature": 1.0, "top_p": 1.0, "usage": usage,
    }  # fmt: skip
