# The bytes that the loopback server would send as an answer, and what a client reads in such bytes.
# Does not depend on how anything is repaired.
"""Answers of OpenAI's, Anthropic's and Ollama's APIs as bytes, and what they say."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from tests.support.face import faced
from tests.support.loopback import Turn, messages, ollama, responses
from tests.support.loopback import openai as chat
from toolglean.clients.repair import AnswerReader, Exchange, Kind, Repair

PATHS: Mapping[Kind, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "ollama": "/api/chat",
}
STREAMS: Mapping[Kind, str] = {
    "chat": "text/event-stream; charset=utf-8",
    "responses": "text/event-stream",
    "messages": "text/event-stream; charset=utf-8",
    "ollama": "application/x-ndjson",
}
KINDS: tuple[Kind, ...] = ("chat", "responses", "messages", "ollama")


def pieces(text: str, size: int = 5) -> list[str]:
    """The text as a stream delivers it."""
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


class Said(NamedTuple):
    """What an answer says: the user's text, the reasoning, the calls as (name, arguments text), why it ended."""

    text: str
    reasoning: str
    calls: list[tuple[str, Any]]
    reason: str | None


def asked(kind: Kind, tools: Iterable[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """A request with tools."""
    given: list[Any] = list(tools)
    if kind == "responses":
        given = [{"type": "function", **tool["function"]} for tool in given]
    elif kind == "messages":
        given = [
            {
                "name": each["name"],
                "description": each.get("description", ""),
                "input_schema": each.get("parameters", {}),
            }
            for each in (tool["function"] for tool in given)
        ]
    return {"model": "m", "tools": given, "stream": True, **more}


def exchange(kind: Kind, request: Mapping[str, Any], **options: Any) -> Exchange:
    """The exchange that such a request begins."""
    found = Repair(**faced(**{"id_prefix": "p", **options})).exchange("POST", PATHS[kind], json.dumps(request).encode())
    assert found is not None
    return found


def reader(kind: Kind, request: Mapping[str, Any], **options: Any) -> AnswerReader:
    """What reads the answer to such a request."""
    content_type = STREAMS[kind] if request["stream"] else "application/json"
    found = exchange(kind, request, **options).reader(200, content_type)
    assert found is not None
    return found


def answer(kind: Kind, turn: Turn, request: Mapping[str, Any]) -> bytes:
    """The bytes of the answer, as the loopback server writes them."""
    if kind == "ollama":
        if not request["stream"]:
            return json.dumps(ollama.whole(turn, request, chat=True)).encode()
        return "".join(ollama.lines(turn, request, chat=True)).encode()
    wires: Mapping[Kind, Any] = {"chat": chat, "responses": responses, "messages": messages}
    wire = wires[kind]
    if not request["stream"]:
        return json.dumps(wire.whole(turn, request), ensure_ascii=False).encode()
    return "".join(wire.events(turn, request)).encode()


def fed(new: Callable[[], AnswerReader], data: bytes, sizes: Callable[[], int]) -> bytes:
    """What comes out where the bytes arrive in pieces of these sizes."""
    found, place, reading = [], 0, new()
    while place < len(data):
        size = sizes()
        found.append(reading.feed(data[place : place + size]))
        place += size
    return b"".join([*found, reading.finish()])


def repaired(kind: Kind, turn: Turn, request: Mapping[str, Any], *, cut: int = 1 << 20, **options: Any) -> bytes:
    """The repaired bytes of an answer."""
    return fed(lambda: reader(kind, request, **options), answer(kind, turn, request), lambda: cut)


def random_sizes(seed: int, most: int = 60) -> Callable[[], int]:
    """Sizes of pieces, always the same."""
    rng = random.Random(seed)
    return lambda: rng.randint(1, most)


# -- what a client reads -----------------------------------------------------------------------------------------------


def events(data: bytes) -> list[dict[str, Any]]:
    """The JSON of server-sent events."""
    blocks = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n")
    lines = [line[5:].strip() for block in blocks for line in block.split(b"\n") if line.startswith(b"data:")]
    return [json.loads(line) for line in lines if line != b"[DONE]"]


def said(kind: Kind, data: bytes, request: Mapping[str, Any], choice: int = 0) -> Said:
    """What the answer says."""
    if kind == "ollama":
        lines = [json.loads(line) for line in data.splitlines()] if request["stream"] else [json.loads(data)]
        return _ollama(lines)
    if kind == "responses":
        found = events(data)[-1]["response"] if request["stream"] else json.loads(data)
        return _response(found)
    if kind == "messages":
        return _message(joined(events(data)) if request["stream"] else json.loads(data))
    if request["stream"]:
        return _chat(events(data), choice)
    found = next(each for each in json.loads(data)["choices"] if each["index"] == choice)
    message = found["message"]
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    calls += [message["function_call"]] if message.get("function_call") else []
    return Said(
        message["content"] or "",
        message.get("reasoning_content") or "",
        [(each["name"], json.loads(each["arguments"])) for each in calls],
        found["finish_reason"],
    )


def _chat(chunks: list[dict[str, Any]], index: int) -> Said:
    text, thoughts, reason = "", "", None
    names: dict[int, str] = {}
    pieces: dict[int, str] = {}
    for choice in (each for chunk in chunks for each in chunk.get("choices", ()) if each["index"] == index):
        delta = choice["delta"]
        text += delta.get("content") or ""
        thoughts += delta.get("reasoning_content") or ""
        reason = choice["finish_reason"] or reason
        fragments = delta.get("tool_calls") or ()
        for fragment in [*fragments, *([{"function": delta["function_call"]}] if "function_call" in delta else [])]:
            place = fragment.get("index", -1)
            names[place] = names.get(place, "") + (fragment["function"].get("name") or "")
            pieces[place] = pieces.get(place, "") + (fragment["function"].get("arguments") or "")
    return Said(text, thoughts, [(names[place], _read(pieces[place])) for place in sorted(names)], reason)


def _read(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _response(response: Mapping[str, Any]) -> Said:
    output = response["output"]
    text = "".join(part["text"] for item in output if item["type"] == "message" for part in item["content"])
    thoughts = "".join(part["text"] for item in output if item["type"] == "reasoning" for part in item["content"])
    calls = [(item["name"], json.loads(item["arguments"])) for item in output if item["type"] == "function_call"]
    return Said(text, thoughts, calls, response["status"])


def joined(stream: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that its events add up to, as the clients of Anthropic join them: by counting the blocks."""
    message: dict[str, Any] = {"content": [], "stop_reason": None}
    pieces: dict[int, str] = {}
    for event in stream:
        content, index = message["content"], event.get("index", -1)
        if event["type"] == "message_start":
            message = copy.deepcopy(event["message"])
        elif event["type"] == "content_block_start":
            content.append(dict(event["content_block"]))
        elif event["type"] == "content_block_delta":
            for name, text in event["delta"].items():
                if name == "partial_json":
                    pieces[index] = pieces.get(index, "") + text
                elif name != "type":
                    content[index][name] = content[index].get(name, "") + text
        elif event["type"] == "message_delta":
            message |= event["delta"]
    for index, text in pieces.items():
        message["content"][index]["input"] = _read(text or "{}")
    return message


def _message(message: Mapping[str, Any]) -> Said:
    content = message["content"]
    return Said(
        "".join(block["text"] for block in content if block["type"] == "text"),
        "".join(block["thinking"] for block in content if block["type"] == "thinking"),
        [(block["name"], block["input"]) for block in content if block["type"] == "tool_use"],
        message["stop_reason"],
    )


def _ollama(lines: list[dict[str, Any]]) -> Said:
    messages = [line["message"] for line in lines if "message" in line]
    calls = [call["function"] for message in messages for call in message.get("tool_calls") or ()]
    return Said(
        "".join(message.get("content") or "" for message in messages),
        "".join(message.get("thinking") or "" for message in messages),
        [(call["name"], call["arguments"]) for call in calls],
        lines[-1].get("done_reason"),
    )
